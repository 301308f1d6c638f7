"""People, partners, events and bets made straight in a database, for tests of settlement without HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.commands.audit import audit
from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.clock import system_clock
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from foreknow.kernel.validation.fields import to_type
from foreknow.market.events import service as events
from foreknow.market.events.drafts import event_draft
from foreknow.market.events.schemas import CreateEventBody, Event
from foreknow.market.pools.store import PoolRow
from foreknow.money import statements, stats
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    balances_kopecks,
    house_account,
    open_account,
)
from foreknow.money.ledger.tables import accounts
from foreknow.money.pricing import Side
from foreknow.money.statements import StatementLine
from foreknow.people.users.tables import sessions, users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.effects import payouts
from foreknow.trading.effects.payouts import PaymentProgress
from foreknow.trading.partner.tables import partner_keys, partners
from foreknow.trading.settlement.store import payments
from foreknow.web.responses import Empty

NEVER_MS = 2**60


async def tell(db: Database, story: Callable[[WriteTx], None]) -> None:
    """Let a story happen in one transaction; afterwards the books must be right."""
    await db.write(story)
    findings = await db.read(audit)
    assert not findings, findings


def person(tx: WriteTx, *, balance_kopecks: int = 0, creator: bool = False, admin: bool = False) -> UserCaller:
    """Insert a user with a session and money from the house."""
    user = users.insert().values(name="Ada", is_creator=creator, is_admin=admin, created_at_ms=0)
    user_id = int(tx.execute(user.returning(users.c.id)).scalar_one())
    account_id = open_account(tx, kind=AccountKind.USER, owner_id=user_id)
    tx.execute(users.update().where(users.c.id == user_id).values(account_id=account_id))
    session = sessions.insert().values(user_id=user_id, created_at_ms=0, expires_at_ms=NEVER_MS, rotated_at_ms=0)
    session_id = int(tx.execute(session.returning(sessions.c.id)).scalar_one())
    stats.record_sign_up(tx, at_ms=0)
    credit(tx, account_id, balance_kopecks)
    return UserCaller(user_id, session_id, creator, admin, is_stats_viewer=False, is_operator=False)


def crowd(tx: WriteTx, size: int) -> list[int]:
    """Insert many users with empty accounts at once and return their ids."""
    user_ids = draw_ids(tx, users, size)
    account_ids = draw_ids(tx, accounts, size)
    tx.execute(
        accounts.insert(),
        [
            {"id": account_id, "kind": AccountKind.USER.value, "owner_id": user_id, "balance_kopecks": 0}
            for user_id, account_id in zip(user_ids, account_ids, strict=True)
        ],
    )
    tx.execute(
        users.insert(),
        [
            {"id": user_id, "name": "Bob", "account_id": account_id, "created_at_ms": 0}
            for user_id, account_id in zip(user_ids, account_ids, strict=True)
        ],
    )
    return user_ids


def partner(tx: WriteTx, *, float_kopecks: int) -> PartnerCaller:
    """Insert a partner with a key and money on its float."""
    name = "acme"
    account_id = open_account(tx, kind=AccountKind.FLOAT, owner_id=1)
    row = partners.insert().values(name=name, name_key=name, float_account_id=account_id, created_at_ms=0)
    partner_id = int(tx.execute(row.returning(partners.c.id)).scalar_one())
    key = partner_keys.insert().values(partner_id=partner_id, key_hash="made up", created_at_ms=0)
    key_id = int(tx.execute(key.returning(partner_keys.c.id)).scalar_one())
    credit(tx, account_id, float_kopecks, kind=TransferKind.DEPOSIT)
    deposit = StatementLine(
        partner_id=partner_id,
        type="deposit",
        float_change_kopecks=float_kopecks,
        balance_change_kopecks=0,
        created_at_ms=0,
    )
    statements.record(tx, [deposit])
    return PartnerCaller(partner_id, name, key_id)


def credit(
    tx: WriteTx, account_id: int, amount_kopecks: int, *, kind: TransferKind = TransferKind.CREDIT, at_ms: int = 0
) -> None:
    """Give an account money of the house."""
    if amount_kopecks:
        house = house_account(tx)
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([house, account_id])
            ledger_tx.transfer(Transfer(kind=kind, source=house, target=account_id, amount_kopecks=amount_kopecks))
            ledger_tx.post(at_ms=at_ms)


def event(tx: WriteTx, creator: UserCaller, *pools: dict[str, Any], publish: bool = True) -> Event:
    """Create an event with these pools (one yes/no question where none is given) and publish it."""
    body = {"name": "Event", "pools": list(pools) or [{"name": "Will it?"}]}
    draft = event_draft(to_type(body, CreateEventBody))
    event_id = events.create(tx, draft, creator_id=creator.user_id, at_ms=system_clock(), terms=Terms())
    if publish:
        events.publish(tx, event_id, creator, terms=Terms())
    return events.load_event_view(tx, event_id, now_ms=system_clock())


def bet(
    tx: WriteTx,
    caller: UserCaller | PartnerCaller,
    market_id: int,
    side: Side,
    *,
    stake_kopecks: int,
    external_user_id: str | None = None,
) -> int:
    """Bet through the desk's own batch and return the number of shares."""
    return bets(tx, [(caller, market_id, side, stake_kopecks, external_user_id)])[0]


def bets(tx: WriteTx, wanted: Sequence[tuple[UserCaller | PartnerCaller, int, Side, int, str | None]]) -> list[int]:
    """Place all these bets in one batch and return the numbers of shares."""
    fills: list[Fill] = []

    def receipt(fill: Fill) -> Empty:
        fills.append(fill)
        return Empty()

    orders = [
        Buy(
            caller=caller,
            external_user_id=external_user_id,
            market_id=market_id,
            side=side,
            stake_kopecks=stake_kopecks,
            idempotency_key=None,
            receipt=receipt,
        )
        for caller, market_id, side, stake_kopecks, external_user_id in wanted
    ]
    outcomes = Batch(orders, IdCache(), LiveSettings(Settings())).run(tx)
    assert all(isinstance(outcome, Receipt) for outcome in outcomes), outcomes
    return [fill.trade.shares for fill in fills]


def pay(tx: WriteTx, pool: PoolRow, *, size: int = 1_000) -> None:
    """Pay a resolved pool wholly, in pieces of `size` positions, in this transaction."""
    place: PaymentProgress | None = PaymentProgress()
    while pool.paying and place is not None:
        place = payouts.pay_piece(tx, pool, place, size=size).next
    if pool.paying:
        payouts.finish(tx, pool.id, pool.event_id)
    tx.execute(payments.delete().where(payments.c.pool_id == pool.id))


def balance(tx: ReadTx, user: UserCaller) -> int:
    """Return a user's balance in kopecks."""
    return balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[user.user_id])[user.user_id]


def of_pool(tx: ReadTx, kind: AccountKind, pool_id: int) -> int:
    """Return the balance of a pool's escrow or fees account."""
    return balances_kopecks(tx, kind=kind, owner_ids=[pool_id])[pool_id]


def all_money(tx: ReadTx) -> int:
    """Return the sum of all balances, which must be 0 at any moment."""
    return int(tx.execute(sa.select(sa.func.sum(accounts.c.balance_kopecks))).scalar_one())


def house(tx: ReadTx) -> int:
    """Return the house's balance."""
    return balances_kopecks(tx, kind=AccountKind.HOUSE, owner_ids=[0])[0]
