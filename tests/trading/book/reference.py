"""The contract's matching, word for word and without haste: a list of orders, searched again for every step.

Written from the rules of "Limit orders" alone, with the prices of `tests.money.pricing.reference` (mpmath). Prices here
are those of orders, in percent of their own side; levels are computed where the rules speak of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from foreknow.money.pricing import Side
from tests.money.pricing.cases import Pool
from tests.money.pricing.reference import Reference

LOT = 100
LIMIT = 10**15


@dataclass
class Waiting:
    """An open order."""

    id: int
    user: int
    outcome: int
    side: Side
    buys: bool
    price: int
    left: int


@dataclass(frozen=True)
class Incoming:
    """An order that arrives: `kind` says whether `amount` is kopecks (a bet) or shares."""

    kind: Literal["bet", "sale", "limit"]
    user: int
    outcome: int
    side: Side
    buys: bool
    amount: int
    price: int | None = None
    #: The id of a gtc, which rests.
    id: int | None = None


class Fill(NamedTuple):
    order_id: int
    shares: int
    money: int


@dataclass
class Found:
    """What came of an order or a sweep."""

    shares: int = 0
    money: int = 0
    met: list[Fill] = field(default_factory=list)
    swept: list[Fill] = field(default_factory=list)
    cancelled: list[tuple[int, str]] = field(default_factory=list)
    capped: bool = False
    over_limit: bool = False
    rest: int = 0
    finished: bool = True


def goes_up(side: Side, *, buys: bool) -> bool:
    """Rule 1: an order is up if it buys YES or sells NO, else down."""
    return (side is Side.YES and buys) or (side is Side.NO and not buys)


def level(order: Waiting) -> int:
    """Rule 1: its level is its price of YES."""
    return order.price if order.side is Side.YES else 100 - order.price


class World:
    """One pool: what was sold, and who waits."""

    def __init__(self, pool: Pool, orders: list[Waiting]) -> None:
        self.pool = pool
        self.orders = [replace(order) for order in orders]

    @property
    def prices(self) -> Reference:
        """What the curve costs and pays now."""
        return Reference(self.pool)

    def best(self, outcome: int, *, up: bool) -> Waiting | None:
        """Rule 1: up the higher, down the lower level; then the lower id."""
        queue = [o for o in self.orders if o.outcome == outcome and goes_up(o.side, buys=o.buys) is up]
        return min(queue, key=lambda o: (-level(o) if up else level(o), o.id), default=None)

    def resting(self, outcome: int, *, up: bool) -> tuple[int, list[Waiting]] | None:
        """Rule 2: the resting price, and the orders met at it."""
        offers = []
        counter = self.best(outcome, up=not up)
        if counter is not None:
            offers.append((level(counter), [counter]))
        others = [self.best(other, up=up) for other in range(len(self.pool.q_yes)) if other != outcome]
        there = [order for order in others if order is not None]
        if there and (up or len(there) == len(others)):
            price = 100 - sum(level(order) for order in there)
            if 1 <= price <= 99:
                offers.append((price, there))
        if not offers:
            return None
        # At a tie the first: the order of the same market.
        return min(offers, key=lambda offer: offer[0]) if up else max(offers, key=lambda offer: offer[0])

    def shares_to(self, outcome: int, percent: int, *, up: bool) -> int:
        """The most whole shares that do not carry the market past a price of YES."""
        side, price = (Side.YES, percent) if up else (Side.NO, 100 - percent)
        return max(0, self.prices.shares_to_price(outcome, side, price))

    def price_piece(self, outcome: int, side: Side, shares: int, *, buys: bool) -> int:
        """Rule 4: the fewest whole kopecks that cover it, or the floor."""
        if shares == 0:
            return 0
        prices = self.prices
        return (prices.cost_kopecks if buys else prices.sale_payout_kopecks)(outcome, side, shares)

    def move(self, outcome: int, side: Side, shares: int, *, buys: bool) -> None:
        """Rule 5: q moves by what each got."""
        q = list(self.pool.q_yes if side is Side.YES else self.pool.q_no)
        q[outcome] += shares if buys else -shares
        self.pool = self.pool._replace(q_yes=tuple(q)) if side is Side.YES else self.pool._replace(q_no=tuple(q))

    def over_limit(self) -> bool:
        return any(abs(q) > LIMIT for q in (*self.pool.q_yes, *self.pool.q_no))

    def arrive(self, order: Incoming) -> Found:
        """Rules 3 to 8."""
        found = Found()
        left = self.take_turns(order, found)
        if order.kind == "limit":
            found.rest = left
        found.over_limit = self.over_limit()
        if order.id is not None and found.rest and not found.capped:
            assert order.price is not None
            self.orders.append(
                Waiting(order.id, order.user, order.outcome, order.side, order.buys, order.price, found.rest)
            )
        if found.shares and not found.over_limit:
            self.sweep(order.outcome, found)
        return found

    def take_turns(self, order: Incoming, found: Found) -> int:
        """Take what the order can, and return what is left of it."""
        up = goes_up(order.side, buys=order.buys)
        own_level = None if order.price is None else order.price if order.side is Side.YES else 100 - order.price
        left = order.amount
        ids_met: set[int] = set()
        while left:
            offer = self.resting(order.outcome, up=up)
            if offer is None:
                break
            percent, others = offer
            if own_level is not None and (percent > own_level if up else percent < own_level):
                break
            own_price = percent if order.side is Side.YES else 100 - percent
            piece = self.shares_to(order.outcome, percent, up=up)
            if order.kind == "limit":
                piece -= piece % LOT
            if order.kind == "bet":
                cost = self.price_piece(order.outcome, order.side, piece, buys=True)
                lots = (left - cost) // own_price if cost <= left else 0
            else:
                piece = min(piece, left)
                cost = self.price_piece(order.outcome, order.side, piece, buys=order.buys)
                lots = (left - piece) // LOT
            lots = min([lots, *(other.left // LOT for other in others)])
            if lots < 1:
                break
            if len(ids_met | {other.id for other in others}) > 100:
                found.capped = True
                break
            ids_met |= {other.id for other in others if other.user == order.user}
            if any(other.user == order.user for other in others):
                for other in others:
                    if other.user == order.user:
                        self.orders.remove(other)
                        found.cancelled.append((other.id, "self_trade"))
                continue
            ids_met |= {other.id for other in others}
            self.move(order.outcome, order.side, piece + lots * LOT, buys=order.buys)
            found.shares += piece + lots * LOT
            found.money += cost + lots * own_price
            left -= cost + lots * own_price if order.kind == "bet" else piece + lots * LOT
            for other in others:
                self.fill(other, lots * LOT, lots * other.price, found.met)
        return self.last_piece(order, own_level, left, found)

    def last_piece(self, order: Incoming, own_level: int | None, left: int, found: Found) -> int:
        up = goes_up(order.side, buys=order.buys)
        if not left or (order.kind == "limit" and found.capped):
            return left
        if order.kind == "bet":
            shares, money = self.prices.shares_bought(order.outcome, order.side, left), left
            left = 0
        else:
            shares = left
            if own_level is not None:
                most = self.shares_to(order.outcome, own_level, up=up)
                shares = min(left, most - most % LOT)
            money = self.price_piece(order.outcome, order.side, shares, buys=order.buys)
            left -= shares
        self.move(order.outcome, order.side, shares, buys=order.buys)
        found.shares += shares
        found.money += money
        return left

    def fill(self, order: Waiting, shares: int, money: int, fills: list[Fill]) -> None:
        self.move(order.outcome, order.side, shares, buys=order.buys)
        order.left -= shares
        if not order.left:
            self.orders.remove(order)
        for at, fill in enumerate(fills):
            if fill.order_id == order.id:
                fills[at] = Fill(order.id, fill.shares + shares, fill.money + money)
                return
        fills.append(Fill(order.id, shares, money))

    def sweep(self, after: int | None, found: Found) -> None:
        """Rule 8."""
        markets = len(self.pool.q_yes)
        outcome = 0 if after is None else (after + 1) % markets
        in_vain, pieces = 0, 0
        while in_vain < markets:
            if pieces == 50:
                found.finished = False
                return
            taker = self.curve_taker(outcome)
            if taker is None:
                in_vain += 1
                outcome = (outcome + 1) % markets
                continue
            in_vain = 0
            pieces += 1
            order, shares = taker
            sold = (self.pool.q_yes if order.side is Side.YES else self.pool.q_no)[outcome]
            if abs(sold + shares if order.buys else sold - shares) > LIMIT:
                self.orders.remove(order)
                found.cancelled.append((order.id, "market_limit"))
            else:
                money = self.price_piece(outcome, order.side, shares, buys=order.buys)
                self.fill(order, shares, money, found.swept)

    def curve_taker(self, outcome: int) -> tuple[Waiting, int] | None:
        """The best up or best down order, if it can take a whole lot from the curve; and what it can take."""
        takers = []
        for up in (True, False):
            order = self.best(outcome, up=up)
            if order is not None:
                most = self.shares_to(outcome, level(order), up=up)
                shares = min(most - most % LOT, order.left)
                if shares:
                    takers.append((order, shares))
        assert len(takers) < 2, "never both"
        return takers[0] if takers else None
