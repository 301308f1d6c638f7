"""Actions of admins, over HTTP or on the command line (`admin` None), each logged in its own transaction.

Every function runs in the caller's transaction and first checks that the caller is still an admin (`Unauthorized`,
`Forbidden`).
"""

from __future__ import annotations

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.terms import Terms
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.kernel.validation.fields import optional_text, optional_utc_ms, wrong_field
from foreknow.money import ledger
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.people import admin_log, invitations
from foreknow.people.invitations import InvitationRow, NewInvitation
from foreknow.people.users import password_reset, require_live_session
from foreknow.people.users import store as users
from foreknow.people.users.accounts import change_profile, read_profile
from foreknow.people.users.deletion import check_not_last_admin
from foreknow.people.users.errors import PasswordOff
from foreknow.people.users.password_reset import ResetLink
from foreknow.people.users.schemas import ProfileChange
from foreknow.people.users.sessions import revoke_all
from foreknow.people.users.store import UserRow
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.admin.invitation_schemas import InvitationOrder
from foreknow.site.admin.schemas import NOTE_MAX, Credit, FloatChange, UserChange
from foreknow.site.forecasts.store import note_standing_of
from foreknow.trading.limit_orders.due import end_all_of, end_no_more_of
from foreknow.trading.partner import service as partners
from foreknow.trading.partner.keys import IssuedKey, issue_key, revoke_key
from foreknow.trading.partner.service import NewPartner
from foreknow.trading.partner.store import partner_by_name
from foreknow.trading.settlement.objections import release_all_of

_INVITED = "invitation.add"
#: A signed-in admin, or None for the command line, which needs no role.
Admin = UserCaller | None


def credit(tx: WriteTx, admin: Admin, *, user_id: int, amount_kopecks: int, note: str | None, at_ms: int) -> Credit:
    """Credit a person with money from outside, or debit it (negative amount).

    Raises `BadRequest` for 0 or a long note, `UserNotFound` (also for sub-accounts), `InsufficientFunds`,
    `BalanceLimit`.
    """
    _require_admin(tx, admin)
    if amount_kopecks == 0 or abs(amount_kopecks) > AMOUNT_MAX:
        raise wrong_field("amount_kopecks", f"must be from 1 to {AMOUNT_MAX}, or the same below 0")
    clean_note = optional_text("note", note, most=NOTE_MAX)
    account = users.account(tx, user_id).account_id
    house = house_account(tx)
    if amount_kopecks > 0:
        kind, source, target = TransferKind.CREDIT, house, account
    else:
        kind, source, target = TransferKind.DEBIT, account, house
    amount = abs(amount_kopecks)
    transfer = Transfer(kind=kind, source=source, target=target, amount_kopecks=amount, note=clean_note or None)
    balances = ledger.post(tx, [transfer], at_ms=at_ms)
    # Again, under its lock: the money of an account that was deleted meanwhile went to the house.
    users.account(tx, user_id)
    details = {"amount_kopecks": amount_kopecks, "note": clean_note}
    admin_log.record(tx, admin, action="user.credit", target=f"user:{user_id}", details=details, at_ms=at_ms)
    return Credit(user_id, amount_kopecks, balances[account])


