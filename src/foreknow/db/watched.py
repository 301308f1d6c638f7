"""A database whose work is counted, for the metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.db.engine import Database, Work
from foreknow.kernel.distributions import DURATIONS_S, Distribution
from foreknow.kernel.errors import Unavailable

log = structlog.get_logger("foreknow.db")

#: While the database cannot be used, so often the log says why.
TELL_EVERY_S = 1.0
Result = TypeVar("Result")


@dataclass(slots=True)
class DatabaseFigures:
    """What the database has done for this process since its start."""

    #: From the wish to the commit or the answer, waiting for a connection included; successes only.
    write_s: Distribution = field(default_factory=lambda: Distribution(DURATIONS_S))
    read_s: Distribution = field(default_factory=lambda: Distribution(DURATIONS_S))
    #: Transactions run again after they lost a race.
    retries: int = 0
    #: Times the database could not be reached, or the fate of a commit was unknown.
    unavailable: int = 0
    #: Statements that the database refused, which are mistakes of ours.
    errors: int = 0


class WatchedDatabase:
    """Does what the database it is given does, and keeps `figures`. Call it from one event loop."""

    def __init__(self, db: Database) -> None:
        """Watch `db`."""
        self._db = db
        self.url = db.url
        self.is_sqlite = db.is_sqlite
        self.on_write: list[Callable[[], None]] = db.on_write
        self.figures = DatabaseFigures()
        self._tell_at_s = 0.0

    async def write(
        self,
        work: Work[Result],
        *,
        shown: bool = True,
        brief: bool = False,
        limit_s: float | None = None,
        lock_s: float | None = None,
    ) -> Result:
        """See `Database.write`."""
        runs = 0

        def counted(tx: sa.Connection) -> Result:
            nonlocal runs
            runs += 1
            return work(tx)

        began_s = time.perf_counter()
        try:
            result = await self._db.write(counted, shown=shown, brief=brief, limit_s=limit_s, lock_s=lock_s)
        except Unavailable as unavailable:
            self._note(unavailable)
            raise
        except SQLAlchemyError:
            self.figures.errors += 1
            raise
        finally:
            self.figures.retries += max(0, runs - 1)
        self.figures.write_s.add(time.perf_counter() - began_s)
        return result

    async def read(self, work: Work[Result], *, brief: bool = False) -> Result:
        """See `Database.read`."""
        began_s = time.perf_counter()
        try:
            result = await self._db.read(work, brief=brief)
        except Unavailable as unavailable:
            self._note(unavailable)
            raise
        except SQLAlchemyError:
            self.figures.errors += 1
            raise
        self.figures.read_s.add(time.perf_counter() - began_s)
        return result

    async def close(self) -> None:
        """See `Database.close`."""
        await self._db.close()

    def _note(self, unavailable: Unavailable) -> None:
        self.figures.unavailable += 1
        # Callers are told to come again, and do: one line tells of all that met the same second.
        now_s = time.monotonic()
        if now_s >= self._tell_at_s:
            self._tell_at_s = now_s + TELL_EVERY_S
            log.warning("the database cannot be used", reason=str(unavailable.__cause__ or unavailable))
