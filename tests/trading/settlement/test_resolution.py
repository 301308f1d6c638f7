"""Resolutions of a pool, and the payout of one share."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type
from foreknow.market.pools.resolutions import VOID, Resolution
from foreknow.money.pricing import Side
from foreknow.trading.settlement.resolve_body import ResolveBody, check, resolution_for
from tests.market.pools.made import pool_row

YES, NO = Side.YES, Side.NO


def decide(body: dict[str, Any], *, outcomes: int) -> Resolution:
    asked = to_type(body, ResolveBody)
    check(asked)
    return resolution_for(asked, outcomes=max(2, outcomes))


def paid(resolution: Resolution, *, outcomes: int, shares: int = 100) -> list[tuple[int, int]]:
    """Return the payout of this many YES and NO shares of each market."""
    market_maker = pool_row(outcomes).lmsr()
    return [
        (
            resolution.payout_kopecks(market_maker, i, YES, shares),
            resolution.payout_kopecks(market_maker, i, NO, shares),
        )
        for i in range(outcomes)
    ]


def position_sides(resolution: Resolution, *, outcomes: int) -> list[int | None]:
    return [resolution.position_won_side(i) for i in range(outcomes)]


def test_the_winner_pays_all() -> None:
    resolution = decide({"won_side": 1}, outcomes=3)
    assert resolution.won_side == 1
    assert paid(resolution, outcomes=3) == [(0, 100), (100, 0), (0, 100)]
    assert position_sides(resolution, outcomes=3) == [1, 0, 1]


@pytest.mark.parametrize(("side", "yes_no"), [(0, (100, 0)), (1, (0, 100))])
def test_a_single_market_is_won_by_yes_or_no(side: int, yes_no: tuple[int, int]) -> None:
    resolution = decide({"won_side": side}, outcomes=1)
    assert resolution.won_side == side
    assert paid(resolution, outcomes=1) == [yes_no]
    assert position_sides(resolution, outcomes=1) == [side]


def test_an_outcome_that_is_paid_all_has_won() -> None:
    resolution = decide({"payouts": [0, 1, 0]}, outcomes=3)
    assert resolution.won_side == 1
    assert position_sides(resolution, outcomes=3) == [1, 0, 1]
    single = decide({"payouts": [0.0, 1.0]}, outcomes=1)
    assert single.won_side == 1
    assert position_sides(single, outcomes=1) == [1]


def test_several_that_are_paid_leave_no_winner() -> None:
    resolution = decide({"payouts": [0.29, 0.71, 0]}, outcomes=3)
    assert resolution.won_side == -1
    assert paid(resolution, outcomes=3) == [(29, 71), (71, 29), (0, 100)]
    assert position_sides(resolution, outcomes=3) == [None, None, None]


def test_payouts_are_rounded_down_against_the_trader() -> None:
    assert paid(decide({"payouts": [0.335, 0.665]}, outcomes=1), outcomes=1, shares=3) == [(1, 1)]


def test_a_void_pays_the_last_probability_rounded_down() -> None:
    resolution = decide({"void": True}, outcomes=3)
    assert resolution == VOID
    assert resolution.won_side == -1
    assert paid(resolution, outcomes=3) == [(33, 66)] * 3
    assert position_sides(resolution, outcomes=3) == [None] * 3


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"won_side": 0, "void": True},
        {"won_side": 0, "payouts": [1, 0]},
        {"void": False},
        {"void": False, "won_side": 0},
        {"void": 1},
        {"won_side": -1},
        {"won_side": 2},
        {"won_side": True},
        {"won_side": 0.0},
        {"payouts": [1]},
        {"payouts": []},
        {"payouts": [0.5, 0.5, 0]},
        {"payouts": [0.5, 0.49]},
        {"payouts": [0.1, 0.8999999999999999]},
        {"payouts": [1.5, -0.5]},
        {"payouts": [True, False]},
        {"payouts": [None, 1]},
        {"payouts": ["1", "0"]},
        {"won_side": 0, "winner": 0},
    ],
)
def test_what_is_no_resolution_of_a_yes_no_question_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        decide(body, outcomes=1)


def test_payouts_are_decimals_that_sum_to_exactly_one() -> None:
    assert 0.7 + 0.2 + 0.1 != 1
    assert paid(decide({"payouts": [0.7, 0.2, 0.1]}, outcomes=3), outcomes=3)[0] == (70, 30)
    thirds = [1 / 3, 2 / 3]
    assert sum(thirds) == 1
    with pytest.raises(BadRequest):
        decide({"payouts": thirds}, outcomes=2)


def test_null_means_left_out() -> None:
    assert decide({"won_side": 0, "payouts": None, "void": None}, outcomes=2).won_side == 0