def change_user(tx: WriteTx, admin: Admin, *, user_id: int, change: UserChange, at_ms: int) -> UserRow:
    """Change a person's roles, profile and whether the account is active; `UserNotFound` (also for sub-accounts),
    `BadRequest`, `NicknameTaken`, `InvalidState` for the last active admin, but not to the command line.

    Call `UserAuthenticator.invalidate` after the commit.
    """
    _require_admin(tx, admin)
    profile = ProfileChange(name=change.name, nickname=change.nickname, avatar_url=change.avatar_url)
    # Fields come before rows; of an avatar, whether it may stay depends on the row.
    read_profile(profile)
    person = users.account(tx, user_id)
    if change.is_active is False:
        # Locks pools, which come before accounts.
        release_all_of(tx, user_id)
        # Orders hold this lock until their commit and read live sessions after taking it: an order under way is done
        # before the admin gets the response, and no later one executes.
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([person.account_id])
    # The command line can make another.
    if admin is not None and person.is_active and (change.is_active is False or change.is_admin is False):
        check_not_last_admin(tx, person)
    users.lock_person(tx, user_id)
    # Again, under its lock: the account may have been deleted.
    person = users.account(tx, user_id)
    if change.is_active is not None:
        _set_active(tx, admin, person, is_active=change.is_active, at_ms=at_ms)
    roles = {
        role: value
        for role in ("is_creator", "is_admin", "is_stats_viewer", "is_operator")
        if (value := getattr(change, role)) is not None
    }
    if roles:
        users.set_roles(tx, user_id, roles)
        admin_log.record(tx, admin, action="user.roles", target=f"user:{user_id}", details=roles, at_ms=at_ms)
    fields = sorted(name for name, value in msgspec.structs.asdict(profile).items() if value is not None)
    if fields:
        change_profile(tx, person, profile)
        # Not what they were and are: the log keeps no names.
        changed = {"fields": fields}
        admin_log.record(tx, admin, action="user.profile", target=f"user:{user_id}", details=changed, at_ms=at_ms)
    return users.person(tx, user_id)


def issue_reset_link(tx: WriteTx, admin: Admin, *, user_id: int, at_ms: int, terms: Terms) -> ResetLink:
    """Create a link to set a new password; `UserNotFound`, `InvalidState` if the account is not active, `PasswordOff`
    where `terms` let it have none.
    """
    _require_admin(tx, admin)
    if not users.account(tx, user_id).is_admin and terms.passwords == "admins":
        raise PasswordOff
    link = password_reset.issue(tx, user_id, now_ms=at_ms)
    details = {"expires_at": iso(link.expires_at_ms)}
    admin_log.record(tx, admin, action="user.reset_link", target=f"user:{user_id}", details=details, at_ms=at_ms)
    return link


def add_invitation(tx: WriteTx, admin: Admin, *, order: InvitationOrder, at_ms: int) -> NewInvitation:
    """Make an invitation; `BadRequest` for an end that is past and for a long note."""
    _require_admin(tx, admin)
    expires_at_ms = optional_utc_ms("expires_at", order.expires_at)
    if expires_at_ms is not None and expires_at_ms <= at_ms:
        raise wrong_field("expires_at", "must be later than now")
    new = invitations.insert(
        tx,
        uses=order.uses,
        expires_at_ms=expires_at_ms,
        credit_kopecks=order.credit_kopecks or 0,
        creator=bool(order.creator),
        note=optional_text("note", order.note, most=NOTE_MAX),
        at_ms=at_ms,
    )
    details = {"uses": new.row.uses, "credit_kopecks": new.row.credit_kopecks, "creator": new.row.creator}
    _log_invitation(tx, admin, _INVITED, new.row.id, details=details, at_ms=at_ms)
    return new


def offered_invitation(tx: ReadTx, token: str, *, at_ms: int) -> tuple[InvitationRow, UserRow | None]:
    """Return the invitation with this token and who made it, None on the command line; `InvitationUsed`."""
    row = invitations.offered(tx, token, at_ms=at_ms)
    maker_id = row.admin_id or admin_log.last_actor(tx, target=f"invitation:{row.id}", actions=(_INVITED,))
    return row, None if maker_id is None else users.person(tx, maker_id)


def withdraw_invitation(tx: WriteTx, admin: Admin, *, invitation_id: int, at_ms: int) -> InvitationRow:
    """Let no one use an invitation any more; again, that changes nothing. `InvitationNotFound`."""
    _require_admin(tx, admin)
    if invitations.withdraw(tx, invitation_id, at_ms=at_ms):
        _log_invitation(tx, admin, "invitation.withdraw", invitation_id, details={}, at_ms=at_ms)
    return invitations.invitation(tx, invitation_id)


def add_partner(tx: WriteTx, admin: Admin, *, name: str, at_ms: int) -> NewPartner:
    """Create a partner with its first key; `BadRequest`, `NameTaken`."""
    _require_admin(tx, admin)
    added = partners.add_partner(tx, name=name, at_ms=at_ms)
    _log_partner(tx, admin, "partner.add", name, details={"key_id": added.key.id}, at_ms=at_ms)
    return added


