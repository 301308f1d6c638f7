"""Row locks of a batch of orders, taken in one exchange with PostgreSQL that begins the transaction, too.

SQLite has one lock, which its transaction holds from the beginning: there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foreknow.platform.db.statements.driver import execute_raw, execute_script
from foreknow.platform.db.transactions import WriteTx

#: Execution option of a connection whose transaction begins late.
LATE_BEGIN_OPTION = "foreknow_late_begin"


class LateBegin:
    """A transaction that begins with its locks. Until then each statement is one of its own and only reads."""

    def __init__(self, lock_s: float | None) -> None:
        """`lock_s` limits the wait for each lock; None for the connection's own limit."""
        self.has_begun = False
        self._limits = () if lock_s is None else (lock_limit(lock_s),)

    def begin(self, tx: WriteTx, statements: Sequence[str]) -> None:
        """Begin, and run statements in order; each sees what was committed before it."""
        assert not self.has_begun
        # Before the exchange: where it fails, the transaction may have begun.
        self.has_begun = True
        execute_script(tx, "; ".join(("BEGIN", *self._limits, *statements)))


def lock_limit(limit_s: float) -> str:
    """Return the statement that limits the wait for each lock until the transaction ends."""
    return f"SET LOCAL lock_timeout = {round(limit_s * 1000)}"


def lock_rows(tx: WriteTx, statements: Sequence[str]) -> None:
    """Run statements that lock rows, in order; their rows are not returned."""
    if tx.dialect.name == "sqlite":
        return
    late: LateBegin | None = tx.get_execution_options().get(LATE_BEGIN_OPTION)
    if late is not None:
        late.begin(tx, statements)
        return
    for statement in statements:
        execute_raw(tx, statement)


def has_begun(tx: WriteTx) -> bool:
    """Return whether what `tx` writes can still be undone."""
    late: LateBegin | None = tx.get_execution_options().get(LATE_BEGIN_OPTION)
    return late is None or late.has_begun


def id_array(ids: Collection[int]) -> str:
    """Return ids as an SQL array: such a statement has no parameters."""
    return f"'{{{','.join(map(str, sorted(map(int, ids))))}}}'::bigint[]"
