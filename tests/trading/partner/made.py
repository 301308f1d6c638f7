"""Partners and sub-accounts for tests below HTTP."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.money import statements
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind
from foreknow.money.statements import StatementLine
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.partner import service
from foreknow.trading.partner.store import PartnerRow, partner_by_name
from tests.support.rows import insert_sub_account


@dataclass(frozen=True, slots=True)
class Made:
    """A partner, its first key, and the key's caller."""

    row: PartnerRow
    key: str
    caller: PartnerCaller


def make_partner(tx: WriteTx, name: str = "Acme", *, float_kopecks: int = 0) -> Made:
    """Create a partner with money in its float."""
    added = service.add_partner(tx, name=name, at_ms=0)
    row = partner_by_name(tx, name)
    if float_kopecks:
        service.deposit(tx, row, amount_kopecks=float_kopecks, at_ms=0)
    return Made(row, added.key.key, PartnerCaller(row.id, row.name, added.key.id))


def make_user(tx: WriteTx, partner: Made, external_user_id: str, *, balance_kopecks: int = 0) -> SubAccount:
    """Create a sub-account and fund it from the float; the statement shows a sale's payout."""
    user = insert_sub_account(
        tx,
        partner_id=partner.row.id,
        partner_name=partner.row.name,
        external_user_id=external_user_id,
        at_ms=0,
    )
    if balance_kopecks:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([partner.row.float_account_id])
            ledger_tx.lock([user.account_id])
            ledger_tx.transfer(
                Transfer(
                    kind=TransferKind.FUNDING,
                    source=partner.row.float_account_id,
                    target=user.account_id,
                    amount_kopecks=balance_kopecks,
                )
            )
            ledger_tx.post(at_ms=0)
        line = StatementLine(
            partner_id=partner.row.id,
            type="sale",
            external_user_id=external_user_id,
            user_id=user.user_id,
            float_change_kopecks=-balance_kopecks,
            balance_change_kopecks=balance_kopecks,
            created_at_ms=0,
        )
        statements.record(tx, [line])
    return user
