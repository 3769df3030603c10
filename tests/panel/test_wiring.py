"""Wiring and pages: table, drawing and parts from one description; what lies in docs/ is what the code would write."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware.panel.config import HEADER, LARGE, SMALL, BoardKind, PanelConfig, default
from firmware.panel.devices import chain_words
from firmware.panel.drawing import Box, Dot, Line, Words, png, sheet, svg
from firmware.panel.pages import pages
from firmware.panel.signals import TABLE, Colour
from firmware.panel.wiring import PINS_MAX_MA, chips, current_ma, parts, parts_list, pin_table, wires
from firmware.panel.wiring_picture import draw, save

DOCS = Path(__file__).resolve().parents[2] / "docs"
BOARDS = [
    default(kind, seats) for kind, most in ((BoardKind.SMALL, 4), (BoardKind.LARGE, 8)) for seats in range(2, most + 1)
]


@pytest.mark.parametrize("config", BOARDS, ids=lambda c: f"{c.board}-{c.seats}")
class TestEveryBoard:
    def test_the_table_the_picture_and_the_devices_name_the_same_pins(self, config: PanelConfig):
        table = pin_table(config).splitlines()
        drawn = [item.text for item in draw(config).items if isinstance(item, Words)]
        for name, gpio in config.pins():
            assert any(line.split()[:2] == [str(HEADER[gpio]), str(gpio)] and name in line for line in table)
            assert name in ("spi in", "spi second latch") or (name in drawn and f"GPIO {gpio}" in drawn)

    def test_each_wire_of_the_picture_starts_at_its_pin(self, config: PanelConfig):
        items = draw(config).items
        dots = {item.text: (item.x, item.y - 4) for item in items if isinstance(item, Words) and item.text.isdigit()}
        starts = [item.points[0] for item in items if isinstance(item, Line)]
        for wire in wires(config):
            assert wire.idle or dots[str(wire.pin)] in starts

    def test_the_picture_holds_all_that_is_drawn(self, config: PanelConfig):
        drawn = draw(config)
        for item in drawn.items:
            places = item.points if isinstance(item, Line) else [(item.x, item.y)]
            assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for x, y in places), item
            if isinstance(item, Words) and item.anchor == "start":
                assert item.x + 0.62 * item.size * len(item.text) <= drawn.width, item.text

    def test_the_svg_is_well_formed_and_the_png_shows_the_same(self, config: PanelConfig):
        drawn = draw(config)
        assert ElementTree.fromstring(svg(drawn)).tag == "{http://www.w3.org/2000/svg}svg"
        image = cv2.imdecode(np.frombuffer(png(drawn), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.shape == (drawn.height, drawn.width, 3)
        for item in drawn.items:
            if isinstance(item, Line) and item.width >= 2 and item.fill is None:
                (x0, y0), (x1, y1) = item.points[-2:]
                middle = image[round((y0 + y1) / 2), round((x0 + x1) / 2)]
                assert middle.min() < 200, item


class TestParts:
    def test_the_pins_of_the_small_board_can_feed_it(self):
        assert current_ma(SMALL) == pytest.approx(41.5, abs=0.1)
        assert current_ma(SMALL) < PINS_MAX_MA
        assert "41 mA of the 50 mA" in parts_list(SMALL)

    def test_small(self):
        assert {part: number for number, part in parts(SMALL)} == {
            "push button (normally open)": 5,
            "red LED (or half of a two-colour LED with common cathode)": 4,
            "green LED (or half of a two-colour LED with common cathode)": 4,
            "resistor 10 k": 8,
            "resistor 470 ohm": 15,
            "NPN transistor (BC547 or like it)": 2,
            "resistor 1 k": 2,
            "passive piezo buzzer": 1,
            "resistor 100 ohm": 1,
            "7-segment digit, common cathode, red": 2,
        }

    def test_large(self):
        found = {part: number for number, part in parts(LARGE)}
        assert found["74HCT595 shift register (HCT: it must read 3.3 V at a supply of 5 V)"] == 5
        assert found["resistor 680 ohm"] == 8 * 3 + 2 * 7
        assert found["resistor 10 k"] == 1

    def test_what_a_chip_drives_is_what_the_program_writes(self):
        seven_seats = default(BoardKind.LARGE, 7)
        outputs = [output for chip in chips(seven_seats) for output in chip]
        words = chain_words([Colour.OFF] * 4 + [Colour.BLUE] + [Colour.OFF] * 2, "1 ")
        lit = [bit for byte in reversed(words) for bit in ((byte >> place) & 1 for place in range(8))]
        assert [name for name, on in zip(outputs, lit, strict=True) if on] == ["seat 5 blue", "tens b", "tens c"]


class TestDrawing:
    ITEMS = (
        Line(((0, 0), (30, 30)), "#ff0000", 2),
        Line(((5, 5), (25, 5), (15, 20)), "#00ff00", 1, "#00ff00"),
        Box(40, 0, 20, 20, "#0000ff"),
        Box(40, 30, 20, 20, None),
        Dot(80, 20, 10, "#ffff00"),
        Words(2, 58, "a < b & c", 7, "start"),
    )

    def test_words_are_escaped(self):
        assert "a &lt; b &amp; c" in svg(sheet(100, 60, self.ITEMS))

    def test_colours_are_where_they_belong(self):
        image = cv2.imdecode(np.frombuffer(png(sheet(100, 60, self.ITEMS)), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        places = {"box": (50, 10), "hollow": (50, 40), "dot": (80, 20), "shape": (15, 10)}
        seen = {name: tuple(int(v) for v in image[y, x]) for name, (x, y) in places.items()}
        assert seen == {"box": (255, 0, 0), "hollow": (255, 255, 255), "dot": (0, 255, 255), "shape": (0, 255, 0)}

    def test_both_pictures_are_saved(self, tmp_path: Path):
        as_svg, as_png = save(SMALL, tmp_path)
        assert as_svg.read_text(encoding="utf-8") == svg(draw(SMALL))
        image = cv2.imread(str(as_png))
        assert image is not None
        assert image.shape[1] == 2 * draw(SMALL).width


class TestPages:
    @pytest.mark.parametrize("name", list(pages()))
    def test_docs_hold_what_the_code_would_write(self, name: str):
        assert (DOCS / name).read_bytes() == pages()[name], "run: python -m firmware.panel.pages docs"

    def test_every_meaning_stands_on_the_page(self):
        text = pages()["signals.md"].decode()
        for row in TABLE.values():
            assert row.when in text
            assert row.beat.format(n=3) in text
