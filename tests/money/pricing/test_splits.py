"""Lists that grow: what a split is worth, what it costs, and that nothing can be made of it."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings

from foreknow.money.pricing import (
    Addition,
    Lmsr,
    Side,
    SplitTerms,
    filled_in,
    loss_bound_kopecks,
    other_bound_kopecks,
    prior_weights,
    split,
    split_subsidy_kopecks,
    split_weights,
)
from foreknow.money.pricing.bundles import bought, sold, staked
from tests.money.pricing.bundle_cases import draw_bundles
from tests.money.pricing.cases import Pool, draw_levels, draw_prior, log_uniform, untouched
from tests.money.pricing.reference import Reference, context
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS


class Books:
    """A list that is traded and split, with what the house paid and what its escrow holds."""

    def __init__(self, lmsr: Lmsr) -> None:
        self.lmsr = lmsr
        self.other = len(lmsr.q_yes) - 1
        self.counts = [len(lmsr.q_yes)]
        self.splits: list[SplitTerms] = []
        self.paid = self.escrow = loss_bound_kopecks(b=lmsr.b, weights=lmsr.weights)

    @property
    def other_bound_kopecks(self) -> int:
        return other_bound_kopecks(self.lmsr, other=self.other, counts=self.counts, splits=self.splits)

    def subsidy_kopecks(self, percent: int) -> int:
        return split_subsidy_kopecks(
            other_bound_kopecks=self.other_bound_kopecks, b=self.lmsr.b, percent=percent, paid_kopecks=self.paid
        )

    def split(self, percent: int) -> int:
        subsidy = self.subsidy_kopecks(percent)
        self.splits.append(SplitTerms(self.lmsr.b, percent))
        self.lmsr = split(self.lmsr, other=self.other, percent=percent)
        self._pay(subsidy)
        return subsidy

    def raise_to(self, b: int) -> int:
        subsidy = self.lmsr.subsidy_kopecks(b)
        self.lmsr = self.lmsr.with_liquidity(b)
        self.counts.append(len(self.lmsr.q_yes))
        self._pay(subsidy)
        return subsidy

    def take(self, kopecks: int, after: Lmsr) -> None:
        """Take what a trade pays (below 0: pay it)."""
        self.escrow += kopecks
        self.lmsr = after

    def _pay(self, kopecks: int) -> None:
        self.paid += kopecks
        self.escrow += kopecks


@proves(
    "lists: Check, margin 0, b 1000, priors 0.3, 0.2, 0.5: house 1610; 300 on Other buys 530; λ 0.25 costs 471: "
    "prices 0.2223, 0.1482, 0.4721, 0.1574, the 530 cost 225 and 75, are worth 250 and 83; 200 on the new one buys "
    "878; λ 0.5: 0; to b 1700: 1477; λ 0.1: 3184.",
)
def test_the_contracts_example_comes_out_to_the_kopeck() -> None:
    books = Books(untouched([0.3, 0.2, 0.5], 1000))
    assert books.paid == 1610
    assert books.lmsr.shares_bought(2, Side.YES, 300) == 530
    books.take(300, books.lmsr.traded(2, Side.YES, 530))
    assert books.split(25) == 471
    assert [round(price, 4) for price in books.lmsr.probabilities()] == [0.2223, 0.1482, 0.4721, 0.1574]
    assert (300 - 300 * 25 // 100, 300 * 25 // 100) == (225, 75)
    assert [books.lmsr.value_kopecks(outcome, Side.YES, 530) for outcome in (2, 3)] == [250, 83]
    assert books.lmsr.shares_bought(3, Side.YES, 200) == 878
    books.take(200, books.lmsr.traded(3, Side.YES, 878))
    assert books.split(50) == 0
    assert books.raise_to(1700) == 1477
    assert books.subsidy_kopecks(10) == 3184


def draw_list(random: Random) -> Books:
    b = random.choice((100, 1000, 100_000)) if random.random() < 0.5 else log_uniform(random, 100, 10**9)
    markets = random.choice((2, 2, 3, 3, 4, 6, 20))
    weights = prior_weights(draw_prior(random, markets))
    return Books(Lmsr.of(b=b, weights=weights, q_yes=[0] * markets, q_no=[0] * markets))


def draw_percent(random: Random) -> int:
    return random.choice((1, 99, 50, 10, random.randint(1, 99)))


class Holder:
    """One who trades a list alone, Other's NO apart."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.held: Counter[tuple[int, Side]] = Counter()
        self.spent = 0

    def bet(self, random: Random) -> None:
        lmsr = self.books.lmsr
        outcome, side = random.randrange(len(lmsr.q_yes)), random.choice(tuple(Side))
        if outcome == self.books.other:
            side = Side.YES
        stake = log_uniform(random, 1, 20 * lmsr.b)
        shares = lmsr.shares_bought(outcome, side, stake)
        if shares:
            self._take(stake, lmsr.traded(outcome, side, shares), {(outcome, side): shares})

    def basket(self, random: Random) -> None:
        lmsr = self.books.lmsr
        outcomes = range(len(lmsr.q_yes))
        size = random.randint(1, len(outcomes) - 1)
        chosen = random.sample(outcomes, size)
        stake = log_uniform(random, 1, 20 * lmsr.b)
        bundle = staked(lmsr, stake, outcomes=chosen)
        if bundle.shares:
            self._take(stake, bundle.after, {(one, Side.YES): count for one, count in bundle.shares.items()})

    def sell(self, random: Random) -> None:
        own = [key for key, shares in self.held.items() if shares]
        if own:
            key = random.choice(own)
            self.sell_shares(*key, random.choice((self.held[key], random.randint(1, self.held[key]))))

    def sell_shares(self, outcome: int, side: Side, shares: int) -> None:
        lmsr = self.books.lmsr
        payout = lmsr.sale_payout_kopecks(outcome, side, shares)
        self._take(-payout, lmsr.traded(outcome, side, -shares), {(outcome, side): -shares})

    def split(self, percent: int) -> None:
        self.books.split(percent)
        new = len(self.books.lmsr.q_yes) - 1
        self.held[new, Side.YES] = self.held[self.books.other, Side.YES]

    def paid_if(self, winner: int) -> int:
        return sum(
            shares * ((outcome == winner) == (side is Side.YES)) for (outcome, side), shares in self.held.items()
        )

    def _take(self, kopecks: int, after: Lmsr, shares: dict[tuple[int, Side], int]) -> None:
        self.spent += kopecks
        self.books.take(kopecks, after)
        for key, count in shares.items():
            self.held[key] += count


