"""Settlement pays every position exactly, once, and leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError
from foreknow.kernel.settings import Settings
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.market.charts import pnl_chart
from foreknow.market.pools.schemas import Pool
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.money import statements, stats
from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, account_ids, house_account
from foreknow.money.ledger.tables import transfers
from foreknow.money.pricing import Side
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kinds import Sell
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement import service
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.web.responses import Empty
from tests.support.kinds import ONCE
from tests.trading.settlement import world

YES, NO = Side.YES, Side.NO
THREE = {"name": "Who?", "metadata": {"market_names": ["Ada", "Bob", "Cid"]}}


def resolve(tx: WriteTx, pool: Pool, caller: UserCaller, **body: Any) -> None:
    world.pay(tx, service.resolve(tx, pool.id, ResolveBody(**body), caller))


def stored_won_sides(tx: ReadTx, *some: Pool) -> list[int | None]:
    query = sa.select(pools.c.won_side).where(pools.c.id.in_([pool.id for pool in some])).order_by(pools.c.id)
    return list(tx.execute(query).scalars())


def void(tx: WriteTx, event_id: int, caller: UserCaller) -> None:
    for pool in load_pools(tx, service.void_event(tx, event_id, caller)).values():
        world.pay(tx, pool)


def closed_positions(tx: ReadTx, pool: Pool) -> list[sa.RowMapping]:
    query = sa.select(positions).where(positions.c.pool_id == pool.id).order_by(positions.c.id)
    rows = list(tx.execute(query).mappings())
    assert all(row["closed_at_ms"] is not None and row["shares"] == row["cost_kopecks"] == 0 for row in rows)
    return rows


async def test_the_winner_is_paid_one_kopeck_a_share_and_the_house_gets_the_rest(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        ada, bob = world.person(tx, balance_kopecks=10_000), world.person(tx, balance_kopecks=10_000)
        (pool,) = world.event(tx, creator, {"margin": 0.07}).pools
        market_id = pool.markets[0].id
        won = world.bet(tx, ada, market_id, YES, stake_kopecks=1_000)
        lost = world.bet(tx, bob, market_id, NO, stake_kopecks=2_000)
        house_before = world.house(tx)
        escrow = world.of_pool(tx, AccountKind.ESCROW, pool.id)
        assert escrow >= max(won, lost)

        resolve(tx, pool, creator, won_side=0)

        assert world.balance(tx, ada) == 9_000 + won
        assert world.balance(tx, bob) == 8_000
        assert world.of_pool(tx, AccountKind.ESCROW, pool.id) == 0
        assert world.of_pool(tx, AccountKind.FEES, pool.id) == 70 + 140
        assert world.house(tx) == house_before + escrow - won
        assert world.all_money(tx) == 0
        days = stats.daily_stats(tx)
        assert sum(day.settlement_result_kopecks for day in days) == world.house(tx) + 20_000
        assert sum(day.open_interest_change_kopecks for day in days) == 0
        of_ada, of_bob = closed_positions(tx, pool)
        assert (of_ada["left_shares"], of_ada["left_cost_kopecks"], of_ada["pnl_kopecks"]) == (won, 1_000, won - 1_000)
        assert (of_ada["settled_shares"], of_ada["settled_kopecks"], of_ada["won_side"]) == (won, won, 0)
        assert (of_bob["left_shares"], of_bob["settled_kopecks"], of_bob["pnl_kopecks"]) == (lost, 0, -2_000)
        assert of_bob["won_side"] == 0

    await world.tell(db, story)


@pytest.mark.parametrize(
    ("body", "yes_pays", "sides"),
    [
        ({"won_side": 1}, (0.0, 1.0, 0.0), (1, 0, 1)),
        ({"payouts": [0.29, 0.71, 0.0]}, (0.29, 0.71, 0.0), (None, None, None)),
    ],
)
async def test_every_side_of_every_market_is_paid_its_share(
    db: Database, body: dict[str, Any], yes_pays: tuple[float, ...], sides: tuple[int | None, ...]
) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator, THREE).pools
        held = []
        for market in pool.markets:
            for side in (YES, NO):
                trader = world.person(tx, balance_kopecks=5_000)
                shares = world.bet(tx, trader, market.id, side, stake_kopecks=5_000)
                held.append((trader, market.outcome_index, side, shares))
        resolve(tx, pool, creator, **body)
        for trader, outcome, side, shares in held:
            hundredths = round(100 * yes_pays[outcome])
            expected = shares * (hundredths if side is YES else 100 - hundredths) // 100
            assert world.balance(tx, trader) == expected
        assert [row["won_side"] for row in closed_positions(tx, pool)] == [side for side in sides for _ in range(2)]
        assert world.of_pool(tx, AccountKind.ESCROW, pool.id) == 0
        assert world.all_money(tx) == 0

    await world.tell(db, story)


async def test_a_void_pays_the_last_probability(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator, THREE).pools
        trader = world.person(tx, balance_kopecks=100_000)
        yes = world.bet(tx, trader, pool.markets[0].id, YES, stake_kopecks=50_000)
        no = world.bet(tx, trader, pool.markets[2].id, NO, stake_kopecks=50_000)
        market_maker = load_pools(tx, [pool.id])[pool.id].lmsr()
        expected = market_maker.value_kopecks(0, YES, yes) + market_maker.value_kopecks(2, NO, no)
        assert market_maker.probability(0) > 0.5
        resolve(tx, pool, creator, void=True)
        assert world.balance(tx, trader) == expected
        assert {row["won_side"] for row in closed_positions(tx, pool)} == {None}
        assert load_pools(tx, [pool.id])[pool.id].lmsr().probabilities() == market_maker.probabilities()

    await world.tell(db, story)


async def test_a_position_sold_in_part_is_paid_for_what_is_left(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        trader = world.person(tx, balance_kopecks=1_001)
        (pool,) = world.event(tx, creator).pools
        bought = world.bet(tx, trader, pool.markets[0].id, YES, stake_kopecks=1_001)
        order = Sell(
            caller=trader,
            market_id=pool.markets[0].id,
            side=YES,
            shares=1_000,
            idempotency_key=None,
            receipt=lambda _fill: Empty(),
        )
        Batch([order], IdCache(), LiveSettings(Settings())).run(tx)
        payout = world.balance(tx, trader)
        resolve(tx, pool, creator, won_side=0)
        (position,) = closed_positions(tx, pool)
        assert position["left_shares"] == bought
        assert position["left_cost_kopecks"] == 1_001
        assert position["settled_shares"] == position["settled_kopecks"] == bought - 1_000
        assert position["pnl_kopecks"] == payout + bought - 1_000 - 1_001
        points = pnl_chart(tx, trader.user_id)
        assert len(points) == 2
        assert points[-1].pnl_kopecks == position["pnl_kopecks"]

    await world.tell(db, story)


async def test_a_partners_statement_shows_every_settled_position_losers_too(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        acme = world.partner(tx, float_kopecks=10_000)
        (pool,) = world.event(tx, creator).pools
        market_id = pool.markets[0].id
        won = world.bet(tx, acme, market_id, YES, stake_kopecks=500, external_user_id="winner")
        world.bet(tx, acme, market_id, NO, stake_kopecks=700, external_user_id="loser")
        world.bet(tx, world.person(tx, balance_kopecks=300), market_id, YES, stake_kopecks=300)
        resolve(tx, pool, creator, won_side=0)
        rows = statements.page(tx, partner_id=acme.partner_id, before_id=None, limit=100)
        settled = {row.external_user_id: row for row in rows if row.type == "settlement"}
        assert {name: row.balance_change_kopecks for name, row in settled.items()} == {"winner": won, "loser": 0}
        assert all(row.float_change_kopecks == 0 and row.market_id == market_id for row in settled.values())
        assert statements.users_balances_kopecks(tx, [acme.partner_id]) == {acme.partner_id: won}
        winner = tx.execute(sa.select(users.c.account_id).where(users.c.external_user_id == "winner")).scalar_one()
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([winner])
        assert ledger_tx.balance_kopecks(winner) == won

    await world.tell(db, story)


async def test_a_settlement_is_paid_even_over_the_limit_of_a_balance(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        trader = world.person(tx, balance_kopecks=1_000)
        (pool,) = world.event(tx, creator).pools
        shares = world.bet(tx, trader, pool.markets[0].id, YES, stake_kopecks=1_000)
        account_id = account_ids(tx, kind=AccountKind.USER, owner_ids=[trader.user_id])[trader.user_id]
        world.credit(tx, account_id, AMOUNT_MAX)
        resolve(tx, pool, creator, won_side=0)
        assert world.balance(tx, trader) == AMOUNT_MAX + shares

    await world.tell(db, story)


async def test_the_same_resolution_again_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator).pools
        world.bet(tx, world.person(tx, balance_kopecks=500), pool.markets[0].id, YES, stake_kopecks=500)
        resolve(tx, pool, creator, payouts=[0.5, 0.5])
        count = sa.select(sa.func.count()).select_from(transfers)
        made = tx.execute(count).scalar_one()
        resolve(tx, pool, creator, payouts=[0.5, 0.5])
        for other in ({"payouts": [0.6, 0.4]}, {"void": True}, {"won_side": 0}):
            with pytest.raises(DomainError) as refused:
                resolve(tx, pool, creator, **other)
            assert refused.value.code == "already_resolved"
        assert tx.execute(count).scalar_one() == made

    await world.tell(db, story)


@ONCE
async def test_payouts_that_name_a_winner_are_not_the_same_as_won_side(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator).pools
        resolve(tx, pool, creator, payouts=[0.0, 1.0])
        assert stored_won_sides(tx, pool) == [1]
        with pytest.raises(DomainError) as refused:
            resolve(tx, pool, creator, won_side=1)
        assert refused.value.code == "already_resolved"

    await world.tell(db, story)


async def test_cancelling_voids_what_is_unresolved_and_leaves_the_rest(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        event = world.event(tx, creator, {"name": "First"}, {"name": "Second"})
        first, second = event.pools
        trader = world.person(tx, balance_kopecks=2_000)
        won = world.bet(tx, trader, first.markets[0].id, YES, stake_kopecks=1_000)
        held = world.bet(tx, trader, second.markets[0].id, YES, stake_kopecks=1_000)
        resolve(tx, first, creator, won_side=0)
        value = load_pools(tx, [second.id])[second.id].lmsr().value_kopecks(0, YES, held)
        void(tx, event.id, creator)
        assert stored_won_sides(tx, first, second) == [0, -1]
        assert world.balance(tx, trader) == won + value
        assert world.of_pool(tx, AccountKind.ESCROW, second.id) == 0
        assert world.all_money(tx) == 0

    await world.tell(db, story)


async def test_cancelling_what_was_never_published_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        event = world.event(tx, creator, THREE, publish=False)
        void(tx, event.id, creator)
        assert tx.execute(sa.select(sa.func.count()).select_from(transfers)).scalar_one() == 0
        assert stored_won_sides(tx, event.pools[0]) == [-1]

    await world.tell(db, story)


async def test_thousands_of_positions_settle_with_few_statements(db: Database) -> None:
    """Inserted in bulk, 1,000 people with a winning and a losing position each."""
    holders = 1_000

    def prepare(tx: WriteTx) -> tuple[UserCaller, Pool]:
        creator = world.person(tx, creator=True)
        (pool,) = world.event(tx, creator, {"metadata": {"lmsr_b_kopecks": 10**9}}).pools
        house = house_account(tx)
        held = [
            {
                "user_id": user_id,
                "market_id": pool.markets[0].id,
                "pool_id": pool.id,
                "event_id": 1,
                "side": side,
                "shares": 10,
                "cost_kopecks": 5,
                "left_shares": 0,
                "left_cost_kopecks": 0,
                "pnl_kopecks": 0,
                "opened_at_ms": 0,
            }
            for user_id in world.crowd(tx, holders)
            for side in ("YES", "NO")
        ]
        tx.execute(positions.insert(), held)
        tx.execute(sa.text("UPDATE markets SET q_yes = :shares, q_no = :shares"), {"shares": 10 * holders})
        escrow = load_pools(tx, [pool.id])[pool.id].escrow_account_id
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([house, escrow])
            ledger_tx.transfer(
                Transfer(kind=TransferKind.BET, source=house, target=escrow, amount_kopecks=10 * holders)
            )
            ledger_tx.post(at_ms=0)
        return creator, pool

    creator, pool = await db.write(prepare)
    statements: list[str] = []

    def settle(tx: WriteTx) -> None:
        sa.event.listen(tx, "before_cursor_execute", lambda *given: statements.append(given[2]))
        resolve(tx, pool, creator, won_side=1)

    await db.write(settle)
    rows = await db.read(lambda tx: closed_positions(tx, pool))
    assert len(rows) == 2 * holders
    assert sum(row["settled_kopecks"] for row in rows) == 10 * holders
    # Not one for each of them.
    assert 0 < len(statements) < holders / 5, len(statements)
