"""The points of a person's chart: the ends of days, and now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from foreknow.kernel.clock import DAY_MS
from foreknow.market.charts.history import stride
from foreknow.money.ledger import AccountKind, account_ids, credited_since
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.worth.store import KeptDay, kept_days, kept_through

WorthRange = Literal["1m", "1y", "all"]
RANGES: tuple[WorthRange, ...] = ("1m", "1y", "all")
#: The ends of this many days are shown.
_DAYS = {"1m": 30, "1y": 365}


class WorthPoint(NamedTuple):
    """What a person was worth at a moment, and what they had been given until then."""

    at_ms: int
    worth_kopecks: int
    added_kopecks: int


def worth_points(tx: ReadTx, user_id: int, range_: WorthRange, *, worth_kopecks: int, now_ms: int) -> list[WorthPoint]:
    """Return up to 1,000 points, oldest first; none before the first movement. `worth_kopecks`: what it is now."""
    from_day = now_ms // DAY_MS + 1 - _DAYS[range_] if range_ in _DAYS else 0
    through_day = min(kept_through(tx, user_id), (now_ms - 1) // DAY_MS)
    kept = kept_days(tx, user_id, from_day=from_day, through_day=through_day)
    kept_until_ms = kept[-1].day * DAY_MS if kept else -1
    account_id = account_ids(tx, kind=AccountKind.USER, owner_ids=[user_id])[user_id]
    added = [
        one.change_kopecks
        for one in credited_since(tx, [account_id], since_ms=kept_until_ms - OVERLAP_MS)
        if one.created_at_ms > kept_until_ms
    ]
    if not kept and not added:
        return []
    points = [WorthPoint(day * DAY_MS, *amounts) for day, *amounts in _filled(kept, from_day, through_day)]
    added_kopecks = sum(added) + (kept[-1].added_kopecks if kept else 0)
    return [*points, WorthPoint(now_ms, worth_kopecks, added_kopecks)]


def _filled(kept: Sequence[KeptDay], from_day: int, through_day: int) -> Iterator[KeptDay]:
    """Yield the days of a range, thinned as charts are."""
    if not kept:
        return
    first = max(kept[0].day, from_day)
    step = stride(through_day - first)
    newest = 0
    for day in range(first, through_day + 1):
        if (day - first) % step and day != through_day:
            continue
        while newest + 1 < len(kept) and kept[newest + 1].day <= day:
            newest += 1
        yield kept[newest]._replace(day=day)
