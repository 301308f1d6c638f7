"""Deleting an account: what ends in one transaction, and when it is refused. Texts follow in pieces (`erasing`).

The transaction locks the series that the person runs, the house's account and theirs, and their row. A publication
locks the house's account, and a series that is resumed its row, before they look whether the creator is there still.
Orders, payments and grants lock the person's account before they look, and a split that turns their positions locks
their row. So none of them crosses a deletion.
"""

from __future__ import annotations

from collections.abc import Callable

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import InvalidState
from foreknow.market.events.series_store import is_any_running, lock_series_of
from foreknow.market.events.store import has_open_event
from foreknow.money import ledger, stats
from foreknow.money.ledger import LedgerTransaction, house_account
from foreknow.people import admin_log, invitations
from foreknow.people.follows import store as follows
from foreknow.people.invitations import mailed
from foreknow.people.newcomers.store import take_waiting
from foreknow.people.notifications import choices
from foreknow.people.oauth.store import unlink
from foreknow.people.users import require_live_session
from foreknow.people.users import store as users
from foreknow.people.users.deletion import check_not_last_admin, end_account
from foreknow.people.users.store import UserRow
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.mailing import outbox
from foreknow.site.own_data import store
from foreknow.trading.limit_orders.due import end_all_of

#: Checks the caller's password under its lock, at a time; False where it was wrong.
CheckPassword = Callable[[WriteTx, int], bool]


def delete_own(tx: WriteTx, caller: UserCaller, passes: CheckPassword) -> list[str] | None:
    """Delete the caller's account; return the stored objects that nothing shows any more.

    None where `passes` finds the password wrong: commit then, which records the failure. `InvalidState`.
    """
    return _delete(tx, users.account(tx, caller.user_id), passes)


def delete_by_admin(tx: WriteTx, admin: UserCaller, user_id: int) -> list[str]:
    """Delete a person's account as an admin and return the same; `UserNotFound`, `InvalidState`."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    unused = _delete(tx, users.account(tx, user_id), lambda _tx, _at_ms: True)
    assert unused is not None
    admin_log.record(tx, admin, action="user.delete", target=f"user:{user_id}", details={}, at_ms=now_ms(tx))
    return unused


def _delete(tx: WriteTx, person: UserRow, passes: CheckPassword) -> list[str] | None:
    invitation_id = users.invitation_id(tx, person.id)
    series = lock_series_of(tx, person.id)
    house = house_account(tx)
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock([house, person.account_id])
        at_ms = now_ms(tx)
        if not passes(tx, at_ms):
            return None
        # Again, under its lock: another deletion, or another avatar, may have come first.
        person = users.lock_person(tx, person.id)
        users.account(tx, person.id)
        check_not_last_admin(tx, person)
        if has_open_event(tx, person.id, now_ms=at_ms):
            raise InvalidState("An event of this account is active or closed: cancel or resolve it first.")
        if is_any_running(series):
            raise InvalidState("A series of this account is running: stop it first.")
        forfeited_kopecks = ledger.forfeit(ledger_tx, person.account_id, house=house)
        ledger_tx.post(at_ms=at_ms)
    ledger.clear_notes(tx, person.account_id)
    avatar = end_account(tx, person, at_ms=at_ms)
    unlink(tx, person.id)
    take_waiting(tx, person.id)
    choices.forget(tx, person.id)
    follows.forget(tx, person.id)
    outbox.forget(tx, person.id, [address for address in (person.email, person.email_pending) if address])
    admin_log.name_by_id(tx, person.id)
    end_all_of(tx, person.id, at_ms=at_ms)
    store.begin(tx, person.id, at_ms=at_ms)
    # Last, though a sign-up locks its invitation first: should they deadlock, one of them runs again.
    invitations.forget(tx, invitation_id, (person.email, person.name, person.nickname))
    mailed.clear_of(tx, [address for address in (person.email, person.email_pending) if address])
    stats.record_deletion(tx, signed_up_at_ms=person.created_at_ms)
    if forfeited_kopecks:
        stats.record_grants(tx, at_ms=at_ms, amount_kopecks=-forfeited_kopecks)
    return [] if avatar is None else [avatar]
