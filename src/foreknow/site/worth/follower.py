"""The worker that keeps what people were worth at the end of each day.

When a day has ended, it goes through all people by id: of some of them at a time it reads what they have, takes back
what has moved since, and values what is left at the prices of each day's end that is not kept. So days on which no
process ran are kept like any other, and so are all days since the first movement on its first start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.units import INT64_MAX
from foreknow.money.pricing import Side
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.worth import store
from foreknow.site.worth.past_people import DayEnd, PastPerson, PastPiece, read_piece, read_trades
from foreknow.site.worth.past_pools import PastPool, PastPools
from foreknow.site.worth.store import PersonDay, Places
from foreknow.site.worth.tables import CURSOR

#: Rows written in one transaction: on SQLite some ten milliseconds, for which orders wait.
PIECE_ROWS = 1_000
#: Seconds of rest for each second of work, so that orders find the database and the processor free.
REST_SHARE = 4.0


class WorthFollower(Follower):
    """Keeps each day of each person once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Keep the days of `db`."""
        super().__init__("worth", db, CURSOR)
        self._pools = PastPools()
        #: The days for which those were read.
        self._pools_since: Places | None = None

    async def follow(self) -> bool:
        """Keep the days of some people; return whether there may be more."""
        places, ended_day = await self.db.lookup(_look)
        if max(places.day, places.target_day) > ended_day:
            # The clock was ahead, and was set back: these days are still to come.
            return await self._move(places, Places(day=min(places.day, ended_day)))
        if not places.target_day:
            return places.day < ended_day and await self._move(places, places._replace(target_day=ended_day))
        began_s = asyncio.get_running_loop().time()
        await self._keep_some(places)
        await asyncio.sleep(REST_SHARE * (asyncio.get_running_loop().time() - began_s))
        return True

    async def _keep_some(self, places: Places) -> None:
        from_day = places.day
        piece = await self.db.read(lambda tx: read_piece(tx, after_id=places.after_id, from_day=from_day))
        if piece is None:
            await self._move(places, Places(day=places.target_day))
            return
        for user_id, person in piece.people.items():
            await self._read_trades(user_id, person, from_day)
        if self._pools_since != places._replace(after_id=0):
            self._pools.clear()
            self._pools_since = places._replace(after_id=0)
        rows = await self.db.read(lambda tx: _rows(tx, piece, self._pools, places))
        await self._write(places, piece, rows)

    async def _read_trades(self, user_id: int, person: PastPerson, from_day: int) -> None:
        while person.trades is not None:
            await self.db.read(lambda tx: read_trades(tx, person, user_id, from_day=from_day))

    async def _write(self, places: Places, piece: PastPiece, rows: Sequence[PersonDay]) -> None:
        if piece.has_later:
            await self._write_at(places, partial(store.forget_later, user_ids=piece.people, after_day=places.day))
        if piece.gone_ids:
            await self._write_at(places, partial(store.forget_later, user_ids=piece.gone_ids, after_day=0))
        # Many where people's years are kept for the first time.
        *parts, last = chunks(rows, PIECE_ROWS) if rows else ((),)
        for part in parts:
            if not await self._write_at(places, partial(store.add, rows=part)):
                return

        def finish(tx: WriteTx) -> None:
            store.add(tx, last)
            CURSOR.move(tx, after_id=piece.through_id)

        await self._write_at(places, finish)

    async def _move(self, before: Places, after: Places) -> bool:
        return await self._write_at(before, lambda tx: CURSOR.move(tx, **after._asdict()))

    async def _write_at(self, places: Places, work: Callable[[WriteTx], object]) -> bool:
        return await self.write(work, if_at=lambda row: _places(row) == places)


def _look(tx: ReadTx) -> tuple[Places, int]:
    """Return the places, and the last day that ended 10 minutes ago: all that is dated in it is committed."""
    return store.places(tx), (now_ms(tx) - OVERLAP_MS) // DAY_MS


def _places(row: sa.Row[Any]) -> Places:
    return Places(row.day, row.target_day, row.after_id)


def _rows(tx: ReadTx, piece: PastPiece, pools: PastPools, places: Places) -> list[PersonDay]:
    """Return the days of people that differ from the day before."""
    held_in = {held.pool_id for person in piece.people.values() for held in person.positions}
    past = pools.read(tx, held_in, first_day=places.day + 1)
    found: list[PersonDay] = []
    for user_id, person in piece.people.items():
        ends = [
            (end.day, end.kopecks + _value_kopecks(person, end, past), end.added_kopecks)
            for end in person.day_ends(places.target_day)
        ]
        before = None if person.kept is None else (person.kept.worth_kopecks, person.kept.added_kopecks)
        for day, *amounts in reversed(ends):
            now = (amounts[0], amounts[1])
            if now != before:
                found.append(PersonDay(user_id, day, *now))
                before = now
    return found


def _value_kopecks(person: PastPerson, end: DayEnd, pools: Mapping[int, PastPool]) -> int:
    """Return what the positions of a person were worth at the end of a day."""
    total_kopecks = 0
    for held, shares in end.shares.items():
        pool = pools[held.pool_id]
        split = pool.last_split(held.market_id, held.id, end.day)
        if split is not None and person.turned_ms.get((held.id, split.market_id), INT64_MAX) <= end.day * DAY_MS:
            split = None
        total_kopecks += pool.value_kopecks(held.market_id, Side(held.side), shares, day=end.day, unturned=split)
    return total_kopecks
