"""Traders who own everything together: what they hold, what they paid, and what the pool keeps."""

from __future__ import annotations

from random import Random

import mpmath

from foreknow.money.pricing import Lmsr, Side, loss_bound_kopecks, prior_weights
from tests.invariants.exploit import Rules, payouts

#: What 50 digits leave uncertain of a surplus; nothing gained or lost by rounding to whole kopecks is that small.
DUST = mpmath.mpf(10) ** -35


class Crowd:
    """Traders who own everything together and trade at random in one pool."""

    def __init__(self, random: Random, rules: Rules, *, markets: int, b: int) -> None:
        self.random = random
        self.rules = rules
        weights = prior_weights([0.5] if markets == 1 else [1 / markets] * markets)
        self.lmsr = Lmsr.of(b=b, weights=weights, q_yes=[0] * markets, q_no=[0] * markets)
        self.escrow = self.bound = loss_bound_kopecks(b=b, weights=weights)

    def trade(self) -> None:
        lmsr, random = self.lmsr, self.random
        outcome = random.randrange(len(lmsr.q_yes))
        side = random.choice((Side.YES, Side.NO))
        held = lmsr.q(outcome)[side is Side.NO]
        if held and random.random() < 0.5:
            self.sell(outcome, side, random.choice((1, held, random.randint(1, held))))
            return
        money = random.choice((1, random.randint(1, 9), random.randint(1, lmsr.b), 30 * lmsr.b))
        shares = self.rules.buy(lmsr, outcome, side, money)
        self.lmsr = lmsr.traded(outcome, side, shares)
        self.escrow += money

    def sell(self, outcome: int, side: Side, shares: int) -> None:
        self.escrow -= self.rules.sell(self.lmsr, outcome, side, shares)
        self.lmsr = self.lmsr.traded(outcome, side, -shares)

    def go_home(self) -> None:
        """Sell everything, each holding at once, in random order."""
        holdings = [
            (outcome, side, shares)
            for outcome in range(len(self.lmsr.q_yes))
            for side, shares in zip((Side.YES, Side.NO), self.lmsr.q(outcome), strict=True)
            if shares
        ]
        self.random.shuffle(holdings)
        for outcome, side, shares in holdings:
            self.sell(outcome, side, shares)

    def worst_and_best(self) -> tuple[int, int]:
        """What all shares together earn at least and at most."""
        holdings = [shares for outcome in range(len(self.lmsr.q_yes)) for shares in self.lmsr.q(outcome)]
        worths = payouts(tuple(holdings))
        return min(worths), max(worths)

    def surplus(self) -> mpmath.mpf:
        """By how much all that was paid in exceeds C(q) − C(0), the exact price of all that was sold; to 50 digits."""
        lmsr = self.lmsr
        with mpmath.workdps(50):
            gaps = [yes - no for yes, no in zip(lmsr.q_yes, lmsr.q_no, strict=True)]
            gaps += [0] * (len(lmsr.weights) - len(gaps))
            masses = [
                weight * mpmath.exp(mpmath.mpf(gap) / lmsr.b) for weight, gap in zip(lmsr.weights, gaps, strict=True)
            ]
            cost = sum(lmsr.q_no) + lmsr.b * mpmath.log(mpmath.fsum(masses) / sum(lmsr.weights))
            return self.escrow - self.bound - cost

    def void(self) -> int:
        """What a void would pay, in kopecks."""
        lmsr = self.lmsr
        return sum(
            lmsr.value_kopecks(outcome, side, shares)
            for outcome in range(len(lmsr.q_yes))
            for side, shares in zip((Side.YES, Side.NO), lmsr.q(outcome), strict=True)
        )
