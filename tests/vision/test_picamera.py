"""The Pi's camera: a fake that records every call, faults from the field, and the real picamera2's signatures."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from vision import picamera
from vision.frames import CameraAbsent, CameraBusy, CameraMemory, CameraStopped

STEADY = {"ExposureTime": 12000, "AnalogueGain": 2.0, "ColourGains": (1.9, 1.6), "LensPosition": 1.1, "AfState": 2}


class FakeCamera:
    """What our file uses of Picamera2. Class attributes set the faults; ``calls`` are kept in order."""

    calls: ClassVar[list[tuple[str, Any]]] = []
    found: ClassVar[list[dict[str, Any]]] = [{"Num": 0}]
    fail: ClassVar[dict[str, BaseException]] = {}
    hang: ClassVar[set[str]] = set()
    meta: ClassVar[list[dict[str, Any]]] = []
    focus = True
    out = 0

    def __init__(self, number: int = 0) -> None:
        self._did("__init__", number)
        self.camera_controls = dict.fromkeys([*STEADY, "AfMode", "AeEnable", "AwbEnable", "AeFlickerPeriod"])
        self.camera_properties = {"Model": "imx708_wide"}
        self.shown = 0

    @classmethod
    def _did(cls, name: str, what: Any = None) -> None:
        cls.calls.append((name, what))
        if name in cls.fail:
            raise cls.fail[name]
        if name in cls.hang:
            time.sleep(60)

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        return cls.found

    def create_video_configuration(self, **wanted: Any) -> dict[str, Any]:
        return wanted

    def configure(self, wanted: Any) -> None:
        self._did("configure", wanted)

    def set_controls(self, wanted: Any) -> None:
        self._did("set_controls", wanted)

    def start(self, show_preview: bool) -> None:
        self._did("start")

    def autofocus_cycle(self, wait: float) -> bool:
        self._did("autofocus_cycle", wait)
        return self.focus

    def capture_metadata(self, wait: float) -> dict[str, Any]:
        self.shown += 1
        return self.meta[min(self.shown, len(self.meta)) - 1] if self.meta else STEADY

    @contextmanager
    def captured_request(self, wait: float, flush: bool | None) -> Iterator[SimpleNamespace]:
        self._did("captured_request", flush)
        assert wait <= 2
        type(self).out += 1
        meta = {**STEADY, "SensorTimestamp": 5_000_000_000 + 66_000_000 * self.shown}
        self.shown += 1
        try:
            yield SimpleNamespace(get_metadata=lambda: {**meta, **self.late()}, make_array=self.make_array)
        finally:
            type(self).out -= 1

    def late(self) -> dict[str, Any]:
        return {}

    def make_array(self, name: str) -> np.ndarray:
        self._did("make_array", name)
        return np.zeros((1296, 2304, 3), np.uint8)

    def cancel_all_and_flush(self) -> None:
        self._did("cancel_all_and_flush")

    def stop(self) -> None:
        self._did("stop")

    def close(self) -> None:
        self._did("close")


def caused(words: str) -> RuntimeError:
    """As picamera2 wraps whatever went wrong while it opened a camera."""
    error = RuntimeError("Camera __init__ sequence did not complete.")
    error.__cause__ = RuntimeError(words)
    return error


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeCamera]:
    """A machine with a fake camera, without faults."""
    kind = type("Fresh", (FakeCamera,), {"calls": [], "fail": {}, "hang": set(), "meta": [], "out": 0})
    enums = SimpleNamespace(
        AfModeEnum=SimpleNamespace(Manual="manual"), AeFlickerModeEnum=SimpleNamespace(Manual="manual flicker")
    )
    library, package = ModuleType("libcamera"), ModuleType("picamera2")
    library.controls = enums  # type: ignore[attr-defined]
    package.Picamera2 = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "libcamera", library)
    monkeypatch.setitem(sys.modules, "picamera2", package)
    monkeypatch.setattr(picamera, "CLOSE_S", 0.05)
    return kind


def test_opens_configures_once_and_locks_what_has_settled(fake: type[FakeCamera]) -> None:
    fake.meta = [{**STEADY, "ExposureTime": t} for t in (900, 4000, 9000, 11000, 11900, *[12000] * 8)]
    camera = picamera.PiCamera.open(0, (2304, 1296), 15, 50)
    names = [name for name, _ in fake.calls]
    assert names == ["__init__", "configure", "set_controls", "start", "autofocus_cycle", "set_controls"]
    wanted = dict(fake.calls)["configure"]
    assert wanted["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}
    assert (wanted["main"]["format"], wanted["raw"], wanted["queue"]) == ("RGB888", None, False)
    assert fake.calls[2][1] == {"AeFlickerPeriod": 10000}, "only controls that this camera has"
    locked = fake.calls[-1][1]
    assert locked == {
        **{k: STEADY[k] for k in list(STEADY)[:4]},
        "AeEnable": False,
        "AwbEnable": False,
        "AfMode": "manual",
    }
    assert camera.complaint == ""


def test_b05_fresh_asks_for_a_frame_exposed_after_now(fake: type[FakeCamera]) -> None:
    camera = picamera.PiCamera.open()
    first, second = camera.read(), camera.read(fresh=True)
    assert [what for name, what in fake.calls if name == "captured_request"] == [None, True]
    assert first.seconds == 0
    assert second.taken_ns - first.taken_ns == 66_000_000
    assert second.seconds == pytest.approx(0.066)


def test_b07_b08_a_hundred_frames_one_configuration_no_handle_left(fake: type[FakeCamera]) -> None:
    camera = picamera.PiCamera.open()
    for _ in range(100):
        camera.read()
    assert [n for n, _ in fake.calls].count("configure") == 1
    assert fake.out == 0


def test_b08_the_handle_comes_back_when_the_picture_fails(fake: type[FakeCamera]) -> None:
    camera = picamera.PiCamera.open()
    fake.fail = {"make_array": RuntimeError("dma heap")}
    with pytest.raises(CameraStopped, match="dma heap"):
        camera.read()
    assert fake.out == 0


def test_b03_no_frame_is_told_and_not_waited_for_twice(fake: type[FakeCamera]) -> None:
    camera = picamera.PiCamera.open()
    fake.fail = {"captured_request": TimeoutError()}
    for _ in range(2):
        with pytest.raises(CameraStopped, match="ribbon cable"):
            camera.read()
    assert [n for n, _ in fake.calls].count("captured_request") == 1
    camera.close()
    assert "cancel_all_and_flush" in [n for n, _ in fake.calls], "stop() would wait behind the lost request"


def test_b04_a_stop_that_hangs_does_not_hold_us(fake: type[FakeCamera]) -> None:
    camera = picamera.PiCamera.open()
    fake.hang = {"stop"}
    began = time.monotonic()
    camera.close()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("where", "error", "kind", "words"),
    [
        ("__init__", caused("Failed to acquire camera: Device or resource busy"), CameraBusy, "another program"),
        ("__init__", caused("no tuning file"), CameraStopped, "no tuning file"),
        ("__init__", IndexError("list index out of range"), CameraAbsent, "reseat"),
        ("configure", OSError(12, "Cannot allocate memory"), CameraMemory, "restart the Pi"),
        ("start", MemoryError(), CameraMemory, "restart the Pi"),
        ("start", RuntimeError("Failed to start camera"), CameraStopped, "does not start"),
        ("autofocus_cycle", TimeoutError(), CameraStopped, "no picture for 2 s"),
    ],
)
def test_b01_b02_b07_each_fault_has_its_kind(
    fake: type[FakeCamera], where: str, error: Exception, kind: type[Exception], words: str
) -> None:
    fake.fail = {where: error}
    with pytest.raises(kind, match=words):
        picamera.PiCamera.open()
    if where != "__init__":
        assert "close" in [n for n, _ in fake.calls], "the half-open camera is given back"


def test_no_camera_and_the_wrong_number(fake: type[FakeCamera]) -> None:
    with pytest.raises(CameraAbsent, match="camera 1: is not there, 1 found"):
        picamera.PiCamera.open(1)
    fake.found = []
    with pytest.raises(CameraAbsent, match="none found"):
        picamera.PiCamera.open()


@pytest.mark.parametrize(
    ("error", "words"),
    [(ModuleNotFoundError("No module named 'libcamera'"), "apt install"), (ValueError("size changed"), "NumPy")],
)
def test_b10_two_ways_in_which_the_import_fails(monkeypatch: pytest.MonkeyPatch, error: Exception, words: str) -> None:
    class Broken(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise error

    monkeypatch.setitem(sys.modules, "libcamera", Broken("libcamera"))
    with pytest.raises(CameraAbsent, match=words):
        picamera.PiCamera.open()


def test_b09_gains_that_are_not_kept_are_told_once(fake: type[FakeCamera], monkeypatch: pytest.MonkeyPatch) -> None:
    camera = picamera.PiCamera.open()
    camera.read()
    assert camera.complaint == ""
    monkeypatch.setattr(fake, "late", lambda self: {"ColourGains": (2.6, 1.2)})
    camera.read()
    assert "ColourGains" in camera.complaint


def test_a_lens_that_finds_no_focus_is_told(fake: type[FakeCamera]) -> None:
    fake.focus = False
    assert "focus" in picamera.PiCamera.open().complaint


@pytest.mark.parametrize(
    ("model", "size", "mode"),
    [
        ("imx708_wide_noir", (1280, 720), {"output_size": (2304, 1296), "bit_depth": 10}),
        ("imx708", (2304, 1296), {"output_size": (2304, 1296), "bit_depth": 10}),
        ("imx708", (4000, 2000), {"output_size": (4608, 2592), "bit_depth": 10}),
        ("imx477", (1920, 1080), {"output_size": (2028, 1520), "bit_depth": 12}),
        ("imx219", (9000, 9000), {}),
        ("UVC Camera", (1280, 720), {}),
        ("", (1280, 720), {}),
    ],
)
def test_the_mode_sees_the_whole_field(model: str, size: tuple[int, int], mode: dict[str, Any]) -> None:
    assert picamera._mode(model, size) == mode


def test_b07_the_modes_are_not_asked_for(fake: type[FakeCamera]) -> None:
    """picamera2's property configures the camera for each of them; a fake cannot show that, so it has none."""
    assert not hasattr(fake, "sensor_modes")
    picamera.PiCamera.open()
    assert [n for n, _ in fake.calls].count("configure") == 1


