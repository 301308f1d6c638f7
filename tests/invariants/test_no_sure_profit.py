"""No sequence of trades makes a sure profit, and escrow covers the worst outcome at every moment; at margin 0."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import NamedTuple

import pytest

from foreknow.money.pricing import prior_weights
from tests.invariants.crowd import DUST, Crowd
from tests.invariants.exploit import OURS, Rules, Search
from tests.invariants.wrong import HALF_UP, HALF_UP_PAYOUTS, HALF_UP_SHARES
from tests.support.lengths import LONG, length
from tests.support.proofs import proves

WRONG = pytest.mark.parametrize(
    "rules", [HALF_UP, HALF_UP_SHARES, HALF_UP_PAYOUTS], ids=["half up", "half up shares", "half up payouts"]
)


class Box(NamedTuple):
    b: int
    prior: tuple[float, ...]
    shares_max: int

    def search(self, rules: Rules = OURS) -> Search:
        weights = prior_weights(self.prior)
        return Search(b=self.b, weights=weights, markets=len(self.prior), shares_max=self.shares_max, rules=rules)


BOXES = [
    Box(100, (0.5,), length(short=48, long=120)),
    Box(100, (0.07,), length(short=32, long=64)),
    Box(100, (0.02,), 64),
    Box(137, (0.9,), length(short=32, long=64)),
    # A smaller b than the contract allows: a few shares move the price through its whole range.
    Box(7, (0.5,), length(short=40, long=64)),
    Box(100, (0.5, 0.5), 7),
    Box(3, (0.3, 0.7), 7),
    Box(100, (0.2, 0.3, 0.5), length(short=4, long=5)),
    Box(5, (1 / 3, 1 / 3, 1 / 3), length(short=3, long=4)),
]


@proves(
    "decisions: No sequence of trades makes a sure profit, at margin 0 too.",
    "decisions: At no moment can a pool's escrow fail to pay any of its outcomes",
)
@LONG
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_no_sequence_in_a_box_of_holdings_wins_or_ruins_the_pool(box: Box) -> None:
    search = box.search()
    assert search.run() is None
    # Every holding of the box has been reached, so the search has not passed by on something else.
    assert len(search.cash) == (box.shares_max + 1) ** (2 * len(box.prior))


@WRONG
def test_the_same_search_finds_out_wrong_rounding(rules: Rules) -> None:
    finding = Box(100, (0.5,), 16).search(rules).run()
    assert finding is not None
    assert finding.kind == "sure profit"


@proves(
    "decisions: At no moment can a pool's escrow fail to pay any of its outcomes: escrow ≥ max_i L_i, L_i = Σ_j "
    "q_no_j + q_yes_i − q_no_i (the implicit outcome of a single-market pool too: L = q_no), in whole kopecks.",
)
@LONG
@pytest.mark.parametrize("markets", [1, 2, 7, 100])
@pytest.mark.parametrize("b", [100, 100_000])
def test_long_random_sequences_never_win_or_ruin_the_pool(markets: int, b: int) -> None:
    crowd = Crowd(Random(markets + b), OURS, markets=markets, b=b)
    surplus = crowd.surplus()
    for step in range(length(short=500, long=1_500)):
        crowd.trade()
        worst, best = crowd.worst_and_best()
        assert crowd.lmsr.liabilities_kopecks() == best
        assert crowd.escrow >= best
        assert crowd.escrow - crowd.bound >= worst
        if step % 10 == 0:
            # No trade rounds to the house's loss: that is why all the rest holds.
            before, surplus = surplus, crowd.surplus()
            assert surplus - before >= -DUST
            assert crowd.escrow >= crowd.void()
    crowd.go_home()
    assert crowd.escrow >= crowd.bound


@WRONG
def test_random_sequences_find_out_wrong_rounding_too(rules: Rules) -> None:
    crowd = Crowd(Random(1), rules, markets=7, b=1000)
    surpluses = [crowd.surplus()]
    for _ in range(100):
        crowd.trade()
        surpluses.append(crowd.surplus())
    assert any(after - before < -DUST for before, after in pairwise(surpluses))
