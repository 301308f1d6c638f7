"""A pool's liquidity over time: its publication and each addition, as stored, priced and compared."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from foreknow.money.pricing import Addition, Lmsr, exact_fraction, filled_in

#: Largest difference between a price and the one that the caller expects.
TOLERANCE = Fraction(5, 1000)


class LiquidityStep(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The publication or an addition, as stored in `pools.liquidity`; one entry a market of then where several."""

    at_ms: int
    #: The liquidity parameter from then on, kopecks.
    b: int
    #: What the house paid into escrow for it.
    subsidy_kopecks: int
    #: YES probabilities at that moment: the step does not change them.
    probabilities: tuple[float, ...]
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    #: Number of the pool's trades before it, which says what came first where times are equal.
    trades: int


class PastTrades(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What had been traded in a pool at a past moment, as stored in `pools.void_prices`; one entry a market of then."""

    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    #: Number of the pool's trades by then.
    trades: int


def market_maker(
    *, b: int, weights: tuple[int, ...], q_yes: Sequence[int], q_no: Sequence[int], steps: Sequence[LiquidityStep]
) -> Lmsr:
    """Return the market maker with these shares sold; `steps` are none before any addition, and `b` counts then."""
    if not steps:
        return Lmsr.of(b=b, weights=weights, q_yes=q_yes, q_no=q_no)
    if len(steps[0].q_yes) == len(q_yes) == len(weights) or len(q_yes) == 1:
        additions = tuple(Addition(step.b, step.q_yes, step.q_no) for step in steps[1:])
    else:
        # Outcomes were taken out of the last at first since; without any, there is no step before an addition.
        def whole(sold: Sequence[int]) -> tuple[int, ...]:
            return filled_in(sold, other=len(steps[0].q_yes) - 1, outcomes=len(weights))

        additions = tuple(Addition(step.b, whole(step.q_yes), whole(step.q_no)) for step in steps[1:])
        q_yes, q_no = whole(q_yes), whole(q_no)
    return Lmsr.of(b=steps[0].b, weights=weights, q_yes=q_yes, q_no=q_no, additions=additions)


def market_maker_at(
    then: PastTrades | None,
    *,
    b: int,
    weights: tuple[int, ...],
    q_yes: Sequence[int],
    q_no: Sequence[int],
    steps: Sequence[LiquidityStep],
) -> Lmsr:
    """Return the market maker as it was after the trades of `then`; None for the present one."""
    if then is None:
        return market_maker(b=b, weights=weights, q_yes=q_yes, q_no=q_no, steps=steps)
    # An addition at just that moment changes no price: with it or without it, they are the same.
    made = [step for step in steps if step.trades <= then.trades]
    return market_maker(b=b, weights=weights, q_yes=then.q_yes, q_no=then.q_no, steps=made)


def publication_step(
    *, b: int, weights: tuple[int, ...], markets: int, loss_bound_kopecks: int, published_at_ms: int
) -> LiquidityStep:
    """Return the first step of a published pool, which follows from its row."""
    nothing = (0,) * markets
    return LiquidityStep(
        at_ms=published_at_ms,
        b=b,
        subsidy_kopecks=loss_bound_kopecks,
        probabilities=_first_probabilities(weights, markets),
        q_yes=nothing,
        q_no=nothing,
        trades=0,
    )


def are_prices_near(lmsr: Lmsr, expected: Sequence[float]) -> bool:
    """Return whether every YES price is at most `TOLERANCE` from the expected one, read as its shortest decimal."""
    return all(
        lmsr.is_price_within(outcome, exact_fraction(price) - TOLERANCE, exact_fraction(price) + TOLERANCE)
        for outcome, price in enumerate(expected)
    )


@functools.lru_cache(maxsize=1024)
def _first_probabilities(weights: tuple[int, ...], markets: int) -> tuple[float, ...]:
    # They do not depend on b.
    return Lmsr.of(b=1, weights=weights, q_yes=(0,) * markets, q_no=(0,) * markets).probabilities()
