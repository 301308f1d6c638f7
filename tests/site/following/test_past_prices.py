"""What past trades left is what everyone saw then, whatever was traded: bets, sales, orders, baskets, all of it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from foreknow.market.pools.store import load_pools
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.following.past_prices import LeftPrices, left_prices
from foreknow.trading.desk.tables import trades
from tests.support.baskets import stake
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.limit_orders import place
from tests.support.lists import list_pool, read_pool, split
from tests.support.orders import add_liquidity, bet, sell
from tests.support.service import Service, pool

RICH = 10_000_000
B = 20_000
NAMES = ["Ann", "Bob", "Cid", "Other"]


def left(service: Service, pool_id: int, *, part: slice = slice(None)) -> Sequence[LeftPrices]:
    """Return what each of a pool's trades left, or of a part of them."""

    def read(tx: ReadTx) -> Sequence[LeftPrices]:
        query = sa.select(trades.c.id, trades.c.user_id).where(trades.c.pool_id == pool_id).order_by(trades.c.id)
        rows = tx.execute(query).all()[part]
        return left_prices(tx, load_pools(tx, [pool_id]), {trade_id: user_id for trade_id, user_id in rows})[pool_id]  # noqa: C416

    found: Sequence[LeftPrices] = service.look(read)
    return found


class Seen:
    """A pool that is traded, and the prices that were seen after each request that traded, by the number of trades."""

    def __init__(self, service: Service, *, is_list: bool) -> None:
        described = (list_pool(NAMES, b=B, probabilities=None) if is_list else pool(NAMES, b=B)) | {"margin": 0}
        (made,) = service.event(pools=[described])["pools"]
        self.service, self.id, self.is_list, self.b = service, int(made["id"]), is_list, B
        self.traders = [service.user(balance_kopecks=RICH) for _ in range(3)]
        self.prices: dict[int, list[float]] = {}
        self.actors: dict[int, int] = {}

    def act(self, dice: random.Random, *, step: int) -> None:
        """Do something at random; it may be refused."""
        markets = read_pool(self.service, self.id)["markets"]
        known = {"outcomes": len(markets)} if self.is_list else {}
        trader, at = dice.choice(self.traders), dice.randrange(len(markets))
        market = int(markets[at]["id"])
        is_other = self.is_list and at == len(NAMES) - 1
        side = "YES" if is_other else dice.choice(["YES", "NO"])
        match dice.randrange(12):
            case 0 | 1:
                bet(trader, market, side, dice.randrange(100, 6_000), **known)
            case 2:
                sell(trader, market, side, dice.randrange(1, 3_000), **known)
            case 3 | 4 | 5 | 6 | 7 | 8:
                near = round(100 * markets[at]["yes_probability"]) + dice.randrange(-4, 5)
                price = near if side == "YES" else 100 - near
                shares, action = 100 * dice.randrange(10, 60), dice.choice(["buy", "buy", "sell"])
                place(trader, market, side, action, shares=shares, price=price, **known)
            case 9 | 10:
                some = dice.sample([int(one["id"]) for one in markets], 2)
                stake(trader, some, dice.randrange(100, 5_000), **known)
            case _ if self.is_list and dice.random() < 0.7:
                split(self.service, self.id, f"New {step}", 0.25)
            case _:
                self.b += 3_000
                add_liquidity(self.service.creator.client, self.id, self.b)
        self.see(trader.id)

    def see(self, actor_id: int) -> None:
        """Note what everyone sees now."""
        count = self.service.look(lambda tx: load_pools(tx, [self.id])[self.id].trade_count)
        if count not in self.prices:
            self.prices[count] = [one["yes_probability"] for one in read_pool(self.service, self.id)["markets"]]
            self.actors[count] = actor_id


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_list", [False, True], ids=["plain", "list"])
def test_what_trades_left_is_what_was_seen(service: Service, is_list: bool, seed: int) -> None:
    seen = Seen(service, is_list=is_list)
    dice = random.Random(seed)
    for step in range(45):
        seen.act(dice, step=step)

    found = left(service, seen.id)

    numbers = {one.number for one in found}
    assert numbers == seen.prices.keys() - {0}
    for one in found:
        then = seen.prices[one.number]
        assert one.prices == pytest.approx([*then, *[0.0] * (len(one.prices) - len(then))], abs=1e-9)
        assert one.actor_id in {seen.actors[one.number], None}
    half = left(service, seen.id, part=slice(len(found) // 3, len(found) // 2))
    known = {one.number: one.prices for one in found}
    assert half
    for one in half:
        assert one.prices == pytest.approx(known[one.number], abs=1e-12)
    roles = sa.select(trades.c.role).where(trades.c.pool_id == seen.id)
    assert "maker" in service.look(lambda tx: tx.execute(roles).scalars().all())
