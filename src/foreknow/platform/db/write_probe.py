"""Whether anything can be written: a full or read-only disk, or a demoted PostgreSQL, still answers reads."""

from __future__ import annotations

import math
import time

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx

#: How long a write that succeeded counts: balancers ask every second.
GOOD_FOR_S = 5.0
#: A row of every database, written as it is.
_TOUCH = sa.text("UPDATE alembic_version SET version_num = version_num")


class WriteProbe:
    """Writes a row now and then."""

    def __init__(self, db: Database) -> None:
        """Write into `db`."""
        self._db = db
        self._good_until_s = -math.inf

    async def check(self) -> None:
        """Return where a write has succeeded within `GOOD_FOR_S`, or does now; `Unavailable`."""
        now_s = time.monotonic()
        if now_s < self._good_until_s:
            return
        try:
            await self._db.write_private(_touch)
        except SQLAlchemyError as failure:
            raise Unavailable("Nothing can be written.") from failure
        self._good_until_s = now_s + GOOD_FOR_S


def _touch(tx: WriteTx) -> None:
    tx.execute(_TOUCH)
