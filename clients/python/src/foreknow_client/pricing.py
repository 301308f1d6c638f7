"""Prices in closed form: what an order would get, without asking the service, equal to its quotes to the kopeck.

A pool is priced by the logarithmic market scoring rule (Hanson 2003) with priors. With w the priors, q the shares sold
and d_i = q_yes_i − q_no_i, the price of outcome i is p_i = w_i·e^(d_i/b) / Σ_j w_j·e^(d_j/b); with r the price of the
side, s kopecks after the fee buy b·ln(1 + (e^(s/b) − 1)/r) shares, and x shares sell for −b·ln(1 − r·(1 − e^(−x/b)))
kopecks, both rounded down. Whole numbers follow from exact comparisons: a float names the candidate, and the sign of
Σ c_k·e^(k/b), for integers c and k, decides. With two different k it is never 0 unless all c are (Lindemann and
Weierstrass), so enough digits always tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Literal

from foreknow_client import models
from foreknow_client.exact import DIGITS, added, largest, sign, times

Side = Literal["YES", "NO"]
#: b of a pool whose creator gave none.
B_DEFAULT = 100_000


@dataclass(frozen=True, slots=True)
class Quote:
    """What an order would get; `after` is the pool once it was executed."""

    shares: int
    #: The stake, fee included, or the payout.
    amount_kopecks: int
    fee_kopecks: int
    #: Basis points a share: 10000 is a kopeck.
    avg_price_bps: int
    probability_before: float
    probability_after: float
    after: PoolState


@dataclass(frozen=True, slots=True)
class PoolState:
    """The market maker of a pool. Immutable: orders give the next state.

    Exponents, shares and money are counted in 1/`parts` (1 unless liquidity was added while the pool traded).
    """

    #: b in 1/`parts`.
    b: int
    parts: int
    #: Whole numbers in the ratios of the priors, one for each outcome: two for a pool with one market.
    weights: tuple[int, ...]
    #: b·ln of what an outcome's weight has grown by since the beginning.
    exponents: tuple[int, ...]
    margin: Fraction
    #: False where the priors were not to be known, as an older release moved them: an order may differ from the
    #: service's by a share or a kopeck. Ask for a quote.
    is_exact: bool = True

    @classmethod
    def of(cls, pool: models.Pool) -> PoolState:
        """Return the state of a pool as the service shows it."""
        markets = sorted(pool.markets, key=lambda market: market.outcome_index)
        shown = [market.yes_probability for market in markets]
        # Of a list: what it began with, and how much of Other each later outcome was.
        metadata, count = pool.metadata, len(markets) - len(pool.splits)
        shares = [split.share for split in pool.splits]
        first_b = metadata.get("lmsr_b_kopecks") or (B_DEFAULT if pool.liquidity else markets[0].b)
        # Before the first trade, odds from outside may move the priors; those of the publication are shown then.
        known = [metadata.get("market_probabilities") or ([1 / count] * count if count > 1 else [0.5])]
        known += [first.probabilities for first in pool.liquidity[:1] if _are_whole(first.probabilities)]
        for probabilities in known:
            state = cls.made(
                b=first_b,
                probabilities=probabilities,
                q_yes=[market.q_yes for market in markets],
                q_no=[market.q_no for market in markets],
                additions=[(added.b, added.q_yes, added.q_no) for added in pool.liquidity],
                margin=pool.margin,
                split_shares=shares,
            )
            if all(math.isclose(state.probability(index), price, rel_tol=1e-9) for index, price in enumerate(shown)):
                return state
        # Prices and b say all that later trades need.
        nothing = [0] * len(markets)
        present = cls.made(b=markets[0].b, probabilities=shown, q_yes=nothing, q_no=nothing, margin=pool.margin)
        return replace(present, is_exact=False)

    @classmethod
    def made(
        cls,
        *,
        b: int,
        probabilities: Sequence[float],
        q_yes: Sequence[int],
        q_no: Sequence[int],
        additions: Sequence[tuple[int, Sequence[int], Sequence[int]]] = (),
        margin: float = 0.0,
        split_shares: Sequence[float] = (),
    ) -> PoolState:
        """Return the state of a pool with these priors and shares sold.

        `additions` are the b that liquidity was raised to, with the shares that were sold then. Of a list,
        `probabilities` are those of the outcomes at first, the last of them Other, and `split_shares` what part of
        Other each later one was.
        """
        weights = _weights(probabilities)
        other = len(weights) - 1
        for share in split_shares:
            weights = _split(weights, other, _shortest(share))
        count = len(q_yes)
        additions = [(level, _filled(yes, other, count), _filled(no, other, count)) for level, yes, no in additions]
        steps = [b, *(added[0] for added in additions)]
        whole = math.lcm(*steps)
        offsets = [0] * len(q_yes)
        for before, (after, yes, no) in zip(steps, additions, strict=False):
            growth = whole // before - whole // after
            offsets = [offset + growth * (y - n) for offset, y, n in zip(offsets, yes, no, strict=True)]
        parts = whole // steps[-1]
        exponents = [parts * (y - n) + offset for y, n, offset in zip(q_yes, q_no, offsets, strict=True)]
        common = math.gcd(parts, *offsets)
        exponents = [exponent // common for exponent in exponents]
        if len(exponents) == 1:
            exponents.append(0)
        return cls(whole // common, parts // common, weights, tuple(exponents), _shortest(margin))

    def probability(self, outcome: int) -> float:
        """Return the YES probability of an outcome."""
        top = max(self.exponents)
        terms = [w * math.exp((g - top) / self.b) for w, g in zip(self.weights, self.exponents, strict=True)]
        return terms[outcome] / math.fsum(terms)

    def bet(self, outcome: int, side: Side, stake_kopecks: int) -> Quote:
        """Return what a stake buys; `shares` is 0 where it buys none, which the service refuses."""
        fee = -(-stake_kopecks * self.margin.numerator // self.margin.denominator)
        money = stake_kopecks - fee
        shares = self.shares_of(money, *self._groups(outcome, side))
        return self._quote(outcome, side, shares=shares, amount=stake_kopecks, fee=fee, step=shares)

    def sale(self, outcome: int, side: Side, shares: int) -> Quote:
        """Return what shares sell for; the service refuses a sale for 0."""
        growing, resting = self._groups(outcome, side)

        def is_paid(kopecks: int) -> bool:
            # A + B ≥ e^(y/b)·(A·e^(−x/b) + B)
            money = self.parts * kopecks
            left = added((growing, 0), (resting, 0))
            right = added((times(growing, -1), money - self.parts * shares), (times(resting, -1), money))
            return sign(self.b, added((left, 0), (right, 0))) >= 0

        with localcontext(Context(prec=DIGITS)):
            b, price = Decimal(self.b) / self.parts, self._price(growing, resting)
            estimate = min(-b * (1 - price * (1 - (-shares / b).exp())).ln(), Decimal(shares))
        payout = largest(int(estimate), is_paid)
        return self._quote(outcome, side, shares=shares, amount=payout, fee=0, step=-shares)

    def value_kopecks(self, outcome: int, side: Side, shares: int) -> int:
        """Return what shares are worth at the present price, rounded down."""
        growing, resting = self._groups(outcome, side)

        def is_worth(kopecks: int) -> bool:
            # x·A ≥ v·(A + B)
            return sign(self.b, added((times(growing, shares - kopecks), 0), (times(resting, -kopecks), 0))) >= 0

        with localcontext(Context(prec=DIGITS)):
            estimate = shares * self._price(growing, resting)
        return largest(int(estimate), is_worth)

    def shares_of(self, kopecks: int, growing: Mapping[int, int], resting: Mapping[int, int]) -> int:
        """Return how many shares money buys of outcomes, `growing`, against others, each weights by exponent."""

        def is_covered(shares: int) -> bool:
            # (A + B)·e^(s/b) ≥ A·e^(x/b) + B
            money = self.parts * kopecks
            paid = added((growing, money), (resting, money))
            return (
                sign(self.b, added((paid, 0), (times(growing, -1), self.parts * shares), (times(resting, -1), 0))) >= 0
            )

        if kopecks <= 0:
            return 0
        with localcontext(Context(prec=DIGITS)):
            b, rest = Decimal(self.b) / self.parts, 1 - self._price(growing, resting)
            # The same as above, without a number that grows with the stake.
            estimate = kopecks + b * ((1 - rest * (-kopecks / b).exp()) / (1 - rest)).ln() if rest < 1 else kopecks
        return largest(int(estimate), is_covered)

    def group(self, outcomes: Iterable[int], moved: Mapping[int, int] | None = None) -> dict[int, int]:
        """Return the weights of outcomes by exponent, where `moved` says once these shares of each were bought."""
        shares = moved or {}
        found: dict[int, int] = {}
        for outcome in outcomes:
            exponent = self.exponents[outcome] + self.parts * shares.get(outcome, 0)
            found[exponent] = found.get(exponent, 0) + self.weights[outcome]
        return found

    def traded(self, shares: Mapping[int, int]) -> PoolState:
        """Return the state once these YES shares of each outcome were bought; below 0: sold."""
        moved = (g + self.parts * shares.get(outcome, 0) for outcome, g in enumerate(self.exponents))
        return replace(self, exponents=tuple(moved))

    def stake_to_reach(self, outcome: int, probability: float) -> tuple[Side, int]:
        """Return the side and the stake in kopecks, fee included, that move an outcome to a probability.

        Rounded down: the price comes as near as whole kopecks bring it. Raises `ValueError` for 0 and 1.
        """
        if not 0 < probability < 1:
            raise ValueError("no trade moves a price to 0 or 1")
        now, b = self.probability(outcome), self.b / self.parts
        side: Side = "YES" if probability > now else "NO"
        # The price of the side bought goes to 1 − (1 − r)·e^(−s/b).
        rest = (1 - now) / (1 - probability) if side == "YES" else now / probability
        money = b * math.log(rest)
        return side, max(0, math.floor(money / (1 - float(self.margin))))

    def shares_to_reach(self, outcome: int, probability: float) -> int:
        """Return how many shares, bought or sold, move an outcome to a probability, rounded down.

        Raises `ValueError` for 0 and 1.
        """
        if not 0 < probability < 1:
            raise ValueError("no trade moves a price to 0 or 1")
        now = self.probability(outcome)
        odds = probability * (1 - now) / (now * (1 - probability))
        return math.floor(self.b / self.parts * abs(math.log(odds)))

    def _quote(self, outcome: int, side: Side, *, shares: int, amount: int, fee: int, step: int) -> Quote:
        after = self._traded(outcome, side, step)
        price = round(Fraction(10_000 * amount, shares)) if shares else 0
        return Quote(shares, amount, fee, price, self.probability(outcome), after.probability(outcome), after)

    def _traded(self, outcome: int, side: Side, shares: int) -> PoolState:
        return self.traded({outcome: shares if side == "YES" else -shares})

    def _groups(self, outcome: int, side: Side) -> tuple[dict[int, int], dict[int, int]]:
        """Return the weights that a purchase raises and the others, each by its exponent."""
        own = self.group([outcome])
        others = self.group(index for index in range(len(self.weights)) if index != outcome)
        return (own, others) if side == "YES" else (others, own)

    def _price(self, growing: Mapping[int, int], resting: Mapping[int, int]) -> Decimal:
        """Return the price of the side in the present decimal context."""
        top = max(self.exponents)
        raised, others = (
            sum((weight * (Decimal(exponent - top) / self.b).exp() for exponent, weight in group.items()), Decimal(0))
            for group in (growing, resting)
        )
        return raised / (raised + others)


def _weights(probabilities: Sequence[float]) -> tuple[int, ...]:
    fractions = [_shortest(probability) for probability in probabilities]
    if len(fractions) == 1:
        fractions.append(1 - fractions[0])
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    return tuple(int(fraction * scale) for fraction in fractions)


def _split(weights: Sequence[int], other: int, share: Fraction) -> tuple[int, ...]:
    """Return the weights once an outcome has taken its share of another's, its own the last."""
    grown = [weight * share.denominator for weight in weights]
    taken = weights[other] * share.numerator
    grown[other] -= taken
    grown.append(taken)
    common = math.gcd(*grown)
    return tuple(weight // common for weight in grown)


def _filled(sold: Sequence[int], other: int, count: int) -> list[int]:
    """Return shares sold of the outcomes of then as one number for each there is now: later ones had Other's."""
    return [*sold, *([sold[other]] * (count - len(sold)) if len(sold) < count else [])]


def _are_whole(probabilities: Sequence[float]) -> bool:
    """Return whether they are the priors themselves, not rounded."""
    return len(probabilities) == 1 or sum(map(_shortest, probabilities)) == 1


def _shortest(number: float) -> Fraction:
    """Return the shortest decimal that is read as this float: 0.07 is 7/100."""
    return Fraction(repr(float(number)))
