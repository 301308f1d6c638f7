"""How bets, sales and settlements change a position."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.trading.positions.position import OpenPosition
from tests.support.proofs import proves

AMOUNT = st.integers(min_value=1, max_value=9 * 10**15)


def position() -> OpenPosition:
    """Return an empty position."""
    return OpenPosition(user_id=1, market_id=2, pool_id=3, event_id=4, side="YES", opened_at_ms=5)


@proves(
    "decisions: a bet adds its stake; selling x of n shares takes floor(cost · x / n) of it, the last sale or "
    "settlement takes the rest"
)
def test_a_sale_takes_its_share_of_the_cost_rounded_down_and_the_last_one_the_rest() -> None:
    held = position()
    held.buy(shares=3, stake_kopecks=10)

    assert held.sell(shares=1, payout_kopecks=4, at_ms=6) == 4 - 3
    left = (held.left_shares, held.left_cost_kopecks)
    assert (held.shares, held.cost_kopecks, *left, held.closed_at_ms) == (2, 7, 1, 3, None)
    assert held.sell(shares=2, payout_kopecks=5, at_ms=7) == 5 - 7
    assert (held.shares, held.cost_kopecks, held.left_shares, held.left_cost_kopecks) == (0, 0, 3, 10)
    assert (held.pnl_kopecks, held.closed_at_ms, held.won_side) == (-1, 7, None)
    assert (held.settled_shares, held.settled_kopecks) == (0, 0)


@proves("decisions: `amount` is all the shares that left it (sold and settled)")
def test_a_settlement_takes_everything_that_is_left() -> None:
    held = position()
    held.buy(shares=10, stake_kopecks=50)
    held.sell(shares=4, payout_kopecks=30, at_ms=6)

    assert held.settle(payout_kopecks=6, won_side=0, at_ms=8) == 6 - 30
    assert (held.shares, held.left_shares, held.settled_shares, held.settled_kopecks) == (0, 10, 6, 6)
    assert (held.pnl_kopecks, held.closed_at_ms, held.won_side) == (36 - 50, 8, 0)


@proves("decisions: `pnl` everything it earned less everything it cost, in kopecks")
@given(st.data())
def test_whatever_is_done_the_profit_adds_up(data: st.DataObject) -> None:
    held = position()
    spent = earned = bought = 0
    for _ in range(data.draw(st.integers(1, 6))):
        shares, stake = data.draw(AMOUNT), data.draw(AMOUNT)
        held.buy(shares=shares, stake_kopecks=stake)
        spent, bought = spent + stake, bought + shares
        if held.shares > 1 and data.draw(st.booleans()):
            sold, payout = data.draw(st.integers(1, held.shares - 1)), data.draw(AMOUNT)
            before = Fraction(held.cost_kopecks, held.shares)
            pnl = held.sell(shares=sold, payout_kopecks=payout, at_ms=6)
            earned += payout
            assert payout - pnl == int(before * sold)
    payout = data.draw(st.integers(0, 10**15))
    held.settle(payout_kopecks=payout, won_side=None, at_ms=7)

    assert held.pnl_kopecks == earned + payout - spent
    assert (held.left_cost_kopecks, held.left_shares, held.cost_kopecks) == (spent, bought, 0)


@pytest.mark.parametrize("shares", [0, 3])
def test_no_more_than_is_held_can_be_sold(shares: int) -> None:
    held = position()
    held.buy(shares=2, stake_kopecks=2)

    with pytest.raises(AssertionError):
        held.sell(shares=shares, payout_kopecks=1, at_ms=6)
