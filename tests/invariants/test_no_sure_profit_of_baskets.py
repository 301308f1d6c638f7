"""Bets, sales and baskets together make no sure profit either, and escrow covers the worst outcome; at margin 0."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from foreknow.money.pricing import Side, bundles, fee_on_top_kopecks, prior_weights
from tests.invariants.crowd import DUST, Crowd
from tests.invariants.exploit import OURS, Search
from tests.money.pricing.cases import log_uniform, untouched
from tests.support.lengths import LONG, length
from tests.support.proofs import proves

NO_PROFIT = (
    "baskets: Escrow ≥ max L_i as ever; no sequence of baskets, bets and sales between two additions of liquidity "
    "makes a sure profit; the house's bound is unchanged."
)


@proves(NO_PROFIT)
@LONG
@pytest.mark.parametrize(
    ("b", "prior", "shares_max"),
    [
        (100, (0.5, 0.5), length(short=6, long=9)),
        (3, (0.3, 0.7), 6),
        (100, (0.2, 0.3, 0.5), length(short=2, long=3)),
        (5, (1 / 3, 1 / 3, 1 / 3), 3),
    ],
)
def test_no_sequence_in_a_box_of_holdings_wins_or_ruins_the_pool(
    b: int, prior: tuple[float, ...], shares_max: int
) -> None:
    weights = prior_weights(prior)
    search = Search(b=b, weights=weights, markets=len(prior), shares_max=shares_max, has_baskets=True)
    assert search.run() is None
    assert len(search.cash) == (shares_max + 1) ** (2 * len(prior))


class BasketCrowd(Crowd):
    """Traders who send baskets beside bets and sales."""

    def trade(self) -> None:
        random, markets = self.random, len(self.lmsr.q_yes)
        kind = random.choice(("bet", "stake", "bundle", "sale"))
        chosen = random.sample(range(markets), random.randint(1, max(1, markets - 1)))
        if kind == "bet":
            super().trade()
        elif kind == "stake":
            kopecks = random.choice((1, random.randint(1, 9), random.randint(1, self.lmsr.b), 30 * self.lmsr.b))
            inner = chosen[: random.randint(1, len(chosen))]
            given = None if len(inner) == len(chosen) else chosen
            stake = bundles.staked(self.lmsr, kopecks, outcomes=inner, given=given)
            if stake.shares:
                self.lmsr, self.escrow = stake.after, self.escrow + kopecks
        elif kind == "bundle":
            purchase = bundles.bought(self.lmsr, {outcome: log_uniform(random, 1, self.lmsr.b) for outcome in chosen})
            self.lmsr, self.escrow = purchase.after, self.escrow + purchase.kopecks
        else:
            self.sell_together(chosen, whole=random.random() < 0.3)

    def sell_together(self, outcomes: list[int], *, whole: bool) -> None:
        held = {outcome: self.lmsr.q_yes[outcome] for outcome in outcomes if self.lmsr.q_yes[outcome]}
        wanted = held if whole else {outcome: self.random.randint(1, count) for outcome, count in held.items()}
        sale = bundles.sold(self.lmsr, wanted)
        self.lmsr, self.escrow = sale.after, self.escrow - sale.kopecks


@proves(NO_PROFIT)
@LONG
@pytest.mark.parametrize("markets", [2, 7, 100])
@pytest.mark.parametrize("b", [100, 100_000])
def test_long_random_sequences_never_win_or_ruin_the_pool(markets: int, b: int) -> None:
    crowd = BasketCrowd(Random(markets + b), OURS, markets=markets, b=b)
    surpluses = [crowd.surplus()]
    for step in range(length(short=300, long=1_500)):
        crowd.trade()
        worst, best = crowd.worst_and_best()
        assert crowd.escrow >= best
        assert crowd.escrow - crowd.bound >= worst
        if step % 10 == 0:
            surpluses.append(crowd.surplus())
    assert all(after - before >= -DUST for before, after in pairwise(surpluses))
    crowd.go_home()
    assert crowd.escrow >= crowd.bound


@LONG
@pytest.mark.parametrize("margin", [0.01, 0.07, 0.5])
def test_no_other_way_to_the_same_payoffs_costs_less_fee_than_one_purchase(margin: float) -> None:
    random = Random(23)
    for _ in range(length(short=60, long=600)):
        outcomes = random.randint(2, 8)
        fresh = untouched([1 / outcomes] * outcomes, log_uniform(random, 100, 10**6))
        wanted = {outcome: log_uniform(random, 1, 3 * fresh.b) for outcome in range(outcomes) if random.random() < 0.7}
        cost = bundles.bought(fresh, wanted).kopecks if wanted else 0
        at_once = fee_on_top_kopecks(cost_kopecks=cost, margin=margin)
        # Another way: any purchases, of NO too (which pay a sure sum besides); then what lacks is bought, and
        # what is too much sold without a fee.
        lmsr, fees = fresh, 0
        for _ in range(random.randint(0, 3)):
            outcome, side = random.randrange(outcomes), random.choice((Side.YES, Side.NO))
            shares = log_uniform(random, 1, fresh.b)
            fees += fee_on_top_kopecks(cost_kopecks=lmsr.cost_kopecks(outcome, side, shares), margin=margin)
            lmsr = lmsr.traded(outcome, side, shares)
        lacking = {
            outcome: wanted.get(outcome, 0) - lmsr.q_yes[outcome] + lmsr.q_no[outcome] for outcome in range(outcomes)
        }
        more = {outcome: count for outcome, count in lacking.items() if count > 0}
        if more:
            fees += fee_on_top_kopecks(cost_kopecks=bundles.bought(lmsr, more).kopecks, margin=margin)
        assert fees >= at_once