def higher(random: Random, b: int) -> int:
    return next(iter(draw_levels(random, b, 1)), b + 1)


def live(random: Random, holder: Holder, steps: int) -> None:
    for _ in range(steps):
        random.choice((holder.bet, holder.bet, holder.sell, holder.basket))(random)
        if random.random() < 0.2 and len(holder.books.lmsr.q_yes) < 100:
            holder.split(draw_percent(random))
        if random.random() < 0.05 and len(holder.books.lmsr.additions) < 5:
            holder.books.raise_to(higher(random, holder.books.lmsr.b))


@proves(
    "lists: no sequence with splits makes a sure profit.",
    "lists: It never loses more than it paid.",
)
@LONG
@settings(max_examples=length(short=25, long=2_000), deadline=None)
@given(random=RANDOMS)
def test_nothing_is_won_for_sure_and_escrow_pays_every_outcome(random: Random) -> None:
    books = draw_list(random)
    holder = Holder(books)
    for _ in range(4):
        live(random, holder, 5)
        outcomes = range(len(books.lmsr.q_yes))
        assert books.escrow >= books.lmsr.liabilities_kopecks()
        assert max(holder.paid_if(winner) for winner in outcomes) == books.lmsr.liabilities_kopecks()
    if not books.lmsr.additions:
        assert min(holder.paid_if(winner) for winner in range(len(books.lmsr.q_yes))) <= holder.spent
    while any(holder.held.values()):
        outcome, side = random.choice([key for key, shares in holder.held.items() if shares])
        holder.sell_shares(outcome, side, holder.held[outcome, side])
    # Added liquidity may be won; the house has paid for it.
    assert holder.spent >= 0 or books.lmsr.additions
    assert books.escrow >= 0


