"""A pool's life, operation by operation, by the book and by the reference; what must always hold is asserted."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from random import Random
from typing import Any

from foreknow.money.pricing import Addition, Lmsr, Side
from foreknow.trading.book import Book, MatchDecision, SweepResult, decide, sweep
from tests.money.pricing.cases import SIDES, Pool
from tests.money.pricing.reference import context
from tests.trading.book.cases import arrival, book_of, contents, draw_incoming, fills, resting
from tests.trading.book.reference import Fill, Found, Incoming, Waiting, World

MP = context(60)
#: What 60 digits leave uncertain of a cost below 10^17.
DUST = MP.mpf(10) ** -40


class Life:
    """One pool: `world` is the reference's, `market_maker` and `book` are ours."""

    def __init__(self, random: Random, pool: Pool, *, users: int = 4) -> None:
        self.random = random
        self.users = users
        self.world = World(pool, [])
        self.market_maker: Lmsr = pool.lmsr()
        self.book = Book(len(pool.q_yes))
        self.next_id = 1
        #: How often what was seen.
        self.seen: Counter[str] = Counter()

    def step(self) -> None:
        random = self.random
        if random.random() < 0.3:
            self.read_book()
        kind = random.random()
        if kind < 0.86:
            self.order(draw_incoming(random, self.market_maker, self.next_id, self.users))
        elif kind < 0.92:
            self.cancel([order for order in self.world.orders if random.random() < 0.2])
        elif kind < 0.98:
            outcome, shares = random.randrange(self.book.markets), random.randint(1, 4 * self.market_maker.b)
            self.curve_trade(outcome, random.choice(SIDES), shares, is_swept=random.random() < 0.8)
        else:
            self.raise_liquidity()

    def read_book(self) -> None:
        """Read the book again, as another batch does."""
        self.book = book_of(self.random, self.world.orders, self.book.markets)

    def order(self, order: Incoming) -> None:
        self.next_id += 1
        before, worlds = contents(self.book), deepcopy(self.world)
        decision = decide(self.market_maker, self.book, arrival(order))
        # Refused or not, the book that was there stays as it was.
        assert contents(self.book) == before
        if self.random.random() < 0.1:
            return
        found = self.world.arrive(order)
        assert answer(decision) == expected(found), f"{worlds.pool} {worlds.orders} {order}"
        if found.over_limit:
            self.world = worlds
            self.seen["over limit"] += 1
            return
        mine = [one for one in self.world.orders if one.id == order.id]
        assert decision.resting == (resting(mine[0]) if mine else None)
        self.follow(decision.after, decision.book)
        paid = check_prices(worlds.orders, order, found)
        self.check_escrow(worlds.pool, paid)
        self.check_priority(worlds.orders, order, found)
        self.check_not_worse_than_the_curve(worlds.pool, order, found)
        if found.shares and found.finished:
            self.check_state()
        self.note(found, worlds.orders, order.outcome)
        self.seen["own rests swept"] += any(fill.order_id == order.id for fill in found.swept)

    def cancel(self, orders: list[Waiting]) -> None:
        self.book = self.book.without([resting(order) for order in orders])
        self.world.orders = [order for order in self.world.orders if order not in orders]
        if self.random.random() < 0.5:
            self.follow(self.market_maker, self.book)

    def curve_trade(self, outcome: int, side: Side, shares: int, *, is_swept: bool) -> None:
        """A piece on the curve alone, as baskets and rounds of the house are; unswept as after 50 pieces."""
        if not self.market_maker.traded(outcome, side, shares).within_limit():
            return
        self.world.move(outcome, side, shares, buys=True)
        self.market_maker = self.market_maker.traded(outcome, side, shares)
        if is_swept:
            self.sweep()

    def raise_liquidity(self) -> None:
        pool = self.world.pool
        b = pool.last_b + self.random.randint(1, pool.last_b)
        if len(pool.additions) < 4:
            additions = (*pool.additions, Addition(b, pool.q_yes, pool.q_no))
            self.world.pool = pool._replace(additions=additions)
            self.market_maker = self.market_maker.with_liquidity(b)
            self.sweep()

    def sweep(self) -> None:
        before, orders = self.world.pool, deepcopy(self.world.orders)
        result = sweep(self.market_maker, self.book, after_outcome=None)
        found = Found()
        self.world.sweep(None, found)
        assert sweep_answer(result) == (found.swept, found.cancelled, found.finished)
        self.follow(result.after, result.book)
        self.check_escrow(before, check_prices(orders, None, found))
        if found.finished:
            self.check_state()
        self.note(found, orders, 0)

    def follow(self, after: Lmsr, book: Book) -> None:
        assert (after.q_yes, after.q_no) == (self.world.pool.q_yes, self.world.pool.q_no)
        found = contents(book)
        assert len(found) == len(self.world.orders)
        assert {order.id: order for order in found} == {order.id: resting(order) for order in self.world.orders}
        assert [order.place for order in found if order.outcome == 0 and order.is_up] == sorted(
            order.place for order in found if order.outcome == 0 and order.is_up
        )
        self.market_maker, self.book = after, book

    def check_escrow(self, before: Pool, paid: int) -> None:
        """Escrow grows by at least what C does."""
        assert paid - (cost(self.world.pool) - cost(before)) > -DUST

    def check_state(self) -> None:
        """After a sweep that ended nothing is crossed, and no resting order can take a lot."""
        markets = range(len(self.world.pool.q_yes))
        for outcome in markets:
            assert self.world.curve_taker(outcome) is None
        self.check_uncrossed()

    def check_uncrossed(self) -> None:
        ups, downs = self.book.best_levels()
        assert all(up < down for up, down in zip(ups, downs, strict=True))
        if len(ups) > 1:
            assert sum(ups) <= 99
            assert sum(downs) >= 101

    def check_priority(self, orders: list[Waiting], order: Incoming, found: Found) -> None:
        """No order was filled while a better one waited in its market."""
        filled = {fill.order_id for fill in (*found.met, *found.swept)}
        left = {resting(one).id: resting(one) for one in self.world.orders}
        for one in map(resting, orders):
            if one.id in filled:
                better = [
                    other
                    for other in left.values()
                    if (other.outcome, other.is_up) == (one.outcome, one.is_up) and other.place < one.place
                ]
                assert better == [], f"{order} passed {better}"

    def check_not_worse_than_the_curve(self, before: Pool, order: Incoming, found: Found) -> None:
        """A bet buys what it buys on the curve alone; only that each piece is rounded up to a kopeck."""
        if order.kind == "bet":
            turns = len(found.met)
            assert found.shares >= before.lmsr().shares_bought(order.outcome, order.side, order.amount - turns)
        elif order.kind == "sale":
            alone = before.lmsr().sale_payout_kopecks(order.outcome, order.side, order.amount)
            assert found.money >= alone - len(found.met)

    def note(self, found: Found, orders: list[Waiting], outcome: int) -> None:
        met = {fill.order_id for fill in found.met}
        self.seen["met"] += bool(found.met)
        self.seen["sets"] += any(order.id in met and order.outcome != outcome for order in orders)
        self.seen["swept"] += bool(found.swept)
        self.seen["self trades"] += any(reason == "self_trade" for _, reason in found.cancelled)
        self.seen["limits of sweeps"] += any(reason == "market_limit" for _, reason in found.cancelled)
        self.seen["capped"] += found.capped
        self.seen["unfinished"] += not found.finished


