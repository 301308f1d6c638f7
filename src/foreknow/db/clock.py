"""The time of a write: the database's, so that every server decides by one clock, however wrong its own is."""

from __future__ import annotations

from foreknow.db.driver import execute_raw
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import Clock, is_test_clock_used, system_clock

#: Execution option of an engine: the clock that a test gives its database.
CLOCK_OPTION = "foreknow_clock"
_NOW_MS = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"


def now_ms(tx: ReadTx) -> int:
    """Return the database's time in Unix milliseconds; on SQLite, which has none, the machine's.

    Call it after the transaction's locks: what waited for a lock is decided by the time at which it got it.
    """
    given: Clock | None = tx.get_execution_options().get(CLOCK_OPTION)
    if given is not None:
        return given()
    if tx.dialect.name == "sqlite" or is_test_clock_used():
        return system_clock()
    return int(execute_raw(tx, _NOW_MS)[0][0])


def clock_options(clock: Clock | None) -> dict[str, Clock]:
    """Return the execution options of an engine whose transactions read `clock`; None: the database's own."""
    return {} if clock is None else {CLOCK_OPTION: clock}
