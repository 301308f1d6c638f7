"""Pools with rules straight in a database, and a resolver that a test works by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import iso
from foreknow.kernel.terms import Terms
from foreknow.kernel.validation.fields import to_type
from foreknow.market.assets import observations
from foreknow.market.assets.observations import NewObservation
from foreknow.market.events import service as events
from foreknow.market.events.drafts import event_draft
from foreknow.market.events.schemas import CreateEventBody
from foreknow.market.pools.resolutions import Decision
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.market.pools.tables import pool_deadlines, pools
from foreknow.people.attention.store import newest_open
from foreknow.people.notifications.tables import notifications
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.fetching import FetchFailed
from foreknow.trading.odds import FetchedResult, ResultFetcher
from foreknow.trading.resolution.service import Resolver
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.clock import ShiftableClock
from tests.trading.settlement import world

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
ROUND_S = 30
TWO = [{"below": 100}, {"from": 100}]
API_URL = "https://api.example.org/events/slug/fed-decision"
SOURCE = "polymarket"
EXTERNAL_URL = "https://polymarket.com/event/fed-decision"
#: The page of an event of another source.
OTHER_URL = "https://kalshi.com/markets/kxfed/fed/kxfed-26"
#: The page of an event of a source that is not set up.
UNASKED_URL = "https://manifold.markets/someone/fed-decision"


class Answer(NamedTuple):
    """A final result, as a source calls it and as a pool's outcome."""

    result: str
    won_side: int | None


@dataclass
class Source(ResultFetcher):
    """Sites whose answers a test chooses; counts how often they were asked."""

    sources = (SOURCE, "kalshi")
    answer: Answer | FetchFailed | None = None
    asked: list[int] = field(default_factory=list)
    #: Set by the first request.
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    #: What the site of `EXTERNAL_URL` waits for before it answers.
    until: asyncio.Event | None = None

    async def fetch(self, url: str, pool: PoolRow, *, at_ms: int) -> FetchedResult | None:
        if url == UNASKED_URL:
            return None
        assert url in {EXTERNAL_URL, OTHER_URL}
        self.asked.append(pool.id)
        self.is_asked.set()
        if self.until is not None and url == EXTERNAL_URL:
            await self.until.wait()
        if isinstance(self.answer, FetchFailed):
            raise self.answer
        if self.answer is None:
            return None
        evidence = {"url": API_URL, "result": self.answer.result, "fetched_at": iso(at_ms)}
        return FetchedResult(self.answer.won_side, evidence)


