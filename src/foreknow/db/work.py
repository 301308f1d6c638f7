"""Work that is done in one transaction, and what becomes of a write once its work has begun."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

import sqlalchemy as sa

from foreknow.kernel.errors import Unavailable

Result = TypeVar("Result")
Work = Callable[[sa.Connection], Result]

#: A transaction that lost a race (deadlock, unique key) is run again this often.
ATTEMPTS = 4
#: How long a transaction waits for a lock that somebody else holds: a process that died at the wrong moment, a session
#: of `psql` left open. It must be longer than our own transactions take, settlements of large pools apart.
LOCK_S = 5.0

#: Writes whose callers may have gone away: the event loop itself holds tasks only weakly.
_writing: set[asyncio.Task[Any]] = set()


class Locked(Unavailable):
    """Somebody else held a lock for longer than we wait; nothing was written."""

    message = "Somebody else holds what this needs; send it again in a moment, with the same Idempotency-Key."


async def shielded(write: Coroutine[Any, Any, Result]) -> Result:
    """Let a write end, and be told of, even where its caller goes away meanwhile."""
    task = asyncio.create_task(write, name="db-write")
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    return await asyncio.shield(task)


def tell(listeners: Iterable[Callable[[], None]]) -> None:
    """Call all who are to hear of a commit."""
    for listener in listeners:
        listener()
