"""A session judged again from its log: the facts folded through the referee, deal by deal.

The log is the truth; rulings, ledger and result follow from it. What was kept of them at the table is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from firmware.referee.match import BadSetup

from .chain import canonical
from .errors import BadEntry, Damaged, JournalError
from .journal import Journal
from .judge import DealReplay, judge, rulings_of
from .judge import setup_of as setup_of  # what a replay begins with
from .lines import Line, LineKind, SessionHeader
from .names import as_text, listed, title, visible
from .pen import unreadable
from .rows import kept_ruling
from .settle import Settlement, add_up, settle_up
from .store import RulingRow


def replay(journal: Journal, session_id: str) -> tuple[DealReplay, ...]:
    """Judge a session again.

    :raises BadEntry: if this program does not know the game or its house rules.
    :raises Damaged: if the log cannot be read.
    """
    journal.header(session_id)
    return judged(session_id, list(journal.lines(session_id)))


def judged(session_id: str, lines: Sequence[Line]) -> tuple[DealReplay, ...]:
    """As `replay`, of lines that are at hand."""
    if not lines or lines[0].kind is not LineKind.BEGIN:
        raise unreadable(session_id, 0)
    try:
        return judge(lines)
    except BadSetup as error:
        raise BadEntry(f"session {session_id} cannot be judged by this program: {error}") from None


def results(deals: Sequence[DealReplay]) -> list[dict[str, Any]]:
    """The results as the command line prints them, one a deal."""
    return [{"deal": one.deal.number, "result": one.match.result()} for one in deals]


def differences(journal: Journal, session_id: str, deals: Sequence[DealReplay]) -> list[str]:
    """Where what was kept at the table is not what the referee says now; nothing kept is no difference.

    The wording (``why``) may have changed with the program, if it is another one than wrote the session; who owes
    what to whom and why by code may not.
    """
    kept, told = _kept_and_told(journal.header(session_id), journal.rulings(session_id), deals)
    found = [
        f"deal {deal}, ruling {number}: {_difference(kept.get((deal, number)), told.get((deal, number)))}"
        for deal, number in sorted(kept.keys() | told.keys())
        if kept and kept.get((deal, number)) != told.get((deal, number))
    ]
    return [*found, *_other_results(journal, session_id, deals)]


def changed_rulings(session_id: str, lines: Sequence[Line], rulings: Sequence[RulingRow]) -> list[str]:
    """Kept rulings that do not follow from ``lines``; for a session that goes on, where no seal holds them yet.

    Those that are not kept yet are no change: the last ones ride with the next line.
    """
    try:
        deals = judged(session_id, lines)
    except JournalError:  # another program's game, or a log that cannot be read: said by others
        return []
    kept, told = _kept_and_told(SessionHeader.from_json(lines[0].body), rulings, deals)
    return [
        f"ruling {number} of deal {deal} was changed: {_difference(words, told.get((deal, number)))}"
        for (deal, number), words in sorted(kept.items())
        if words != told.get((deal, number))
    ]


_Judged = dict[tuple[int, int], str]


def _kept_and_told(
    header: SessionHeader, rows: Sequence[RulingRow], deals: Sequence[DealReplay]
) -> tuple[_Judged, _Judged]:
    """Rulings by deal and number: as they were kept, and as the referee gives them now."""
    ours = header.program == version("cardtable")
    kept = {(row.deal, row.id): _judged(row.entry, kept_ruling(row), wording=ours) for row in rows}
    told = {(deal, r.id): _judged(number, r.to_json(), wording=ours) for deal, number, r in rulings_of(deals)}
    return kept, told


def _judged(entry: int, ruling: Mapping[str, Any], *, wording: bool) -> str:
    """What a ruling says (without its wording unless that counts), and after which entry it was said."""
    said = {name: value for name, value in ruling.items() if wording or name != "why"}
    return canonical({"after": entry, **said})


def _difference(kept: str | None, told: str | None) -> str:
    if kept is None:
        return f"was not said at the table: {told}"
    return f"at the table {kept}, now {told or 'nothing'}"


def _other_results(journal: Journal, session_id: str, deals: Sequence[DealReplay]) -> Iterator[str]:
    for deal, result in kept_results(journal, session_id).items():
        now = next((one.match.result() for one in deals if one.deal.number == deal), None)
        if now is None or canonical(now) != canonical(result):
            yield f"deal {deal}: the result was {canonical(result)}, now {canonical(now)}"


_KEYS = {"deal", "result"}


def kept_results(journal: Journal, session_id: str) -> Mapping[int, Any]:
    """The results in the log's last line by deal: what `results` gives, or the last deal's result alone."""
    ends = [line for line in journal.lines(session_id) if line.kind is LineKind.END]
    kept = ends[-1].body.get("result") if ends else None
    if isinstance(kept, list):
        return {
            one["deal"]: one["result"] for one in kept if isinstance(one, Mapping) and {"deal", "result"} <= set(one)
        }
    if isinstance(kept, Mapping) and "unfinished" not in kept:
        return {kept["deal"]: kept["result"]} if set(kept) == _KEYS else {ends[-1].deal: kept}
    return {}


def session_net(journal: Journal, session_id: str) -> dict[str, int]:
    """What each player won or lost over a whole session."""
    return add_up(one.net() for one in replay(journal, session_id))


def settle_evening(
    journal: Journal, named: Iterable[str], found: Iterable[str] = ()
) -> tuple[Settlement, tuple[str, ...]]:
    """Several sessions settled together, each once, by the names that were typed; and which were left out, and why.

    Those that somebody ``named`` must be judged; one that was only ``found`` is left out if it cannot be.

    :raises JournalError: if a named session cannot be judged.
    """
    nets = {row.id: session_net(journal, row.id) for row in map(journal.session, named)}
    left_out = []
    for session_id in found:
        try:
            nets.setdefault(session_id, session_net(journal, session_id))
        except (BadEntry, Damaged) as error:
            left_out.append(str(error))
    return settle_up(add_up(nets.values())), tuple(left_out)


def refold(journal: Journal, session_id: str) -> int:
    """Keep the rulings as the referee says them now (after an import or a rebuilt database); how many."""
    total = 0
    for one in replay(journal, session_id):
        for number, rulings in one.said:
            journal.add_rulings(session_id, number, rulings, deal=one.deal.number)
            total += len(rulings)
    return total


def replay_text(journal: Journal, session_id: str, doubt: str = "") -> tuple[str, bool]:
    """What ``cardtable replay`` prints, and whether all is as it was at the table; it is not where there is a doubt."""
    row = journal.session(session_id)
    deals = replay(journal, row.id)
    found = differences(journal, row.id, deals)
    facts = sum(len(one.entries) for one in deals)
    said = f"{title(row.game)}, session {row.id}: {facts} entries in {len(deals)} deal(s) judged again."
    outcome = [f"Deal {one.deal.number}: {one.match.view.words or 'not over'}. {net_words(one.net())}" for one in deals]
    found = [doubt, *found] if doubt else found
    verdict = ["NOT as at the table:", *(f"  - {words}" for words in found)] if found else ["As at the table."]
    return as_text([said, *outcome, *verdict]), not found


def net_words(net: Mapping[str, int]) -> str:
    """``Ann +6, Bo -3 and Cy -3``; nothing if nobody won or lost."""
    if not any(net.values()):
        return ""
    return listed([f"{visible(name)} {counters:+d}" for name, counters in net.items()])
