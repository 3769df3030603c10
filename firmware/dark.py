"""All lights out: what systemd runs when the program has ended, however it ended (field report C09).

``python -m firmware.dark``.  Opening the panel turns everything off, closing it gives the pins back; that is all.
"""

from __future__ import annotations

import sys

from .config import config_folder, load_table
from .panel.board import open_panel
from .panel.config import BoardKind, panel_config
from .plain import plain_line
from .settings_file import readable


def main() -> int:
    """The exit status: 0 dark, or no panel; 1 with one line on standard error if the panel cannot be reached."""
    try:
        path, _ = readable(config_folder() / "table.toml")
        table = load_table(path)
        panel = panel_config(table.panel, table.seats)
        if panel.board is not BoardKind.NONE:
            open_panel(panel).close()
    except (ValueError, OSError) as error:
        print(plain_line(f"cardtable: the lights may still be on: {error}"), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
