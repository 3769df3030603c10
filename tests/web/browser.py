"""Debian's own Chromium for the page's tests: one browser, a tab a phone (each host name has its own cookies)."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

#: Longest wait for the page to show something, in seconds; the machine of the tests may be very busy.
PATIENCE_S = 20.0
#: The name of the view that a page shows.
SHOWN = "return document.querySelector('main').dataset.view"
PHONES = ("phone1.local", "phone2.local", "phone3.local", "phone4.local", "wall.local")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
)


class Phone:
    """One tab of the browser. Every call brings it to the front first."""

    def __init__(self, driver: Any, host: str, port: int) -> None:
        self.driver = driver
        self.url = f"http://{host}:{port}"
        driver.switch_to.new_window("tab")
        self.handle = driver.current_window_handle

    def front(self) -> Any:
        """The driver, with this tab in front."""
        self.driver.switch_to.window(self.handle)
        return self.driver

    def open(self, tail: str = "") -> Phone:
        """Go to an address of the page; an address that differs in its fragment alone is loaded anew."""
        self.front().get("about:blank")
        self.driver.get(f"{self.url}/{tail}")
        return self

    def go(self, view: str) -> None:
        """Another view of the page, without loading it again: what is asked of it afterwards is asked of that view."""
        self.run(f"location.hash = '#/{view}'")
        self.until(lambda phone: phone.run(SHOWN) in (view.split("/")[0], "door"), f"the view {view}")

    def run(self, script: str, *given: Any) -> Any:
        """What a script returns; ``given`` are its arguments."""
        return self.front().execute_script(script, *given)

    def all(self, selector: str) -> list[Any]:
        """The elements that match."""
        found: list[Any] = self.front().find_elements("css selector", selector)
        return found

    def text(self, selector: str) -> str:
        """The text of the first that matches, empty if there is none."""
        return self.run(f"return document.querySelector({selector!r})?.textContent ?? ''") or ""

    def until(self, shown: Callable[[Phone], object], what: str) -> None:
        """Wait until the page shows something."""
        end = time.monotonic() + PATIENCE_S
        while not shown(self):
            assert time.monotonic() < end, f"{self.url}: never showed {what}; it shows {self.text('main')[:400]!r}"
            time.sleep(0.05)

    def sees(self, selector: str, words: str = "") -> None:
        """Wait until an element with these words is there."""
        self.until(lambda phone: any(words in e for e in phone._texts(selector)), f"{selector} with {words!r}")

    def tap(self, selector: str, words: str = "") -> None:
        """Tap the first element with these words."""
        self.sees(selector, words)
        place = next(at for at, text in enumerate(self._texts(selector)) if words in text)
        self.run(f"document.querySelectorAll({selector!r})[{place}].click()")

    def write(self, selector: str, text: str) -> None:
        """Type into a field, in the place of what is in it, again where the page draws the field anew meanwhile."""
        self.sees(selector)
        self.until(lambda phone: phone._written(selector, text), f"{selector} with {text!r} in it")

    def size(self, width: int, height: int, **media: str) -> None:
        """A screen of this size in CSS pixels, with media features such as ``prefers_color_scheme="dark"``."""
        driver = self.front()
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def press(self, selector: str, key: str) -> None:
        """Press a key on the first element that matches."""
        self.sees(selector)
        self.until(lambda phone: phone._typed(selector, key), f"{selector} to press a key on")

    def _typed(self, selector: str, keys: str, clear: bool = False) -> bool:
        """Type; false where the page drew the element anew meanwhile, so that nothing was typed."""
        from selenium.common.exceptions import StaleElementReferenceException

        with suppress(StaleElementReferenceException, IndexError):
            element = self.all(selector)[0]
            if clear:
                element.clear()
            element.send_keys(keys)
            return True
        return False

    def _written(self, selector: str, text: str) -> bool:
        typed = self._typed(selector, text, clear=True)
        return typed and bool(self.run(f"return document.querySelector({selector!r})?.value") == text)

    def _texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(f"return [...document.querySelectorAll({selector!r})].map(e => e.textContent)")
        return found


@contextmanager
def chromium() -> Iterator[Any]:
    """A fresh Chromium; skips with a word where there is none."""
    binary, service = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not service:
        pytest.skip("no chromium with its chromedriver on this machine (apt-get install chromium chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        rules = ", ".join(f"MAP {host} 127.0.0.1" for host in PHONES)
        for flag in (*QUIET, f"--user-data-dir={profile}", f"--host-resolver-rules={rules}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(service))
        try:
            yield driver
        finally:
            driver.quit()


def axe() -> str:
    """The text of axe-core, where ``$CARDTABLE_AXE`` names its file; skips with a word otherwise."""
    path = Path(os.environ.get("CARDTABLE_AXE", ""))
    if not path.is_file():
        pytest.skip("$CARDTABLE_AXE does not name an axe.min.js (npm's axe-core)")
    return path.read_text("utf-8")
