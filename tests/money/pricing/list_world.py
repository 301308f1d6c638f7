"""A list with resting orders by the contract's rules, whose curve is the pool of all outcomes."""

from __future__ import annotations

from foreknow.money.pricing import Side
from tests.money.pricing.cases import Pool
from tests.money.pricing.whole_pool import WholePool
from tests.trading.book.reference import World


class ListWorld(World):
    """A list's orders and shares by the contract's rules, its curve the pool of all outcomes."""

    def __init__(self, pool: Pool, whole: WholePool) -> None:
        super().__init__(pool, [])
        self.whole = whole

    @property
    def prices(self) -> WholePool:
        """What the curve costs and pays now."""
        return self.whole

    def move(self, outcome: int, side: Side, shares: int, *, buys: bool) -> None:
        super().move(outcome, side, shares, buys=buys)
        self.whole.move(outcome, side, shares if buys else -shares)

    def split(self) -> None:
        """Name one more outcome, with Other's shares; what rests on Other ends."""
        other, pool = self.whole.other, self.pool
        self.whole.name_next()
        self.pool = pool._replace(q_yes=(*pool.q_yes, pool.q_yes[other]), q_no=(*pool.q_no, 0))
        self.orders = [order for order in self.orders if order.outcome != other]

    def held(self, outcome: int, side: Side) -> int:
        """Return the shares that traders hold and that no order offers."""
        offered = sum(one.left for one in self.orders if (one.outcome, one.side, one.buys) == (outcome, side, False))
        return (self.pool.q_yes if side is Side.YES else self.pool.q_no)[outcome] - offered
