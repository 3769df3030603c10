"""A process of its own with a small panel on the stand-in lgpio: ``child.py MODE MEANING...``.

It opens the panel, shows a meaning a seat, prints a line, and waits to be ended.  Modes: ``wait``, ``fork`` (a forked
copy closes its panel first), ``open`` (shows nothing), ``crash`` (leaves by an exception), ``leave`` (ends without
closing its panel), ``check`` (the whole of ``check --panel``, on a panel of its own).
"""

from __future__ import annotations

import os
import sys

import gpiozero.pins.local

from firmware.panel import pins
from firmware.panel.board import Panel, open_panel
from firmware.panel.check import check_panel
from firmware.panel.config import BoardKind, default
from firmware.panel.signals import Meaning, PanelState, signal


def show(panel: Panel, meanings: list[str]) -> None:
    panel.show(PanelState(tuple(signal(Meaning[name], 1) for name in meanings), 8))


def main(mode: str, meanings: list[str]) -> None:
    gpiozero.pins.local.get_pi_revision = lambda: 0xC03111
    pins.chip_labels = lambda lgpio: {0: "gpio-brcmstb", 4: "pinctrl-bcm2711"}
    if mode == "check":
        for report in check_panel(default(BoardKind.SMALL, 2)):
            print(report.words, flush=True)
        return
    pins.exit_on_sigterm()
    if mode == "leave":
        show(open_panel(default(BoardKind.SMALL, 2)), meanings)
        print("left", flush=True)
        return
    with open_panel(default(BoardKind.SMALL, 2)) as panel:
        assert "fake_lgpio" in str(sys.modules["lgpio"].__file__)
        if mode != "open":
            show(panel, meanings)
        if mode == "fork" and os.fork() == 0:
            panel.close()
            os._exit(0)
        if mode == "crash":
            raise RuntimeError("something unforeseen")
        print(os.getcwd(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
