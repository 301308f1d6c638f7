"""Sums of people by period: deleting those of past periods."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.periods import Period, number_of
from foreknow.site.activity.tables import trader_sums

#: Rows that one transaction deletes.
PIECE_ROWS = 500
#: Periods kept beside the present one: a process may still read the one that has just ended.
KEPT_PERIODS = 1

_S = trader_sums.c


class PastSums(NamedTuple):
    """A past period whose sums are to be deleted."""

    period: Period
    number: int


def past_sums(tx: ReadTx) -> PastSums | None:
    """Return a period whose sums are no longer needed; None for none."""
    at_ms = now_ms(tx)
    periods: tuple[Period, ...] = ("week", "month")
    for period in periods:
        oldest = tx.execute(sa.select(sa.func.min(_S.number)).where(_S.period == period)).scalar()
        if oldest is not None and is_past(period, oldest, at_ms=at_ms):
            return PastSums(period, oldest)
    return None


def is_past(period: Period, number: int, *, at_ms: int) -> bool:
    """Return whether the sums of a period are no longer needed."""
    return number < number_of(period, at_ms) - KEPT_PERIODS


def delete_sums(tx: WriteTx, past: PastSums) -> None:
    """Delete some sums of a past period."""
    own = sa.and_(_S.period == past.period, _S.number == past.number)
    some = sa.select(_S.user_id).where(own).limit(PIECE_ROWS)
    tx.execute(trader_sums.delete().where(own, _S.user_id.in_(some)))
