"""Random lives of pools, with trades and additions of liquidity: `python -m tests.invariants.lives --lives 100000`.

A life ends as soon as the house could lose more than it paid. A seed names its lives for ever.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from random import Random

from foreknow.money.pricing import ADDITIONS_MAX, Lmsr, Side, loss_bound_kopecks, prior_weights, settlement_kopecks
from tests.invariants.exploit import payouts

SIDES = (Side.YES, Side.NO)
#: Kopecks that the house pays for raising a pool to this liquidity.
Subsidy = Callable[[Lmsr, int], int]


class HouseLost(AssertionError):
    """Escrow does not cover what the pool owes."""


class Life:
    """One pool, traders who own everything together, and what the house paid."""

    def __init__(self, random: Random, subsidy: Subsidy = Lmsr.subsidy_kopecks) -> None:
        self.random = random
        self.subsidy = subsidy
        markets = random.choice((1, 1, 2, 3, 3, 4, 12))
        prior = [random.uniform(0.001, 1) for _ in range(markets)]
        weights = prior_weights([min(0.999, prior[0])] if markets == 1 else prior)
        b = random.choice((100, 1000, 12_345, 10**6, 10**9))
        self.lmsr = Lmsr.of(b=b, weights=weights, q_yes=[0] * markets, q_no=[0] * markets)
        self.paid_kopecks = self.escrow_kopecks = loss_bound_kopecks(b=b, weights=weights)
        self.additions = 0

    def live(self) -> None:
        """Trade and add until the end; raises `HouseLost`."""
        for _ in range(self.random.randint(1, 16)):
            self._step()
            self._check_outcomes()
        self._check_voids()

    def _step(self) -> None:
        random, lmsr = self.random, self.lmsr
        if random.random() < 0.25 and self.additions < ADDITIONS_MAX:
            self._add(
                random.choice((lmsr.b + 1, lmsr.b * 3 // 2 + 1, lmsr.b * 100, lmsr.b + random.randint(1, lmsr.b)))
            )
            return
        outcome, side = random.randrange(len(lmsr.q_yes)), random.choice(SIDES)
        held = lmsr.q(outcome)[side is Side.NO]
        if held and random.random() < 0.5:
            sold = random.choice((1, held, random.randint(1, held)))
            self.escrow_kopecks -= lmsr.sale_payout_kopecks(outcome, side, sold)
            self.lmsr = lmsr.traded(outcome, side, -sold)
            return
        money = random.choice((1, random.randint(1, 9), random.randint(1, lmsr.b), random.randint(1, 30) * lmsr.b))
        self.lmsr = lmsr.traded(outcome, side, lmsr.shares_bought(outcome, side, money))
        self.escrow_kopecks += money

    def _add(self, b: int) -> None:
        subsidy = self.subsidy(self.lmsr, b)
        raised = self.lmsr.with_liquidity(b)
        if raised.probabilities() != self.lmsr.probabilities():
            raise AssertionError(f"{self.lmsr!r} does not keep its prices at {b}")
        self.lmsr = raised
        self.paid_kopecks += subsidy
        self.escrow_kopecks += subsidy
        self.additions += 1

    def _check_outcomes(self) -> None:
        """Whichever outcome wins, what is paid out is in escrow: the house loses at most what it paid."""
        holdings = tuple(shares for outcome in range(len(self.lmsr.q_yes)) for shares in self.lmsr.q(outcome))
        if self.escrow_kopecks < max(payouts(holdings)):
            raise HouseLost(f"{self.escrow_kopecks} for {self.lmsr!r}")

    def _check_voids(self) -> None:
        """So it is at the last prices, and at any payouts that sum to 1."""
        lmsr, random = self.lmsr, self.random
        owed = sum(
            lmsr.value_kopecks(outcome, side, shares)
            for outcome in range(len(lmsr.q_yes))
            for side, shares in zip(SIDES, lmsr.q(outcome), strict=True)
        )
        cuts = sorted(random.randint(0, 100) for _ in range(len(lmsr.weights) - 1))
        shares_of_1 = [Fraction(after - before, 100) for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
        split = sum(
            settlement_kopecks(shares=yes, payout=payout) + settlement_kopecks(shares=no, payout=1 - payout)
            for yes, no, payout in zip(lmsr.q_yes, lmsr.q_no, shares_of_1, strict=False)
        )
        if self.escrow_kopecks < max(owed, split):
            raise HouseLost(f"{self.escrow_kopecks} for a void of {self.lmsr!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    random = Random(wanted.seed)
    additions = lost = 0
    began = time.monotonic()
    for _ in range(wanted.lives):
        life = Life(random)
        try:
            life.live()
        except HouseLost as loss:
            lost += 1
            print(loss)
        additions += life.additions
    print(f"{wanted.lives:,} lives, {additions:,} additions, {lost} losses, {time.monotonic() - began:.0f} s")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
