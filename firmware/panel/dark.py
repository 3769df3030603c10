"""``python -m firmware.panel.dark [TABLE.toml]``: all lamps off. The service runs it after it has stopped.

A program that was killed cannot turn its lamps off, and the lines keep their levels until somebody else drives them.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from .board import open_panel
from .config import BoardKind, panel_config


def main(argv: list[str]) -> int:
    """Turn the lamps off; 0 done (or there is no panel), 2 not possible, with one line on standard error."""
    try:
        path = Path(argv[0]) if argv else table_file(os.environ)
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        seats = sum(str(zone.get("name", "")).startswith("seat-") for zone in table.get("zone", []))
        config = panel_config(table.get("panel", {}), seats)
        if config.board is not BoardKind.NONE:
            open_panel(config).close()
    except (OSError, ValueError) as error:
        print(f"cardtable: lamps not turned off: {error}", file=sys.stderr)
        return 2
    return 0


def table_file(environ: Mapping[str, str]) -> Path:
    """Where the service's table file is: ``$CARDTABLE_CONFIG``, systemd's folder for it, or ``/etc/cardtable``."""
    folder = environ.get("CARDTABLE_CONFIG") or environ.get("CONFIGURATION_DIRECTORY") or "/etc/cardtable"
    return Path(folder) / "table.toml"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
