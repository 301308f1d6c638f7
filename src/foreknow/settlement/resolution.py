"""The resolution of a pool, and the payout of one share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import BadRequest
from foreknow.pools.store import PoolRow
from foreknow.pricing import Lmsr, Side, exact_fraction, settlement_kopecks
from foreknow.validation.fields import wrong_field

#: `won_side` of a pool settled without a winner.
NO_WINNER = -1


_WonSide = Annotated[
    int,
    Meta(ge=0, description="Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO.", examples=[0]),
]
_Payouts = Annotated[
    list[Annotated[float, Meta(ge=0, le=1)]],
    Meta(
        min_length=2,
        max_length=100,
        description="What a YES share of each outcome pays, 0 … 1, together exactly 1.",
        examples=[[1, 0]],
    ),
]
_Void = Annotated[
    bool,
    Meta(
        description="Pay every share its market's last probability.",
        examples=[True],
        extra_json_schema={"const": True},
    ),
]


class ResolveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exactly one of the three. `payouts`: one per outcome, [yes, no] in a single-market pool, summing to exactly 1."""

    won_side: _WonSide | None = None
    payouts: _Payouts | None = None
    void: _Void | None = None


def _only(name: str, **schema: Any) -> dict[str, Any]:
    return {"required": [name], "properties": {name: schema}}


#: `ResolveBody` with the rule that JSON Schema cannot express in its fields: exactly one of them is given.
ResolveRequest = Annotated[
    ResolveBody,
    Meta(
        examples=[{"won_side": 0}],
        extra_json_schema={
            "oneOf": [_only("won_side", type="integer"), _only("payouts", type="array"), _only("void", const=True)]
        },
    ),
]


@dataclass(frozen=True, slots=True)
class Resolution:
    """A pool's resolution. `requested` is its form and values in the request."""

    requested: dict[str, Any]
    won_side: int
    #: Payout of one YES share of each market, 0 … 1; None for a void, which pays the last probability.
    yes_payouts: tuple[Fraction, ...] | None

    def payout_kopecks(self, market_maker: Lmsr, outcome_index: int, side: Side, shares: int) -> int:
        """Return the payout: floor(shares · payout), or for a void floor(shares · probability)."""
        if self.yes_payouts is None:
            return market_maker.value_kopecks(outcome_index, side, shares)
        payout = self.yes_payouts[outcome_index]
        return settlement_kopecks(shares=shares, payout=payout if side is Side.YES else 1 - payout)

    def position_won_side(self, outcome_index: int) -> int | None:
        """Return `won_side` of a market's positions: 0 if YES won, 1 if NO won, None without a winner."""
        if self.won_side == NO_WINNER or self.yes_payouts is None:
            return None
        return 0 if self.yes_payouts[outcome_index] == 1 else 1


VOID = Resolution({"void": True}, NO_WINNER, None)


def check(body: ResolveBody) -> None:
    """Raise `BadRequest` for what is wrong with any pool."""
    given = [value for value in (body.won_side, body.payouts, body.void) if value is not None]
    if len(given) != 1:
        raise BadRequest("Send exactly one of won_side, payouts and void.")
    if body.void is False:
        raise wrong_field("void", "must be true")
    if body.payouts is not None and sum(map(exact_fraction, body.payouts), start=Fraction(0)) != 1:
        raise wrong_field("payouts", "must sum to exactly 1")


def resolution_for(pool: PoolRow, body: ResolveBody) -> Resolution:
    """Return the resolution of this pool from a checked body; `BadRequest` if the pool has not that many outcomes."""
    if body.void:
        return VOID
    # One weight per outcome: a single-market pool has two, YES and NO.
    outcomes = len(pool.weights)
    if body.payouts is not None:
        if len(body.payouts) != outcomes:
            raise wrong_field("payouts", f"must have {outcomes} numbers, one per outcome")
        payouts = tuple(map(exact_fraction, body.payouts))
        won_side = payouts.index(Fraction(1)) if Fraction(1) in payouts else NO_WINNER
        return Resolution({"payouts": body.payouts}, won_side, payouts[: len(pool.markets)])
    assert body.won_side is not None
    if body.won_side >= outcomes:
        raise wrong_field("won_side", f"must be between 0 and {outcomes - 1}")
    payouts = tuple(Fraction(int(index == body.won_side)) for index in range(outcomes))
    return Resolution({"won_side": body.won_side}, body.won_side, payouts[: len(pool.markets)])
