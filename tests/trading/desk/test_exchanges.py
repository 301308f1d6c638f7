"""A batch takes few exchanges with PostgreSQL, however many orders, pools and kinds of orders it has."""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.settings import Settings
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import Locked, ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kinds import BasketChanges, BasketStake, Buy, PlaceLimit, Sell, TradeBasket
from foreknow.trading.desk.kinds.basket_pricing import BasketTerms
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.desk.tables import trades
from foreknow.trading.entry.basket_routes import user_basket
from foreknow.trading.entry.bet_routes import bet_receipt, partner_bet_receipt, partner_sale_receipt, sale_receipt
from foreknow.trading.entry.order_routes import placed_order
from foreknow.trading.entry.order_schemas import PlacedOrder
from foreknow.trading.entry.routes import UserVoice
from tests.support.exchanges import ExchangeCounter
from tests.support.service import Service, expect, pool

ON_POSTGRES = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
POOLS = 5
TRADERS = 4
EXCHANGES_MAX = 5
#: Without ids to look up: the locks, all reads, all writes, the commit.
EXCHANGES_KNOWN = 4


class Crowd:
    """Traders and a partner with its users, who bet and sell in several pools of two events."""

    def __init__(self, service: Service) -> None:
        """Make them."""
        events = [service.event(pools=[pool(["A", "B"]) for _ in range(POOLS)]) for _ in range(2)]
        self.market_ids = [market["id"] for event in events for each in event["pools"] for market in each["markets"]]
        check = service.app.services.authenticator
        people = [service.user(balance_kopecks=10_000_000) for _ in range(TRADERS)]
        found = [service.server.run(check.user(person.token)) for person in people]
        self._users = [caller for caller in found if isinstance(caller, UserCaller)]
        partner = service.server.run(check.partner(service.partner(float_kopecks=10**9).key))
        assert isinstance(partner, PartnerCaller)
        self._partner = partner
        #: A user of the partner's who has shares in every market.
        self._holder = secrets.token_hex(4)
        self._numbers = itertools.count()

    def holdings(self) -> list[OrderKind]:
        """Return bets that give everyone shares in every market."""
        buy = partial(Buy, stake_kopecks=5_000)
        of_users = [self._order(user, market_id, buy) for market_id in self.market_ids for user in self._users]
        return of_users + [
            self._order(self._partner, market_id, buy, external_user_id=self._holder) for market_id in self.market_ids
        ]

    def orders(self, count: int) -> list[OrderKind]:
        """Return bets and sales of users, of a partner's known user and of its new ones, in turn and everywhere."""
        return list(itertools.islice(self._mixed(), count))

    def resting(self, market_id: int, price_bps: int, *, is_buy: bool = False) -> list[OrderKind]:
        """Return orders of different people that rest in a market, six each."""
        offer = partial(PlaceLimit, is_buy=is_buy, shares=1_000, price_bps=price_bps)
        return [self._order(user, market_id, offer) for user in self._users for _ in range(6)]

    def meeting(self, market_id: int, stake_kopecks: int) -> list[OrderKind]:
        """Return a bet of a new user of the partner's in a market."""
        name = secrets.token_hex(4)
        return [self._order(self._partner, market_id, partial(Buy, stake_kopecks=stake_kopecks), external_user_id=name)]

    def stakes(self, pools: list[list[int]]) -> list[OrderKind]:
        """Return stakes that give everyone shares of the first market of each pool."""
        return [
            self._order(user, markets[0], _basket(BasketStake(market_ids=(markets[0],), stake_kopecks=5_000)))
            for markets in pools
            for user in self._users
        ]

    def baskets(self, pools: list[list[int]], count: int) -> list[OrderKind]:
        """Return baskets in pools of three markets: a stake on a set, one on a condition, and a swap, in turn."""
        found: list[OrderKind] = []
        for number, user in zip(range(count), itertools.cycle(self._users)):
            markets = pools[number % len(pools)]
            terms: list[BasketTerms] = [
                BasketStake(market_ids=(markets[0], markets[1]), stake_kopecks=300),
                BasketStake(market_ids=(markets[0],), given=(markets[0], markets[1]), stake_kopecks=300),
                BasketChanges(changes={markets[0]: -20, markets[2]: 30}),
            ]
            found.append(self._order(user, markets[0], _basket(terms[number // len(pools) % len(terms)])))
        return found

    def _mixed(self) -> Iterator[OrderKind]:
        markets, users = itertools.cycle(self.market_ids), itertools.cycle(self._users)
        buy, sell = partial(Buy, stake_kopecks=300), partial(Sell, shares=10)
        while True:
            yield self._order(next(users), next(markets), sell)
            yield self._order(self._partner, next(markets), buy, external_user_id=secrets.token_hex(4))
            yield self._order(self._partner, next(markets), sell, external_user_id=self._holder)
            yield self._order(next(users), next(markets), buy)

    def _order(
        self,
        caller: UserCaller | PartnerCaller,
        market_id: int,
        kind: partial[Any],
        *,
        external_user_id: str | None = None,
    ) -> OrderKind:
        key = IdempotencyKey(scope=caller.scope, key=secrets.token_hex(8), fingerprint=str(next(self._numbers)))
        receipt: Any = _RECEIPTS[kind.func]
        if external_user_id is not None:
            of_partner = partner_bet_receipt if kind.func is Buy else partner_sale_receipt
            receipt = partial(of_partner, external_user_id)
        elif kind.func is PlaceLimit:
            assert isinstance(caller, UserCaller)
            receipt = partial(placed_order, PlacedOrder, UserVoice(caller))
        made: OrderKind = kind(
            caller=caller,
            external_user_id=external_user_id,
            market_id=market_id,
            idempotency_key=key,
            receipt=receipt,
        )
        return made


_RECEIPTS: dict[Any, Any] = {Buy: bet_receipt, Sell: sale_receipt, PlaceLimit: placed_order, TradeBasket: user_basket}


def _basket(terms: BasketTerms) -> partial[Any]:
    return partial(TradeBasket, terms=terms)


class Desk:
    """Runs batches at a database, whose exchanges are counted."""

    def __init__(self, db: Database, counter: ExchangeCounter) -> None:
        """Count those of `db`, which connects by `counter`."""
        self._db, self._counter = db, counter

    async def run(self, orders: list[OrderKind], known: IdCache) -> int:
        """Execute orders in a batch; return how many exchanges that took."""
        while True:
            batch, before = Batch(orders, known, LiveSettings(Settings()), skips_locked=True), self._counter.exchanges
            outcomes = await self._db.write_orders(batch.run, limit_s=60)
            # The worker that pays makers may have a pool for a moment.
            if not any(isinstance(outcome, Locked) for outcome in outcomes):
                break
        assert all(isinstance(outcome, Receipt) for outcome in outcomes), outcomes
        known.merge(batch.found)
        return self._counter.exchanges - before

    async def plans(self, orders: list[OrderKind]) -> list[tuple[str, int, int]]:
        """Execute orders in a batch; return each statement of its connection, and how often it was run by a plan made
        for its parameters and by one that is kept.
        """
        batch = Batch(orders, IdCache(), LiveSettings(Settings()))

        def run(tx: WriteTx) -> list[tuple[str, int, int]]:
            batch.run(tx)
            rows = tx.exec_driver_sql("SELECT statement, custom_plans, generic_plans FROM pg_prepared_statements")
            return [tuple(row) for row in rows]

        return await self._db.write_orders(run, limit_s=60)


@contextlib.asynccontextmanager
async def counted(service: Service) -> AsyncIterator[Desk]:
    async with ExchangeCounter(service.database_url).running() as counter:
        # One time for all: no chart's next minute begins meanwhile.
        db = open_database(counter.url, clock=lambda: at_ms)
        at_ms = service.clock()
        try:
            yield Desk(db, counter)
        finally:
            await db.close()


@ON_POSTGRES
async def test_a_batch_takes_few_exchanges_however_many_orders_it_has(service: Service) -> None:
    crowd = Crowd(service)
    async with counted(service) as desk:
        known = IdCache()
        await desk.run(crowd.holdings(), known)
        for count in (1, 10, 128):
            # The connection prepares each statement once: those of a batch that looks up ids, and of one that does not.
            for ids in (IdCache(), known):
                await desk.run(crowd.orders(count), ids)
            unknown = await desk.run(crowd.orders(count), IdCache())
            assert unknown == EXCHANGES_MAX, count
            if count == 1:
                assert await desk.run(crowd.orders(count), known) == EXCHANGES_KNOWN


@ON_POSTGRES
async def test_a_batch_of_baskets_takes_no_more_exchanges_than_one_of_bets(service: Service) -> None:
    crowd = Crowd(service)
    made = service.event(pools=[pool(["A", "B", "C"]) for _ in range(POOLS)])["pools"]
    pools = [[market["id"] for market in each["markets"]] for each in made]
    async with counted(service) as desk:
        known = IdCache()
        await desk.run(crowd.stakes(pools), known)
        for count in (1, 15, 60):
            # The connection prepares each statement once.
            for ids in (known, IdCache()):
                await desk.run(crowd.baskets(pools, count), ids)
            assert await desk.run(crowd.baskets(pools, count), IdCache()) == EXCHANGES_MAX, count
            assert await desk.run(crowd.baskets(pools, count), known) == EXCHANGES_KNOWN, count


@ON_POSTGRES
async def test_resting_orders_cost_a_batch_no_exchange_but_for_those_that_lie_deep(service: Service) -> None:
    crowd = Crowd(service)
    async with counted(service) as desk:
        known = IdCache()
        await desk.run(crowd.holdings(), known)
        few_exchanges = many_exchanges = 0
        for ids, market_id in zip((IdCache(), known, known), crowd.market_ids[::2], strict=False):
            percent = round(100 * float(market(service, market_id)["yes_probability"]))
            await desk.run(crowd.resting(market_id, 100 * percent + 200), ids)
            # The first brings the price there; the next meets four offers, and the last one more than eight.
            first, few, many = (crowd.meeting(market_id, stake) for stake in (8_000, 40 * percent, 100 * percent))
            await desk.run(first, ids)
            # Users of the partner's who are new are looked up.
            few_exchanges = await desk.run(few, ids)
            many_exchanges = await desk.run(many, ids)
        assert few_exchanges == EXCHANGES_MAX
        assert many_exchanges == EXCHANGES_MAX + 1
        assert service.look(partial(_makers, market_ids=crowd.market_ids)) > 20


@ON_POSTGRES
async def test_what_a_batch_reads_and_writes_is_not_planned_each_time(service: Service) -> None:
    crowd = Crowd(service)
    market_id = crowd.market_ids[0]
    async with counted(service) as desk:
        await desk.run(crowd.holdings(), IdCache())
        await desk.plans(crowd.resting(market_id, 100, is_buy=True))
        plans = await desk.plans(crowd.resting(market_id, 100, is_buy=True))
    of_batches = [counts for statement, *counts in plans if "limit_orders" in statement]
    # Its reads and its writes; kept from one batch to the next.
    assert len(of_batches) >= 2
    assert all(custom == 0 and kept > 0 for custom, kept in of_batches)


@ON_POSTGRES
async def test_a_pool_whose_last_order_has_left_is_read_like_any_until_one_rests_there_again(service: Service) -> None:
    crowd = Crowd(service)
    async with counted(service) as desk:
        known = IdCache()
        await desk.run(crowd.holdings(), known)
        market_id = crowd.market_ids[0]
        pool_id = known.markets[market_id].pool_id
        buy = partial(crowd.meeting, market_id, 100)
        await desk.run(crowd.resting(market_id, 9_000), known)
        assert known.booked_markets[pool_id] == 2
        await desk.run(crowd.meeting(market_id, 1_000_000), known)
        await desk.run(buy(), known)
        assert known.booked_markets[pool_id] == 0
        assert await desk.run(buy(), known) == EXCHANGES_MAX
        # Another process's: this one learns of them when it has locked the pool, which takes an exchange more, once.
        await desk.run(crowd.resting(market_id, 100, is_buy=True), IdCache())
        assert await desk.run(buy(), known) == EXCHANGES_MAX + 1
        assert known.booked_markets[pool_id] == 2
        await desk.run(buy(), known)
        assert await desk.run(buy(), known) == EXCHANGES_MAX


def market(service: Service, market_id: int) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get(f"/markets/{market_id}"), 200)
    return found


def _makers(tx: ReadTx, *, market_ids: list[int]) -> int:
    of_makers = sa.select(sa.func.count()).where(trades.c.role == "maker", trades.c.market_id.in_(market_ids))
    return int(tx.execute(of_makers).scalar_one())
