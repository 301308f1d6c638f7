"""Pieces of a payment: how large they are, where the next begins, and which did nothing."""

from __future__ import annotations

import pytest

from foreknow.market.pools.store import load_pools
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects.payouts import PaymentProgress, next_positions
from foreknow.trading.effects.pieces import OrderPiece
from tests.support.kinds import ONCE
from tests.trading.settlement import world

YES, NO = Side.YES, Side.NO


@pytest.mark.parametrize(
    ("place", "has_begun"),
    [
        (PaymentProgress(), False),
        (PaymentProgress(turned_id=7), False),
        (PaymentProgress(after_id=7), True),
        (PaymentProgress(outcome_index=1), True),
    ],
)
def test_a_payment_has_begun_once_a_position_may_have_been_paid(place: PaymentProgress, *, has_begun: bool) -> None:
    assert place.has_begun is has_begun


def test_a_piece_is_empty_that_neither_ended_nor_paid_an_order() -> None:
    assert OrderPiece().is_empty
    assert not OrderPiece(ended=1).is_empty
    assert not OrderPiece(paid=1).is_empty


@ONCE
async def test_a_piece_of_a_payment_goes_on_from_outcome_to_outcome_and_is_no_larger_than_its_size(
    db: Database,
) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        pool = world.event(tx, creator, {"name": "Who?", "metadata": {"market_names": ["a", "b", "c"]}}).pools[0]
        traders = [world.person(tx, balance_kopecks=1_000) for _ in range(2)]
        for market in (pool.markets[0], pool.markets[2]):
            for trader in traders:
                world.bet(tx, trader, market.id, YES, stake_kopecks=100)
        row, pieces = load_pools(tx, [pool.id])[pool.id], []
        place: PaymentProgress | None = PaymentProgress()
        while place is not None:
            found, place = next_positions(tx, row, place, 3)
            pieces.append([(market.outcome_index, position.user_id) for market, position in found])
        held = [(outcome, trader.user_id) for outcome in (0, 2) for trader in traders]
        assert pieces == [held[:3], held[3:]]

    await world.tell(db, story)


@ONCE
@pytest.mark.parametrize("side", [YES, NO])
async def test_a_single_share_is_paid(db: Database, side: Side) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        trader = world.person(tx, balance_kopecks=1_000)
        pool = world.event(tx, creator, {"name": "Will it?"}).pools[0]
        assert world.bet(tx, trader, pool.markets[0].id, side, stake_kopecks=1) == 1
        found, place = next_positions(tx, load_pools(tx, [pool.id])[pool.id], PaymentProgress(), 3)
        assert ([position.shares for _, position in found], place) == ([1], None)

    await world.tell(db, story)
