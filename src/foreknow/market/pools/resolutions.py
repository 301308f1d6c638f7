"""Decisions on pools: who won, and what a share of each side is paid; a class for each kind of stored JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

from foreknow.market.pools.liquidity import PastTrades
from foreknow.money.pricing import Lmsr, Side, exact_fraction, settlement_kopecks

#: What or who gave a pool its result.
DecidedBy = Literal["rule", "creator", "admin"]
#: Why a person must give it: a rule gave none, or the person who resolves it is late.
Reason = Literal["no_price", "no_result", "no_single_winner", "overdue"]

#: `won_side`, in responses and rows, of a pool settled without a winner.
NO_WINNER = -1
#: What a pool with a shape names its winner by.
_NAMED_BY = ("value", "values")
_FULL, _NOTHING = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class SetPayouts:
    """A resolution that sets what a YES share of each outcome is paid: a winner, or payouts."""

    #: Its form and values in the request; a winner that was named by a value is a `won_side`.
    requested: Mapping[str, Any]
    #: 0 … 1, one for each outcome.
    payouts: tuple[Fraction, ...]
    #: The outcome that is paid all; None where several are paid.
    winner: int | None
    #: The `value` or `values` that the winner was named by; empty where it was not. The result is the same without.
    named_by: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def stored(self) -> Mapping[str, Any]:
        """As stored in `pools.resolution`."""
        return {**self.requested, **self.named_by}

    @property
    def pays(self) -> object:
        """What it pays, equal for results that pay the same."""
        return self.payouts

    @property
    def won_side(self) -> int:
        """The winner as responses and rows have it."""
        return NO_WINNER if self.winner is None else self.winner

    def shown_payouts(self) -> list[float]:
        """Return the payouts as responses show them."""
        return [float(payout) for payout in self.payouts]

    def paid_parts(self) -> tuple[float, ...]:
        """Return the same as notifications hold them."""
        return tuple(self.shown_payouts())

    def payout_kopecks(self, market_maker: Lmsr, outcome_index: int, side: Side, shares: int) -> int:
        """Return what shares are paid: floor(shares · payout)."""
        del market_maker
        payout = self.payouts[outcome_index]
        return settlement_kopecks(shares=shares, payout=payout if side is Side.YES else 1 - payout)

    def position_won_side(self, outcome_index: int) -> int | None:
        """Return `won_side` of a market's positions: 0 if YES won, 1 if NO won, None without a winner."""
        if self.winner is None:
            return None
        return 0 if self.payouts[outcome_index] == 1 else 1


@dataclass(frozen=True, slots=True)
class Void:
    """A resolution without a winner, which pays probabilities."""

    winner: ClassVar = None
    won_side: ClassVar = NO_WINNER

    requested: Mapping[str, Any]
    named_by: ClassVar[Mapping[str, Any]] = {}

    @property
    def stored(self) -> Mapping[str, Any]:
        """As stored in `pools.resolution`."""
        return self.requested

    @property
    def pays(self) -> object:
        """What it pays: the probabilities of its moment."""
        return self.requested

    def shown_payouts(self) -> None:
        """Return none: what is paid depends on the prices."""

    def paid_parts(self) -> None:
        """Likewise."""

    def payout_kopecks(self, market_maker: Lmsr, outcome_index: int, side: Side, shares: int) -> int:
        """Return what shares are paid: floor(shares · probability of `market_maker`)."""
        return market_maker.value_kopecks(outcome_index, side, shares)

    def position_won_side(self, outcome_index: int) -> None:
        """Return `won_side` of a market's positions: none."""


Resolution = SetPayouts | Void

VOID = Void({"void": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A pool's result, and when and by whom it was given."""

    resolution: Resolution
    at_ms: int
    #: None of pools that were resolved before this was noted.
    by: DecidedBy | None
    #: End of the dispute window; None for none.
    disputable_until_ms: int | None
    #: What the result was read from.
    evidence: dict[str, Any] | None = None
    void_at_ms: int | None = None
    #: What had been traded at `void_at_ms`; None for a void at the last prices.
    void_prices: PastTrades | None = None


def read_resolution(requested: Mapping[str, Any], *, outcomes: int) -> Resolution:
    """Return the resolution of a checked request, or of a row.

    `outcomes` counts the implicit one of a single-market pool.
    """
    if "won_side" in requested:
        winner = int(requested["won_side"])
        named_by = {name: value for name, value in requested.items() if name in _NAMED_BY}
        payouts = tuple(_FULL if index == winner else _NOTHING for index in range(outcomes))
        return SetPayouts({"won_side": requested["won_side"]}, payouts, winner, named_by)
    if "payouts" in requested:
        payouts = tuple(map(exact_fraction, requested["payouts"]))
        return SetPayouts(requested, payouts, payouts.index(Fraction(1)) if 1 in payouts else None)
    return Void(requested)