@proves(
    "lists: So prices, values and payoffs stay, and all of Pricing stays exact.",
    "lists: All other weights become w · 100, Other's w · (100 − 100λ), the new one's that w · 100λ, with Other's "
    "q_yes, d and D.",
)
@LONG
@settings(max_examples=length(short=25, long=1_000), deadline=None)
@given(random=RANDOMS)
def test_a_split_leaves_values_and_prices_exactly_as_they_are(random: Random) -> None:
    holder = Holder(draw_list(random))
    live(random, holder, random.choice((0, 3, 10)))
    before, other, percent = holder.books.lmsr, holder.books.other, draw_percent(random)
    after = split(before, other=other, percent=percent)
    new = len(before.q_yes)
    assert after.q_yes == (*before.q_yes, before.q_yes[other])
    assert after.liabilities_kopecks() == before.liabilities_kopecks()
    for outcome in range(new):
        price = before.probability(outcome) * (1 if outcome != other else 1 - percent / 100)
        assert math.isclose(after.probability(outcome), price, rel_tol=1e-12)
    assert math.isclose(after.probability(new), before.probability(other) * percent / 100, rel_tol=1e-12)
    for _ in range(4):
        shares = log_uniform(random, 1, 30 * before.b)
        for outcome in set(range(new)) - {other}:
            for side in Side:
                assert after.value_kopecks(outcome, side, shares) == before.value_kopecks(outcome, side, shares)
                assert after.sale_payout_kopecks(outcome, side, shares) == before.sale_payout_kopecks(
                    outcome, side, shares
                )
        # YES of Other is now YES of both.
        both = {other: shares, new: shares}
        assert bought(after, both).kopecks == before.cost_kopecks(other, Side.YES, shares)
        assert sold(after, both).kopecks == before.sale_payout_kopecks(other, Side.YES, shares)
        stake = log_uniform(random, 1, 30 * before.b)
        assert after.set_shares_bought((other, new), stake) == before.shares_bought(other, Side.YES, stake)


@proves(
    "lists: It is as if all outcomes had been there from the start and YES of Other a basket of Other and all that "
    "came of it since",
)
@LONG
@settings(max_examples=length(short=25, long=1_000), deadline=None)
@given(random=RANDOMS)
def test_it_is_the_pool_of_all_outcomes_from_the_start(random: Random) -> None:
    """Every trade before a split, made again in the pool that has all outcomes, costs the same and leads there."""
    b, markets = random.choice((100, 1000, 12_345)), random.choice((2, 3, 5))
    weights, other = prior_weights(draw_prior(random, markets)), markets - 1
    percents = [draw_percent(random) for _ in range(random.randint(1, 5))]
    whole = weights
    for percent in percents:
        whole = split_weights(whole, other=other, percent=percent)
    outcomes = len(whole)
    grown = Lmsr.of(b=b, weights=weights, q_yes=[0] * markets, q_no=[0] * markets)
    ready = Lmsr.of(b=b, weights=whole, q_yes=[0] * outcomes, q_no=[0] * outcomes)
    steps: list[int | None] = [*percents, None]
    for step in steps:
        for _ in range(3):
            outcome = random.randrange(len(grown.q_yes))
            stake = log_uniform(random, 1, 10 * b)
            shares = grown.shares_bought(outcome, Side.YES, stake)
            basket = [outcome, *range(len(grown.q_yes), outcomes)] if outcome == other else [outcome]
            assert ready.set_shares_bought(basket, stake) == shares
            grown = grown.traded(outcome, Side.YES, shares)
            ready = ready.traded_together([(one, Side.YES, shares) for one in basket])
        if step is not None:
            grown = split(grown, other=other, percent=step)
    assert (grown.weights, grown.q_yes) == (ready.weights, ready.q_yes)


@LONG
@settings(max_examples=length(short=15, long=1_500), deadline=None)
@given(random=RANDOMS)
def test_split_pools_are_priced_as_the_reference_prices_them(random: Random) -> None:
    holder = Holder(draw_list(random))
    live(random, holder, 10)
    for _ in range(random.choice((1, 3, 20))):
        holder.split(draw_percent(random))
    lmsr = holder.books.lmsr
    pool = Pool(lmsr.first_b, lmsr.weights, lmsr.q_yes, lmsr.q_no, lmsr.additions)
    reference = Reference(pool)
    bundles = draw_bundles(random, pool, 2)
    for outcome in random.sample(range(len(lmsr.q_yes)), 2):
        for side in Side:
            shares = log_uniform(random, 1, 30 * lmsr.b)
            assert lmsr.shares_bought(outcome, side, shares) == reference.shares_bought(outcome, side, shares)
            assert lmsr.sale_payout_kopecks(outcome, side, shares) == reference.sale_payout_kopecks(
                outcome, side, shares
            )
            assert lmsr.value_kopecks(outcome, side, shares) == reference.value_kopecks(outcome, side, shares)
    for stake in bundles.stakes:
        assert lmsr.set_shares_bought(stake.outcomes, stake.kopecks, stake.given) == reference.set_shares_bought(
            stake.outcomes, stake.given, stake.kopecks
        )


