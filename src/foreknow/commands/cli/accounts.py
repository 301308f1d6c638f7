"""Accounts of people and partners, and invitations to make them: the same rules as for an admin, logged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import get_args

import msgspec

from foreknow.kernel.clock import DAY_MS, EPOCH
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.settings import Settings
from foreknow.kernel.validation.fields import to_type
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.people import admin_log, invitations
from foreknow.people.invitations import NewInvitation
from foreknow.people.users import accounts, store
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.password_reset import ResetLink
from foreknow.people.users.sessions import SessionRow, open_session
from foreknow.people.users.store import Role, UserRow
from foreknow.people.users.tokens import AccessToken, AccessTokens, TokenKeys
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.admin import service
from foreknow.site.admin.invitation_schemas import InvitationOrder, invitation_view
from foreknow.site.admin.partner_views import key_view, overviews
from foreknow.site.admin.schemas import UserChange
from foreknow.trading.partner.keys import live_keys
from foreknow.trading.partner.store import partner_by_name

#: Rows read at once by the commands that list.
PAGE = 100
#: Rows read at once.


def add_user(
    tx: WriteTx, settings: Settings, *, email: str, password: str, name: str, roles: Mapping[str, bool]
) -> int:
    """Make an account and return its id; `BadRequest`, `EmailTaken`."""
    at_ms = now_ms(tx)
    row = accounts.add_user(tx, settings, email=email, password=password, name=name, roles=roles, at_ms=at_ms)
    granted = {role: True for role, is_granted in roles.items() if is_granted}
    admin_log.record(tx, None, action="user.add", target=f"user:{row.id}", details=granted, at_ms=at_ms)
    return row.id


def reset_link(tx: WriteTx, settings: Settings, *, email: str) -> ResetLink:
    """Make a link that sets a new password for the user with this address; `UserNotFound`, `InvalidState`,
    `PasswordOff`.
    """
    person = _person(tx, email)
    return service.issue_reset_link(tx, None, user_id=person.id, at_ms=now_ms(tx), terms=settings.terms)


def list_users(tx: ReadTx, *, role: Role | None, part: str | None, limit: int) -> list[dict[str, object]]:
    """Return the newest users that match, as `user list` shows them."""
    rows: list[UserRow] = []
    before_id: int | None = None
    while len(rows) < limit:
        found = store.search_people(tx, part=part, role=role, before_id=before_id, limit=min(limit - len(rows), PAGE))
        rows += found.rows
        before_id = found.before_id
        if before_id is None:
            break
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[row.id for row in rows])
    return [_shown(row, balances[row.id]) for row in rows]


def show_roles(tx: ReadTx, *, email: str) -> dict[str, object]:
    """Return the user with this address as `user list` shows them; `UserNotFound`."""
    person = _person(tx, email)
    return _shown(person, balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[person.id])[person.id])


def change_roles(tx: WriteTx, *, email: str, roles: Mapping[str, bool]) -> dict[str, object]:
    """Give and take roles, and return the user as `user list` shows them; `UserNotFound`."""
    change = msgspec.convert(dict(roles), UserChange)
    service.change_user(tx, None, user_id=_person(tx, email).id, change=change, at_ms=now_ms(tx))
    return show_roles(tx, email=email)


def credit_user(tx: WriteTx, *, email: str, amount_kopecks: int) -> int:
    """Credit the user with this address and return the balance; `UserNotFound`, `InsufficientFunds` and others."""
    person = _person(tx, email)
    done = service.credit(tx, None, user_id=person.id, amount_kopecks=amount_kopecks, note="", at_ms=now_ms(tx))
    return done.balance_kopecks


def access_token(tx: WriteTx, settings: Settings, *, email: str) -> AccessToken:
    """Open a session for the user with this address; `UserNotFound`, `InvalidState` if the account is not active."""
    person = _person(tx, email)
    if not person.is_active:
        raise InvalidState("The account is not active.")
    at_ms = now_ms(tx)
    session = open_session(tx, user_id=person.id, now_ms=at_ms, user_agent="foreknow user token")
    details = {"session_id": session.id}
    admin_log.record(tx, None, action="user.token", target=f"user:{person.id}", details=details, at_ms=at_ms)
    return issue_access_token(tx, settings, session, at_ms=at_ms)


def issue_access_token(tx: WriteTx, settings: Settings, session: SessionRow, *, at_ms: int) -> AccessToken:
    """Return the access token of a new session."""
    keys = TokenKeys.shared(tx, settings.token_secret.get_secret_value())
    return AccessTokens(*keys.access).issue(
        session.refresh_claim, user_id=session.user_id, session_ends_at_ms=session.expires_at_ms, now_ms=at_ms
    )


def list_partners(tx: ReadTx) -> list[dict[str, object]]:
    """Return all partners, the newest first."""
    rows: list[dict[str, object]] = []
    before_id: int | None = None
    while page := overviews(tx, before_id, PAGE):
        rows += [msgspec.structs.asdict(listed.shown) for listed in page]
        before_id = page[-1].id
    return rows


def list_keys(tx: ReadTx, *, name: str) -> list[dict[str, object]]:
    """Return a partner's live keys, without the keys themselves; `PartnerNotFound`."""
    found = live_keys(tx, partner_by_name(tx, name).id)
    return [msgspec.structs.asdict(key_view(key)) for key in found]


def _shown(person: UserRow, balance_kopecks: int) -> dict[str, object]:
    return {
        "id": person.id,
        "email": person.email,
        "name": person.name,
        "nickname": person.nickname,
        "roles": [role for role in get_args(Role) if getattr(person, f"is_{role}")],
        "is_active": person.is_active,
        "balance_kopecks": balance_kopecks,
    }


def _person(tx: ReadTx, email: str) -> UserRow:
    person = store.find_person_by_email(tx, email)
    if person is None:
        raise UserNotFound(f"No user has the address {email}.")
    return person


def add_invitation(
    tx: WriteTx, *, uses: int, days: int | None, credit_kopecks: int, creator: bool, note: str
) -> NewInvitation:
    """Make an invitation that expires after `days`, never where that is None; `BadRequest`."""
    at_ms = now_ms(tx)
    order: dict[str, object] = {"uses": uses, "credit_kopecks": credit_kopecks, "creator": creator, "note": note}
    if days is not None:
        order["expires_at"] = EPOCH + timedelta(milliseconds=at_ms + days * DAY_MS)
    return service.add_invitation(tx, None, order=to_type(order, InvitationOrder), at_ms=at_ms)


def list_invitations(tx: ReadTx) -> list[dict[str, object]]:
    """Return all invitations, the newest first."""
    rows: list[dict[str, object]] = []
    before_id: int | None = None
    while page := invitations.newest(tx, before_id=before_id, limit=PAGE):
        rows += [msgspec.structs.asdict(invitation_view(row)) for row in page]
        before_id = page[-1].id
    return rows


def withdraw_invitation(tx: WriteTx, invitation_id: int) -> dict[str, object]:
    """Let no one use an invitation any more, and return it; `InvitationNotFound`."""
    row = service.withdraw_invitation(tx, None, invitation_id=invitation_id, at_ms=now_ms(tx))
    return msgspec.structs.asdict(invitation_view(row))
