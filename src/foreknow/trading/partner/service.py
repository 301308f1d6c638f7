"""Partners' money and views of their users. All functions run in the caller's transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import InsufficientFunds
from foreknow.kernel.validation.fields import wrong_field
from foreknow.money import ledger, statements
from foreknow.money.holds import held_fetch
from foreknow.money.ledger import AccountKind, Transfer, TransferKind, balances_fetch, balances_kopecks, house_account
from foreknow.money.pricing import PARTNER_SIDES, average_price_bps
from foreknow.money.statements import StatementLine
from foreknow.money.statements.store import StatementType
from foreknow.people.users.sub_account_pages import SubAccountPage
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.bulk import fetch_together
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.partner import store
from foreknow.trading.partner.errors import InsufficientBalance, NameTaken
from foreknow.trading.partner.keys import IssuedKey, issue_key, require_live_key
from foreknow.trading.partner.schemas import (
    ListedPartnerUser,
    PartnerBalance,
    PartnerPosition,
    PartnerUser,
    Withdrawal,
)
from foreknow.trading.partner.store import PartnerRow
from foreknow.trading.positions.valuation import valued_positions

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class NewPartner:
    """A new partner with its first key."""

    name: str
    key: IssuedKey


def is_partner_name(text: str) -> bool:
    """Return whether a text has the form of a partner's name."""
    return _NAME.fullmatch(text) is not None


def add_partner(tx: WriteTx, *, name: str, at_ms: int) -> NewPartner:
    """Create a partner with an empty float and its first key; `BadRequest` or `NameTaken` for the name."""
    if not is_partner_name(name):
        raise wrong_field("name", "must have 1 to 64 characters, each a letter A-Z or a-z, a digit, '.', '_' or '-'")
    if store.name_is_taken(tx, name):
        raise NameTaken
    partner = store.insert_partner(tx, name=name, at_ms=at_ms)
    return NewPartner(name, issue_key(tx, partner_id=partner.id, at_ms=at_ms))


def deposit(tx: WriteTx, partner: PartnerRow, *, amount_kopecks: int, at_ms: int) -> int:
    """Deposit money from outside in a partner's float; return the float's balance. Raises `BalanceLimit`."""
    transfer = Transfer(
        kind=TransferKind.DEPOSIT,
        source=house_account(tx),
        target=partner.float_account_id,
        amount_kopecks=amount_kopecks,
    )
    balances = ledger.post(tx, [transfer], at_ms=at_ms)
    _record(tx, partner.id, type="deposit", float_change_kopecks=amount_kopecks, at_ms=at_ms)
    return balances[partner.float_account_id]


def pay_out(tx: WriteTx, partner: PartnerRow, *, amount_kopecks: int, at_ms: int) -> int:
    """Pay money of a partner's float out to it; return the float's balance. Raises `InsufficientFunds`."""
    transfer = Transfer(
        kind=TransferKind.PAYOUT,
        source=partner.float_account_id,
        target=house_account(tx),
        amount_kopecks=amount_kopecks,
    )
    balances = ledger.post(tx, [transfer], at_ms=at_ms)
    _record(tx, partner.id, type="payout", float_change_kopecks=-amount_kopecks, at_ms=at_ms)
    return balances[partner.float_account_id]


def withdraw(
    tx: WriteTx, caller: PartnerCaller, *, external_user_id: str, amount_kopecks: int, at_ms: int
) -> Withdrawal:
    """Move money from a sub-account back to the float.

    Raises `InvalidPartnerKey` for a key just revoked, `InsufficientBalance` (also for an unknown user), `BalanceLimit`.
    """
    require_live_key(tx, caller)
    partner = store.partner_by_id(tx, caller.partner_id)
    name = (caller.partner_id, external_user_id)
    user = find_sub_accounts(tx, [name]).get(name)
    if user is None:
        raise InsufficientBalance(required=amount_kopecks, available=0)
    transfer = Transfer(
        kind=TransferKind.WITHDRAWAL,
        source=user.account_id,
        target=partner.float_account_id,
        amount_kopecks=amount_kopecks,
    )
    try:
        balances = ledger.post(tx, [transfer], at_ms=at_ms)
    except InsufficientFunds as error:
        raise InsufficientBalance(**error.details) from None
    _record(
        tx,
        partner.id,
        type="withdrawal",
        float_change_kopecks=amount_kopecks,
        balance_change_kopecks=-amount_kopecks,
        user_id=user.user_id,
        external_user_id=external_user_id,
        at_ms=at_ms,
    )
    return Withdrawal(
        external_user_id=external_user_id,
        amount_kopecks=amount_kopecks,
        balance_kopecks=balances[user.account_id],
        float_balance_kopecks=balances[partner.float_account_id],
    )


