"""A piece of an allowance's payment: found by a read, granted by a short transaction.

Activity and worth are read first, from one snapshot and beside the orders; what is decided from them is written only if
no one paid the piece meanwhile. A user whose balance has changed since then is valued again under the lock of their
account, so that what is granted fits what they have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.money import stats
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    balances_kopecks,
    house_account,
)
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.allowance import state as states
from foreknow.site.allowance import store
from foreknow.site.allowance.state import AllowanceState

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
    people = store.next_people(tx, after_id=state.paid_through_id, limit=LOOKED_AT * size)
    if not people:
        return GrantPiece(state, terms, (), None)
    accounts = store.accounts_of(tx, people, verified_only=verified_only)
    active = store.were_active(tx, accounts, state.period_before)
    worths = store.worths_kopecks(tx, active, below=terms.up_to, now_ms=now_ms(tx))
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
        accounts = store.accounts_of(tx, [payee.user_id for payee in piece.payees], verified_only=False)
        changed = [payee.user_id for payee in piece.payees if _is_changed(ledger_tx, payee)]
        worths = store.worths_kopecks(tx, changed, below=piece.terms.up_to, now_ms=at_ms) if changed else {}
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
