"""A piece of an allowance's payment: who gets it, found by a read, and granted by a short transaction.

Activity and worth are read first, from one snapshot and beside the orders; what is decided from them is written only if
no one paid the piece meanwhile. A user whose balance has changed since then is valued again under the lock of their
account, so that what is granted fits what they have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.money import stats
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    balances_kopecks,
    house_account,
)
from foreknow.money.stats.tables import stats_traders
from foreknow.people.users.active_days import active_between
from foreknow.people.users.tables import IS_PERSON, sessions, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.allowance import state as states
from foreknow.site.allowance.state import AllowanceState, PeriodBounds
from foreknow.trading.history.trader_trades import traded_between
from foreknow.trading.positions.tables import positions
from foreknow.trading.positions.valuation import HeldShares, values_kopecks


def next_people(tx: ReadTx, *, after_id: int, limit: int) -> list[int]:
    """Return the ids of the next people, whatever their state."""
    query = sa.select(users.c.id).where(IS_PERSON, users.c.id > after_id).order_by(users.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def accounts_of(tx: ReadTx, user_ids: Collection[int], *, verified_only: bool) -> dict[int, int]:
    """Return the ledger accounts of those whose account is active, and whose address is verified if that is asked."""
    rows = _ACCOUNTS.fetch(tx, {"ids": user_ids})
    return {user_id: account_id for user_id, account_id, is_verified in rows if is_verified or not verified_only}


def were_active(tx: ReadTx, user_ids: Collection[int], period: PeriodBounds) -> set[int]:
    """Return who traded, commented, or began or refreshed a session in a period."""
    first_day, end_day = period.start_ms // DAY_MS, period.end_ms // DAY_MS
    found = active_between(tx, user_ids, first_day=first_day, end_day=end_day)
    bounds = {"start_ms": period.start_ms, "end_ms": period.end_ms}
    # A process of the release before `active_days` wrote sessions alone.
    rest = set(user_ids) - found
    found |= _ids(_SESSIONS.fetch(tx, {"ids": rest, **bounds})) if rest else set()
    rest -= found
    traders = _ids(_TRADERS.fetch(tx, {"ids": rest, "first_day": first_day})) if rest else set()
    return found | (traded_between(tx, traders, **bounds) if traders else set())


def worths_kopecks(tx: ReadTx, user_ids: Collection[int], *, below: int, now_ms: int) -> dict[int, int]:
    """Return the balance, what orders hold and the value of positions of those who have less than `below`, by id."""
    balances, held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=user_ids), held_kopecks(tx, user_ids)
    money = {user_id: balance + held[user_id] for user_id, balance in balances.items()}
    poor = {user_id: kopecks for user_id, kopecks in money.items() if kopecks < below}
    values = _values_kopecks(tx, poor, now_ms=now_ms) if poor else {}
    worths = {user_id: kopecks + values.get(user_id, 0) for user_id, kopecks in poor.items()}
    return {user_id: worth for user_id, worth in worths.items() if worth < below}


def _values_kopecks(tx: ReadTx, user_ids: Collection[int], *, now_ms: int) -> Mapping[int, int]:
    rows = _OPEN.fetch(tx, {"ids": user_ids})
    values = values_kopecks(tx, [HeldShares(*row[1:]) for row in rows], now_ms=now_ms)
    totals: dict[int, int] = defaultdict(int)
    for row, value in zip(rows, values, strict=True):
        totals[row[0]] += value
    return totals


def _ids(rows: Sequence[Sequence[int]]) -> set[int]:
    return {row[0] for row in rows}


_ACCOUNTS = CompiledQuery(
    sa.select(users.c.id, users.c.account_id, users.c.email_verified).where(
        in_array(users.c.id), IS_PERSON, users.c.is_active
    )
)
_START: sa.BindParameter[int] = sa.bindparam("start_ms")
_END: sa.BindParameter[int] = sa.bindparam("end_ms")
_SESSIONS = CompiledQuery(
    sa.select(sessions.c.user_id)
    .distinct()
    .where(
        in_array(sessions.c.user_id),
        sessions.c.key_scope.is_(None),
        sa.or_(
            sa.and_(sessions.c.created_at_ms >= _START, sessions.c.created_at_ms < _END),
            sa.and_(sessions.c.rotated_at_ms >= _START, sessions.c.rotated_at_ms < _END),
        ),
    )
)
_TRADERS = CompiledQuery(
    sa.select(stats_traders.c.user_id).where(
        in_array(stats_traders.c.user_id), stats_traders.c.last_day >= sa.bindparam("first_day")
    )
)
_OPEN = CompiledQuery(
    sa.select(
        positions.c.user_id,
        positions.c.market_id,
        positions.c.pool_id,
        positions.c.side,
        positions.c.shares,
        positions.c.id,
    ).where(in_array(positions.c.user_id), positions.c.closed_at_ms.is_(None))
)


NOTE = "Allowance"
#: People that a piece looks at for each that it may grant something.
LOOKED_AT = 2


@dataclass(frozen=True, slots=True)
class Grantee:
    """Who is granted something, with the balance from which that follows."""

    user_id: int
    account_id: int
    balance_kopecks: int
    grant_kopecks: int


@dataclass(frozen=True, slots=True)
class GrantPiece:
    """What one transaction grants: to those among the people after `state.paid_through_id`, up to `through_id`."""

    state: AllowanceState
    terms: AllowanceTerms
    payees: Sequence[Grantee]
    #: None where no one is left.
    through_id: int | None


def grant_kopecks(terms: AllowanceTerms, worth_kopecks: int) -> int:
    """Return what a user of this worth is granted."""
    return max(0, min(terms.kopecks, terms.up_to - worth_kopecks))


def find_piece(
    tx: ReadTx, state: AllowanceState, terms: AllowanceTerms, *, size: int, verified_only: bool
) -> GrantPiece:
    """Return the next piece, of up to `size` payees."""
    people = next_people(tx, after_id=state.paid_through_id, limit=LOOKED_AT * size)
    if not people:
        return GrantPiece(state, terms, (), None)
    accounts = accounts_of(tx, people, verified_only=verified_only)
    active = were_active(tx, accounts, state.period_before)
    worths = worths_kopecks(tx, active, below=terms.up_to, now_ms=now_ms(tx))
    payees = sorted(worths)[: size + 1]
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=payees)
    found = [
        Grantee(user_id, accounts[user_id], balances[user_id], grant_kopecks(terms, worths[user_id]))
        for user_id in payees[:size]
    ]
    return GrantPiece(state, terms, found, found[-1].user_id if len(payees) > size else people[-1])


def grant(tx: WriteTx, piece: GrantPiece) -> int:
    """Grant a piece and note how far the period is paid; return the number of grants.

    Nothing is done where another process has paid it, or the period has ended.
    """
    state = states.lock(tx)
    at_ms = now_ms(tx)
    if state is None or state.is_paid or at_ms >= state.end_ms:
        return 0
    if (state.start_ms, state.paid_through_id) != (piece.state.start_ms, piece.state.paid_through_id):
        return 0
    granted = _post(tx, piece, at_ms=at_ms) if piece.payees else []
    is_paid = piece.through_id is None
    states.store(tx, replace(state, paid_through_id=piece.through_id or state.paid_through_id, is_paid=is_paid))
    if granted:
        stats.record_grants(tx, at_ms=at_ms, amount_kopecks=sum(granted))
    return len(granted)


def _post(tx: WriteTx, piece: GrantPiece, *, at_ms: int) -> list[int]:
    house = house_account(tx)
    granted: list[int] = []
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock([house, *(payee.account_id for payee in piece.payees)])
        # Who ends an account locks its balance first.
        accounts = accounts_of(tx, [payee.user_id for payee in piece.payees], verified_only=False)
        changed = [payee.user_id for payee in piece.payees if _is_changed(ledger_tx, payee)]
        worths = worths_kopecks(tx, changed, below=piece.terms.up_to, now_ms=at_ms) if changed else {}
        for payee in piece.payees:
            amount_kopecks = _amount_kopecks(piece.terms, payee, changed, worths)
            if payee.user_id not in accounts or amount_kopecks == 0:
                continue
            target = payee.account_id
            ledger_tx.transfer(
                Transfer(kind=TransferKind.GRANT, source=house, target=target, amount_kopecks=amount_kopecks, note=NOTE)
            )
            granted.append(amount_kopecks)
        ledger_tx.post(at_ms=at_ms)
    return granted


def _is_changed(ledger_tx: LedgerTransaction, payee: Grantee) -> bool:
    return ledger_tx.balance_kopecks(payee.account_id) != payee.balance_kopecks


def _amount_kopecks(terms: AllowanceTerms, payee: Grantee, changed: Sequence[int], worths: Mapping[int, int]) -> int:
    if payee.user_id not in changed:
        return payee.grant_kopecks
    return grant_kopecks(terms, worths.get(payee.user_id, terms.up_to))
