"""Random lives of a few events straight in a database, and what must be counted of them."""

from __future__ import annotations

import asyncio
import runpy
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from foreknow.market.events import service
from foreknow.market.events.schemas import Event
from foreknow.market.events.store import EventStatus, load_events, replace_tags, update_event
from foreknow.market.events.tables import event_tags, events
from foreknow.market.pools.store import load_pools
from foreknow.money.pricing import Side
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.migrate import VERSIONS
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.service.tables import metadata
from foreknow.site.activity import ActivityFollower
from foreknow.site.activity.periods import PERIODS, number_of
from foreknow.site.activity.tables import ACTIVITY_TABLES, creator_activity, creator_traders, trader_sums
from foreknow.site.feed.sequencer import acquire_lead, number_trades
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kinds import BasketChanges, BasketStake, Buy, Sell, TradeBasket
from foreknow.trading.desk.tables import trade_legs, trades
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.service import resolve, void_event
from foreknow.web.responses import Empty
from tests.support.clock import ShiftableClock
from tests.trading.settlement import world

#: A Friday in the middle of a month.
START_MS = 1_797_591_600_000
LEADER = "this test"


class Life:
    """Events, people, a partner, and two followers of what they do."""

    def __init__(self, db: Database, clock: ShiftableClock, seed: int) -> None:
        self.db = db
        self.clock = clock
        self.random = Random(seed)
        self.now_ms = START_MS
        self.followers = [ActivityFollower(db), ActivityFollower(db)]
        self.events: list[Event] = []

    async def begin(self) -> None:
        """Make the people."""
        self.clock.stop_at(self.now_ms)

        def work(tx: WriteTx) -> tuple[UserCaller, list[UserCaller], PartnerCaller]:
            creator = world.person(tx, creator=True)
            people = [world.person(tx, balance_kopecks=1_000_000) for _ in range(4)]
            return creator, people, world.partner(tx, float_kopecks=1_000_000)

        self.creator, self.people, self.partner = await self.db.write(work)
        await self.make_event()

    async def live(self, steps: int) -> None:
        """Let things happen, with followers that are killed now and then."""
        doings = [self.trade] * 8 + [self.pass_time, self.follow, self.follow, self.kill, self.make_event, self.end]
        for _ in range(steps):
            await self.random.choice(doings)()
            if self.random.random() < 0.5:
                await self.number()

    async def make_event(self) -> None:
        """Publish an event with one or two pools of one or three markets."""
        metadata = {"market_names": ["a", "b", "c"], "lmsr_b_kopecks": 10_000}
        pools: list[dict[str, Any]] = [{"name": "Will it?"}, {"name": "Who?", "metadata": metadata}]
        pools = pools[: self.random.randint(1, 2)]
        finish = {"finish_at": "2027-01-01T00:00:00Z"} if self.random.random() < 0.3 else {}

        tags = self.random.choices("xyz", k=2)

        def work(tx: WriteTx) -> Event:
            made = world.event(tx, self.creator, *({**pool, **finish} for pool in pools), publish=False)
            replace_tags(tx, made.id, tags)
            update_event(tx, made.id, tags=tags)
            service.publish(tx, made.id, self.creator, terms=Terms())
            return made

        self.events.append(await self.db.write(work))

    async def trade(self) -> None:
        """Bet, sell some or all of a position, or send a basket, where it may be traded; errors are traders' own."""
        event = self.random.choice(self.events)
        pool = self.random.choice(event.pools)
        market = self.random.choice(pool.markets)
        caller: Any = self.random.choice([*self.people, self.partner])
        external = "ann" if isinstance(caller, PartnerCaller) else None
        side = self.random.choice(list(Side))
        sells = self.random.random() < 0.4
        shares = self.random.choice([None, 50])
        stake = self.random.randint(100, 5_000)

        basket: Any = None
        if len(pool.markets) > 1 and self.random.random() < 0.4:
            first, second, _ = (one.id for one in pool.markets)
            basket = BasketStake(market_ids=(first, second), stake_kopecks=stake)
            if sells:
                basket = BasketChanges(changes={first: -self.random.choice([50, 500]), second: 300})

        def work(tx: WriteTx) -> None:
            said: dict[str, Any] = {
                "caller": caller,
                "external_user_id": external,
                "market_id": market.id,
                "receipt": lambda _: Empty(),
            }
            if basket:
                order: OrderKind = TradeBasket(terms=basket, **said)
            elif sells:
                order = Sell(shares=shares, side=side, **said)
            else:
                order = Buy(stake_kopecks=stake, side=side, **said)
            Batch([order], IdCache(), LiveSettings(Settings())).run(tx)

        await self.db.write(work)

    async def end(self) -> None:
        """Resolve or cancel an event, and pay it."""
        if len(self.events) < 2:
            return
        event = self.events.pop(0)
        cancels = self.random.random() < 0.3

        def work(tx: WriteTx) -> None:
            if cancels:
                void_event(tx, event.id, self.creator)
            else:
                for pool in event.pools:
                    resolve(tx, pool.id, ResolveBody(won_side=0), self.creator)

        def pay(tx: WriteTx) -> None:
            for pool in load_pools(tx, [pool.id for pool in event.pools]).values():
                world.pay(tx, pool)

        await self.db.write(work)
        if self.random.random() < 0.5:
            await self.follow()
        await self.db.write(pay)

    async def pass_time(self) -> None:
        """Let some time pass."""
        self.now_ms += self.random.choice([MINUTE_MS, HOUR_MS, 10 * HOUR_MS, 2 * DAY_MS])
        self.clock.stop_at(self.now_ms)

    async def number(self) -> None:
        """Number the trades, as the feed's leader does on PostgreSQL."""
        if self.db.is_sqlite:
            return

        def work(tx: WriteTx) -> None:
            gaps = acquire_lead(tx, LEADER)
            assert gaps is not None
            number_trades(tx, LEADER, gaps)

        await self.db.write(work)

    async def follow(self) -> None:
        """Let both followers work at the same time, once."""
        await asyncio.gather(*(follower.follow() for follower in self.followers))

    async def kill(self) -> None:
        """Kill a follower wherever it is after some turns of the loop; another one takes its place."""
        place = self.random.randrange(2)
        task = asyncio.create_task(self.followers[place].follow())
        for _ in range(self.random.randrange(40)):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self.followers[place] = ActivityFollower(self.db)

    async def catch_up(self) -> None:
        """Count all there is."""
        await self.number()
        while await self.followers[0].follow():
            pass

    async def counted(self) -> dict[str, set[tuple[Any, ...]]]:
        """Return the rows of what is counted, without what says when to work next."""
        return await self.db.read(_rows)

    async def forget(self) -> None:
        """Delete all that is counted."""

        def work(tx: WriteTx) -> None:
            for table in ACTIVITY_TABLES:
                tx.execute(table.delete())

        await self.db.write(work)
        self.followers = [ActivityFollower(self.db), ActivityFollower(self.db)]

    async def forget_own_record(self) -> None:
        """Do as migration 0097 does with a database from before it."""

        def work(tx: WriteTx) -> None:
            for table in (creator_traders, creator_activity):
                tx.execute(table.delete())
            tx.execute(trader_sums.update().values(settled=0, earned=0))
            for statement in runpy.run_path(str(VERSIONS[0] / "0097_own_record.py"))["FILL"]:
                tx.execute(sa.text(statement))

        await self.db.write(work)

    async def recounted(self) -> dict[str, set[tuple[Any, ...]]]:
        """Count everything from the trades, positions and events themselves."""
        return await self.db.read(lambda tx: _recount(tx, self.now_ms))


