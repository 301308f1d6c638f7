"""The state of one pool's market maker: quotes, trades, prices and liabilities."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from math import exp
from typing import Final

from foreknow.pricing import bounds, exact
from foreknow.pricing.depth import DepthLevel, first_step, ladders
from foreknow.pricing.exp_sums import ExpSums, Prior, prior

#: Most |q_yes_i| and |q_no_i| after a trade (409 `market_limit`).
Q_LIMIT: Final = 10**15


class Side(enum.StrEnum):
    """The side of a share: it pays if its outcome wins (YES) or does not (NO)."""

    YES = "YES"
    NO = "NO"


_YES: Final = Side.YES


class Lmsr:
    """A pool with `q_yes[i]` and `q_no[i]` shares sold of market i. Immutable: `traded` returns the next state.

    `weights` has one entry per outcome: those of the markets, and with a single market that of the implicit other
    outcome, of which nothing can be bought. Outcomes are counted from 0. Use `Lmsr.of` to create it.
    """

    __slots__ = ("_exp_sums", "_net_shares", "_prior", "q_no", "q_yes")

    def __init__(
        self, constants: Prior, q_yes: tuple[int, ...], q_no: tuple[int, ...], net_shares: tuple[int, ...]
    ) -> None:
        """For `of` and `traded` only; `net_shares` is d of all outcomes."""
        self._prior = constants
        #: Shares sold, one entry per market.
        self.q_yes = q_yes
        self.q_no = q_no
        self._net_shares = net_shares
        # Computed on first use; pools of two outcomes need none.
        self._exp_sums: ExpSums | None = None

    @classmethod
    def of(cls, *, b: int, weights: tuple[int, ...], q_yes: Sequence[int], q_no: Sequence[int]) -> Lmsr:
        """Return the market maker with these shares sold.

        Raises `ValueError` if b or a weight is not positive or the numbers of weights and markets do not agree.
        """
        net_shares = [yes - no for yes, no in zip(q_yes, q_no, strict=True)]
        if len(net_shares) == 1:
            net_shares.append(0)
        if len(net_shares) != len(weights):
            raise ValueError("a pool needs one weight an outcome")
        return cls(prior(b, weights), tuple(q_yes), tuple(q_no), tuple(net_shares))

    def __repr__(self) -> str:
        return f"Lmsr.of(b={self.b}, weights={self.weights}, q_yes={self.q_yes}, q_no={self.q_no})"

    @property
    def b(self) -> int:
        """The liquidity parameter in kopecks (and shares)."""
        return self._prior.b

    @property
    def weights(self) -> tuple[int, ...]:
        """The prior weights of all outcomes."""
        return self._prior.weights

    def q(self, outcome: int) -> tuple[int, int]:
        """Return the YES and NO shares sold of a market."""
        return self.q_yes[outcome], self.q_no[outcome]

    def probability(self, outcome: int) -> float:
        """Return the YES probability of an outcome in double precision, also near 0 and 1."""
        if len(self._net_shares) > 2:
            sums = self._sums()
            return sums.terms[outcome] / sums.total
        difference, odds = self._odds(outcome, _YES)
        steep = difference / self._prior.b
        if steep <= 0:
            return 1.0 / (1.0 + odds * exp(steep))
        own = exp(-steep)
        return own / (own + odds)

    def probabilities(self) -> tuple[float, ...]:
        """Return the YES probability of every market."""
        if len(self._net_shares) > 2:
            sums = self._sums()
            return tuple([term / sums.total for term in sums.terms])
        return tuple([self.probability(outcome) for outcome in range(len(self.q_yes))])

    def shares_bought(self, outcome: int, side: Side, money_kopecks: int) -> int:
        """Return the most whole shares whose exact cost `money_kopecks` covers, 0 if they cover none."""
        if money_kopecks < 1:
            return 0
        difference, odds = self._odds(outcome, side)
        low, high = bounds.shares_bought(self._prior.b, money_kopecks, difference, odds, self._prior.error_ulps)
        if low == high:
            return low
        groups = self._trade_groups(outcome, side)
        return exact.largest(low, high, lambda shares: exact.covers(groups, money_kopecks, shares))

    def sale_payout_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return the whole kopecks that `shares` sell for, at most `shares` − 1."""
        if shares < 1:
            return 0
        difference, odds = self._odds(outcome, side)
        low, high = bounds.sale_payout_kopecks(self._prior.b, shares, difference, odds, self._prior.error_ulps)
        if low == high:
            return low
        groups = self._trade_groups(outcome, side)
        return exact.largest(low, high, lambda kopecks: exact.pays(groups, shares, kopecks))

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return floor(`shares` · probability of the side), which a void pays for them."""
        if shares < 1:
            return 0
        difference, odds = self._odds(outcome, side)
        low, high = bounds.value_kopecks(self._prior.b, shares, difference, odds, self._prior.error_ulps)
        if low == high:
            return low
        groups = self._trade_groups(outcome, side)
        return exact.largest(low, high, lambda kopecks: exact.is_worth(groups, shares, kopecks))

    def traded(self, outcome: int, side: Side, shares: int) -> Lmsr:
        """Return the market maker after `shares` were bought (negative: sold)."""
        q_yes, q_no, net_shares = self.q_yes, self.q_no, self._net_shares
        if side == _YES:
            q_yes = _added(q_yes, outcome, shares)
            net_shares = _added(net_shares, outcome, shares)
        else:
            q_no = _added(q_no, outcome, shares)
            net_shares = _added(net_shares, outcome, -shares)
        after = Lmsr(self._prior, q_yes, q_no, net_shares)
        if self._exp_sums is not None:
            after._exp_sums = ExpSums(self._prior, net_shares, self._exp_sums, outcome)
        return after

    def within_limit(self) -> bool:
        """Return whether no |q_yes_i| and no |q_no_i| exceeds `Q_LIMIT`."""
        return (
            max(self.q_yes) <= Q_LIMIT
            and max(self.q_no) <= Q_LIMIT
            and min(self.q_yes) >= -Q_LIMIT
            and min(self.q_no) >= -Q_LIMIT
        )

    def liabilities_kopecks(self) -> int:
        """Return max_i L_i, the payout of the worst outcome (the implicit one included): Σ_j q_no_j + d_i."""
        return sum(self.q_no) + max(self._net_shares)

    def depth(self, outcome: int) -> tuple[list[DepthLevel], list[DepthLevel]]:
        """Return (bids, asks) of a market: bids from high to low, asks from low to high, none of 0 shares.

        Asks: for each whole percent above the price up to 99, the whole shares that move YES there from the level
        before. Bids: the same downwards to 1.
        """
        # The rounded price: the first level tried is at or below the exact price, the next one above.
        percent = 100.0 * self.probability(outcome)
        ask = first_step(int(percent), lambda level: self._shares_to_price(outcome, Side.YES, level))
        bid = first_step(99 - int(percent), lambda level: self._shares_to_price(outcome, Side.NO, level))
        return ladders(self._prior.b, ask, bid)

    def _shares_to_price(self, outcome: int, side: Side, percent: int) -> int:
        difference, odds = self._odds(outcome, side)
        level = (percent, 100 - percent)
        low, high = bounds.shares_to_price(self._prior.b, difference, odds, level, self._prior.error_ulps)
        if low == high:
            return low
        groups = self._trade_groups(outcome, side)
        return exact.largest(low, high, lambda shares: exact.reaches_price(groups, level, shares))

    def _odds(self, outcome: int, side: Side) -> tuple[int, float]:
        """Return D and ρ: the resting group of a purchase outweighs the growing group by ρ·e^(D/b)."""
        if len(self._net_shares) == 2:
            floats, net_shares = self._prior.floats, self._net_shares
            other = 1 - outcome
            if side == _YES:
                return net_shares[other] - net_shares[outcome], floats[other] / floats[outcome]
            return net_shares[outcome] - net_shares[other], floats[outcome] / floats[other]
        difference, odds = self._sums().odds_against(outcome)
        return (difference, odds) if side == _YES else (-difference, 1.0 / odds)

    def _sums(self) -> ExpSums:
        if self._exp_sums is None:
            self._exp_sums = ExpSums(self._prior, self._net_shares)
        return self._exp_sums

    def _trade_groups(self, outcome: int, side: Side) -> exact.TradeGroups:
        own = {self._net_shares[outcome]: self._prior.weights[outcome]}
        others: dict[int, int] = {}
        for other, (d, weight) in enumerate(zip(self._net_shares, self._prior.weights, strict=True)):
            if other != outcome:
                others[d] = others.get(d, 0) + weight
        return (
            exact.TradeGroups(self._prior.b, own, others)
            if side == _YES
            else exact.TradeGroups(self._prior.b, others, own)
        )


def _added(numbers: tuple[int, ...], index: int, change: int) -> tuple[int, ...]:
    return (*numbers[:index], numbers[index] + change, *numbers[index + 1 :])
