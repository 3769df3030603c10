"""How much room pictures may take, and which ones go first.

Policy: a picture of a disputed entry is never thinned, nor any of a session that is not over; of the rest the oldest
go first, and each session whose pictures went says so in its log before they go.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .guard import disk_bytes, free_bytes
from .lines import Remark

if TYPE_CHECKING:
    from .journal import Journal

#: Pictures may take this many bytes in all unless set otherwise: two dozen long evenings on a 32 GB card
#: (a fact with a crop and a small whole view is about 60 kB, an evening about 1,500 facts).
QUOTA_BYTES = 2 << 30

#: Pictures leave at least this many bytes of the disk free, or this share of a small disk: room for the log.
FLOOR_BYTES = 64 << 20
FLOOR_SHARE = 4

#: Thinning frees this part of the quota at once, so that it does not happen at every fact.
_SLACK_SHARE = 16

#: Pictures looked at in one go when thinning.
_BATCH = 5_000

_OLDEST = """
SELECT evidence.hash, photo.bytes, session.id FROM photo
CROSS JOIN evidence ON evidence.hash = photo.hash JOIN session ON session.number = evidence.session
JOIN line ON line.session = session.number AND line.seq = evidence.seq
WHERE session.ended = 1 AND photo.gone = 0 AND NOT EXISTS (
  SELECT 1 FROM evidence AS e JOIN session AS s ON s.number = e.session
  JOIN line AS l ON l.session = e.session AND l.seq = e.seq
  WHERE e.hash = evidence.hash AND (s.ended = 0 OR EXISTS (
    SELECT 1 FROM dispute AS d WHERE d.session = l.session AND d.deal = l.deal AND d.entry = l.entry)))
ORDER BY session.number, evidence.seq LIMIT ?
"""


def make_room(journal: Journal, needed: int) -> str:
    """Make room for ``needed`` bytes of pictures; "" if there is room, else why not: "quota" or "disk"."""
    over = journal.store.photo_bytes() + needed - journal.photo_quota_bytes
    short = needed + floor_bytes(journal) - free_bytes(journal.folder)
    wanted = max(over, short)
    if wanted <= 0:
        return ""
    freed = thin(journal, wanted + journal.photo_quota_bytes // _SLACK_SHARE)
    if freed >= wanted:
        return ""
    return "quota" if over > freed else "disk"


def floor_bytes(journal: Journal) -> int:
    """What pictures leave free on the journal's disk."""
    return min(FLOOR_BYTES, disk_bytes(journal.folder) // FLOOR_SHARE)


def thin(journal: Journal, wanted: int) -> int:
    """Remove the oldest undisputed pictures of finished sessions until ``wanted`` bytes are free; the bytes freed."""
    freed = 0
    while freed < wanted:
        batch = journal.store.rows(_OLDEST, _BATCH)
        if not batch:
            break
        chosen: dict[str, list[str]] = defaultdict(list)
        for digest, size, session_id in batch:
            if freed >= wanted:
                break
            chosen[session_id].append(digest.hex())
            freed += size
        for session_id, names in chosen.items():
            journal.remark(session_id, Remark.THINNED, photos=names)
            journal.photos.remove(names)
    return freed
