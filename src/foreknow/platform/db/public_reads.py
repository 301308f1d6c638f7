"""Public reads, which may show the database as it was a moment ago: where there is no replica, plain reads.

Nothing that decides about money is read like this: it is read with `Database.read`, or in the transaction that decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, ReadWork, Result

#: Reads something and names the pools whose trades would change it.
PublicRead = Callable[[ReadTx], tuple[Result, Collection[int]]]


class ReadSource(Enum):
    """Where a read that may be stale was answered from, and why not from the replica."""

    REPLICA = "replica"
    #: This process has just written what it shows, or has not looked lately how far the replica is.
    NOT_KNOWN = "not_known"
    #: The replica is a little behind.
    BEHIND = "behind"
    #: The replica refused it, so that the primary was asked.
    REFUSED = "refused"
    #: The replica failed, or took too long.
    FAILED = "failed"
    #: The replica is left alone since it failed or fell far behind.
    RESTING = "resting"


@dataclass(frozen=True, slots=True)
class ReadResult(Generic[Result]):
    """What was read, the pools it shows, and how old it may have been when the read began."""

    content: Result
    pool_ids: Collection[int]
    behind_ms: int


@dataclass(slots=True)
class ReplicaReadMetrics:
    """Where this process's reads that may be stale were answered, since its start."""

    reads: Counter[ReadSource] = field(default_factory=Counter)


class PublicReads:
    """Sends public reads to the database. `ReplicaReads` sends them to a replica where there is one."""

    def __init__(self, db: Database) -> None:
        """Read from `db`."""
        self._db = db
        self.metrics = ReplicaReadMetrics()

    @property
    def is_replica_used(self) -> bool | None:
        """Whether reads go to the replica; None where there is none."""
        return None

    def note_pools(self, pool_ids: Collection[int]) -> None:
        """Note that trades in these pools were committed here, which later reads must show."""

    async def read(self, read: PublicRead[Result], *, of_all_pools: bool = False) -> ReadResult[Result]:
        """Run a read on one snapshot that may be a moment old.

        `of_all_pools`: a trade in any pool may change the result, not only in those it names.
        """
        return ReadResult(*await self._db.read(read), 0)

    async def lookup(self, read: PublicRead[Result]) -> ReadResult[Result]:
        """Run a read of a few milliseconds likewise."""
        return ReadResult(*await self._db.lookup(read), 0)

    async def lookup_untraded(self, work: ReadWork[Result]) -> Result:
        """Run a lookup whose result no trade changes."""
        return (await self.lookup(lambda tx: (work(tx), ()))).content

    async def stop(self) -> None:
        """Close the replica's connections; call it before the database closes."""
