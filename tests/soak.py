"""Many short simulated sessions, watched and compared with what really happened.

Run: ``python -m tests.soak --sessions 200``. Rooms, packs, hands, sizes, games and hardships vary with the session's
number (`firmware.simulator.session.short`).  One line a session, what became of its facts and which hardships were in
it, then the sums; exit status 1 if a fact was invented or a card misread.  Goes on where it was stopped.

With ``--unseen`` the camera sees nothing while one of the cards is laid (dark, no pictures, or one picture over and
over): what it then misses is only counted, but it must credit nobody wrongly and accuse nobody of anything.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware.config import load_table
from firmware.perception import Perception
from firmware.referee.match import Match, Setup
from firmware.referee.rulings import Kind
from firmware.referee.script import load_scripts, run_script
from firmware.simulator.camera import Incident, SimulatedCamera
from firmware.simulator.record import script, table_toml
from firmware.simulator.session import Session, short
from firmware.simulator.timeline import CardKey
from firmware.watch import pressed, watch_frames
from vision.reader import Reader

Line = dict[str, Any]

#: A fact may be told so much before it came to rest, and so much after its time, seconds (as recordings are scored).
EARLY_S, LATE_S = 0.6, 2.0
#: What came unseen is told with the time since when nobody looked, which may be so much before it came.
EARLY_UNSEEN_S = 6.0
#: The median delay of what is told may be so long, seconds.
SOON_S = 0.4
#: Two cards that come to rest within this are quick play, seconds.
QUICK_S = 0.8

#: Rulings that hold something against somebody.
ACCUSING = {Kind.REFUSED, Kind.PROVED}

#: What the truth notes beside the facts, as the hardship that it is; a press's resting hand is an idle one.
HARDSHIPS = {
    "bumped": "bumped",
    "idle_hand": "idle hand",
    "put_down_not_released": "put down, not let go",
    "slid_through": "slid through",
    "taken_back": "refused card taken back",
    "turned_back": "turned back on its pack",
    "pile_put_back": "pile put back",
    "demand_refused": "demand refused",
}


def unseen(session: Session, number: int) -> tuple[Incident, ...]:
    """A time in which the camera sees nothing: as one card of the session is laid, 1.5 s before to 1 to 4 s after."""
    rng = random.Random(f"unseen {number}")
    laid = [line["t"] for line in session.timeline.truth if line.get("fact") == "laid"]
    at = rng.choice(laid) if laid else session.timeline.end_s / 2
    from_s, to_s = max(1.0, at - 1.5), at + rng.uniform(1.0, 4.0)
    kinds = Incident(from_s, to_s, gain=0.0), Incident(from_s, to_s, lost=True), Incident(from_s, to_s, standing=True)
    return (kinds[number % 3],)


def watched(session: Session, reader: Reader, incidents: tuple[Incident, ...] = ()) -> list[Line]:
    """What the camera and the referee make of a session."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        path.write_text(table_toml(session), encoding="utf-8")
        config = load_table(path)
    camera = SimulatedCamera.over(session, incidents=incidents)
    match = Match(Setup(session.game, session.names, session.dealer, session.house, session.deal))
    perception = Perception(config, reader, camera.size_px)
    presses = [pressed(p.t_s, p.seat, p.press) for p in camera.presses]
    return list(watch_frames(camera, perception, presses, match))


def compared(session: Session, told: list[Line], early_s: float = EARLY_S) -> Counter[str]:
    """How many facts there were and what became of them; and whether the result is what the script gives."""
    count: Counter[str] = Counter()
    facts = [line for line in told if line.get("fact") not in (None, "pressed", "taken_back", "corrected")]
    free = [line for line in facts if line["fact"] == "cut" or line.get("card") != "back"]
    for truth, line in _matched(session.timeline.truth, free, early_s):
        count["facts"] += 1
        count[_word(truth, line)] += 1
        if line is not None and _key(line) == _key(truth):
            count[_delay(line["at"] - truth["t"])] += 1
    optional = [truth for truth in session.timeline.truth if truth.get("optional")]
    count["invented"] += sum(not any(_key(line) == _key(o) for o in optional) for line in free)
    count["sessions"] += 1
    meant = _played(session)
    count["results equal"] += told[-1]["result"] == _meant(session, meant)
    accused = Counter((line.get("code"), line.get("seat")) for line in told if line.get("ruling") in ACCUSING)
    accused.subtract((ruling.code, ruling.seat) for ruling in meant.standing if ruling.kind in ACCUSING)
    count["falsely accused"] += (+accused).total()
    return count


def hardships(session: Session) -> Counter[str]:
    """How often each hardship happens in a session, by its plan alone; of the light, whether it is there at all."""
    truth = session.timeline.truth
    count = Counter(f"hardship {HARDSHIPS[line['note']]}" for line in truth if line.get("note") in HARDSHIPS)
    rests = sorted(line["rest"] for line in truth if "rest" in line)
    count["hardship quick play"] = sum(b - a <= QUICK_S for a, b in pairwise(rests))
    count["hardship upside down"] = sum(_upside_down(track.keys[-1]) for track in session.timeline.cards if track.face)
    light = session.look.light
    for name, there in (("drift", light.drift), ("flicker", light.flicker), ("glare", light.glare)):
        count[f"hardship {name}"] = int(there > 0)
    return +count


