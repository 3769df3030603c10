"""A session as one HTML file: nothing to load, nothing that runs, good on paper. Every word is escaped (E09)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape

from .names import counted, title
from .report import Said, Story, Told, clock_time, deal_line, foot_lines, head_lines, said_words
from .settle import add_up
from .stats import net_svg

_STYLE = """
body { font: 15px/1.4 sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; border-bottom: 1px solid #999; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } td { padding: .3rem .6rem .3rem 0; vertical-align: top }
tr { border-bottom: 1px solid #ddd; break-inside: avoid } .n { text-align: right; color: #555; width: 3rem }
.t { color: #555; width: 4rem } .ruling { margin: .1rem 0; color: #333 } .proved, .refused, .conflict { color: #8a1f1f }
.doubt { border: 3px solid #8a1f1f; padding: .5rem; font-weight: bold }
.struck > .what { text-decoration: line-through } .overturned { text-decoration: line-through; color: #777 }
img { max-height: 7rem; max-width: 16rem; margin: .2rem .2rem 0 0; border: 1px solid #999 }
@media print { body { margin: 0; font-size: 11px } img { max-height: 4.5rem } a { color: inherit } }
"""

#: Nothing may be loaded or run, whatever stands in the file.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

Pictures = Callable[[str], bytes | None]


def page(tale: Story, picture: Pictures, *, whole_views: bool = False) -> str:
    """The page. ``picture`` gives a picture's bytes by name; of each entry the crop, and all if ``whole_views``."""
    return "".join(_parts(tale, picture, whole_views))


def _parts(tale: Story, picture: Pictures, whole_views: bool) -> Iterator[str]:
    name = escape(f"{title(tale.row.game)}, session {tale.row.id}")
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><h1>{name}</h1>'
    yield f'<p class="doubt">{_text(tale.doubt)}</p>' if tale.doubt else ""
    yield from (f"<p>{_text(line)}</p>" for line in list(head_lines(replace(tale, doubt="")))[1:])
    for deal in tale.deals:
        yield f"<h2>{_text(deal_line(deal, tale.names))}</h2>"
        yield from (_ruling(said) for said in tale.opening.get(deal.number, ()))
        yield "<table>"
        yield from (_entry(told, picture, whole_views) for told in tale.told if told.deal == deal.number)
        yield f"</table><p><b>{_text(tale.outcome.get(deal.number, ''))}</b></p>"
    yield "<h2>Settling up</h2>"
    yield net_svg(add_up(tale.nets), "Counters won and lost") if any(add_up(tale.nets).values()) else ""
    yield from (f"<p>{_text(line)}</p>" for words in foot_lines(tale) for line in words.splitlines())
    yield "</body></html>\n"


def _entry(told: Told, picture: Pictures, whole_views: bool) -> str:
    chosen = told.entry.photos if whole_views else told.entry.photos[:1]
    pictures = "".join(_image(name, told, picture) for name in chosen)
    lost = f"<p>no picture: {_text(told.line.lost)}</p>" if told.line.lost else ""
    rulings = "".join(_ruling(said) for said in told.said)
    struck = ' class="struck"' if told.struck else ""
    return (
        f'<tr{struck}><td class="n">{told.entry.number}</td><td class="t">{clock_time(told.entry.t)}</td>'
        f'<td class="what">{_text(told.words)}{rulings}</td><td>{pictures}{lost}</td></tr>'
    )


def _image(name: str, told: Told, picture: Pictures) -> str:
    data = picture(name)
    if data is None:
        return f"<small>{counted(1, 'picture')} no longer kept</small>"
    words = escape(f"entry {told.entry.number}: {told.words}", quote=True)
    return f'<img alt="{words}" title="sha256 {escape(name)}" src="data:image/jpeg;base64,{b64encode(data).decode()}">'


def _ruling(said: Said) -> str:
    kind = said.ruling.kind.value if said.stands else "overturned"
    return f'<p class="ruling {escape(kind, quote=True)}">{_text(said_words(said))}</p>'


def _text(words: str) -> str:
    """Words of any origin as text; each keeps its own writing direction."""
    return f"<bdi>{escape(words)}</bdi>" if words else ""
