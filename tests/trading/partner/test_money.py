"""Deposits, payouts, withdrawals and balances, below HTTP."""

from __future__ import annotations

import asyncio

import pytest

from foreknow.kernel.errors import BadRequest, BalanceLimit, DomainError, InsufficientFunds, InvalidPartnerKey
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.money import statements
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.partner import service
from foreknow.trading.partner.errors import InsufficientBalance, NameTaken, PartnerNotFound
from foreknow.trading.partner.keys import revoke_key
from foreknow.trading.partner.store import partner_by_name
from tests.support.kinds import ONCE
from tests.trading.partner.made import Made, make_partner, make_user


def money(tx: ReadTx, partner: Made) -> tuple[int, int]:
    """Return the float and the sum of the sub-accounts, after checking ledger and statement against each other."""
    shown = service.balance(tx, partner.caller)
    rows = statements.page(tx, partner_id=partner.row.id, before_id=None, limit=1000)
    assert shown.float_balance_kopecks == sum(row.float_change_kopecks for row in rows)
    assert shown.users_balance_kopecks == sum(row.balance_change_kopecks for row in rows)
    assert shown.total_kopecks == shown.float_balance_kopecks + shown.users_balance_kopecks
    user_ids = {row.user_id for row in rows if row.user_id is not None}
    held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=user_ids)
    assert shown.users_balance_kopecks == sum(held.values())
    return shown.float_balance_kopecks, shown.users_balance_kopecks


async def test_a_float_is_filled_and_emptied(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx)
        assert money(tx, acme) == (0, 0)
        assert service.deposit(tx, acme.row, amount_kopecks=500, at_ms=1) == 500
        assert service.pay_out(tx, acme.row, amount_kopecks=200, at_ms=2) == 300
        with pytest.raises(InsufficientFunds):
            service.pay_out(tx, acme.row, amount_kopecks=301, at_ms=3)
        assert money(tx, acme) == (300, 0)
        rows = statements.page(tx, partner_id=acme.row.id, before_id=None, limit=10)
        assert [(row.type, row.float_change_kopecks, row.created_at_ms) for row in rows] == [
            ("payout", -200, 2),
            ("deposit", 500, 1),
        ]

    await db.write(work)


async def test_a_float_holds_no_more_than_a_balance_may(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=AMOUNT_MAX)
        with pytest.raises(BalanceLimit):
            service.deposit(tx, acme.row, amount_kopecks=1, at_ms=0)
        assert money(tx, acme) == (AMOUNT_MAX, 0)

    await db.write(work)


async def test_a_withdrawal_takes_a_users_money_back_to_the_float(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=1_000)
        user = make_user(tx, acme, "u/1", balance_kopecks=400)
        make_user(tx, acme, "u/2", balance_kopecks=100)
        done = service.withdraw(tx, acme.caller, external_user_id="u/1", amount_kopecks=150, at_ms=9)
        assert (done.balance_kopecks, done.float_balance_kopecks) == (250, 650)
        assert money(tx, acme) == (650, 350)
        newest = statements.page(tx, partner_id=acme.row.id, before_id=None, limit=1)[0]
        assert (newest.type, newest.external_user_id, newest.user_id) == ("withdrawal", "u/1", user.user_id)
        assert (newest.float_change_kopecks, newest.balance_change_kopecks) == (150, -150)

    await db.write(work)


async def test_a_withdrawal_over_the_balance_or_of_an_unknown_user_moves_nothing(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = make_partner(tx, float_kopecks=1_000), make_partner(tx, "Other", float_kopecks=1_000)
        make_user(tx, acme, "u", balance_kopecks=400)
        with pytest.raises(InsufficientBalance) as over:
            service.withdraw(tx, acme.caller, external_user_id="u", amount_kopecks=401, at_ms=0)
        assert over.value.details == {"required": 401, "available": 400}
        # The other partner's user of that name is another user, who does not exist.
        with pytest.raises(InsufficientBalance) as error:
            service.withdraw(tx, other.caller, external_user_id="u", amount_kopecks=1, at_ms=0)
        assert error.value.details == {"required": 1, "available": 0}
        assert money(tx, acme) == (600, 400)
        assert money(tx, other) == (1_000, 0)

    await db.write(work)


async def test_no_withdrawal_under_a_revoked_key(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=1_000)
        make_user(tx, acme, "u", balance_kopecks=400)
        revoke_key(tx, partner_id=acme.row.id, key_id=acme.caller.key_id, at_ms=0)
        with pytest.raises(InvalidPartnerKey):
            service.withdraw(tx, acme.caller, external_user_id="u", amount_kopecks=1, at_ms=0)
        assert money(tx, acme) == (600, 400)

    await db.write(work)


async def test_withdrawals_at_the_same_moment_take_what_is_there_and_no_more(db: Database) -> None:
    def prepare(tx: WriteTx) -> Made:
        acme = make_partner(tx, float_kopecks=1_000)
        make_user(tx, acme, "u", balance_kopecks=70)
        return acme

    acme = await db.write(prepare)

    async def withdraw() -> object:
        try:
            return await db.write(
                lambda tx: service.withdraw(tx, acme.caller, external_user_id="u", amount_kopecks=10, at_ms=0)
            )
        except InsufficientBalance as error:
            return error

    outcomes = await asyncio.gather(*(withdraw() for _ in range(12)))

    assert sum(isinstance(outcome, DomainError) for outcome in outcomes) == 5
    assert await db.read(lambda tx: money(tx, acme)) == (1_000, 0)


async def test_a_partners_name_is_unique_in_any_case(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, "Acme.One")
        with pytest.raises(NameTaken):
            service.add_partner(tx, name="aCME.oNE", at_ms=0)
        assert partner_by_name(tx, "acme.one") == acme.row
        with pytest.raises(PartnerNotFound):
            partner_by_name(tx, "acme")

    await db.write(work)


@ONCE
@pytest.mark.parametrize("name", ["", "a b", "Ё", "x" * 65, "a\n", "a/b", "a\0"])
async def test_a_partners_name_has_letters_digits_dots_dashes_and_underscores(db: Database, name: str) -> None:
    with pytest.raises(BadRequest):
        await db.write(lambda tx: service.add_partner(tx, name=name, at_ms=0))
