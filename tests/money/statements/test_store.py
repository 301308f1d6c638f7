"""Partners' statements and their totals."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError

from foreknow.money import statements
from foreknow.money.statements import StatementLine
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from tests.trading.partner.made import make_partner


def line(partner_id: int, *, float_change: int = 0, balance_change: int = 0, at_ms: int = 0) -> StatementLine:
    return StatementLine(
        partner_id=partner_id,
        type="sale",
        float_change_kopecks=float_change,
        balance_change_kopecks=balance_change,
        created_at_ms=at_ms,
    )


async def test_a_statement_shows_its_own_lines_newest_first_page_by_page(db: Database) -> None:
    def work(tx: WriteTx) -> list[list[int]]:
        acme, other = (make_partner(tx, name).row.id for name in ("Acme", "Other"))
        mixed = [line(partner_id, at_ms=at_ms) for at_ms in range(5) for partner_id in (acme, other)]
        statements.record(tx, mixed)
        first = statements.page(tx, partner_id=acme, before_id=None, limit=3)
        second = statements.page(tx, partner_id=acme, before_id=first[-1].id, limit=3)
        assert {row.partner_id for row in [*first, *second]} == {acme}
        return [[row.created_at_ms for row in page] for page in (first, second)]

    assert await db.write(work) == [[4, 3, 2], [1, 0]]


async def test_who_reads_on_from_a_line_gets_those_after_it_oldest_first(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = (make_partner(tx, name).row.id for name in ("Acme", "Other"))
        statements.record(tx, [line(partner_id, at_ms=at_ms) for at_ms in range(4) for partner_id in (acme, other)])
        ids = [row.id for row in statements.page(tx, partner_id=acme, before_id=None, limit=10)][::-1]
        assert [row.id for row in statements.after(tx, acme, after_id=0, limit=10)] == ids
        assert [row.id for row in statements.after(tx, acme, after_id=ids[0], limit=2)] == ids[1:3]
        assert statements.after(tx, acme, after_id=ids[-1], limit=2) == []

    await db.write(work)


async def test_a_line_is_shown_as_it_was_recorded(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        recorded = StatementLine(
            partner_id=make_partner(tx).row.id,
            type="bet",
            float_change_kopecks=-200,
            balance_change_kopecks=0,
            created_at_ms=7,
            user_id=8,
            external_user_id="u/1",
            market_id=9,
            trade_id=10,
        )
        statements.record(tx, [recorded])
        (row,) = statements.page(tx, partner_id=recorded.partner_id, before_id=None, limit=10)
        for name in StatementLine.__struct_fields__:
            assert getattr(row, name) == getattr(recorded, name), name

    await db.write(work)


async def test_the_total_is_the_sum_of_all_balance_changes(db: Database) -> None:
    def work(tx: WriteTx) -> dict[int, int]:
        acme, other, idle = (make_partner(tx, name).row.id for name in ("Acme", "Other", "Idle"))
        statements.record(tx, [line(acme, balance_change=500), line(other, balance_change=70), line(acme)])
        statements.record(tx, [line(acme, balance_change=-200), line(acme, balance_change=30)])
        assert statements.users_balances_kopecks(tx, [acme, other, idle]) == {acme: 330, other: 70, idle: 0}
        return {acme: 330}

    await db.write(work)


async def test_what_orders_hold_is_added_to_their_own_partners_total_alone(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other, late = (make_partner(tx, name).row.id for name in ("Acme", "Other", "Late"))
        statements.record(tx, [line(acme), line(other)], {acme: 30})
        statements.record(tx, [line(acme), line(other), line(late)], {acme: 40})
        statements.record(tx, [line(acme)])
        held = {one: statements.totals_kopecks(tx, one)[1] for one in (acme, other, late)}
        assert held == {acme: 70, other: 0, late: 0}

    await db.write(work)


async def test_recording_nothing_is_nothing(db: Database) -> None:
    def work(tx: WriteTx) -> dict[int, int]:
        acme = make_partner(tx).row.id
        statements.record(tx, [])
        return statements.users_balances_kopecks(tx, [acme])

    assert list((await db.write(work)).values()) == [0]


async def test_sub_accounts_cannot_hold_less_than_nothing_together(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx).row.id
        statements.record(tx, [line(acme, balance_change=10)])
        statements.record(tx, [line(acme, balance_change=-11)])

    with pytest.raises(IntegrityError):
        await db.write(work)


async def test_transactions_at_the_same_moment_lose_nothing_of_the_total(db: Database) -> None:
    acme = await db.write(lambda tx: make_partner(tx).row.id)

    await asyncio.gather(
        *(db.write(lambda tx: statements.record(tx, [line(acme, balance_change=1)])) for _ in range(20))
    )

    def look(tx: ReadTx) -> tuple[int, int]:
        rows = statements.page(tx, partner_id=acme, before_id=None, limit=100)
        return statements.users_balances_kopecks(tx, [acme])[acme], len(rows)

    assert await db.read(look) == (20, 20)
