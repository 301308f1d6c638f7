"""A replica of the database: a streaming standby of PostgreSQL, and how far it has come.

Positions are those of PostgreSQL's write-ahead log. A commit that has been answered lies before what the primary has
flushed; a standby that has replayed up to there shows it. Comparing the two needs no clock, on neither machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from foreknow.platform.db.postgres.connections import postgres_engine
from foreknow.platform.db.postgres.database import CONNECTIONS
from foreknow.platform.db.transactions import ReadTx, ReadWork

Result = TypeVar("Result")

_WHICH = "(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()"
_FLUSHED = sa.text(f"SELECT {_WHICH}, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint")
_REPLAYED = sa.text(
    f"SELECT {_WHICH}, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint WHERE pg_is_in_recovery()"
)
#: Where a connection remembers how far its server had come.
_INFO = "foreknow_replayed"


class NotAReplica(Exception):
    """The server is no standby of our database; its text says what it is."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A position in the write-ahead log, and the database it is about (its cluster's identifier and its name)."""

    database: str
    position_bytes: int


def flushed_position(tx: ReadTx) -> LogPosition:
    """Ask the primary how far its log has been flushed: every commit answered before lies before that."""
    return LogPosition(*tx.execute(_FLUSHED).one())


class Replica:
    """Connections to a standby, or to a balancer that keeps each connection on one of several."""

    def __init__(self, url: str) -> None:
        """Connect lazily to `postgresql://…`."""
        self._engine = postgres_engine(url, pool_size=CONNECTIONS, max_overflow=0)

    async def read(
        self, work: ReadWork[Result], *, sought: LogPosition, admit: Callable[[int], float]
    ) -> tuple[Result, float]:
        """Run `work(tx)` on a snapshot that shows at least the position given to `admit`; return what both returned.

        `admit` raises where that position will not do. A connection's server is queried again unless it is known to
        have come to `sought` already. Raises `NotAReplica`, and whatever SQLAlchemy and the network do.
        """
        async with self._engine.connect() as connection:
            replayed = connection.info.get(_INFO)
            if replayed is None or replayed < sought.position_bytes:
                replayed = connection.info[_INFO] = await _replayed_bytes(connection, sought.database)
            admitted = admit(replayed)
            snapshot = await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            return await snapshot.run_sync(lambda tx: work(ReadTx(tx))), admitted

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()


async def _replayed_bytes(connection: AsyncConnection, database: str) -> int:
    """Ask outside the transaction: inside, the snapshot would be taken before the position, and might show less."""
    single = await connection.execution_options(isolation_level="AUTOCOMMIT")
    found = (await single.execute(_REPLAYED)).one_or_none()
    await single.rollback()
    if found is None:
        raise NotAReplica("it is not a standby")
    replayed = LogPosition(*found)
    if replayed.database != database:
        raise NotAReplica("it is a standby of another database")
    return replayed.position_bytes
