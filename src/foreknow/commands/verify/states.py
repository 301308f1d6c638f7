"""A pool's market maker as its public answers say it: first prices, liquidity, splits; and what the house owes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foreknow.money.pricing import (
    Lmsr,
    SplitTerms,
    loss_bound_kopecks,
    other_bound_kopecks,
    prior_weights,
    split,
    split_subsidy_kopecks,
)

#: How far two doubles of one probability may lie apart: sums of a hundred outcomes round differently.
_NEAR: Final = 1e-11


class LiquidityChange(NamedTuple):
    """Liquidity that was added, or an outcome that was taken out of Other (`percent`)."""

    at: str
    b: int
    subsidy_kopecks: int
    #: Shares sold at that moment; of a split those of Other alone.
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    percent: int | None


class NotAsShown(Exception):
    """Something does not follow from the rest; the text says what."""


def is_near(one: float, other: float) -> bool:
    """Return whether two doubles say one probability."""
    return math.isclose(one, other, rel_tol=_NEAR, abs_tol=1e-300)


def first_state(pool: Mapping[str, Any]) -> Lmsr:
    """Return the market maker at publication.

    Its weights are those of the probabilities that were sent, or, where priors followed a source since, of those that
    are shown. Raises `NotAsShown` where neither has the prices that are shown.
    """
    shown: Sequence[float] = pool["liquidity"][0]["probabilities"]
    sent = (pool["metadata"] or {}).get("market_probabilities") or ()
    nothing = [0] * len(shown)
    for probabilities in (sent, shown):
        if len(probabilities) != len(shown):
            continue
        try:
            weights = prior_weights(probabilities)
        except (TypeError, ValueError):
            continue
        state = Lmsr.of(b=pool["liquidity"][0]["b"], weights=weights, q_yes=nothing, q_no=nothing)
        if all(map(is_near, state.probabilities(), shown)):
            return state
    raise NotAsShown("its first prices are none that its probabilities give")


def steps_of(pool: Mapping[str, Any]) -> list[LiquidityChange]:
    """Return the additions of liquidity and the splits, in their order."""
    added = [
        LiquidityChange(one["at"], one["b"], one["subsidy_kopecks"], tuple(one["q_yes"]), tuple(one["q_no"]), None)
        for one in pool["liquidity"][1:]
    ]
    splits = [
        LiquidityChange(one["at"], one["b"], one["subsidy_kopecks"], (one["q_yes"],), (), round(100 * one["share"]))
        for one in pool["splits"]
    ]
    # An addition shows how many outcomes there were, so it stands after as many splits.
    first = len(pool["markets"]) - len(splits)
    steps: list[LiquidityChange] = []
    for one in added:
        earlier = len(one.q_yes) - first
        steps += [*splits[len([step for step in steps if step.percent is not None]) : earlier], one]
    return [*steps, *splits[len([step for step in steps if step.percent is not None]) :]]


class House:
    """What the house paid for a pool's liquidity so far, and by which rule."""

    def __init__(self, pool: Mapping[str, Any], state: Lmsr) -> None:
        """Take a pool at its publication. Raises `NotAsShown` for another bound than its first prices give."""
        self._other: int | None = pool["other"]
        self._outcomes = [len(state.q_yes)]
        self._splits: list[SplitTerms] = []
        #: All that it paid: the most that it can lose.
        self.paid_kopecks = loss_bound_kopecks(b=state.b, weights=state.weights)
        shown = pool["liquidity"][0]["subsidy_kopecks"]
        if shown != self.paid_kopecks:
            raise NotAsShown(f"the house paid {shown} kopecks at its publication, due are {self.paid_kopecks}")

    def take(self, state: Lmsr, step: LiquidityChange) -> Lmsr:
        """Return the market maker after a step. Raises `NotAsShown` for another subsidy than is due."""
        if step.percent is None:
            due = state.subsidy_kopecks(step.b)
            after = state.with_liquidity(step.b)
            self._outcomes.append(len(state.q_yes))
        else:
            assert self._other is not None
            due = split_subsidy_kopecks(
                other_bound_kopecks=self._other_bound(state),
                b=state.b,
                percent=step.percent,
                paid_kopecks=self.paid_kopecks,
            )
            after = split(state, other=self._other, percent=step.percent)
            self._splits.append(SplitTerms(state.b, step.percent))
        self.paid_kopecks += due
        if step.subsidy_kopecks != due:
            raise NotAsShown(f"the house paid {step.subsidy_kopecks} kopecks at {step.at}, due are {due}")
        return after

    def _other_bound(self, state: Lmsr) -> int:
        assert self._other is not None
        return other_bound_kopecks(state, other=self._other, counts=self._outcomes, splits=self._splits)


def is_state_of(step: LiquidityChange, state: Lmsr, other: int | None) -> bool:
    """Return whether as many shares are sold as a step says of its moment."""
    if step.percent is None:
        return (state.q_yes, state.q_no) == (step.q_yes, step.q_no)
    assert other is not None
    return step.q_yes == (state.q_yes[other],)
