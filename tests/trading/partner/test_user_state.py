"""A partner's view of a user, below HTTP."""

from __future__ import annotations

import pytest

from foreknow.market.markets.tables import markets
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.partner import service
from foreknow.trading.partner.schemas import PartnerPosition
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition
from tests.support.book import Book
from tests.support.rows import PoolIds, insert_pool
from tests.trading.partner.made import make_partner, make_user

#: (outcome, side, shares, cost)
Held = tuple[int, str, int, int]


def hold(tx: WriteTx, user_id: int, pool: PoolIds, held: list[Held]) -> None:
    """Give a user open positions as the pool's only holder."""
    opened = [
        OpenPosition(
            user_id=user_id,
            market_id=pool.market_ids[outcome],
            pool_id=pool.pool_id,
            event_id=pool.event_id,
            side=side,
            shares=shares,
            cost_kopecks=cost_kopecks,
            opened_at_ms=0,
        )
        for outcome, side, shares, cost_kopecks in held
    ]
    positions.write(tx, opened)
    for outcome, side, shares, _ in held:
        market = markets.c.id == pool.market_ids[outcome]
        column = markets.c.q_yes if side == "YES" else markets.c.q_no
        tx.execute(markets.update().where(market).values({column: column + shares}))


async def test_who_never_bet_does_not_exist(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = make_partner(tx), make_partner(tx, "Other", float_kopecks=5)
        make_user(tx, other, "u", balance_kopecks=5)
        state = service.user_state(tx, partner_id=acme.row.id, external_user_id="u", now_ms=0)
        assert (state.external_user_id, state.exists, state.user_id) == ("u", False, None)
        assert (state.balance_kopecks, state.open_positions_kopecks, state.positions) == (0, 0, [])

    await db.write(work)


@pytest.mark.parametrize("outcomes", [1, 3])
async def test_positions_are_valued_at_the_present_price(db: Database, outcomes: int) -> None:
    held: list[Held] = [(0, "YES", 40_000, 22_222), (outcomes - 1, "NO", 30_001, 10_000)]
    book = Book(b=100_000, probabilities=[1 / 3] * 3 if outcomes == 3 else [0.5])
    for outcome, side, shares, _ in held:
        book._add(outcome, side, shares)
    worth = [book.worth(outcome, side, shares) for outcome, side, shares, _ in held]

    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=9)
        user = make_user(tx, acme, "u", balance_kopecks=9)
        pool = insert_pool(tx, names=[f"Outcome {index}" for index in range(outcomes)])
        hold(tx, user.user_id, pool, held)
        state = service.user_state(tx, partner_id=acme.row.id, external_user_id="u", now_ms=0)
        assert (state.exists, state.user_id, state.balance_kopecks) == (True, user.user_id, 9)
        assert state.positions == [
            PartnerPosition(pool.market_ids[0], "yes", 40_000, 0, 5556, worth[0], None),
            PartnerPosition(pool.market_ids[-1], "no", 30_001, 0, 3333, worth[1], None),
        ]
        assert state.open_positions_kopecks == sum(worth)

    await db.write(work)


async def test_closed_positions_and_others_positions_are_not_shown(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx)
        user, other = make_user(tx, acme, "u"), make_user(tx, acme, "other")
        pool = insert_pool(tx)
        hold(tx, other.user_id, pool, [(0, "YES", 10, 5)])
        hold(tx, user.user_id, pool, [(1, "YES", 10, 5)])
        (sold,) = positions.load_open(tx, [(user.user_id, pool.market_ids[1], "YES")]).values()
        sold.sell(shares=10, payout_kopecks=4, at_ms=1)
        positions.write(tx, [sold])
        state = service.user_state(tx, partner_id=acme.row.id, external_user_id="u", now_ms=0)
        assert (state.exists, state.positions) == (True, [])

    await db.write(work)