@proves(
    "lists: The house pays max(0, c + ceil(b·ln(1/min(λ, 1−λ))) − all it paid in so far, net of what changed priors "
    "gave back), c = ceil(b_0·ln(1/w_Other)) (w: the last priors) + for each added liquidity "
    "ceil((b_k − b_{k−1})·ln(1/p_Other then)) + for each earlier split ceil(b then·ln(1/(1−λ))).",
)
@settings(max_examples=20, deadline=None)
@given(random=RANDOMS)
def test_what_a_split_costs_follows_from_the_prices_then(random: Random) -> None:
    """Each part with the prices that were shown at its moment, in 60 digits."""
    mp = context(60)

    def ceiling(factor: int, numerator: int, denominator: int) -> int:
        return int(mp.ceil(factor * mp.log(mp.mpf(numerator) / denominator)))

    books = draw_list(random)
    holder = Holder(books)
    expected = ceiling(books.lmsr.b, sum(books.lmsr.weights), books.lmsr.weights[books.other])
    for _ in range(8):
        random.choice((holder.bet, holder.sell, holder.basket))(random)
        assert books.other_bound_kopecks == expected
        if random.random() < 0.5 and len(books.lmsr.additions) < 4:
            b = higher(random, books.lmsr.b)
            lmsr = books.lmsr
            price = Reference(Pool(lmsr.first_b, lmsr.weights, lmsr.q_yes, lmsr.q_no, lmsr.additions)).probability(
                books.other, Side.YES
            )
            expected += int(mp.ceil((b - lmsr.b) * mp.log(1 / price)))
            books.raise_to(b)
        else:
            percent = draw_percent(random)
            least = min(percent, 100 - percent)
            paid = books.paid
            assert books.split(percent) == max(0, expected + ceiling(books.lmsr.b, 100, least) - paid)
            expected += ceiling(books.lmsr.b, 100, 100 - percent)


def test_a_share_is_whole_hundredths_of_less_than_all() -> None:
    assert split_weights((3, 2, 5), other=2, percent=25) == (12, 8, 15, 5)
    for percent in (0, 100, -1):
        with pytest.raises(ValueError, match="hundredths"):
            split_weights((1, 1), other=1, percent=percent)


def test_shares_of_before_are_filled_in() -> None:
    assert filled_in((1, 2), other=1, outcomes=4) == (1, 2, 2, 2)
    lmsr = Lmsr.of(b=100, weights=(1, 1), q_yes=(5, 7), q_no=(2, 0), additions=(Addition(200, (3, 4), (1, 0)),))
    assert split(lmsr, other=1, percent=50).additions == (Addition(200, (3, 4, 4), (1, 0, 0)),)


@proves(
    "lists: A wrong λ gives chances away: at most b·ln(1/λ) more if the new one wins, b·ln(1/(1−λ)) if Other.",
)
@settings(max_examples=40, deadline=None)
@given(random=RANDOMS)
def test_a_wrong_share_gives_away_no_more_than_its_bound(random: Random) -> None:
    """Who knows the winner buys it right after the split: so much more than it, or Other, would have brought before."""
    books = draw_list(random)
    live(random, Holder(books), 5)
    before, other, percent = books.lmsr, books.other, draw_percent(random)
    after, new = split(before, other=other, percent=percent), len(before.q_yes)
    stake = log_uniform(random, 1, 10**6 * before.b)
    least = before.shares_bought(other, Side.YES, stake)
    for winner, part in ((new, percent), (other, 100 - percent)):
        more = after.shares_bought(winner, Side.YES, stake) - least
        assert more <= math.ceil(before.b * math.log(100 / part) * (1 + 1e-12)) + 1
