"""Public reads on a replica.

They go there while it is known to show

- what this process has committed and the read shows, so that a change shows at once where it was made;
- what others committed up to `BEHIND_MAX_S` ago: the contract ("Freshness") allows a second.

Otherwise, and if the replica fails, the database answers: a replica can make a read slower, never wrong or fail. A read
that raises a domain error (not found, forbidden) is repeated on the database, since the row may be new.

While such reads come, the primary is asked every `MARK_EVERY_S` how far its log has been flushed. That position is a
mark: a replica that has replayed up to it shows all that was committed when the primary was asked. Reads that decide
about money never come here: they use `Database.read` or the transaction that decides.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.postgres.replica import LogPosition, Replica, flushed_position
from foreknow.platform.db.public_reads import PublicRead, PublicReads, ReadResult, ReadSource
from foreknow.platform.db.transactions import Result

log = structlog.get_logger("foreknow.db")

#: Together the contract's second: how old what a replica shows may be, and how long it may take to show it.
BEHIND_MAX_S = 0.5
TIMEOUT_S = 0.5
#: The primary's position is read at most this often, and only while reads come.
MARK_EVERY_S = 0.05
#: Further behind, a replica is left alone. The log's flushed end may lie within a record, which a standby replays only
#: once all of it is there: on an idle primary with the next commit, the feed's leader's, half a second later.
FAR_BEHIND_S = 2.0
#: Pause of a replica that failed or fell far behind: doubled each time it has not recovered.
REST_MIN_S = 1.0
REST_MAX_S = 30.0


@dataclass(frozen=True, slots=True)
class _Mark:
    """Everything committed before `at_s` lies before `position` in the log."""

    at_s: float
    position: LogPosition


class _Behind(Exception):
    """The replica has not come to any mark that would do; `far`: it is proven to be more than FAR_BEHIND_S behind."""

    def __init__(self, *, far: bool) -> None:
        super().__init__()
        self.far = far


class LocalWrites:
    """When this process last committed something that public responses show."""

    def __init__(self, timer: Callable[[], float]) -> None:
        """`timer` returns seconds."""
        self._timer = timer
        self._any_s = -float("inf")
        #: In the order of these moments. No `BoundedCache`: none may be missing, however many there are.
        self._pools_s: OrderedDict[int, float] = OrderedDict()

    def note_all(self) -> None:
        """Something was committed that may show anywhere."""
        self._any_s = self._timer()

    def note_pools(self, pool_ids: Collection[int]) -> None:
        """Trades in these pools were committed."""
        now_s = self._timer()
        for pool_id in pool_ids:
            self._pools_s[pool_id] = now_s
            self._pools_s.move_to_end(pool_id)
        # No read goes so far back that older ones matter.
        while self._pools_s and next(iter(self._pools_s.values())) < now_s - BEHIND_MAX_S:
            self._pools_s.popitem(last=False)

    def last_s(self, pool_ids: Collection[int]) -> float:
        """Return when something was last written that shows where these pools do."""
        return max([self._any_s, *(self._pools_s[pool_id] for pool_id in pool_ids if pool_id in self._pools_s)])

    def last_in_any_pool_s(self) -> float:
        """Return when anything at all was last written."""
        return max(self._any_s, next(reversed(self._pools_s.values()), self._any_s))


class ReplicaReads(PublicReads):
    """Sends public reads to the replica where it shows enough, and to the database otherwise.

    Use it from one event loop.
    """

    def __init__(
        self,
        db: Database,
        replica: Replica,
        *,
        timer: Callable[[], float] = time.monotonic,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Read from `replica`, else from `db`, whose writes count as this process's; `timer` returns seconds."""
        super().__init__(db)
        self._replica = replica
        self._timer = timer
        self._timeout_s = timeout_s
        self.writes = LocalWrites(timer)
        #: Those of the last FAR_BEHIND_S, and one older, which shows that a replica lags.
        self._marks: deque[_Mark] = deque()
        self._asking: asyncio.Task[None] | None = None
        self._asked_at_s = -float("inf")
        self._reading: set[asyncio.Task[Any]] = set()
        #: The pause of a replica that failed, 0 while it serves; its end; and the number of pauses.
        self._rest_s = 0.0
        self._rests_until_s = -float("inf")
        self._rests = 0
        db.on_write.append(self.writes.note_all)

    @property
    def is_replica_used(self) -> bool | None:
        """See `PublicReads.is_replica_used`."""
        return not self._rest_s

    def note_pools(self, pool_ids: Collection[int]) -> None:
        """See `PublicReads.note_pools`."""
        self.writes.note_pools(pool_ids)

    async def read(self, read: PublicRead[Result], *, of_all_pools: bool = False) -> ReadResult[Result]:
        """See `PublicReads.read`; `read` may run twice."""
        found = await self._from_replica(read, of_all_pools=of_all_pools)
        return found or await super().read(read)

    async def lookup(self, read: PublicRead[Result]) -> ReadResult[Result]:
        """See `PublicReads.lookup`; `read` may run twice."""
        found = await self._from_replica(read, of_all_pools=False)
        return found or await super().lookup(read)

    async def stop(self) -> None:
        """See `PublicReads.stop`."""
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, *filter(None, [self._asking]), return_exceptions=True)
        await self._replica.close()

    async def _from_replica(self, read: PublicRead[Result], *, of_all_pools: bool) -> ReadResult[Result] | None:
        """Read from the replica; None where it does not show enough."""
        found = await self._try(read, of_all_pools=of_all_pools)
        if isinstance(found, ReadResult):
            self.metrics.reads[ReadSource.REPLICA] += 1
            return found
        self.metrics.reads[found] += 1
        return None

    async def _try(self, read: PublicRead[Result], *, of_all_pools: bool) -> ReadResult[Result] | ReadSource:
        """Read from the replica, or say why not."""
        began_s, rests = self._timer(), self._rests
        if began_s < self._rests_until_s:
            return ReadSource.RESTING
        self._look_at_primary(began_s)
        least_s = self.writes.last_in_any_pool_s() if of_all_pools else self.writes.last_s(())
        if not self._marks or self._marks[-1].at_s < max(least_s, began_s - BEHIND_MAX_S):
            return ReadSource.NOT_KNOWN
        if self._rest_s:
            # One tries whether it is better; the others do not wait for what it finds.
            self._rests_until_s = began_s + self._timeout_s
        task = asyncio.create_task(
            self._replica.read(read, sought=self._marks[-1].position, admit=lambda at: self._admit(at, least_s)),
            name="replica-read",
        )
        self._reading.add(task)
        task.add_done_callback(self._end)
        # It is left to itself where it takes too long: closing a connection to a server that is gone takes time, too.
        done, _ = await asyncio.wait({task}, timeout=self._timeout_s)
        if not done:
            task.cancel()
            return self._rest("it does not answer", rests)
        try:
            (content, pool_ids), shown_s = task.result()
        except _Behind as behind:
            return self._rest("it is behind", rests) if behind.far else ReadSource.BEHIND
        except DomainError:
            return ReadSource.REFUSED
        except Exception as failure:  # noqa: BLE001 # whatever it is, what the primary says of it counts
            return self._rest(_reason(failure), rests)
        if self._rest_s and rests == self._rests:
            log.info("replica used again")
            self._rest_s, self._rests_until_s = 0.0, -float("inf")
        if shown_s < self.writes.last_s(pool_ids):
            return ReadSource.NOT_KNOWN
        return ReadResult(content, pool_ids, max(0, round((began_s - shown_s) * 1000)))

    def _admit(self, replayed_bytes: int, least_s: float) -> float:
        """Return the moment up to which a replica at this position shows everything; `_Behind` if that will not do."""
        now_s, shown_s = self._timer(), -float("inf")
        for mark in self._marks:
            if mark.position.position_bytes > replayed_bytes:
                if mark.at_s < now_s - FAR_BEHIND_S:
                    raise _Behind(far=True)
                break
            shown_s = mark.at_s
        if shown_s < max(least_s, now_s - BEHIND_MAX_S):
            raise _Behind(far=False)
        return shown_s

    def _look_at_primary(self, now_s: float) -> None:
        if self._asking is None and now_s >= self._asked_at_s + MARK_EVERY_S:
            self._asked_at_s = now_s
            self._asking = asyncio.create_task(self._make_mark(), name="replica-mark")

    async def _make_mark(self) -> None:
        rests, at_s = self._rests, self._timer()
        try:
            mark = _Mark(at_s, await self._db.read(flushed_position))
        except Unavailable:
            # Reads on the primary report it.
            return
        except SQLAlchemyError as failure:
            self._rest(_reason(failure), rests)
            return
        finally:
            self._asking = None
        if self._marks and mark.position.position_bytes < self._marks[-1].position.position_bytes:
            # Another server is primary now, and never had all that the one before had.
            self._marks.clear()
        self._marks.append(mark)
        while len(self._marks) > 1 and self._marks[1].at_s < at_s - FAR_BEHIND_S:
            self._marks.popleft()

    def _rest(self, reason: str, rests: int) -> ReadSource:
        """Leave the replica alone for a while, unless another read has found out the same meanwhile."""
        if rests == self._rests:
            self._rests += 1
            self._rest_s = min(max(REST_MIN_S, 2 * self._rest_s), REST_MAX_S)
            self._rests_until_s = self._timer() + self._rest_s
            log.warning("replica skipped", reason=reason, for_s=self._rest_s)
        return ReadSource.FAILED

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._reading.discard(task)
        if not task.cancelled():
            # Its caller may be gone; asyncio would log an exception that was never retrieved.
            task.exception()


def _reason(failure: Exception) -> str:
    # What the server or the network said, without our statement.
    return str(getattr(failure, "orig", failure) or type(failure).__name__)


def open_public_reads(db: Database, replica_url: str) -> PublicReads:
    """Read from the replica at `replica_url`; from `db` alone where it is empty."""
    return ReplicaReads(db, Replica(replica_url)) if replica_url else PublicReads(db)
