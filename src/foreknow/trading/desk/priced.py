"""The price of an order in one market."""

from __future__ import annotations

import msgspec

from foreknow.money.pricing import Lmsr, average_price_bps
from foreknow.trading.book import MatchDecision
from foreknow.trading.desk.errors import MarketLimit

#: The id of a trader who has no orders: of a visitor, and of a sub-account that is not created yet.
NO_ONE = 0


class PricedOrder(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The price of an order: `money_kopecks` is its stake or payout, `after` the market maker after it."""

    money_kopecks: int
    fee_kopecks: int
    shares: int
    after: Lmsr
    #: What it does in a pool where orders rest; None elsewhere.
    decision: MatchDecision | None = None

    @property
    def avg_price_bps(self) -> int:
        """Basis points a share, fee included, halves to even."""
        return average_price_bps(money_kopecks=self.money_kopecks, shares=self.shares)

    @property
    def is_capped(self) -> bool:
        """Whether it stopped before the 101st resting order, and went on along the curve."""
        return self.decision is not None and self.decision.is_capped


def check_limit(after: Lmsr, decision: MatchDecision | None) -> None:
    """Raise `MarketLimit` for a trade after which a market would hold too many shares."""
    if not after.within_limit() if decision is None else decision.exceeds_limit:
        raise MarketLimit
