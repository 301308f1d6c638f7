"""A pool of a running service, and the contract's matching of it word for word: what one does, the other must do."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.money.ledger.tables import accounts
from foreknow.money.pricing import Side, prior_weights
from foreknow.platform.db.transactions import ReadTx
from tests.money.pricing.cases import SIDES, Pool
from tests.money.pricing.reference import Reference
from tests.support.limit_orders import get_order
from tests.support.service import Person, Service, expect, pool, refused
from tests.trading.book.life import DUST, cost
from tests.trading.book.reference import Fill, Found, Incoming, World


class Twin:
    """One pool: the service's, and `world`, the reference's. Orders name their traders by their place in `people`."""

    def __init__(
        self, service: Service, *, probabilities: Sequence[float], b: int, people: int, money: int = 10**8
    ) -> None:
        """Make the pool, and people with money, kopecks; there is no margin."""
        names = None if len(probabilities) == 1 else [f"Outcome {number}" for number in range(len(probabilities))]
        event = service.event(pools=[pool(names, probabilities=probabilities, b=b)])
        (made,) = event["pools"]
        self.service = service
        self.event_id: int = event["id"]
        self.pool_id: int = made["id"]
        self.markets: list[int] = [market["id"] for market in made["markets"]]
        none = (0,) * len(self.markets)
        self.world = World(Pool(b, prior_weights(list(probabilities)), none, none), [])
        self.people: list[Person] = [service.user(balance_kopecks=money) for _ in range(people)]
        #: The service's ids of limit orders by those of the reference, which count from 1.
        self.ids: dict[int, int] = {}
        #: Limit orders that may rest, and what each has had so far: shares, kopecks.
        self.placed: dict[int, Incoming] = {}
        self.filled: dict[int, tuple[int, int]] = {}
        #: Shares of (trader, outcome, side).
        self.held: dict[tuple[int, int, Side], int] = {}

    def bet(self, who: int, outcome: int, side: str, stake: int) -> Found:
        """Bet; the answer is the reference's."""
        return self.send(Incoming("bet", who, outcome, Side(side), True, stake))

    def sell(self, who: int, outcome: int, side: str, shares: int) -> Found:
        """Sell; the answer is the reference's."""
        return self.send(Incoming("sale", who, outcome, Side(side), False, shares))

    def limit(self, who: int, outcome: int, what: str, lots: int, price: int, *, rests: bool = True) -> Found:
        """Place a limit order (`buy YES`, …), gtc or ioc."""
        action, side = what.split()
        order_id = len(self.placed) + 1 if rests else None
        return self.send(Incoming("limit", who, outcome, Side(side), action == "buy", 100 * lots, price, order_id))

    def send(self, order: Incoming) -> Found:
        """Send an order, and check what it did to everyone; return what it does, also where it is rejected."""
        before = deepcopy(self.world)
        found = self.world.arrive(order)
        path, body = self._request(order)
        answer = self.people[order.user].client.post(path, json=body)
        if (code := _error_of(order, found)) is not None:
            refused(answer, *code)
            self.world = before
            return found
        said = expect(answer, 201)
        if order.id is not None:
            assert said["id"] > max(self.ids.values(), default=0)
            self.placed[order.id], self.ids[order.id] = order, said["id"]
            self.filled[order.id] = (found.shares, found.money)
        self._check_answer(order, found, said)
        self._hold(order, found.shares)
        self._check_others(found)
        return found

    def step(self, random: Random) -> Found:
        """Send an order at random, mostly near the price."""
        who, outcome, side = (
            random.randrange(len(self.people)),
            random.randrange(len(self.markets)),
            random.choice(SIDES),
        )
        free = self.free(who, outcome, side)
        kind = random.choice(("bet", "sale", "buy", "buy", "buy", "offer", "offer"))
        lots = random.choice((10, 10, 12, 20, 40))
        if kind == "bet" or (kind != "buy" and free < 1_000):
            return self.bet(who, outcome, side._value_, random.randint(100, 100 * lots))
        if kind == "sale":
            return self.sell(who, outcome, side._value_, random.randint(1, free))
        percent = round(100 * float(Reference(self.world.pool).probability(outcome, side)))
        away = random.choice((0, 1, 2, 3, 8))
        price = min(99, max(1, percent + random.randint(-away, away)))
        action = "buy" if kind == "buy" else "sell"
        if action == "sell":
            lots = min(lots, free // 100)
        return self.limit(who, outcome, f"{action} {side._value_}", lots, price, rests=random.random() < 0.85)

    def free(self, who: int, outcome: int, side: Side) -> int:
        """Return the shares that a trader holds, and that no resting order offers."""
        offered = sum(
            one.left
            for one in self.world.orders
            if (one.user, one.outcome, one.side, one.buys) == (who, outcome, side, False)
        )
        return self.held.get((who, outcome, side), 0) - offered

    def shown(self, order_id: int) -> dict[str, Any]:
        """Return a limit order as its owner sees it."""
        return get_order(self.people[self.placed[order_id].user], self.ids[order_id])

    def check(self) -> None:
        """Check what waits, and the prices."""
        waiting = {one.id: one.left for one in self.world.orders}
        for order_id in self.placed:
            shown = self.shown(order_id)
            left = shown["shares"] - shown["filled_shares"] if shown["status"] == "open" else None
            assert left == waiting.get(order_id)
        shown = expect(self.service.client().get(f"/pools/{self.pool_id}"), 200)
        prices = Reference(self.world.pool)
        escrow, loss_bound = self.service.look(self._escrow)
        assert escrow >= loss_bound + cost(self.world.pool) - DUST
        for outcome, market in enumerate(shown["markets"]):
            assert market["yes_probability"] == pytest.approx(float(prices.probability(outcome, Side.YES)))

    def _escrow(self, tx: ReadTx) -> tuple[int, int]:
        query = sa.select(accounts.c.balance_kopecks, pools.c.loss_bound_kopecks).join_from(
            pools, accounts, accounts.c.id == pools.c.escrow_account_id
        )
        row = tx.execute(query.where(pools.c.id == self.pool_id)).one()
        return row[0], row[1]

    def _request(self, order: Incoming) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {"market_id": self.markets[order.outcome], "token_type": order.side._value_}
        if order.kind == "bet":
            return "/market/bets", body | {"amount_kopecks": order.amount}
        if order.kind == "sale":
            return "/market/positions/sell", body | {"shares": order.amount}
        assert order.price is not None
        body |= {"action": "buy" if order.buys else "sell", "shares": order.amount, "price_bps": 100 * order.price}
        return "/market/orders", body | {"time_in_force": "ioc" if order.id is None else "gtc"}

    def _check_answer(self, order: Incoming, found: Found, said: dict[str, Any]) -> None:
        price = float(Reference(self.world.pool).probability(order.outcome, Side.YES))
        assert said["probability_after"] == pytest.approx(price)
        if order.kind == "bet":
            assert (said["shares"], said["capped"]) == (found.shares, found.capped)
        elif order.kind == "sale":
            assert (said["payout_kopecks"], said["capped"]) == (found.money, found.capped)
        else:
            swept = [fill for fill in found.swept if fill.order_id == order.id]
            assert said["filled_shares"] == found.shares + sum(fill.shares for fill in swept)
            assert said["amount_kopecks"] == found.money + sum(fill.money for fill in swept)
            rests = any(one.id == order.id for one in self.world.orders) and order.id is not None
            reason = ("fill_limit" if found.capped else "ioc") if found.rest and not rests and not swept else None
            status = "open" if rests else "cancelled" if reason else "filled"
            assert (said["status"], said["reason"]) == (status, reason)
            assert (said["trade_id"] is None) == (not found.shares)

    def _check_others(self, found: Found) -> None:
        for fill in (*found.met, *found.swept):
            shares, money = self.filled[fill.order_id]
            self.filled[fill.order_id] = (shares + fill.shares, money + fill.money)
            self._hold(self.placed[fill.order_id], fill.shares)
        for order_id in {fill.order_id for fill in (*found.met, *found.swept)}:
            shown = self.shown(order_id)
            assert (shown["filled_shares"], shown["amount_kopecks"] - shown["fee_kopecks"]) == self.filled[order_id]
        for order_id, reason in found.cancelled:
            shown = self.shown(order_id)
            assert (shown["status"], shown["reason"]) == ("cancelled", reason)

    def _hold(self, order: Incoming, shares: int) -> None:
        key = (order.user, order.outcome, order.side)
        self.held[key] = self.held.get(key, 0) + (shares if order.buys else -shares)


def _error_of(order: Incoming, found: Found) -> tuple[int, str] | None:
    """Return the status and code with which an order is rejected."""
    if order.kind != "limit" and not (found.shares and found.money):
        return 400, "amount_too_small"
    if order.kind == "limit" and not found.shares and (order.id is None or found.capped):
        return 409, "unfilled"
    return (409, "market_limit") if found.over_limit else None


def lots(fills: Sequence[Fill]) -> list[tuple[int, int]]:
    """Return the orders that were filled, and by how many lots."""
    return [(fill.order_id, fill.shares // 100) for fill in fills]
