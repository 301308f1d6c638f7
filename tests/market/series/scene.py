"""Series straight in a database, opened by a worker that a test calls by hand, at times to the millisecond."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from foreknow.commands.audit import audit
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import MINUTE_MS, iso, millis
from foreknow.kernel.currency import ROUBLES
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from foreknow.kernel.validation.fields import to_type
from foreknow.market.assets.tables import asset_prices
from foreknow.market.editing.pools import edit_pool
from foreknow.market.events import service as events
from foreknow.market.events.changes import pool_changes
from foreknow.market.events.drafts import event_draft
from foreknow.market.events.schemas import CreateEventBody, EditPoolBody, EditSeriesBody, Event
from foreknow.market.events.tables import events as event_rows
from foreknow.market.series import SeriesOpener, service
from foreknow.market.series.schemas import Series
from foreknow.people.attention.store import Entry, newest_open, take_unalerted
from foreknow.people.notifications.kinds import stored_content
from foreknow.people.notifications.reader import Reader
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.service import resolve, void_event
from tests.trading.settlement import world

#: Before both changes of summer time and 29 February 2028.
START_MS = millis(datetime(2027, 10, 1, 12, tzinfo=UTC))
HOUR = 60 * MINUTE_MS
DAY = 24 * HOUR
ASSET = "BTC"


class SteppedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now_ms = START_MS

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, ms: int) -> None:
        """Let `ms` milliseconds pass."""
        self.now_ms += ms


class Scene:
    """A creator's series of an hour unless a test says otherwise, which begins at `START_MS`."""

    def __init__(self, db: Database, clock: SteppedClock) -> None:
        self.db = db
        self.clock = clock
        self.opener = self.another_opener()

    async def begin(self) -> None:
        """Make the people."""
        self.creator: UserCaller = await self.db.write(lambda tx: world.person(tx, creator=True))
        self.admin: UserCaller = await self.db.write(lambda tx: world.person(tx, admin=True))

    def another_opener(self, *, house_limit_kopecks: int | None = None) -> SeriesOpener:
        """Return the worker of another process."""
        settings = LiveSettings(Settings(house_limit_kopecks=house_limit_kopecks))
        return SeriesOpener(self.db, settings, jitter=lambda: 0.0)

    async def publish(self, *pools: dict[str, Any], **fields: Any) -> Event:
        """Publish an event that recurs; see `create`."""
        return await self.publish_new(await self.create(*pools, **fields))

    async def create(self, *pools: dict[str, Any], minutes: int = 60, **fields: Any) -> int:
        """Create an event that recurs, whose pool, where none is given, ends in an hour; return its id."""
        body = {"name": "Round {number}", "loop_interval_minutes": minutes, "pools": list(pools) or [self.pool()]}
        draft = event_draft(to_type(body | fields, CreateEventBody))
        creator_id, at_ms = self.creator.user_id, self.clock()
        return await self.db.write(
            lambda tx: events.create(tx, draft, creator_id=creator_id, at_ms=at_ms, terms=Terms())
        )

    async def publish_new(self, event_id: int) -> Event:
        """Publish an event."""

        def work(tx: WriteTx) -> Event:
            events.publish(tx, event_id, self.creator, terms=Terms())
            return events.load_event_view(tx, event_id, now_ms=self.clock())

        return await self.db.write(work)

    async def event(self, event_id: int) -> Event:
        """Return an event as it is shown."""
        return await self.db.read(lambda tx: events.load_event_view(tx, event_id, now_ms=self.clock()))

    @staticmethod
    def pool(*, finish_in_ms: int | None = HOUR, live_in_ms: int | None = None, **fields: Any) -> dict[str, Any]:
        """Describe a pool; its times count from `START_MS`, None for no such time."""
        times = {"finish_at": finish_in_ms, "live_at": live_in_ms}
        at = {name: iso(START_MS + in_ms) for name, in_ms in times.items() if in_ms is not None}
        return {"name": "Will it?", "metadata": {"lmsr_b_kopecks": 10_000}} | at | fields

    async def open_due(self, opener: SeriesOpener | None = None) -> None:
        """Let all that is due be opened; afterwards the books must be right."""
        while await (opener or self.opener).open_due():
            pass
        findings = await self.db.read(audit)
        assert not findings, findings

    async def instances(self, series_id: int) -> list[Event]:
        """Return the events of a series, oldest first."""
        query = (
            sa.select(event_rows.c.id).where(event_rows.c.series_id == series_id).order_by(event_rows.c.series_index)
        )

        def read(tx: ReadTx) -> list[Event]:
            ids = tx.execute(query).scalars().all()
            return [events.load_event_view(tx, event_id, now_ms=self.clock()) for event_id in ids]

        return await self.db.read(read)

    async def indices(self, series_id: int) -> list[int]:
        """Return the indices of the instances there are."""
        return [event.series.index for event in await self.instances(series_id) if event.series is not None]

    async def series(self, series_id: int) -> Series:
        """Return a series as it is shown."""
        return await self.db.read(lambda tx: service.load_view(tx, series_id, at_ms=self.clock()))

    async def resolve(self, pool_id: int, *, won_side: int = 0) -> None:
        """Resolve a pool by hand."""
        await self.db.write(lambda tx: resolve(tx, pool_id, ResolveBody(won_side=won_side), self.admin))

    async def cancel(self, event_id: int) -> None:
        """Cancel an event."""
        await self.db.write(lambda tx: void_event(tx, event_id, self.creator))

    async def stop(self, series_id: int) -> None:
        """Stop a series."""
        await self.db.write(lambda tx: service.stop(tx, series_id, self.creator))

    async def resume(self, series_id: int) -> None:
        """Resume a series."""
        await self.db.write(lambda tx: service.resume(tx, series_id, self.creator))

    async def edit(self, series_id: int, **given: Any) -> None:
        """Change a series."""
        body = to_type(given, EditSeriesBody)
        service.check_edit(body)
        await self.db.write(lambda tx: service.edit(tx, series_id, body, self.creator))

    async def edit_pool(self, pool_id: int, **given: Any) -> None:
        """Change a pool."""
        changes = pool_changes(to_type(given, EditPoolBody))
        await self.db.write(lambda tx: edit_pool(tx, pool_id, changes, self.creator))

    async def move_end(self, pool_id: int, finish_at_ms: int) -> None:
        """Move the end of a pool."""
        await self.edit_pool(pool_id, finish_at=iso(finish_at_ms))

    async def let_create(self, *, is_creator: bool) -> None:
        """Give the creator the role, or take it."""
        change = users.update().where(users.c.id == self.creator.user_id).values(is_creator=is_creator)
        await self.db.write(lambda tx: tx.execute(change))

    async def observe(self, price: float) -> None:
        """Record a price of `ASSET` at this moment."""
        row = {"symbol": ASSET, "price_usd": price, "observed_at_ms": self.clock(), "source": "exchange"}
        await self.db.write(lambda tx: tx.execute(asset_prices.insert().values(**row, counts=True)))

    async def notices(self, kind: str) -> list[str]:
        """Return the texts of the creator's notifications of a type, oldest first."""
        query = (
            sa.select(notifications.c.params)
            .where(notifications.c.user_id == self.creator.user_id, notifications.c.type == kind)
            .order_by(notifications.c.id)
        )
        rows = await self.db.read(lambda tx: tx.execute(query).scalars().all())
        reader, found = Reader(currency=ROUBLES), [stored_content(kind, params) for params in rows]
        return [content.said(reader).sentence for content in found if content is not None]

    async def attention(self) -> Sequence[Entry]:
        """Return what waits for a person."""
        return await self.db.read(lambda tx: newest_open(tx, before_id=None, limit=100))

    async def take_unalerted(self) -> Sequence[Entry]:
        """Return what operators are to be alerted of, and note that they are."""
        return await self.db.write(lambda tx: take_unalerted(tx, limit=100, at_ms=self.clock()))

    async def together(self, *works: Any) -> list[Any]:
        """Run coroutines at the same time and return their results or exceptions."""
        return list(await asyncio.gather(*works, return_exceptions=True))


def series_of(event: Event) -> int:
    """Return the id of an instance's series."""
    assert event.series is not None
    return event.series.id
