"""Random lives of lists: bets, sales, baskets, resting orders, splits, liquidity and voids, each priced twice.

Ours is a list that is split as it trades. The other is the pool of all its outcomes from the start (`whole_pool`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from foreknow.market.pools.liquidity import LiquidityStep, PastTrades, market_maker_at
from foreknow.money.pricing import (
    Lmsr,
    Side,
    SplitTerms,
    bundles,
    loss_bound_kopecks,
    other_bound_kopecks,
    prior_weights,
    split,
    split_subsidy_kopecks,
)
from foreknow.trading.book import Book, decide, sweep
from tests.money.pricing.bundle_cases import draw_stake
from tests.money.pricing.cases import LIMIT, SIDES, Pool, draw_amount, draw_levels, draw_prior, log_uniform
from tests.money.pricing.list_world import ListWorld
from tests.money.pricing.whole_pool import WholePool, whole_weights
from tests.trading.book.cases import arrival, draw_percent, resting
from tests.trading.book.life import answer, check_prices, expected, sweep_answer
from tests.trading.book.reference import LOT, Found, Incoming

OUTCOMES_MAX = 100
ADDED_MAX = 4
#: Most orders that rest at once, and moments that are kept for voids.
RESTING_MAX, MOMENTS_MAX = 10, 6
USERS = 4
#: A price so near to 0 or 1 takes the reference long, and is met often enough by quotes.
FAR = 1e-13
#: Floats are as exact as this.
NEAR = 1e-9


class Differs(AssertionError):
    """A list's number is not that of the pool of all outcomes, or the house could lose more than it paid."""


class Moment(NamedTuple):
    """What a void at a moment goes back to."""

    then: PastTrades
    whole: WholePool