class Scene:
    """A creator's published events, whose pools end an hour from now unless a test says otherwise."""

    def __init__(self, db: Database, clock: ShiftableClock) -> None:
        self.db = db
        self.clock = clock
        self.source = Source()
        #: Symbols whose providers were made due, with the source and the moment.
        self.requested: list[tuple[str, str | None, int]] = []
        #: What a request for prices fails with.
        self.failure: Exception | None = None
        self.ends_at_ms = clock() + HOUR
        self.resolver = self.another_resolver()
        self.creator: UserCaller | None = None

    def another_resolver(self) -> Resolver:
        return Resolver(self.db, self.source, round_s=ROUND_S, request_prices=self._request)

    async def work(self) -> None:
        """Let all that is due be done."""
        while await self.resolver.work() or await self.resolver.work_on_source(SOURCE):
            pass

    async def work_at(self, at_ms: int) -> None:
        """Let time pass until `at_ms`, a little over; then let all that is due be done."""
        self.clock.advance(at_ms - self.clock())
        await self.work()

    async def event(self, *pools: Mapping[str, Any], publish: bool = True, **fields: Any) -> list[int]:
        """Create and publish an event; return its pools' ids."""
        body = {"name": "Event", "pools": list(pools), "external_event_url": EXTERNAL_URL} | fields
        draft = event_draft(to_type(body, CreateEventBody))

        def create(tx: WriteTx) -> list[int]:
            self.creator = self.creator or world.person(tx, creator=True)
            event_id = events.create(tx, draft, creator_id=self.creator.user_id, at_ms=self.clock(), terms=Terms())
            if publish:
                events.publish(tx, event_id, self.creator, terms=Terms())
            return pool_ids_of_events(tx, [event_id])[event_id]

        return await self.db.write(create)

    def manual(self, *, ends_at_ms: int | None = None) -> dict[str, Any]:
        """A pool that a person resolves, open-ended unless it ends."""
        return {"name": "By hand"} | ({} if ends_at_ms is None else {"finish_at": iso(ends_at_ms)})

    def price(
        self, outcomes: list[dict[str, Any]] | None = None, *, ends_at_ms: int | None = None, **rule: Any
    ) -> dict[str, Any]:
        """A pool that the price of BTC resolves, unless the rule says otherwise."""
        intervals = outcomes or TWO
        metadata: dict[str, Any] = {"resolution": {"kind": "price", "symbol": "BTC", "outcomes": intervals} | rule}
        if len(intervals) > 1:
            metadata["market_names"] = [f"Outcome {index}" for index in range(len(intervals))]
        return {"name": "By price", "finish_at": iso(ends_at_ms or self.ends_at_ms), "metadata": metadata}

    def external(self, **rule: Any) -> dict[str, Any]:
        """A pool that an event elsewhere resolves."""
        metadata = {"resolution": {"kind": "external"} | rule, "market_names": ["a", "b"]}
        return {"name": "By event", "finish_at": iso(self.ends_at_ms), "metadata": metadata}

    async def observe(
        self, price: float, *, at_ms: int, symbol: str = "BTC", source: str = "binance", counts: bool = True
    ) -> dict[str, Any]:
        """Record an observation; return it as evidence."""
        new = NewObservation(symbol, price, at_ms, source, counts)
        await self.db.write(lambda tx: observations.record(tx, [new]))
        return {"price": price, "observed_at": iso(at_ms), "source": source}

    async def resolve_by_hand(self, pool_id: int, *, won_side: int = 0) -> None:
        """Let an admin resolve a pool; `AlreadyResolved`."""

        def resolve(tx: WriteTx) -> None:
            settlement.resolve(tx, pool_id, ResolveBody(won_side=won_side), world.person(tx, admin=True))

        await self.db.write(resolve)

    async def cancel(self, pool_id: int) -> None:
        """Let an admin cancel the event of a pool; `InvalidState`."""

        def cancel(tx: WriteTx) -> None:
            event_id = load_pools(tx, [pool_id])[pool_id].event_id
            settlement.void_event(tx, event_id, world.person(tx, admin=True))

        await self.db.write(cancel)

    async def pool(self, pool_id: int) -> PoolRow:
        return (await self.db.read(lambda tx: load_pools(tx, [pool_id])))[pool_id]

    async def decision(self, pool_id: int) -> Decision | None:
        return (await self.pool(pool_id)).decision

    async def evidence(self, pool_id: int) -> Mapping[str, Any] | None:
        """What the result was read from; None before there is one."""
        decision = await self.decision(pool_id)
        return None if decision is None else decision.evidence

    async def won(self, pool_id: int) -> int | None:
        query = sa.select(pools.c.won_side).where(pools.c.id == pool_id)
        return await self.db.read(lambda tx: tx.execute(query).scalar_one())

    async def due_at_ms(self, pool_id: int) -> int | None:
        """When the pool is looked at next; None where nothing is left to be done by rule."""
        query = sa.select(pool_deadlines.c.due_at_ms).where(pool_deadlines.c.pool_id == pool_id)
        return await self.db.read(lambda tx: tx.execute(query).scalar())

    async def notices(self) -> list[str]:
        """The types of the creator's notices, oldest first, without those of publications."""
        query = sa.select(notifications.c.type).order_by(notifications.c.id)
        found = await self.db.read(lambda tx: tx.execute(query).scalars().all())
        return [one for one in found if one not in {"event_published", "event_resolved"}]

    async def attention(self) -> list[tuple[str, int | None, str]]:
        """Open entries: kind, pool and reason."""
        found = await self.db.read(partial(newest_open, before_id=None, limit=100))
        return [(entry.kind, entry.pool_id, entry.reason) for entry in found]

    def _request(self, tx: WriteTx, symbols: Collection[str], *, source: str | None, since_ms: int) -> None:
        if self.failure is not None:
            raise self.failure
        self.requested += [(symbol, source, since_ms) for symbol in symbols]
