"""A position and how bets, sales and its settlement change it: pure arithmetic on whole kopecks and shares."""

from __future__ import annotations

import msgspec


class OpenPosition(msgspec.Struct, kw_only=True, gc=False):
    """A trader's shares of one side of one market; closed when its shares reach 0. `id` is 0 until it is written.

    A bet adds its stake to the cost; a sale of x of n shares removes floor(cost · x / n) of it, the last sale or the
    settlement removes the rest (decisions.md, "A position's cost").
    """

    id: int = 0
    user_id: int
    market_id: int
    pool_id: int
    event_id: int
    #: YES or NO
    side: str
    #: Shares held, and their cost.
    shares: int = 0
    cost_kopecks: int = 0
    #: Shares sold or settled, and their cost.
    left_shares: int = 0
    left_cost_kopecks: int = 0
    #: Payouts of its sales and its settlement less left_cost_kopecks.
    pnl_kopecks: int = 0
    #: Shares settled, and their payout.
    settled_shares: int = 0
    settled_kopecks: int = 0
    #: Of the shares held, those that resting orders offer.
    reserved_shares: int = 0
    opened_at_ms: int
    closed_at_ms: int | None = None
    #: 0 = YES won, 1 = NO won; None while open, if sold, or if its pool had no winner.
    won_side: int | None = None

    @property
    def key(self) -> tuple[int, int, str]:
        """The position's key; at most one position per key is open."""
        return self.user_id, self.market_id, self.side

    def buy(self, *, shares: int, stake_kopecks: int) -> None:
        """Add a bet's shares and its stake, fee included."""
        assert self.closed_at_ms is None
        assert shares > 0
        self.shares += shares
        self.cost_kopecks += stake_kopecks

    def sell(self, *, shares: int, payout_kopecks: int, at_ms: int) -> int:
        """Remove the sold shares; return the profit in kopecks: the payout less their cost."""
        assert self.closed_at_ms is None
        assert 0 < shares <= self.shares
        return self._remove(shares, payout_kopecks, at_ms)

    def settle(self, *, payout_kopecks: int, won_side: int | None, at_ms: int) -> int:
        """Remove all shares for their settlement; return the profit in kopecks.

        `won_side` is 0 if YES of its market won, 1 if NO did, None if its pool had no winner.
        """
        assert self.closed_at_ms is None
        self.settled_shares, self.settled_kopecks, self.won_side = self.shares, payout_kopecks, won_side
        return self._remove(self.shares, payout_kopecks, at_ms)

    def split(self, *, market_id: int, share_percent: int, at_ms: int) -> OpenPosition:
        """Return the position of a market that was taken out of this one's: as many shares, and its part of the cost.

        The rest of the cost stays.
        """
        assert self.closed_at_ms is None
        assert not self.reserved_shares
        cost_kopecks = self.cost_kopecks * share_percent // 100
        self.cost_kopecks -= cost_kopecks
        return OpenPosition(
            user_id=self.user_id,
            market_id=market_id,
            pool_id=self.pool_id,
            event_id=self.event_id,
            side=self.side,
            shares=self.shares,
            cost_kopecks=cost_kopecks,
            opened_at_ms=at_ms,
        )

    def _remove(self, shares: int, payout_kopecks: int, at_ms: int) -> int:
        cost_kopecks = self.cost_kopecks * shares // self.shares
        self.shares -= shares
        self.cost_kopecks -= cost_kopecks
        self.left_shares += shares
        self.left_cost_kopecks += cost_kopecks
        self.pnl_kopecks += payout_kopecks - cost_kopecks
        if self.shares == 0:
            self.closed_at_ms = at_ms
        return payout_kopecks - cost_kopecks