def _upside_down(key: CardKey) -> bool:
    """Does a face lie so that it stands on its head in the picture, within 30 degrees?"""
    return key.up and abs(key.place.angle_deg % 360 - 180) < 30


def _delay(seconds: float) -> str:
    """The class of a delay from the moment when the card rests and the hand has gone until it is told."""
    return "told within 0.4 s" if seconds <= SOON_S else "told later"


def _matched(truth: Sequence[Line], free: list[Line], early_s: float) -> list[tuple[Line, Line | None]]:
    """Each fact with what was told of it, taken from what is ``free``: exactly that first, then what is like it."""
    open_ = [line for line in truth if line.get("fact") not in (None, "pressed") and not line.get("optional")]
    matched: list[tuple[Line, Line | None]] = []
    for alike in (_key, _card, _place):
        matched += [pair for one in open_ if (pair := _pair(one, free, alike, early_s))]
        open_ = [one for one in open_ if not any(one is taken for taken, _ in matched)]
    return matched + [(one, None) for one in open_]


def _pair(truth: Line, free: list[Line], alike: Callable[[Line], Any], early_s: float) -> tuple[Line, Line] | None:
    """A fact and what was told of it at about its time, taken from what is ``free``; None if nothing is ``alike``."""
    first, last = float(truth.get("rest") or truth["t"]) - early_s, float(truth["t"]) + LATE_S
    for place, line in enumerate(free):
        if first <= float(line["t"]) <= last and alike(line) == alike(truth):
            return truth, free.pop(place)
    return None


def _word(truth: Line, like: Line | None) -> str:
    if like is None:
        return "missed"
    if _key(like) == _key(truth):
        return "found"
    if like.get("card") == truth.get("card"):
        return "no seat" if like.get("seat") is None else "wrong seat"
    return "unread" if like.get("card") == "?" else "misread"


def _key(fact: Line) -> tuple[Any, ...]:
    seats = tuple(sorted(fact.get("seats") or ()))
    names = ("fact", "card", "zone", "from", "to", "count")
    seat = None if fact["fact"] in ("turned_down", "exchanged", "gathered") else fact.get("seat")
    card = None if fact["fact"] == "cut" else fact.get("card")
    return (*(card if n == "card" else fact.get(n) for n in names), seat, seats)


def _card(fact: Line) -> tuple[Any, ...]:
    return *_place(fact), fact.get("card")


def _place(fact: Line) -> tuple[Any, ...]:
    return fact["fact"], fact.get("zone")


def _played(session: Session) -> Match:
    """The session as it was written, judged."""
    return run_script(load_scripts(json.dumps(script(session)), "the simulator's script")[0])[0]


def _meant(session: Session, match: Match) -> Line:
    """The result of the session as it was written; what follows from cards that nobody has seen is left out.

    The nine of hearts that was turned up is known wherever it goes; one that never was lies in a pack, and only the
    script knows whose.
    """
    result = match.result()
    result.pop("wish_in", None)
    if "wish" in result and not any(line.get("card") == "9H" for line in session.timeline.truth):
        result["wish"] = None
    return result


def main() -> int:
    """Run the sessions that are asked for; 1 if anything was invented or misread, or somebody wronged."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=int, default=200)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--kept", type=Path, default=Path("build/soak.jsonl"), help="one line a session, kept")
    options.add_argument("--unseen", action="store_true", help="the camera sees nothing while one card is laid")
    given = options.parse_args()
    given.kept.parent.mkdir(parents=True, exist_ok=True)
    early_s = EARLY_UNSEEN_S if given.unseen else EARLY_S
    reader, done = Reader.load(), {}
    if given.kept.exists():
        done = {line["session"]: line for line in map(json.loads, given.kept.read_text().splitlines())}
    total: Counter[str] = Counter()
    for number in range(given.first, given.first + given.sessions):
        if number not in done:
            session = short(number)
            told = watched(session, reader, unseen(session, number) if given.unseen else ())
            done[number] = {"session": number, "game": session.game, **compared(session, told, early_s)}
            done[number] |= hardships(session)
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[number]) + "\n")
        elif not any(key.startswith("hardship") for key in done[number]):  # kept before they were counted
            done[number] |= hardships(short(number))
        print(json.dumps(done[number]), flush=True)
        total.update({k: v for k, v in done[number].items() if k not in ("session", "game")})
    print(json.dumps({"total": dict(total), "model": reader.hash[:12]}))
    wronged = total["wrong seat"] + total["falsely accused"] if given.unseen else 0
    return int(bool(total["invented"] or total["misread"] or wronged))


if __name__ == "__main__":
    sys.exit(main())
