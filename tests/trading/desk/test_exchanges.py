"""A batch takes few exchanges with PostgreSQL, however many orders, pools and kinds of orders it has."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import open_database
from foreknow.trading.desk import partner_routes
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.orders import Buy, Order, Sell
from foreknow.trading.desk.results import Receipt
from foreknow.trading.desk.routes import bet_receipt, sale_receipt
from tests.support.exchanges import ExchangeCounter
from tests.support.service import Service, pool

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

    def holdings(self) -> list[Order]:
        """Return bets that give everyone shares in every market."""
        buy = Buy(stake_kopecks=5_000)
        of_users = [self._order(user, market_id, buy) for market_id in self.market_ids for user in self._users]
        return of_users + [
            self._order(self._partner, market_id, buy, external_user_id=self._holder) for market_id in self.market_ids
        ]

    def orders(self, count: int) -> list[Order]:
        """Return bets and sales of users, of a partner's known user and of its new ones, in turn and everywhere."""
        return list(itertools.islice(self._mixed(), count))

    def _mixed(self) -> Iterator[Order]:
        markets, users = itertools.cycle(self.market_ids), itertools.cycle(self._users)
        buy, sell = Buy(stake_kopecks=300), Sell(shares=10)
        while True:
            yield self._order(next(users), next(markets), sell)
            yield self._order(self._partner, next(markets), buy, external_user_id=secrets.token_hex(4))
            yield self._order(self._partner, next(markets), sell, external_user_id=self._holder)
            yield self._order(next(users), next(markets), buy)

    def _order(
        self,
        caller: UserCaller | PartnerCaller,
        market_id: int,
        terms: Buy | Sell,
        *,
        external_user_id: str | None = None,
    ) -> Order:
        key = IdempotencyKey(scope=caller.scope, key=secrets.token_hex(8), fingerprint=str(next(self._numbers)))
        receipt: Any = bet_receipt if isinstance(terms, Buy) else sale_receipt
        if external_user_id is not None:
            of_partner = partner_routes.bet_receipt if isinstance(terms, Buy) else partner_routes.sale_receipt
            receipt = partial(of_partner, external_user_id=external_user_id)
        return Order(
            caller=caller,
            external_user_id=external_user_id,
            market_id=market_id,
            side=Side.YES,
            terms=terms,
            idempotency_key=key,
            receipt=receipt,
        )


@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
async def test_a_batch_takes_few_exchanges_however_many_orders_it_has(service: Service) -> None:
    crowd = Crowd(service)
    async with ExchangeCounter(service.database_url).running() as counter:
        # One time for all: no chart's next minute begins meanwhile.
        db = open_database(counter.url, clock=lambda: at_ms)
        at_ms = service.clock()

        async def run(orders: list[Order], known: IdCache) -> int:
            batch, before = Batch(orders, known, skips_locked=True), counter.exchanges
            outcomes = await db.write_orders(batch.run, limit_s=60)
            assert all(isinstance(outcome, Receipt) for outcome in outcomes), outcomes
            known.merge(batch.found)
            return counter.exchanges - before

        try:
            known = IdCache()
            await run(crowd.holdings(), known)
            for count in (1, 10, 128):
                # The connection prepares each statement once: those of a batch that looks up ids, and of one that
                # does not.
                for ids in (IdCache(), known):
                    await run(crowd.orders(count), ids)
                unknown = await run(crowd.orders(count), IdCache())
                assert unknown == EXCHANGES_MAX, count
                if count == 1:
                    assert await run(crowd.orders(count), known) == EXCHANGES_KNOWN
        finally:
            await db.close()