# --- the contract with the real picamera2 ---------------------------------------------------------------------------


def our_calls() -> dict[str, set[str]]:
    """Every method that picamera.py calls, with the keywords it gives, read from its source."""
    tree = ast.parse(Path(picamera.__file__).read_text())
    calls: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            calls.setdefault(node.func.attr, set()).update(k.arg for k in node.keywords if k.arg)
    return calls


def picamera2_python() -> str | None:
    """A Python that has picamera2: this one, or the one that ``$CARDTABLE_PICAMERA2_PYTHON`` names."""
    if named := os.environ.get("CARDTABLE_PICAMERA2_PYTHON"):
        return named
    return sys.executable if importlib.util.find_spec("picamera2") else None


@pytest.mark.slow
def test_our_calls_fit_the_real_picamera2() -> None:
    python = picamera2_python()
    if python is None:
        pytest.skip("picamera2 is not installed here; name a Python that has it in CARDTABLE_PICAMERA2_PYTHON")
    stub = Path(__file__).with_name("picamera2_stub.py")
    done = subprocess.run([python, str(stub)], capture_output=True, text=True, timeout=300, check=True)
    real = json.loads(done.stdout.splitlines()[-1])
    calls = our_calls()
    asked = [name for name in real if name in calls]
    assert {"create_video_configuration", "captured_request", "capture_metadata", "autofocus_cycle"} <= set(asked)
    for name in asked:
        assert calls[name] - {"sensor"} <= set(real[name]), f"{name} takes {real[name]}"
    assert "sensor" in real["create_video_configuration"]
    assert real["__init__"][1] == "camera_num"
    assert set(real["properties"]) == {"camera_controls", "camera_properties"}
