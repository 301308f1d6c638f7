"""The pool of all outcomes that a list will ever have, from the start: it is never split, whatever becomes of the list.

Other's purchases there are baskets of Other and of all that is still to come out of it. So what a list quotes is
compared with what never heard of splits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

from foreknow.money.pricing import Side
from tests.money.pricing.cases import Pool
from tests.money.pricing.reference import FEW, Reference, Terms


def whole_weights(weights: Sequence[int], shares: Sequence[Fraction]) -> list[int]:
    """Return the weights of all outcomes, of which all after `weights` leave the last of these, each with its share."""
    *named, left = map(Fraction, weights)
    later = []
    for share in shares:
        later.append(left * share)
        left -= later[-1]
    found = [*named, left, *later]
    parts = math.lcm(*(weight.denominator for weight in found))
    return [int(weight * parts) for weight in found]


class WholePool(Reference):
    """Its prices, and what each outcome that is known so far is there; outcomes are the known ones everywhere."""

    def __init__(self, b: int, weights: Sequence[int], *, known: int) -> None:
        """Begin without trades; the last of the `known` outcomes is Other."""
        nothing = (0,) * len(weights)
        super().__init__(Pool(b, tuple(weights), nothing, nothing))
        self.other = known - 1
        self.blocks: list[tuple[int, ...]] = [(outcome,) for outcome in range(known)]
        self.blocks[self.other] = (self.other, *range(known, len(weights)))
        self._weights = self.terms.copy()
        self._whole: Any = None

    @property
    def whole(self) -> Any:
        """The sum of all terms."""
        if self._whole is None:
            self._whole = self.mp.fsum(self.terms)
        return self._whole

    def copied(self) -> WholePool:
        """Return the pool as it stands."""
        found = copy(self)
        found.exponents, found.terms, found.blocks = self.exponents.copy(), self.terms.copy(), self.blocks.copy()
        return found

    def name_next(self) -> None:
        """Let the next outcome be known: it was part of Other."""
        new, *later = self.blocks[self.other][1:]
        self.blocks[self.other] = (self.other, *later)
        self.blocks.append((new,))

    def raise_to(self, b: int) -> None:
        """Let later shares count at another liquidity."""
        self.b = b

    def move(self, outcome: int, side: Side, shares: int) -> None:
        """Sell shares to traders, or with `shares` below 0 buy them back."""
        block = self.blocks[outcome]
        assert side is Side.YES or len(block) == 1, "NO of Other is never traded"
        # What is still one block has one exponent.
        exponent = self.exponents[outcome] + Fraction(shares if side is Side.YES else -shares, self.b)
        power = self.mp.exp(self._number(exponent))
        for one in block:
            self.exponents[one], self.terms[one] = exponent, self._weights[one] * power
        self._whole = None

    def in_doubles(self) -> list[float]:
        """Return the probability of each known outcome."""
        return [float(self._sum(block) / self.whole) for block in self.blocks]

    def set_shares_bought(self, outcomes: frozenset[int], given: frozenset[int] | None, money: int) -> int:
        """See `Reference`."""
        return super().set_shares_bought(self._all_of(outcomes), None if given is None else self._all_of(given), money)

    def bundle_payout_kopecks(self, changes: Mapping[int, int]) -> int:
        """See `Reference`."""
        return super().bundle_payout_kopecks({one: n for outcome, n in changes.items() for one in self.blocks[outcome]})

    def set_value_kopecks(self, outcomes: Collection[int], shares: int) -> int:
        """Return the floor of what shares of each of several outcomes are worth together."""
        own = self._all_of(outcomes)
        others = frozenset(range(len(self.terms))) - own
        part, rest = self._sum(own), self._sum(others)
        A, B = self._pairs(own), self._pairs(others)
        return self._floor(shares * (part / (part + rest)), lambda k: [(A, shares - k, 0), (B, -k, 0)])

    def least_likely(self) -> int:
        """Return a known outcome with the smallest probability."""
        return min(range(len(self.blocks)), key=lambda outcome: self._sum(self.blocks[outcome]))

    def surprise(self, block: Collection[int]) -> Any:
        """Return ln(1/p) of some outcomes of all, as they are counted here."""
        own, others = self._own_and_others(block)
        return self.mp.log1p(others / own)

    def _sum(self, outcomes: Iterable[int]) -> Any:
        first, *more = [self.terms[one] for one in outcomes]
        return self.mp.fsum([first, *more]) if more else first

    def _all_of(self, outcomes: Iterable[int]) -> frozenset[int]:
        return frozenset(one for outcome in outcomes for one in self.blocks[outcome])

    def _groups(self, outcome: int, side: Side) -> tuple[Any, Any]:
        own, others = self._own_and_others(self.blocks[outcome])
        return (own, others) if side is Side.YES else (others, own)

    def _own_and_others(self, block: Collection[int]) -> tuple[Any, Any]:
        """Return what some outcomes of all weigh, and what the others do."""
        own = self._sum(block)
        others = self.whole - own
        if others < self.whole * FEW:
            # The difference would have lost digits.
            others = self._sum(one for one in range(len(self.terms)) if one not in block)
        return own, others

    def _exponents(self, outcome: int, side: Side) -> tuple[Terms, Terms]:
        block = frozenset(self.blocks[outcome])
        own, others = self._pairs(block), self._pairs(frozenset(range(len(self.terms))) - block)
        return (own, others) if side is Side.YES else (others, own)
