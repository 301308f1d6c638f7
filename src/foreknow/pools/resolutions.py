"""Resolutions of pools: who won, and what a share of each side is paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from foreknow.pricing import Lmsr, Side, exact_fraction, settlement_kopecks

#: What gives a pool its result.
Kind = Literal["manual", "price", "external"]
#: What or who gave it.
DecidedBy = Literal["rule", "creator", "admin"]
#: Why a rule gave none.
Reason = Literal["no_price", "no_result", "no_single_winner"]

#: `won_side` of a pool settled without a winner.
NO_WINNER = -1


@dataclass(frozen=True, slots=True)
class Resolution:
    """A pool's resolution. `requested` is its form and values in the request, as stored in `pools.resolution`."""

    requested: Mapping[str, Any]
    won_side: int
    #: Payout of one YES share of each outcome, 0 … 1; None for a void, which pays probabilities.
    payouts: tuple[Fraction, ...] | None

    def payout_kopecks(self, market_maker: Lmsr, outcome_index: int, side: Side, shares: int) -> int:
        """Return the payout: floor(shares · payout), or for a void floor(shares · probability of `market_maker`)."""
        if self.payouts is None:
            return market_maker.value_kopecks(outcome_index, side, shares)
        payout = self.payouts[outcome_index]
        return settlement_kopecks(shares=shares, payout=payout if side is Side.YES else 1 - payout)

    def position_won_side(self, outcome_index: int) -> int | None:
        """Return `won_side` of a market's positions: 0 if YES won, 1 if NO won, None without a winner."""
        if self.won_side == NO_WINNER or self.payouts is None:
            return None
        return 0 if self.payouts[outcome_index] == 1 else 1


VOID = Resolution({"void": True}, NO_WINNER, None)


def read_resolution(requested: Mapping[str, Any], *, outcomes: int) -> Resolution:
    """Return the resolution of a checked request, or of a row.

    `outcomes` counts the implicit one of a single-market pool.
    """
    if "won_side" in requested:
        won_side = int(requested["won_side"])
        return Resolution(requested, won_side, tuple(Fraction(int(index == won_side)) for index in range(outcomes)))
    if "payouts" in requested:
        payouts = tuple(map(exact_fraction, requested["payouts"]))
        return Resolution(requested, payouts.index(Fraction(1)) if 1 in payouts else NO_WINNER, payouts)
    return Resolution(requested, NO_WINNER, None)
