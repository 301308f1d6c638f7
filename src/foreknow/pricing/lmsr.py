"""One pool's market maker at one moment: quotes, trades, prices and what it may have to pay."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from math import exp
from typing import Final

from foreknow.pricing import bounds, exact
from foreknow.pricing.depth import DepthLevel, first_step, ladders
from foreknow.pricing.exp_sums import ExpSums, Prior, prior

#: No |q_yes_i| and no |q_no_i| may pass this after a trade (409 `market_limit`).
Q_LIMIT: Final = 10**15


class Side(enum.StrEnum):
    """What a share pays on: that its outcome wins, or that it does not."""

    YES = "YES"
    NO = "NO"


_YES: Final = Side.YES


class Lmsr:
    """A pool with `q_yes[i]` and `q_no[i]` shares sold of market i; never changes, `traded` returns the next one.

    `weights` has one entry an outcome: those of the markets, and with a single market that of the implicit other
    outcome too, of which nothing can be bought. Outcomes are counted from 0. Build it with `Lmsr.of`.
    """

    __slots__ = ("_gaps", "_masses", "_prior", "q_no", "q_yes")

    def __init__(self, constants: Prior, q_yes: tuple[int, ...], q_no: tuple[int, ...], gaps: tuple[int, ...]) -> None:
        """Take a state whose d (`gaps`, of all outcomes) is known; for `of` and `traded` only."""
        self._prior = constants
        #: Shares sold, one entry a market.
        self.q_yes = q_yes
        self.q_no = q_no
        self._gaps = gaps
        # Computed when first asked for; pools of two outcomes need none.
        self._masses: ExpSums | None = None

    @classmethod
    def of(cls, *, b: int, weights: tuple[int, ...], q_yes: Sequence[int], q_no: Sequence[int]) -> Lmsr:
        """Return the market maker with these shares sold.

        Raises `ValueError` where b or a weight is not positive or the numbers of weights and markets do not agree.
        """
        gaps = [yes - no for yes, no in zip(q_yes, q_no, strict=True)]
        if len(gaps) == 1:
            gaps.append(0)
        if len(gaps) != len(weights):
            raise ValueError("a pool needs one weight an outcome")
        return cls(prior(b, weights), tuple(q_yes), tuple(q_no), tuple(gaps))

    def __repr__(self) -> str:
        return f"Lmsr.of(b={self.b}, weights={self.weights}, q_yes={self.q_yes}, q_no={self.q_no})"

    @property
    def b(self) -> int:
        """The liquidity parameter, in kopecks (and shares)."""
        return self._prior.b

    @property
    def weights(self) -> tuple[int, ...]:
        """The prior weights of all outcomes."""
        return self._prior.weights

    def q(self, outcome: int) -> tuple[int, int]:
        """Return the YES and NO shares sold of a market."""
        return self.q_yes[outcome], self.q_no[outcome]

    def probability(self, outcome: int) -> float:
        """Return the YES probability of an outcome in double precision, near 0 as near 1."""
        if len(self._gaps) > 2:
            masses = self._weighed()
            return masses.masses[outcome] / masses.total
        net_shares, odds = self._odds(outcome, _YES)
        steep = net_shares / self._prior.b
        if steep <= 0:
            return 1.0 / (1.0 + odds * exp(steep))
        own = exp(-steep)
        return own / (own + odds)

    def probabilities(self) -> tuple[float, ...]:
        """Return the YES probability of every market."""
        if len(self._gaps) > 2:
            masses = self._weighed()
            return tuple([mass / masses.total for mass in masses.masses])
        return tuple([self.probability(outcome) for outcome in range(len(self.q_yes))])

    def shares_bought(self, outcome: int, side: Side, money_kopecks: int) -> int:
        """Return the most whole shares whose exact cost `money_kopecks` covers, 0 where they do not cover one."""
        if money_kopecks < 1:
            return 0
        net_shares, odds = self._odds(outcome, side)
        low, high = bounds.shares_bought(self._prior.b, money_kopecks, net_shares, odds, self._prior.error_ulps)
        if low == high:
            return low
        split = self._split(outcome, side)
        return exact.largest(low, high, lambda shares: exact.covers(split, money_kopecks, shares))

    def sale_payout_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return the whole kopecks that `shares` sell for, at most `shares` − 1."""
        if shares < 1:
            return 0
        net_shares, odds = self._odds(outcome, side)
        low, high = bounds.sale_payout_kopecks(self._prior.b, shares, net_shares, odds, self._prior.error_ulps)
        if low == high:
            return low
        split = self._split(outcome, side)
        return exact.largest(low, high, lambda kopecks: exact.pays(split, shares, kopecks))

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return floor(`shares` · probability of the side), what a void pays for them."""
        if shares < 1:
            return 0
        net_shares, odds = self._odds(outcome, side)
        low, high = bounds.value_kopecks(self._prior.b, shares, net_shares, odds, self._prior.error_ulps)
        if low == high:
            return low
        split = self._split(outcome, side)
        return exact.largest(low, high, lambda kopecks: exact.is_worth(split, shares, kopecks))

    def traded(self, outcome: int, side: Side, shares: int) -> Lmsr:
        """Return the market maker after `shares` were bought, or sold where negative."""
        q_yes, q_no, gaps = self.q_yes, self.q_no, self._gaps
        if side == _YES:
            q_yes = _added(q_yes, outcome, shares)
            gaps = _added(gaps, outcome, shares)
        else:
            q_no = _added(q_no, outcome, shares)
            gaps = _added(gaps, outcome, -shares)
        after = Lmsr(self._prior, q_yes, q_no, gaps)
        if self._masses is not None:
            after._masses = ExpSums(self._prior, gaps, self._masses, outcome)
        return after

    def within_limit(self) -> bool:
        """Whether no |q_yes_i| and no |q_no_i| passes `Q_LIMIT`."""
        return (
            max(self.q_yes) <= Q_LIMIT
            and max(self.q_no) <= Q_LIMIT
            and min(self.q_yes) >= -Q_LIMIT
            and min(self.q_no) >= -Q_LIMIT
        )

    def liabilities_kopecks(self) -> int:
        """Return max_i L_i, what the pool pays in its worst outcome (the implicit one too): Σ_j q_no_j + d_i."""
        return sum(self.q_no) + max(self._gaps)

    def depth(self, outcome: int) -> tuple[list[DepthLevel], list[DepthLevel]]:
        """Return (bids, asks) of a market: bids from high to low, asks from low to high, none of 0 shares.

        Asks: for each whole percent above the price up to 99, the whole shares that move YES there from the level
        before; bids: the same downwards to 1.
        """
        # Within a rounding of the price: the first level tried lies at it or below it, the next one above.
        percent = 100.0 * self.probability(outcome)
        ask = first_step(int(percent), lambda level: self._climb(outcome, Side.YES, level))
        bid = first_step(99 - int(percent), lambda level: self._climb(outcome, Side.NO, level))
        return ladders(self._prior.b, ask, bid)

    def _climb(self, outcome: int, side: Side, percent: int) -> int:
        net_shares, odds = self._odds(outcome, side)
        level = (percent, 100 - percent)
        low, high = bounds.shares_to_price(self._prior.b, net_shares, odds, level, self._prior.error_ulps)
        if low == high:
            return low
        split = self._split(outcome, side)
        return exact.largest(low, high, lambda shares: exact.reaches_price(split, level, shares))

    def _odds(self, outcome: int, side: Side) -> tuple[int, float]:
        """Return D and ρ: what rests in a purchase outweighs what grows by ρ·e^(D/b)."""
        if len(self._gaps) == 2:
            floats, gaps = self._prior.floats, self._gaps
            other = 1 - outcome
            if side == _YES:
                return gaps[other] - gaps[outcome], floats[other] / floats[outcome]
            return gaps[outcome] - gaps[other], floats[outcome] / floats[other]
        net_shares, odds = self._weighed().odds_against(outcome)
        return (net_shares, odds) if side == _YES else (-net_shares, 1.0 / odds)

    def _weighed(self) -> ExpSums:
        if self._masses is None:
            self._masses = ExpSums(self._prior, self._gaps)
        return self._masses

    def _split(self, outcome: int, side: Side) -> exact.TradeGroups:
        own = {self._gaps[outcome]: self._prior.weights[outcome]}
        others: dict[int, int] = {}
        for other, (net_shares, weight) in enumerate(zip(self._gaps, self._prior.weights, strict=True)):
            if other != outcome:
                others[net_shares] = others.get(net_shares, 0) + weight
        return (
            exact.TradeGroups(self._prior.b, own, others)
            if side == _YES
            else exact.TradeGroups(self._prior.b, others, own)
        )


def _added(numbers: tuple[int, ...], index: int, change: int) -> tuple[int, ...]:
    return (*numbers[:index], numbers[index] + change, *numbers[index + 1 :])