def user_state(
    tx: ReadTx, *, partner_id: int, external_user_id: str, now_ms: int, markets_max: int | None = None
) -> PartnerUser:
    """Return a partner's user with balance and open positions, each with its exact value (`positions.valuation`).

    Raises `TooManyMarkets` if they depend on the prices of more than `markets_max` markets.
    """
    name = (partner_id, external_user_id)
    user = find_sub_accounts(tx, [name]).get(name)
    if user is None:
        return PartnerUser(
            external_user_id=external_user_id,
            exists=False,
            user_id=None,
            balance_kopecks=0,
            held_kopecks=0,
            open_positions_kopecks=0,
            positions=[],
        )
    balances = balances_fetch(kind=AccountKind.USER, owner_ids=[user.user_id])
    held = held_fetch([user.user_id])
    fetch_together(tx, [balances, held])
    positions = [
        PartnerPosition(
            market_id=position.market_id,
            side=PARTNER_SIDES[position.side],
            shares=position.shares,
            reserved_shares=position.reserved_shares,
            avg_price_bps=average_price_bps(money_kopecks=position.cost_kopecks, shares=position.shares),
            value_kopecks=position.value_kopecks,
            decided_kopecks=position.decided_kopecks,
        )
        for position in valued_positions(tx, user.user_id, now_ms=now_ms, markets_max=markets_max)
    ]
    return PartnerUser(
        external_user_id=external_user_id,
        exists=True,
        user_id=user.user_id,
        balance_kopecks=balances.result[user.user_id],
        held_kopecks=held.result[user.user_id],
        open_positions_kopecks=sum(position.value_kopecks for position in positions),
        positions=positions,
    )


def listed_users(tx: ReadTx, page: SubAccountPage) -> list[ListedPartnerUser]:
    """Show a page of a partner's users."""
    ids = [user.id for user in page.rows]
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids)
    last_ms = statements.last_orders_ms(tx, ids)
    return [
        ListedPartnerUser(
            external_user_id=user.external_user_id,
            user_id=user.id,
            balance_kopecks=balances[user.id],
            created_at=iso(user.created_at_ms),
            last_order_at=iso_or_none(last_ms.get(user.id)),
        )
        for user in page.rows
    ]


def balance(tx: ReadTx, caller: PartnerCaller) -> PartnerBalance:
    """Return a partner's float, the total of its sub-accounts, and the sum."""
    partner_id = caller.partner_id
    float_kopecks = balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=[partner_id])[partner_id]
    users_kopecks, held_by_orders_kopecks = statements.totals_kopecks(tx, partner_id)
    return PartnerBalance(
        partner=caller.name,
        float_balance_kopecks=float_kopecks,
        users_balance_kopecks=users_kopecks,
        held_kopecks=held_by_orders_kopecks,
        total_kopecks=float_kopecks + users_kopecks,
    )


def _record(
    tx: WriteTx,
    partner_id: int,
    *,
    type: StatementType,  # noqa: A002 - the contract's name for it
    float_change_kopecks: int,
    at_ms: int,
    balance_change_kopecks: int = 0,
    user_id: int | None = None,
    external_user_id: str | None = None,
) -> None:
    line = StatementLine(
        partner_id=partner_id,
        type=type,
        float_change_kopecks=float_change_kopecks,
        balance_change_kopecks=balance_change_kopecks,
        user_id=user_id,
        external_user_id=external_user_id,
        created_at_ms=at_ms,
    )
    statements.record(tx, [line])
