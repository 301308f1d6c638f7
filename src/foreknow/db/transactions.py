"""Transactions as types: `ReadTx` cannot write, `WriteTx` can; and how a write ends once its work has begun.

Both are a SQLAlchemy connection at run time. mypy refuses a `ReadTx` where a `WriteTx` is needed; both databases refuse
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
#: An open transaction that may write. Whatever reads can be given one, too.
WriteTx = NewType("WriteTx", ReadTx)

Result = TypeVar("Result")
#: A function run inside a transaction.
ReadWork = Callable[[ReadTx], Result]
WriteWork = Callable[[WriteTx], Result]

#: Attempts of a transaction that loses a race (deadlock, unique key).
ATTEMPTS = 4
#: How long a transaction waits for a lock that somebody else holds: a process that died at the wrong moment, a session
#: of `psql` left open. It must be longer than our own transactions take, settlements of large pools apart.
LOCK_S = 5.0

#: Writes under way; the event loop itself keeps only weak references to tasks.
_writing: set[asyncio.Task[Any]] = set()


class Locked(Unavailable):
    """Somebody else held a lock for longer than we wait; nothing was written."""

    message = "Somebody else holds what this needs; send it again in a moment, with the same Idempotency-Key."


async def shielded(write: Coroutine[Any, Any, Result]) -> Result:
    """Run a write to its end, listeners included, even if its caller is cancelled."""
    task = asyncio.create_task(write, name="db-write")
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    return await asyncio.shield(task)


def notify(listeners: Iterable[Callable[[], None]]) -> None:
    """Call every listener after a commit."""
    for listener in listeners:
        listener()