def issue_partner_key(tx: WriteTx, admin: Admin, *, name: str, at_ms: int) -> IssuedKey:
    """Create a further key; `PartnerNotFound`, `TooManyKeys`."""
    _require_admin(tx, admin)
    partner = partner_by_name(tx, name)
    issued = issue_key(tx, partner_id=partner.id, at_ms=at_ms)
    _log_partner(tx, admin, "partner.issue_key", partner.name, details={"key_id": issued.id}, at_ms=at_ms)
    return issued


def revoke_partner_key(tx: WriteTx, admin: Admin, *, name: str, key_id: int, at_ms: int) -> None:
    """Revoke a key; `PartnerNotFound`, `KeyNotFound`. Call `PartnerAuthenticator.forget` after the commit."""
    _require_admin(tx, admin)
    partner = partner_by_name(tx, name)
    revoke_key(tx, partner_id=partner.id, key_id=key_id, at_ms=at_ms)
    _log_partner(tx, admin, "partner.revoke_key", partner.name, details={"key_id": key_id}, at_ms=at_ms)


def deposit(tx: WriteTx, admin: Admin, *, name: str, amount_kopecks: int, at_ms: int) -> FloatChange:
    """Deposit money from outside in a float; `BadRequest`, `PartnerNotFound`, `BalanceLimit`."""
    _require_admin(tx, admin)
    _check_amount(amount_kopecks)
    partner = partner_by_name(tx, name)
    balance_kopecks = partners.deposit(tx, partner, amount_kopecks=amount_kopecks, at_ms=at_ms)
    _log_partner(tx, admin, "partner.deposit", partner.name, details={"amount_kopecks": amount_kopecks}, at_ms=at_ms)
    return FloatChange(partner.name, amount_kopecks, balance_kopecks)


def pay_out(tx: WriteTx, admin: Admin, *, name: str, amount_kopecks: int, at_ms: int) -> FloatChange:
    """Pay money of a float out; `BadRequest`, `PartnerNotFound`, `InsufficientFunds`."""
    _require_admin(tx, admin)
    _check_amount(amount_kopecks)
    partner = partner_by_name(tx, name)
    balance_kopecks = partners.pay_out(tx, partner, amount_kopecks=amount_kopecks, at_ms=at_ms)
    _log_partner(tx, admin, "partner.payout", partner.name, details={"amount_kopecks": amount_kopecks}, at_ms=at_ms)
    return FloatChange(partner.name, amount_kopecks, balance_kopecks)


def _require_admin(tx: ReadTx, admin: Admin) -> None:
    if admin is not None:
        require_live_session(tx, admin, AuthLevel.ADMIN)


def _set_active(tx: WriteTx, admin: Admin, person: UserRow, *, is_active: bool, at_ms: int) -> None:
    users.update_person(tx, person.id, {"is_active": is_active})
    note_standing_of(tx, person.id)
    if not is_active:
        # What an objection of theirs holds since the first look: should this deadlock with another, it runs again.
        release_all_of(tx, person.id)
        password_reset.delete(tx, person.id)
        revoke_all(tx, person.id, now_ms=at_ms)
        end_all_of(tx, person.id, at_ms=at_ms)
    else:
        end_no_more_of(tx, person.id, at_ms=at_ms)
    action = "user.activate" if is_active else "user.deactivate"
    admin_log.record(tx, admin, action=action, target=f"user:{person.id}", details={}, at_ms=at_ms)


def _check_amount(amount_kopecks: int) -> None:
    # HTTP bodies were checked by their schema; the command line's amounts were not.
    if not 1 <= amount_kopecks <= AMOUNT_MAX:
        raise wrong_field("amount_kopecks", f"must be from 1 to {AMOUNT_MAX}")


def _log_invitation(
    tx: WriteTx, admin: Admin, action: str, invitation_id: int, *, details: dict[str, int], at_ms: int
) -> None:
    admin_log.record(tx, admin, action=action, target=f"invitation:{invitation_id}", details=details, at_ms=at_ms)


def _log_partner(tx: WriteTx, admin: Admin, action: str, name: str, *, details: dict[str, int], at_ms: int) -> None:
    admin_log.record(tx, admin, action=action, target=f"partner:{name}", details=details, at_ms=at_ms)
