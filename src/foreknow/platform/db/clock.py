"""The time of a write: the database's, so that every server decides by one clock, however wrong its own is."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.clock import Clock, is_test_clock_used, system_clock
from foreknow.platform.db.bulk import CompiledQuery, Fetch
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.transactions import ReadTx

#: Execution option of an engine: the clock that a test gives its database.
CLOCK_OPTION = "foreknow_clock"
#: SQL of PostgreSQL: its time in Unix milliseconds.
NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"


def now_ms(tx: ReadTx) -> int:
    """Return the database's time in Unix milliseconds; on SQLite, which has none, the machine's.

    Call it after the transaction's locks: what waited for a lock is decided by the time at which it got it.
    """
    clock = _other_clock(tx)
    return clock() if clock is not None else int(execute_raw(tx, f"SELECT {NOW_MS}")[0][0])


def now_fetch(tx: ReadTx) -> Fetch[int]:
    """Return `now_ms` as a query to be fetched with others, after the transaction's locks."""
    clock = _other_clock(tx)
    if clock is not None:
        return Fetch(_NOW, {}, lambda _rows: clock(), is_empty=True)
    return Fetch(_NOW, {}, lambda rows: int(rows[0][0]))


def _other_clock(tx: ReadTx) -> Clock | None:
    """Return the clock that is used instead of PostgreSQL's."""
    given: Clock | None = tx.get_execution_options().get(CLOCK_OPTION)
    if given is not None:
        return given
    return system_clock if tx.dialect.name == "sqlite" or is_test_clock_used() else None


_NOW = CompiledQuery(sa.select(sa.literal_column(NOW_MS, Int64).label("now_ms")))


def clock_options(clock: Clock | None) -> dict[str, Clock]:
    """Return the execution options of an engine whose transactions read `clock`; None: the database's own."""
    return {} if clock is None else {CLOCK_OPTION: clock}
