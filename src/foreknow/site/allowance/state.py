"""The period whose allowance is paid, its terms, and how far it is paid: one row, which a payment locks first.

Terms that are set count from the period after the one in which a process first has them; what is set when a period
begins does not reach back into it. A period that no process lived to see is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.grant_settings import AllowancePeriod, AllowanceTerms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.allowance.tables import allowances

_ONLY = 1
WEEK_DAYS = 7
#: 1970-01-01 was a Thursday.
_MONDAY = 3


class PeriodBounds(NamedTuple):
    """A period from its first millisecond to that of the next; Unix milliseconds."""

    start_ms: int
    end_ms: int


def period_of(every: AllowancePeriod, at_ms: int) -> PeriodBounds:
    """Return the period in which a moment lies: a day, a week from Monday or a month, in UTC."""
    day = at_ms // DAY_MS
    if every == "day":
        return PeriodBounds(day * DAY_MS, (day + 1) * DAY_MS)
    if every == "week":
        monday = day - (day + _MONDAY) % WEEK_DAYS
        return PeriodBounds(monday * DAY_MS, (monday + WEEK_DAYS) * DAY_MS)
    date = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
    next_month = (date.year + 1, 1) if date.month == 12 else (date.year, date.month + 1)
    return PeriodBounds(_first_ms(date.year, date.month), _first_ms(*next_month))


def _first_ms(year: int, month: int) -> int:
    return int(datetime(year, month, 1, tzinfo=UTC).timestamp()) * SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceState:
    """The row; `terms` None: the present period has no allowance."""

    terms: AllowanceTerms | None
    next_terms: AllowanceTerms | None
    start_ms: int
    end_ms: int
    #: Users up to this id have what they get in this period.
    paid_through_id: int
    is_paid: bool

    @property
    def due_terms(self) -> AllowanceTerms | None:
        """The terms by which something is still to be paid."""
        return None if self.is_paid else self.terms

    @property
    def period_before(self) -> PeriodBounds:
        """The period before the present one, in which users were active."""
        assert self.terms is not None
        return period_of(self.terms.every, self.start_ms - 1)


_ROW = sa.select(*(allowances.c[name] for name in AllowanceState.__slots__)).where(allowances.c.number == _ONLY)


def find(tx: ReadTx) -> AllowanceState | None:
    """Return the state; None where no allowance is set, or no process has seen it yet."""
    return _read(tx.execute(_ROW).mappings().one_or_none())


def lock(tx: WriteTx) -> AllowanceState | None:
    """Do the same with the row locked until `tx` ends."""
    return _read(tx.execute(_ROW.with_for_update()).mappings().one_or_none())


def at(found: AllowanceState | None, wanted: AllowanceTerms | None, now_ms: int) -> AllowanceState | None:
    """Return the state at a moment at which a process has the terms `wanted`; None: nothing is to be kept."""
    if found is None or (now_ms >= found.end_ms and found.next_terms is None) or _ran_ahead(found, now_ms):
        return None if wanted is None else _first(wanted, now_ms)
    if now_ms < found.end_ms:
        return replace(found, next_terms=wanted)
    terms = found.next_terms
    assert terms is not None
    period = period_of(terms.every, now_ms)
    return AllowanceState(
        terms=terms,
        next_terms=wanted,
        start_ms=period.start_ms,
        end_ms=period.end_ms,
        paid_through_id=0,
        # After a change to longer periods: one that began in a period that was paid is not paid.
        is_paid=period.start_ms < found.end_ms,
    )


def next_of(found: AllowanceState | None, wanted: AllowanceTerms, now_ms: int) -> int:
    """Return when an allowance by `wanted` is next due, Unix milliseconds."""
    state = at(found, wanted, now_ms)
    assert state is not None
    begins = period_of(wanted.every, state.end_ms)
    return begins.start_ms if begins.start_ms >= state.end_ms else begins.end_ms


def store(tx: WriteTx, state: AllowanceState | None) -> None:
    """Write the row, or delete it."""
    if state is None:
        tx.execute(allowances.delete())
        return
    values = {name: getattr(state, name) for name in AllowanceState.__slots__}
    values |= {name: None if values[name] is None else values[name].model_dump() for name in ("terms", "next_terms")}
    if not tx.execute(allowances.update().where(allowances.c.number == _ONLY).values(values)).rowcount:
        tx.execute(allowances.insert().values(number=_ONLY, **values))


def _ran_ahead(found: AllowanceState, now_ms: int) -> bool:
    """Return whether the row is of a clock that ran ahead by more than a period, and was set back.

    Its period would be waited for, for years maybe. Set back by less, the clock soon reaches it, and no period may be
    paid twice. What was paid further ahead is next to nothing: no one was active in the period before it yet.
    """
    terms = found.terms or found.next_terms
    return terms is not None and now_ms < period_of(terms.every, found.start_ms - 1).start_ms


def _first(wanted: AllowanceTerms, now_ms: int) -> AllowanceState:
    period = period_of(wanted.every, now_ms)
    return AllowanceState(
        terms=None,
        next_terms=wanted,
        start_ms=period.start_ms,
        end_ms=period.end_ms,
        paid_through_id=0,
        is_paid=True,
    )


def _read(row: sa.RowMapping | None) -> AllowanceState | None:
    if row is None:
        return None
    values: dict[str, Any] = dict(row)
    for name in ("terms", "next_terms"):
        values[name] = None if values[name] is None else AllowanceTerms.model_validate(values[name])
    return AllowanceState(**values)
