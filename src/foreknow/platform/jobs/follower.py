"""Following what is new: any number of processes look for it, and one at a time writes what follows from it.

How far they have come stands in the one row of a cursor, which moves in the transaction that writes: a killed process
leaves nothing half done, and nothing is done twice. What is new is read before that transaction, since on SQLite a
write holds up every order; so another process may have done it meanwhile, and `write` and its callers look.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.worker import Background, Worker

#: How often a process looks for what is new, and the shortest time between two looks after wake-ups: on SQLite each
#: costs the orders a commit.
POLL_S = 1.0
PACE_S = 0.5
#: Seconds of rest for each second of work: so orders pay little for what follows from them.
REST_SHARE = 15.0
#: Longest wait at shutdown for the transaction under way.
STOP_S = 5.0
#: Time before a cursor's moment that is looked at again, since a transaction may commit some time after its own clock.
OVERLAP_MS = 10 * MINUTE_MS
#: Things read for one transaction, at least and at most.
PIECE_MIN = 1_000
PIECE_MAX = 32_000
#: Rows that they may add up to; those of `PIECE_MIN` always may. On SQLite to write them takes some ten milliseconds.
PIECE_ROWS = 2 * PIECE_MIN

_ONE_ROW = 1


def is_to_move(since_ms: int, to_ms: int) -> bool:
    """Return whether a cursor's moment is moved on though nothing was found; also back, where the clock was ahead."""
    return abs(to_ms - since_ms) > OVERLAP_MS


class Cursor:
    """The one row of a table that says how far a follower has come. Each of its transactions locks it first."""

    def __init__(self, table: sa.Table, begin: Callable[[ReadTx], Mapping[str, int]] = lambda _tx: {}) -> None:
        """`table` has the key `id` and a column for each place; `begin` returns the first places without a default."""
        self._table = table
        self._is_own = table.c.id == _ONE_ROW
        self._places = sa.select(table).where(self._is_own)
        self._begin = begin

    def get(self, tx: ReadTx, name: str) -> int:
        """Return a place; 0 before the first start."""
        return tx.execute(sa.select(self._table.c[name]).where(self._is_own)).scalar() or 0

    def lock(self, tx: WriteTx) -> sa.Row[Any] | None:
        """Lock the row, made where it is missing, and return the places; None while another process works."""
        row = tx.execute(self._places.with_for_update(skip_locked=True)).one_or_none()
        if row is None and tx.execute(self._places).first() is None:
            # A process that loses the race for the key runs its transaction again.
            new = self._table.insert().values(id=_ONE_ROW, **self._begin(tx))
            row = tx.execute(new.returning(*self._table.c)).one()
        return row

    def move(self, tx: WriteTx, **places: int) -> None:
        """Move on, in a transaction that has locked the row."""
        tx.execute(self._table.update().where(self._is_own).values(places))


Found = TypeVar("Found")


class Follower(Background):
    """Does what follows from what is new, once, however many processes there are."""

    def __init__(self, name: str, db: Database, cursor: Cursor, *, poll_s: float = POLL_S) -> None:
        """Follow what is new in `db`, up to `cursor` by now; `name` names the worker in the log."""
        super().__init__(Worker(name, self.follow, poll_s=poll_s, pace_s=PACE_S, rest_share=REST_SHARE, stop_s=STOP_S))
        self.db = db
        self.cursor = cursor
        #: The last id that a sweep has looked at; None once it has looked at all.
        self.swept_through: int | None = 0
        #: How many transactions have written something.
        self.writes = 0

    async def prepare(self) -> None:
        """Begin before anything is served, so that nothing of what happens is taken for older than the first start."""
        await self.db.write_private(self.cursor.lock)

    @abstractmethod
    async def follow(self) -> bool:
        """Do some of all that is new; return whether there may be more."""

    async def step(
        self, read: Callable[[ReadTx], Found | None], write: Callable[[WriteTx, Found], object]
    ) -> Found | None:
        """Read what is new, then write what follows from it, and return it.

        None, and nothing is written, where there is nothing or another process holds the cursor.
        """
        found = await self.db.read(read)
        if found is None:
            return None
        new = found
        return found if await self.write(lambda tx: write(tx, new)) else None

    async def write(
        self, work: Callable[[WriteTx], object], *, if_at: Callable[[sa.Row[Any]], bool] = lambda _places: True
    ) -> bool:
        """Write under the cursor's lock; False, and nothing is written, where another process holds it.

        `if_at` says by its places whether the work is still to be done; False also where it is not.
        """

        def run(tx: WriteTx) -> bool:
            places = self.cursor.lock(tx)
            if places is None or not if_at(places):
                return False
            work(tx)
            return True

        is_written = await self.db.write_private(run)
        self.writes += is_written
        return is_written

    async def sweep(
        self, read: Callable[[ReadTx, int], tuple[Found, int | None]], write: Callable[[WriteTx, Found], object]
    ) -> bool:
        """Look at some of all rows, by id, and write what is wrong with them; return whether there are more.

        `read` takes the last id looked at and returns what is wrong, empty for nothing, and the new last id; None:
        there are no more. Where another process holds the cursor, the same rows are looked at again.
        """
        after_id = self.swept_through
        if after_id is None:
            return False
        wrong, last_id = await self.db.read(lambda tx: read(tx, after_id))
        if wrong and not await self.write(lambda tx: write(tx, wrong)):
            return False
        self.swept_through = last_id
        return last_id is not None


class SizedPiece(Protocol):
    """Things that follow one another, added up."""

    @property
    def is_full(self) -> bool:
        """Whether more may follow."""
        ...

    @property
    def rows(self) -> int:
        """How much they are to who works with them."""
        ...


PieceT = TypeVar("PieceT", bound=SizedPiece)


class Pieces(Generic[PieceT]):
    """Reads pieces: the larger, the fewer rows they add up to."""

    def __init__(self, read: Callable[[ReadTx, int, int], PieceT | None]) -> None:
        """Begin with the smallest. `read` takes the cursor and a number of things."""
        self._read = read
        self._size = PIECE_MIN

    def read(self, tx: ReadTx, after: int) -> PieceT | None:
        """Return the next piece; None where there is nothing."""
        piece = self._read(tx, after, self._size)
        while piece is not None and piece.rows > PIECE_ROWS and self._size > PIECE_MIN:
            self._size //= 2
            piece = self._read(tx, after, self._size)
        if piece is not None and piece.is_full and 2 * piece.rows <= PIECE_ROWS:
            self._size = min(2 * self._size, PIECE_MAX)
        return piece
