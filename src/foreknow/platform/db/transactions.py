"""Transactions as types: `ReadTx` cannot write, `WriteTx` can.

Both are a SQLAlchemy connection at run time. mypy rejects a `ReadTx` where a `WriteTx` is needed; both databases reject
a write inside a read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, NewType, TypeVar

import sqlalchemy as sa

from foreknow.kernel.errors import Unavailable

#: An open transaction that only reads: one consistent snapshot.
ReadTx = NewType("ReadTx", sa.Connection)
#: An open transaction that may write; it is a `ReadTx` too.
WriteTx = NewType("WriteTx", ReadTx)

Result = TypeVar("Result")
#: A function run inside a transaction.
ReadWork = Callable[[ReadTx], Result]
WriteWork = Callable[[WriteTx], Result]

#: Attempts of a transaction that loses a race (deadlock, unique key).
ATTEMPTS = 4
#: Longest wait for another transaction's lock, such as that of a `psql` session left open. Longer than our own
#: transactions take.
LOCK_S = 5.0

#: Writes under way; the event loop itself keeps only weak references to tasks.
_writing: set[asyncio.Task[Any]] = set()


class Locked(Unavailable):
    """Another transaction held a lock for too long; nothing was written."""

    message = "Another request holds what this needs; send it again in a moment."

    def __init__(self, *, table: str | None = None) -> None:
        """`table`: that of the locked row, where the database names it."""
        super().__init__()
        self.table = table


async def shielded(write: Coroutine[Any, Any, Result]) -> Result:
    """Run a write and its listeners to the end, even if the caller is cancelled."""
    task = asyncio.create_task(write, name="db-write")
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    return await asyncio.shield(task)


def notify(listeners: Iterable[Callable[[], None]]) -> None:
    """Call every listener after a commit."""
    for listener in listeners:
        listener()