class ListLife:
    """One list, from its publication on."""

    def __init__(self, random: Random) -> None:
        self.random = random
        known = random.choice((2, 2, 3, 3, 4, 6, log_uniform(random, 2, 60)))
        most = OUTCOMES_MAX - known
        count = most if random.random() < 0.02 else min(most, random.choice((1, 2, 3, 5, 8, random.randint(0, 20))))
        self.percents = [random.choice((1, 99, 50, 10, random.randint(1, 99))) for _ in range(count)]
        b = random.choice((100, 1000, 12_345, 100_000, log_uniform(random, 100, 10**9)))
        weights = prior_weights(draw_prior(random, known))
        nothing = (0,) * known
        self.lmsr = Lmsr.of(b=b, weights=weights, q_yes=nothing, q_no=nothing)
        shares = [Fraction(percent, 100) for percent in self.percents]
        whole = WholePool(b, whole_weights(weights, shares), known=known)
        self.other = known - 1
        self.world = ListWorld(Pool(b, weights, nothing, nothing), whole)
        self.book = Book(known)
        self.next_id = 1
        self.trades = 0
        self.splits: list[SplitTerms] = []
        self.counts = [known]
        #: Each liquidity with the pool of all outcomes as it was when it began.
        self.levels: list[tuple[int, WholePool]] = [(b, whole.copied())]
        self.other_bound = self._ceil(b, whole, whole.blocks[self.other])
        least = whole.least_likely()
        self.paid = loss_bound_kopecks(b=b, weights=weights)
        self.escrow = self.paid
        self.seen: Counter[str] = Counter()
        self.same(self.paid, self._ceil(b, whole, whole.blocks[least]), "published for")
        self.steps = [self._liquidity_step(self.paid)]
        self.moments = [self._moment()]

    @property
    def whole(self) -> WholePool:
        return self.world.whole

    @property
    def outcomes(self) -> range:
        return range(len(self.lmsr.q_yes))

    def live(self) -> None:
        """Let some operations happen; raises `Differs`."""
        left = len(self.percents)
        operations = self.random.choice((20, 60, 120)) + 2 * left
        for number in range(operations):
            if self.random.random() < left / (operations - number) * 0.9:
                self.split(self.percents[len(self.percents) - left])
                left -= 1
            else:
                self.random.choice(_KINDS)(self)
            self.seen["operations"] += 1
            self.check()
        self.attack()

    def order(self) -> None:
        """A bet, a sale or a limit order, which meets what rests."""
        order = self.draw_order()
        self.next_id += 1
        before = [replace(one) for one in self.world.orders]
        decision = decide(self.lmsr, self.book, arrival(order))
        found = self.world.arrive(order)
        self.same(answer(decision), expected(found), order)
        if found.over_limit:
            raise Differs(f"{order} is too large for this sweep")
        self.lmsr, self.book = decision.after, decision.book
        self.escrow += check_prices(before, order, found)
        self.trades += bool(found.shares)
        self.seen[order.kind] += 1
        self.seen["met"] += bool(found.met or found.swept)
        self.seen["on Other"] += order.outcome == self.other

    def stake(self) -> None:
        """A stake on a set, perhaps given another."""
        lmsr = self.lmsr
        chosen, given, kopecks = draw_stake(self.random, self.world.pool)
        if kopecks > 60 * lmsr.b:
            kopecks = self.amount()
        bundle = bundles.staked(lmsr, kopecks, outcomes=chosen, given=given)
        shares = self.whole.set_shares_bought(chosen, given, kopecks)
        right = dict.fromkeys(chosen, shares) | {} if shares else {}
        if shares and given is not None:
            right |= {outcome: kopecks for outcome in self.outcomes if outcome not in given}
        self.same(bundle.shares, right, "staked", chosen, given, kopecks)
        if right:
            self.follow(bundle.after, right, 1)
            self.escrow += kopecks
            self.sweep()
        self.seen["stakes"] += 1

    def change(self) -> None:
        """Purchases as one piece, then sales as another."""
        random = self.random
        size = random.choice((1, 2, 3, 5, len(self.outcomes)))
        chosen = random.sample(self.outcomes, min(size, len(self.outcomes)))
        if random.random() < 0.2:
            bought = dict.fromkeys(chosen, self.amount())
        else:
            bought = {outcome: self.amount() for outcome in chosen if random.random() < 0.6}
        if bought:
            purchase = bundles.bought(self.lmsr, bought)
            self.same(purchase.kopecks, -self.whole.bundle_payout_kopecks(bought), "bought", bought)
            self.follow(purchase.after, bought, 1)
            self.escrow += purchase.kopecks
        held = {one: self.world.held(one, Side.YES) for one in chosen if one not in bought}
        sold = {one: random.choice((most, random.randint(1, most))) for one, most in held.items() if most > 0}
        if sold:
            sale = bundles.sold(self.lmsr, sold)
            less = {outcome: -shares for outcome, shares in sold.items()}
            self.same(sale.kopecks, self.whole.bundle_payout_kopecks(less), "sold", sold)
            self.follow(sale.after, sold, -1)
            self.escrow -= sale.kopecks
        self.sweep()
        self.seen["changes"] += 1

    def quote(self) -> None:
        """What orders of any size would cost and bring, and what positions are worth."""
        random, lmsr, whole = self.random, self.lmsr, self.whole
        outcome, side = self.draw_side()
        amount = draw_amount(random, self.world.pool, outcome, LIMIT)
        percent = random.randint(1, 99)
        for kind in ("shares_bought", "sale_payout_kopecks", "cost_kopecks", "value_kopecks"):
            asked = (outcome, side, amount)
            self.same(getattr(lmsr, kind)(*asked), getattr(whole, kind)(*asked), kind, asked)
        level = (outcome, side, percent)
        self.same(lmsr.shares_to_percent(*level), whole.shares_to_price(*level), "shares to", level)
        if self.splits and len(self.outcomes) > 2:
            # A position of Other that waits to be turned.
            both = (self.other, self.outcomes[-1])
            self.same(lmsr.set_value_kopecks(both, amount), whole.set_value_kopecks(both, amount), "both", amount)
        self.seen["quotes"] += 1

    def cancel(self) -> None:
        """End some of what rests."""
        ended = [one for one in self.world.orders if self.random.random() < 0.3]
        self.book = self.book.without([resting(order) for order in ended])
        self.world.orders = [one for one in self.world.orders if one not in ended]
        self.seen["cancelled"] += 1

    def raise_liquidity(self) -> None:
        """Add liquidity at the present prices."""
        levels = draw_levels(self.random, self.lmsr.b, 1)
        if len(self.levels) > ADDED_MAX or not levels or levels[0] <= self.lmsr.b or levels[0] > 10**11:
            return
        b, lmsr, whole = levels[0], self.lmsr, self.whole
        added_b = b - lmsr.b
        subsidy = lmsr.subsidy_kopecks(b)
        self.same(subsidy, self._ceil(added_b, whole, whole.blocks[whole.least_likely()]), "raised to", b)
        self.other_bound += self._ceil(added_b, whole, whole.blocks[self.other])
        self.levels.append((added_b, whole.copied()))
        self.counts.append(len(self.outcomes))
        self.lmsr = lmsr.with_liquidity(b)
        whole.raise_to(b)
        self.world.pool = self.world.pool._replace(b=b)
        self.pay(subsidy)
        self.steps.append(self._liquidity_step(subsidy))
        self.sweep()
        self.seen["liquidity"] += 1
        self.check_bounds()

    def split(self, percent: int) -> None:
        """Take an outcome out of Other."""
        lmsr, mp = self.lmsr, self.whole.mp
        bound = other_bound_kopecks(lmsr, other=self.other, counts=self.counts, splits=self.splits)
        self.same(bound, self.other_bound, "the bound of Other")
        found = split_subsidy_kopecks(other_bound_kopecks=bound, b=lmsr.b, percent=percent, paid_kopecks=self.paid)
        more = int(mp.ceil(lmsr.b * mp.log(mp.mpf(100) / min(percent, 100 - percent))))
        self.same(found, max(0, self.other_bound + more - self.paid), "split for", percent)
        self.other_bound += int(mp.ceil(lmsr.b * mp.log(mp.mpf(100) / (100 - percent))))
        self.splits.append(SplitTerms(lmsr.b, percent))
        self.lmsr = split(lmsr, other=self.other, percent=percent)
        self.world.split()
        self.book = Book(len(self.outcomes), [resting(order) for order in self.world.orders])
        self.pay(found)
        self.seen["splits"] += 1
        self.check_prices()
        self.check_bounds()

    def void(self) -> None:
        """What a void pays now, and at a moment before, between or after splits."""
        self.moments.append(self._moment())
        if len(self.moments) > MOMENTS_MAX:
            self.moments.pop(self.random.randrange(MOMENTS_MAX))
        then, past = self.random.choice(self.moments)
        lmsr, whole = self.lmsr, past.copied()
        # The prices of then, by what the outcomes are called now.
        whole.blocks = self.whole.blocks
        paying = market_maker_at(
            then, b=lmsr.b, weights=lmsr.weights, q_yes=lmsr.q_yes, q_no=lmsr.q_no, steps=self.steps
        )
        owed = 0
        looked = set(self.random.sample(self.outcomes, min(4, len(self.outcomes)))) | {self.other, self.outcomes[-1]}
        for outcome in self.outcomes:
            for side, shares in zip(SIDES, lmsr.q(outcome), strict=True):
                paid = paying.value_kopecks(outcome, side, shares) if shares else 0
                if shares and outcome in looked:
                    right = whole.value_kopecks(outcome, side, shares)
                    self.same(paid, right, "a void of", then, outcome, side, shares)
                owed += paid
        if owed > self.escrow:
            raise Differs(f"a void of {then} takes {owed} of {self.escrow}: {lmsr!r}")
        self.seen["voids"] += 1
        self.seen["voids before a split"] += len(then.q_yes) < len(self.outcomes)

    def attack(self) -> None:
        """Someone who knows the winner takes all there is to win."""
        winner = self.random.choice((self.other, self.random.choice(self.outcomes), self.outcomes[-1]))
        kopecks = self.random.choice((20, 60, 200)) * self.lmsr.b
        shares = self.lmsr.shares_bought(winner, Side.YES, kopecks)
        self.same(shares, self.whole.shares_bought(winner, Side.YES, kopecks), "bought at last", winner, kopecks)
        self.world.move(winner, Side.YES, shares, buys=True)
        self.lmsr = self.lmsr.traded(winner, Side.YES, shares)
        self.escrow += kopecks
        self.seen["operations"] += 1
        self.check()

    def check(self) -> None:
        """After each operation: the same shares, a position of the same value, and all winners are covered."""
        pool, lmsr = self.world.pool, self.lmsr
        self.same((lmsr.q_yes, lmsr.q_no), (pool.q_yes, pool.q_no), "shares sold")
        outcome, side = self.draw_side()
        if self.random.random() < 0.5 and FAR < lmsr.probability(outcome) < 1 - FAR:
            shares = max(1, (pool.q_yes if side is Side.YES else pool.q_no)[outcome])
            worth = self.whole.value_kopecks(outcome, side, shares)
            self.same(lmsr.value_kopecks(outcome, side, shares), worth, "worth", outcome, side, shares)
        most = sum(pool.q_no) + max(pool.net_shares())
        if most > self.escrow:
            raise Differs(f"a winner takes {most} of {self.escrow}: {lmsr!r}")
        if self.random.random() < 0.05:
            self.check_prices()
        if len(self.world.orders) > RESTING_MAX:
            self.cancel()

    def check_prices(self) -> None:
        """Each price equals the one of the pool of all outcomes."""
        for found, right in zip(self.lmsr.probabilities(), self.whole.in_doubles(), strict=True):
            if abs(found - right) > NEAR * right:
                raise Differs(f"a price is {right}, not {found}: {self.lmsr!r}")

    def check_bounds(self) -> None:
        """The house has paid what it can lose at most, whichever outcome wins."""
        some = {self.other, self.outcomes[-1], self.whole.least_likely(), self.random.choice(self.outcomes)}
        for outcome in some:
            block = self.whole.blocks[outcome]
            lost = self.whole.mp.fsum(added_b * then.surprise(block) for added_b, then in self.levels)
            if lost > self.paid:
                raise Differs(f"the house may lose {lost} by {outcome} and paid {self.paid}: {self.lmsr!r}")

    def follow(self, after: Lmsr, shares: dict[int, int], sign: int) -> None:
        for outcome, count in shares.items():
            self.world.move(outcome, Side.YES, count, buys=sign > 0)
        self.lmsr = after
        self.trades += 1

    def sweep(self) -> None:
        """What rests takes what it can, on both."""
        if not self.world.orders:
            return
        before, found = [replace(one) for one in self.world.orders], Found()
        result = sweep(self.lmsr, self.book, after_outcome=None)
        self.world.sweep(None, found)
        self.same(sweep_answer(result), (found.swept, found.cancelled, found.finished), "swept")
        self.lmsr, self.book = result.after, result.book
        self.escrow += check_prices(before, None, found)
        self.trades += bool(found.swept)

    def pay(self, kopecks: int) -> None:
        self.paid += kopecks
        self.escrow += kopecks

    def draw_side(self) -> tuple[int, Side]:
        outcome = self.random.choice((self.other, self.outcomes[-1], *self.random.sample(self.outcomes, 2)))
        return outcome, Side.YES if outcome == self.other else self.random.choice(SIDES)

    def draw_order(self) -> Incoming:
        random = self.random
        outcome, side = self.draw_side()
        user, held = random.randrange(USERS), self.world.held(outcome, side)
        kind = random.choice(("bet", "bet", "bet", "sale", "sale", "limit", "limit"))
        if kind == "limit":
            lots = random.choice((1, 1, 2, 3, 10, max(1, self.amount() // LOT)))
            price = draw_percent(random, self.lmsr, outcome, side)
            sells = held >= LOT and random.random() < 0.4
            shares = LOT * (min(lots, held // LOT) if sells else lots)
            order_id = self.next_id if random.random() < 0.8 else None
            return Incoming("limit", user, outcome, side, not sells, shares, price, order_id)
        if kind == "sale" and held > 0:
            return Incoming("sale", user, outcome, side, buys=False, amount=random.choice((held, self.amount(held))))
        return Incoming("bet", user, outcome, side, buys=True, amount=self.amount())

    def amount(self, most: int | None = None) -> int:
        """Kopecks or shares: mostly up to some b, sometimes one whose price is (nearly) whole, seldom a lot."""
        random, b = self.random, self.lmsr.b
        kind = random.random()
        if kind < 0.75:
            amount = log_uniform(random, 1, 4 * b)
        elif kind < 0.97:
            amount = draw_amount(random, self.world.pool, random.choice(self.outcomes), 4 * b)
        else:
            amount = log_uniform(random, b, 40 * b)
        return amount if most is None else min(amount, most)

    def same(self, found: object, right: object, *asked: object) -> None:
        """Count a comparison; raise `Differs` unless both are equal."""
        self.seen["numbers"] += 1
        if found != right:
            raise Differs(f"{asked} is {right}, not {found}: {self.lmsr!r}, orders {self.world.orders}")

    def _moment(self) -> Moment:
        then = PastTrades(q_yes=self.lmsr.q_yes, q_no=self.lmsr.q_no, trades=self.trades)
        return Moment(then, self.whole.copied())

    def _liquidity_step(self, subsidy: int) -> LiquidityStep:
        lmsr = self.lmsr
        return LiquidityStep(
            at_ms=0,
            b=lmsr.b,
            subsidy_kopecks=subsidy,
            probabilities=lmsr.probabilities(),
            q_yes=lmsr.q_yes,
            q_no=lmsr.q_no,
            trades=self.trades,
        )

    @staticmethod
    def _ceil(b: int, whole: WholePool, block: tuple[int, ...]) -> int:
        return int(whole.mp.ceil(b * whole.surprise(block)))


_KINDS: tuple[Callable[[ListLife], Any], ...] = (
    *(ListLife.order,) * 10,
    *(ListLife.stake,) * 3,
    *(ListLife.change,) * 3,
    *(ListLife.quote,) * 2,
    ListLife.void,
    ListLife.void,
    ListLife.cancel,
    ListLife.raise_liquidity,
)