#: What is there and not yet there, and nothing that is counted.
_NOTED = {"activity_cursor", "counted_splits"}


def _rows(tx: ReadTx) -> dict[str, set[tuple[Any, ...]]]:
    found = {}
    for name in sorted(table.name for table in ACTIVITY_TABLES if table.name not in _NOTED):
        table = metadata.tables[name]
        columns = [column for column in table.c if column.name not in {"renew_at_ms", "moved_ppm", "is_over"}]
        found[name] = {tuple(row) for row in tx.execute(sa.select(*columns))}
    found["tag_counts"] = {row for row in found["tag_counts"] if row[1]}
    found["market_holders"] = {row for row in found["market_holders"] if row[2]}
    found["trader_sums"] = {row for row in found["trader_sums"] if row[0] != "week" or row[1]}
    return found


def _recount(tx: ReadTx, now_ms: int) -> dict[str, set[tuple[Any, ...]]]:
    people = set(tx.execute(sa.select(users.c.id).where(users.c.partner_id.is_(None))).scalars())
    done = list(tx.execute(sa.select(trades)).mappings())
    held = list(tx.execute(sa.select(positions)).mappings())
    first_minute = (now_ms - DAY_MS) // MINUTE_MS + 1
    minutes: Counter[tuple[int, int]] = Counter()
    volumes: Counter[int] = Counter()
    sold: Counter[int] = Counter()
    for one in done:
        minute = one["created_at_ms"] // MINUTE_MS
        if one["basket_id"] is None:
            sold[one["position_id"]] += one["pnl_kopecks"]
        if minute >= first_minute:
            minutes[minute, one["event_id"]] += one["amount_kopecks"]
            volumes[one["event_id"]] += one["amount_kopecks"]
    for leg in tx.execute(sa.select(trade_legs)).mappings():
        sold[leg["position_id"]] += leg["pnl_kopecks"]
    event_traders = {(one["event_id"], one["user_id"]) for one in done}
    pool_traders = {(one["pool_id"], one["user_id"]) for one in done}
    creators = {row.id: row.creator_id for row in tx.execute(sa.select(events.c.id, events.c.creator_id))}
    creator_traders = {(creators[event_id], user_id) for event_id, user_id in event_traders}
    of_creator = Counter(creator_id for creator_id, _ in creator_traders)
    of_pool = Counter(pool_id for pool_id, _ in pool_traders)
    of_event = Counter(event_id for event_id, _ in event_traders)
    trades_of_pool = Counter(one["pool_id"] for one in done)
    is_open = [one for one in held if one["closed_at_ms"] is None]
    holders = Counter((one["market_id"], one["side"]) for one in is_open)
    ids = tx.execute(sa.select(events.c.id)).scalars().all()
    active = {
        row.id: row.closes_at_ms for row in load_events(tx, ids).values() if row.status_at(now_ms) is EventStatus.ACTIVE
    }
    tags = Counter(
        tag for event_id, tag in tx.execute(sa.select(event_tags.c.event_id, event_tags.c.tag)) if event_id in active
    )
    return {
        "active_events": set(active.items()),
        "creator_activity": set(of_creator.items()),
        "creator_traders": creator_traders,
        "event_activity": {(event_id, count, volumes[event_id]) for event_id, count in of_event.items()},
        "event_minutes": {(*key, volume) for key, volume in minutes.items()},
        "event_traders": event_traders,
        "holdings": {
            (
                *(one["id"], one["pool_id"], one["market_id"], one["side"], one["user_id"]),
                one["shares"],
                sold[one["id"]],
            )
            for one in is_open
        },
        "market_holders": {(*key, count) for key, count in holders.items()},
        "pool_activity": {(pool_id, trades_of_pool[pool_id], count) for pool_id, count in of_pool.items()},
        "pool_traders": pool_traders,
        "tag_counts": set(tags.items()),
        "trader_sums": _trader_sums(
            done=done, held=held, sold=sold, event_traders=event_traders, people=people, now_ms=now_ms
        ),
    }


def _trader_sums(
    *,
    done: list[Any],
    held: list[Any],
    sold: Mapping[int, int],
    event_traders: set[tuple[int, int]],
    people: set[int],
    now_ms: int,
) -> set[tuple[Any, ...]]:
    sums: dict[tuple[str, int, int], list[int]] = {}
    for period in PERIODS:
        for one in done:
            row = sums.setdefault((period, number_of(period, one["created_at_ms"]), one["user_id"]), [0] * 6)
            row[0] += one["pnl_kopecks"]
            row[1] += one["amount_kopecks"]
            row[2] += 1
        for one in held:
            if one["settled_shares"]:
                row = sums.setdefault((period, number_of(period, one["closed_at_ms"]), one["user_id"]), [0] * 6)
                row[0] += one["pnl_kopecks"] - sold[one["id"]]
                if period == "all":
                    row[4] += 1
                    row[5] += one["pnl_kopecks"] > 0
    for _, user_id in event_traders:
        sums["all", 0, user_id][3] += 1
    return {
        (*key, *row)
        for key, row in sums.items()
        if key[2] in people and (key[0] == "all" or key[1] >= number_of(key[0], now_ms) - 1)  # type: ignore[arg-type]
    }