def answer(decision: MatchDecision) -> dict[str, Any]:
    found = {
        "shares": decision.shares,
        "money": decision.money_kopecks,
        "met": fills(decision.met),
        "capped": decision.is_capped,
        "over limit": decision.exceeds_limit,
        "rest": decision.rest_shares,
    }
    if not decision.exceeds_limit:
        found["swept"] = fills(decision.swept)
        found["cancelled"] = [(one.order.id, one.reason) for one in decision.cancelled]
    return found


def expected(found: Found) -> dict[str, Any]:
    right = {
        "shares": found.shares,
        "money": found.money,
        "met": found.met,
        "capped": found.capped,
        "over limit": found.over_limit,
        "rest": found.rest,
    }
    if not found.over_limit:
        right["swept"] = found.swept
        right["cancelled"] = found.cancelled
    return right


def sweep_answer(result: SweepResult) -> tuple[list[Fill], list[tuple[int, str]], bool]:
    return fills(result.swept), [(one.order.id, one.reason) for one in result.cancelled], result.is_finished


def check_prices(orders: list[Waiting], order: Incoming | None, found: Found) -> int:
    """No one paid more or got less than their price, makers exactly it; return what escrow gained."""
    by_id = {one.id: one for one in orders}
    if order is not None and order.id is not None:
        assert order.price is not None
        by_id[order.id] = Waiting(
            order.id, order.user, order.outcome, order.side, order.buys, order.price, order.amount
        )
    paid = 0
    for fill in (*found.met, *found.swept):
        maker = by_id[fill.order_id]
        at_its_price = fill.shares // 100 * maker.price
        assert fill.shares % 100 == 0
        assert fill.money <= at_its_price if maker.buys else fill.money >= at_its_price
        assert fill.money == at_its_price or fill not in found.met
        paid += fill.money if maker.buys else -fill.money
    if order is not None:
        paid += found.money if order.buys else -found.money
        if order.price is not None:
            at_its_price = found.shares // 100 * order.price
            assert found.money <= at_its_price if order.buys else found.money >= at_its_price
    return paid


def cost(pool: Pool) -> Any:
    """C(q) of the contract, with 60 digits; with added liquidity, from addition to addition."""
    levels = [pool.b, *(addition.b for addition in pool.additions)]
    moments = [*((addition.q_yes, addition.q_no) for addition in pool.additions), (pool.q_yes, pool.q_no)]
    markets = len(pool.q_yes)
    total, logs = MP.mpf(0), [MP.log(weight) for weight in pool.weights]
    before = ((0,) * markets, (0,) * markets)
    for b, moment in zip(levels, moments, strict=True):
        moved = [
            yes - no - (yes_before - no_before) for yes, no, yes_before, no_before in zip(*moment, *before, strict=True)
        ]
        after = [log + MP.mpf(d) / b for log, d in zip(logs, [*moved, 0], strict=False)]
        total += sum(moment[1]) - sum(before[1]) + b * (log_sum(after) - log_sum(logs))
        logs, before = after, moment
    return total


def log_sum(logs: list[Any]) -> Any:
    top = max(logs)
    return top + MP.log(MP.fsum(MP.exp(log - top) for log in logs))
