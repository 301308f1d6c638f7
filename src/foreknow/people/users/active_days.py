"""On which UTC days people began or refreshed a session, or commented: a row for each person, a bit for each day.

Trades are not counted here: an order writes nothing for it, and its trader is found by the trades themselves.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.tables import active_days
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Days that a row remembers, its newest included: a month and the one before.
REMEMBERED = 62
_MASK = 2**REMEMBERED - 1
_AGE = "excluded.last_day - active_days.last_day"
_SHIFTED = f"((active_days.days << CAST({_AGE} AS INTEGER)) & {_MASK}) | 1"
_NOTE = Insert(
    active_days,
    ("user_id", "last_day", "days"),
    # A shift by 64 or more would be one by less on PostgreSQL.
    conflict=on_conflict(
        active_days,
        days=f"CASE WHEN {_AGE} < {REMEMBERED} THEN {_SHIFTED} ELSE 1 END",
        last_day="excluded.last_day",
    )
    + f" WHERE {_AGE} > 0",
)
_FIND = CompiledQuery(
    sa.select(active_days.c.user_id, active_days.c.last_day, active_days.c.days).where(in_array(active_days.c.user_id))
)


def note_active(tx: WriteTx, user_id: int, *, at_ms: int) -> None:
    """Remember that a person was active on the day of `at_ms`; call it after the locks of sessions and comments."""
    apply(tx, _NOTE, [(user_id, at_ms // DAY_MS, 1)])


def active_between(tx: ReadTx, user_ids: Collection[int], *, first_day: int, end_day: int) -> set[int]:
    """Return who of these people was active from `first_day` to before `end_day` (days since 1970-01-01)."""
    found: set[int] = set()
    for user_id, last_day, days in _FIND.fetch(tx, {"ids": user_ids}):
        # Bit 0 is last_day, bit 1 the day before.
        newest, oldest = max(0, last_day - end_day + 1), last_day - first_day
        if oldest >= newest and days >> newest & ((1 << (oldest - newest + 1)) - 1):
            found.add(user_id)
    return found
