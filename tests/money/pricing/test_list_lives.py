"""Whole lives of lists: each number equals the pool's of all outcomes from the start, and the house's bound holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from foreknow.money.pricing import Lmsr, split
from tests.money.pricing import list_lives
from tests.money.pricing.list_lives import Differs, ListLife
from tests.support.lengths import LONG, length
from tests.support.proofs import proves


def live(lives: int) -> Counter[str]:
    """Live `lives` of them; return what was seen in them."""
    seen: Counter[str] = Counter()
    for seed in range(lives):
        life = ListLife(Random(seed))
        life.live()
        seen += life.seen
        seen["ties"] += life.whole.ties
    return seen


@proves(
    "lists: So prices, values and payoffs stay, and all of Pricing stays exact.",
    "lists: It is as if all outcomes had been there from the start and YES of Other a basket of Other and all that "
    "came of it since",
    "lists: before several they are taken one after the other, the earliest first: so pays a void at a moment",
    "lists: It never loses more than it paid.",
)
@LONG
def test_a_list_quotes_pays_and_costs_what_the_pool_of_all_outcomes_does() -> None:
    seen = live(length(short=30, long=3_000))
    assert seen["operations"] > length(short=2_000, long=200_000)
    kinds = ("bet", "sale", "limit", "stakes", "changes", "quotes", "splits", "liquidity", "voids before a split")
    assert min(seen[kind] for kind in (*kinds, "on Other")) >= 40, seen
    assert min(seen["met"], seen["ties"]) >= 10, seen


@pytest.mark.parametrize("seed", [6708822536093660531, 13663980946078655952])
def test_lives_that_long_sweeps_found(seed: int) -> None:
    """Other is nearly certain at an addition and costs a kopeck; a price has e⁻⁷²⁰ and a weight of 10¹²⁰."""
    ListLife(Random(seed)).live()


def off_by_a_hundredth(lmsr: Lmsr, *, other: int, percent: int) -> Lmsr:
    return split(lmsr, other=other, percent=percent - 1 if percent > 1 else percent + 1)


def without_shares(lmsr: Lmsr, *, other: int, percent: int) -> Lmsr:
    """The new outcome has its part of the price, and none of Other's shares."""
    after = split(lmsr, other=other, percent=percent)
    weights = after.weights
    return Lmsr.of(
        b=after.first_b, weights=weights, q_yes=(*after.q_yes[:-1], 0), q_no=after.q_no, additions=after.additions
    )


def from_the_first(lmsr: Lmsr, *, other: int, percent: int) -> Lmsr:
    """Out of another outcome than Other."""
    return split(lmsr, other=0 if other else 1, percent=percent)


@pytest.mark.parametrize("wrong", [off_by_a_hundredth, without_shares, from_the_first])
def test_the_same_lives_find_out_a_wrong_split(wrong: Callable[..., Lmsr], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_lives, "split", wrong)
    with pytest.raises(Differs):
        live(30)


@pytest.mark.parametrize("name", ["split_subsidy_kopecks", "other_bound_kopecks"])
def test_the_same_lives_find_out_a_kopeck_too_little(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(list_lives, name)
    monkeypatch.setattr(list_lives, name, lambda *given, **named: right(*given, **named) - 1)
    with pytest.raises(Differs):
        live(30)
