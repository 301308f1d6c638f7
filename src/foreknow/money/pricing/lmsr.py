"""The state of one pool's market maker: quotes, trades, prices and liabilities."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import exp, lcm
from typing import Final

from foreknow.money.pricing import bounds, exact
from foreknow.money.pricing.depth import DepthLevel, first_step, ladders
from foreknow.money.pricing.exp_sums import ExpSums, Prior, prior, prior_with_additions
from foreknow.money.pricing.liquidity import Addition
from foreknow.money.pricing.sides import Q_LIMIT, Side

_YES: Final = Side.YES
_NO: Final = Side.NO
#: Farther apart, a price in floats and another number are in their exact order.
_NEAR: Final = 1e-9


class Lmsr:
    """A pool with `q_yes[i]` and `q_no[i]` shares sold of market i. Immutable: `traded` returns the next state.

    `weights` has one entry per outcome: those of the markets, and with a single market that of the implicit other
    outcome, of which nothing can be bought. Outcomes are counted from 0. Use `Lmsr.of` to create it.

    Inside, exponents, shares and money are counted in N-ths (`liquidity`), N = 1 without additions.
    """

    __slots__ = ("_exp_sums", "_exponents", "_prior", "_probabilities", "q_no", "q_yes")

    def __init__(
        self, constants: Prior, q_yes: tuple[int, ...], q_no: tuple[int, ...], exponents: tuple[int, ...]
    ) -> None:
        """For `of` and `traded` only; `exponents` is g of all outcomes, d without additions."""
        self._prior = constants
        #: Shares sold, one entry per market.
        self.q_yes = q_yes
        self.q_no = q_no
        self._exponents = exponents
        # Computed on first use; pools of two outcomes need no sums. A bet beside resting orders wants prices thrice.
        self._exp_sums: ExpSums | None = None
        self._probabilities: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        *,
        b: int,
        weights: tuple[int, ...],
        q_yes: Sequence[int],
        q_no: Sequence[int],
        additions: tuple[Addition, ...] = (),
    ) -> Lmsr:
        """Return the market maker with these shares sold; `b` is the liquidity at first, before the `additions`.

        Raises `ValueError` if b or a weight is not positive, the numbers of weights and markets do not agree, or the
        additions do not raise the liquidity or are too many.
        """
        constants = prior_with_additions(b, weights, additions) if additions else prior(b, weights)
        exponents = [yes - no for yes, no in zip(q_yes, q_no, strict=True)]
        if len(exponents) == 1:
            exponents.append(0)
        if len(exponents) != len(weights):
            raise ValueError("a pool needs one weight an outcome")
        if additions:
            parts = constants.parts
            exponents = [parts * d + offset for d, offset in zip(exponents, constants.offsets, strict=True)]
        return cls(constants, tuple(q_yes), tuple(q_no), tuple(exponents))

    def __repr__(self) -> str:
        added = f", additions={self.additions}" if self.additions else ""
        return f"Lmsr.of(b={self._prior.first_b}, weights={self.weights}, q_yes={self.q_yes}, q_no={self.q_no}{added})"

    @property
    def b(self) -> int:
        """The liquidity parameter now, in kopecks (and shares)."""
        return self._prior.b

    @property
    def first_b(self) -> int:
        """The liquidity parameter before any addition."""
        return self._prior.first_b

    @property
    def additions(self) -> tuple[Addition, ...]:
        """The liquidity added since the first b, oldest first."""
        return self._prior.additions

    @property
    def weights(self) -> tuple[int, ...]:
        """The prior weights of all outcomes."""
        return self._prior.weights

    def q(self, outcome: int) -> tuple[int, int]:
        """Return the YES and NO shares sold of a market."""
        return self.q_yes[outcome], self.q_no[outcome]

    def probability(self, outcome: int) -> float:
        """Return the YES probability of an outcome in double precision, also near 0 and 1."""
        if len(self._exponents) > 2:
            return self._sums().share(outcome)
        difference, odds = self._odds(outcome, _YES)
        steep = difference / self._prior.scaled_b
        if steep <= 0:
            return 1.0 / (1.0 + odds * exp(steep))
        own = exp(-steep)
        return own / (own + odds)

    def is_price_within(self, outcome: int, low: Fraction, high: Fraction) -> bool:
        """Return whether the exact YES price of a market is at least `low` and at most `high`."""
        return self._compare_price(outcome, low) >= 0 >= self._compare_price(outcome, high)

    def probabilities(self) -> tuple[float, ...]:
        """Return the YES probability of every market."""
        if self._probabilities is None:
            own = map(self.probability, range(len(self.q_yes)))
            self._probabilities = self._sums().shares() if len(self._exponents) > 2 else tuple(own)
        return self._probabilities

    def shares_bought(self, outcome: int, side: Side, money_kopecks: int) -> int:
        """Return the most whole shares whose exact cost `money_kopecks` covers, 0 if they cover none."""
        return self._most_shares(self._odds(outcome, side), partial(self._trade_groups, outcome, side), money_kopecks)

    def set_shares_bought(
        self, outcomes: Collection[int], money_kopecks: int, given: Collection[int] | None = None
    ) -> int:
        """Return the most whole YES shares of each of `outcomes` that `money_kopecks` buy, 0 if they buy none.

        With `given`, a larger set that is not all, as many shares as kopecks of each outcome outside it come with
        them: the money back unless one of `given` wins.
        """
        # The outcomes outside `given` gain as much as C does, so their part of it stays: it is a trade of the set
        # against the rest of `given`, as if there were no others.
        within = range(len(self._exponents)) if given is None else sorted(given)
        growing, resting = sorted(outcomes), [outcome for outcome in within if outcome not in outcomes]
        (own_reference, own), (reference, rest) = self._sums().weight(growing), self._sums().weight(resting)
        groups = partial(self._groups, growing, resting)
        return self._most_shares((reference - own_reference, rest / own), groups, money_kopecks)

    def _most_shares(self, odds: tuple[int, float], groups: Callable[[], exact.TradeGroups], money_kopecks: int) -> int:
        if money_kopecks < 1:
            return 0
        constants = self._prior
        parts = constants.parts
        low, high = bounds.shares_bought(constants.scaled_b, parts * money_kopecks, *odds, constants.error_ulps)
        if parts != 1:
            low, high = low // parts, high // parts
        if low == high:
            return low
        return exact.largest(low, high, partial(exact.covers, groups(), money_kopecks))

    def cost_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return the fewest whole kopecks that cover `shares`: their exact cost, rounded up."""
        if shares < 1:
            return 0
        # Selling the other side moves the market alike, and a share of each is worth 1: what x shares cost is x less
        # what x shares of the other side sell for, exactly. So the ceiling of one is x less the floor of the other.
        return shares - self.sale_payout_kopecks(outcome, _NO if side == _YES else _YES, shares)

    def shares_to_percent(self, outcome: int, side: Side, percent: int) -> int:
        """Return the most whole shares of a side that can be bought before its price passes `percent`, 1 … 99.

        Negative where the price is past it. As many shares of the other side can be sold.
        """
        difference, odds = self._odds(outcome, side)
        level = (percent, 100 - percent)
        constants = self._prior
        parts = constants.parts
        low, high = bounds.shares_to_price(constants.scaled_b, difference, odds, level, constants.error_ulps)
        if parts != 1:
            low, high = low // parts, high // parts
        if low == high:
            return low
        return exact.largest(low, high, partial(exact.reaches_price, self._trade_groups(outcome, side), level))

    def sale_payout_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return the whole kopecks that `shares` sell for, at most `shares` − 1."""
        if shares < 1:
            return 0
        difference, odds = self._odds(outcome, side)
        constants = self._prior
        parts = constants.parts
        low, high = bounds.sale_payout_kopecks(
            constants.scaled_b, parts * shares, difference, odds, constants.error_ulps
        )
        if parts != 1:
            low, high = low // parts, high // parts
        if low == high:
            return low
        return exact.largest(low, high, partial(exact.pays, self._trade_groups(outcome, side), shares))

    def payout_kopecks_to(self, after: Lmsr) -> int:
        """Return floor(C now − C `after`), what a bundle of sales that leads there pays; negative where C grows.

        `after` is a later state at the same liquidity.
        """
        constants = self._prior
        paid = sum(self.q_no) - sum(after.q_no)
        falls = [before - now for before, now in zip(self._exponents, after._exponents, strict=True)]
        least, most = min(falls) // constants.parts, max(falls) // constants.parts
        if least == most:
            return paid + least
        # b·ln(Z/Z′), Z the weight of all outcomes: of the fall of each, a mean that lies between them.
        everything = range(len(falls))
        (now, whole), (later, whole_later) = self._sums().weight(everything), after._sums().weight(everything)
        b, parts = constants.scaled_b, constants.parts
        low, high = bounds.shares_to_price(b, now - later, whole / whole_later, (1, 1), constants.error_ulps)
        low, high = max(low // parts, least), min(high // parts, most - 1)
        if low == high:
            return paid + low
        # Z ≥ Z′·e^(k/b): the k that all outcomes could gain after it before they weigh what they weigh now.
        groups = exact.TradeGroups(b, after._weights_of(everything), self._weights_of(everything), parts)
        return paid + exact.largest(low, high, partial(exact.reaches_price, groups, (1, 1)))

    def cost_kopecks_to(self, after: Lmsr) -> int:
        """Return ceil(C `after` − C now), what a bundle of purchases that leads there costs."""
        return -self.payout_kopecks_to(after)

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return floor(`shares` · probability of the side), which a void pays for them."""
        if shares < 1:
            return 0
        difference, odds = self._odds(outcome, side)
        low, high = bounds.value_kopecks(self._prior.scaled_b, shares, difference, odds, self._prior.error_ulps)
        if low == high:
            return low
        return exact.largest(low, high, partial(exact.is_worth, self._trade_groups(outcome, side), shares))

    def set_value_kopecks(self, outcomes: Collection[int], shares: int) -> int:
        """Return floor(`shares` · the sum of the YES probabilities of `outcomes`, which are not all)."""
        growing, resting = sorted(outcomes), [one for one in range(len(self._exponents)) if one not in outcomes]
        (own_reference, own), (reference, rest) = self._sums().weight(growing), self._sums().weight(resting)
        constants = self._prior
        low, high = bounds.value_kopecks(
            constants.scaled_b, shares, reference - own_reference, rest / own, constants.error_ulps
        )
        return (
            low
            if low == high
            else exact.largest(low, high, partial(exact.is_worth, self._groups(growing, resting), shares))
        )

    def traded(self, outcome: int, side: Side, shares: int) -> Lmsr:
        """Return the market maker after `shares` were bought (negative: sold)."""
        q_yes, q_no, exponents = self.q_yes, self.q_no, self._exponents
        step = self._prior.parts * shares
        if side == _YES:
            q_yes = _added(q_yes, outcome, shares)
            exponents = _added(exponents, outcome, step)
        else:
            q_no = _added(q_no, outcome, shares)
            exponents = _added(exponents, outcome, -step)
        after = Lmsr(self._prior, q_yes, q_no, exponents)
        if self._exp_sums is not None:
            after._exp_sums = ExpSums(self._prior, exponents, self._exp_sums, (outcome,))
        return after

    def traded_together(self, trades: Iterable[tuple[int, Side, int]]) -> Lmsr:
        """Return the market maker after several trades (outcome, side, shares bought; negative: sold)."""
        q_yes, q_no, exponents = list(self.q_yes), list(self.q_no), list(self._exponents)
        parts = self._prior.parts
        for outcome, side, shares in trades:
            if side == _YES:
                q_yes[outcome] += shares
                exponents[outcome] += parts * shares
            else:
                q_no[outcome] += shares
                exponents[outcome] -= parts * shares
        after = Lmsr(self._prior, tuple(q_yes), tuple(q_no), tuple(exponents))
        if self._exp_sums is not None:
            # What traders sell to each other moves none.
            moved = [outcome for outcome, g in enumerate(after._exponents) if g != self._exponents[outcome]]
            after._exp_sums = ExpSums(self._prior, after._exponents, self._exp_sums, moved) if moved else self._exp_sums
        return after

    def within_limit(self) -> bool:
        """Return whether no |q_yes_i| and no |q_no_i| exceeds `Q_LIMIT`."""
        sold = (*self.q_yes, *self.q_no)
        return max(sold) <= Q_LIMIT and min(sold) >= -Q_LIMIT

    def liabilities_kopecks(self) -> int:
        """Return max_i L_i, the payout of the worst outcome (the implicit one included): Σ_j q_no_j + d_i."""
        net_shares = self._net_shares() if self._prior.additions else self._exponents
        return sum(self.q_no) + max(net_shares)

    def with_liquidity(self, b: int) -> Lmsr:
        """Return the market maker once its liquidity is raised to `b`: same prices and values, smaller steps.

        Raises `ValueError` if b is not above the present one or there were `ADDITIONS_MAX` additions.
        """
        return Lmsr.of(
            b=self._prior.first_b,
            weights=self.weights,
            q_yes=self.q_yes,
            q_no=self.q_no,
            additions=(*self.additions, Addition(b, self.q_yes, self.q_no)),
        )

    def subsidy_kopecks(self, b: int, *, outcome: int | None = None) -> int:
        """Return ceil((b − b now) · ln(1 / min p)), what the house pays for raising the liquidity to `b`.

        With the loss bound of the first b, the subsidies are the most the house can lose; with an `outcome`, its price
        for the smallest, if that wins. Raises `ValueError` if b is not above the present one.
        """
        added_b = b - self.b
        if added_b <= 0:
            raise ValueError("only added liquidity has a subsidy")
        constants = self._prior
        least = self._least_likely() if outcome is None else outcome
        difference, odds = self._odds(least, _YES)
        # No sum of several positive terms is e^(k/added_b) times one of them: the number is never whole, and its
        # ceiling is the floor plus one.
        low, high = bounds.subsidy_kopecks(added_b, constants.scaled_b, difference, odds, constants.error_ulps)
        if low == high:
            return low + 1
        # Exponents in units of both: e^(m/B) and e^(k/added_b) are powers of e^(1/unit).
        unit = lcm(constants.scaled_b, added_b)
        finer = unit // constants.scaled_b
        own = {finer * self._exponents[least]: self.weights[least]}
        outcomes: dict[int, int] = {}
        for g, weight in zip(self._exponents, self.weights, strict=True):
            outcomes[finer * g] = outcomes.get(finer * g, 0) + weight
        groups = exact.TradeGroups(unit, own, outcomes, parts=unit // added_b)
        return 1 + exact.largest(low, high, partial(exact.reaches_price, groups, (1, 1)))

    def depth(self, outcome: int) -> tuple[list[DepthLevel], list[DepthLevel]]:
        """Return (bids, asks) of a market: bids from high to low, asks from low to high, none of 0 shares.

        Asks: for each whole percent above the price up to 99, the whole shares that move YES there from the level
        before. Bids: the same downwards to 1.
        """
        # The rounded price: the first level tried is at or below the exact price, the next one above.
        percent = 100.0 * self.probability(outcome)
        ask = first_step(int(percent), lambda level: self.shares_to_percent(outcome, Side.YES, level))
        bid = first_step(99 - int(percent), lambda level: self.shares_to_percent(outcome, Side.NO, level))
        return ladders(self._prior.b, ask, bid)

    def _compare_price(self, outcome: int, number: Fraction) -> int:
        """Return the sign of the exact YES price less `number`."""
        difference = self.probability(outcome) - number
        if abs(difference) > _NEAR:
            return 1 if difference > 0 else -1
        b, own, others, _ = self._trade_groups(outcome, _YES)
        return exact.sign(b, (own, number.denominator - number.numerator, 0), (others, -number.numerator, 0))

    def _net_shares(self) -> list[int]:
        """Return d of all outcomes."""
        net_shares = [yes - no for yes, no in zip(self.q_yes, self.q_no, strict=True)]
        return net_shares if len(net_shares) > 1 else [*net_shares, 0]

    def _least_likely(self) -> int:
        """Return an outcome with the smallest w·e^(g/B), compared exactly."""
        outcomes = list(zip(self._exponents, self.weights, strict=True))
        least = 0
        for outcome, (g, weight) in enumerate(outcomes):
            least_g, least_weight = outcomes[least]
            if exact.sign(self._prior.scaled_b, ({g: weight}, 1, 0), ({least_g: least_weight}, -1, 0)) < 0:
                least = outcome
        return least

    def _odds(self, outcome: int, side: Side) -> tuple[int, float]:
        """Return D and ρ: the resting group of a purchase outweighs the growing group by ρ·e^(D/b)."""
        if len(self._exponents) == 2:
            floats, exponents = self._prior.floats, self._exponents
            other = 1 - outcome
            if side == _YES:
                return exponents[other] - exponents[outcome], floats[other] / floats[outcome]
            return exponents[outcome] - exponents[other], floats[outcome] / floats[other]
        difference, odds = self._sums().odds_against(outcome)
        return (difference, odds) if side == _YES else (-difference, 1.0 / odds)

    def _sums(self) -> ExpSums:
        if self._exp_sums is None:
            self._exp_sums = ExpSums(self._prior, self._exponents)
        return self._exp_sums

    def _trade_groups(self, outcome: int, side: Side) -> exact.TradeGroups:
        others = [other for other in range(len(self._exponents)) if other != outcome]
        return self._groups((outcome,), others) if side == _YES else self._groups(others, (outcome,))

    def _groups(self, growing: Iterable[int], resting: Iterable[int]) -> exact.TradeGroups:
        constants = self._prior
        return exact.TradeGroups(
            constants.scaled_b, self._weights_of(growing), self._weights_of(resting), constants.parts
        )

    def _weights_of(self, outcomes: Iterable[int]) -> dict[int, int]:
        """Return Σ w·e^(g/B) over these outcomes as {g: Σ w}."""
        weights: dict[int, int] = {}
        for outcome in outcomes:
            g = self._exponents[outcome]
            weights[g] = weights.get(g, 0) + self._prior.weights[outcome]
        return weights


def _added(numbers: tuple[int, ...], index: int, change: int) -> tuple[int, ...]:
    return (*numbers[:index], numbers[index] + change, *numbers[index + 1 :])
