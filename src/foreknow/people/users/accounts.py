"""Creates and changes accounts: at sign-up, on the command line, at the first start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.email_addresses import is_routed
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.settings import Settings
from foreknow.kernel.validation.urls import optional_url
from foreknow.money import stats
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks, open_account
from foreknow.people.newcomers import Newcomer
from foreknow.people.users import store
from foreknow.people.users.admission import Admission, SignUpRules
from foreknow.people.users.errors import EmailTaken, NicknameTaken
from foreknow.people.users.passwords import hasher
from foreknow.people.users.profiles import own_view, read_email, read_name, read_nickname, read_password, read_time_zone
from foreknow.people.users.schemas import ProfileChange, User, UserLanguage
from foreknow.people.users.store import UserRow
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import notices

#: Roles by column name; missing ones are false.
Roles = Mapping[str, bool]
NO_ROLES: Roles = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPerson:
    """The validated fields of a new account, in NFC, with the password in clear text until it is hashed."""

    email: str
    password: str
    name: str
    nickname: str
    #: Of mails; None: English.
    language: UserLanguage | None = None

    @classmethod
    def read(
        cls,
        *,
        email: str,
        password: str,
        name: str,
        nickname: str | None = None,
        language: UserLanguage | None = None,
    ) -> NewPerson:
        """Validate each field; `BadRequest` names the first invalid one."""
        return cls(
            email=read_email(email),
            password=read_password(password),
            name=read_name(name),
            nickname=read_nickname(nickname or ""),
            language=language,
        )


def create_user(
    tx: WriteTx,
    person: NewPerson,
    *,
    password_hash: str | None,
    at_ms: int,
    email_verified: bool = False,
    roles: Roles = NO_ROLES,
    invitation_id: int | None = None,
    terms_version: str | None = None,
) -> UserRow:
    """Create an account with a balance of 0; `EmailTaken`, `NicknameTaken`.

    `password_hash` comes from `Passwords.hash` or `hasher(…).hash`; None for a person who signs in through a provider,
    which also verifies the address (`email_verified`), as the command line and the settings do.
    """
    if store.is_email_taken(tx, person.email):
        raise EmailTaken
    if person.nickname and store.is_nickname_taken(tx, person.nickname):
        raise NicknameTaken
    values: dict[str, Any] = {
        "email": person.email,
        "email_verified": email_verified,
        "password_hash": password_hash,
        "name": person.name,
        "language": person.language,
        "nickname": person.nickname,
        "created_at_ms": at_ms,
        "invitation_id": invitation_id,
        "terms_version": terms_version,
        **roles,
    }
    user_id = store.insert_person(tx, values)
    account_id = open_account(tx, kind=AccountKind.USER, owner_id=user_id)
    store.update_person(tx, user_id, {"account_id": account_id})
    stats.record_sign_up(tx, at_ms=at_ms)
    return store.person(tx, user_id)


def sign_up(
    tx: WriteTx,
    person: NewPerson,
    rules: SignUpRules,
    admission: Admission,
    *,
    password_hash: str | None,
    at_ms: int,
    email_verified: bool = False,
) -> UserRow:
    """Create the account of a newcomer; the errors of `SignUpRules.admit`, then those of `create_user`."""
    invitation = rules.admit(tx, person.email, admission, at_ms=at_ms)
    return create_user(
        tx,
        person,
        password_hash=password_hash,
        at_ms=at_ms,
        email_verified=email_verified or (invitation is not None and invitation.email is not None),
        roles={"is_creator": True} if invitation is not None and invitation.creator else NO_ROLES,
        invitation_id=None if invitation is None else invitation.id,
        terms_version=rules.terms_version,
    )


def newcomer(row: UserRow, *, network: str | None) -> Newcomer:
    """Return an account as grants know it; `network` is the address of its request."""
    return Newcomer(
        user_id=row.id,
        account_id=row.account_id,
        email=row.email,
        email_verified=row.email_verified,
        network=network,
    )


def add_user(
    tx: WriteTx,
    settings: Settings,
    *,
    email: str,
    password: str,
    name: str,
    at_ms: int,
    roles: Roles = NO_ROLES,
) -> UserRow:
    """Create an account outside of the API, hashing in this thread; `BadRequest`, `EmailTaken`.

    The operator knows whose address it is: it is verified.
    """
    person = NewPerson.read(email=email, password=password, name=name)
    password_hash = hasher(settings.password_cost).hash(person.password)
    return create_user(tx, person, password_hash=password_hash, at_ms=at_ms, email_verified=True, roles=roles)


def ensure_first_admin(tx: WriteTx, settings: Settings, *, at_ms: int) -> UserRow | None:
    """Create the admin named by the settings if that account is missing; return it if created.

    An existing account keeps its password and roles; that of an admin has a verified address from then on.
    `BadRequest` names the invalid setting: the address, or a password that is too short or too common.
    """
    email, password = settings.admin_email, settings.admin_password.get_secret_value()
    if not email or not password:
        return None
    name, roles = settings.admin_name, {"is_admin": True}
    try:
        found = store.find_person_by_email(tx, read_email(email))
        if found is not None:
            if found.is_admin and not found.email_verified and not is_routed(found.email):
                store.update_person(tx, found.id, {"email_verified": True})
            return None
        return add_user(tx, settings, email=email, password=password, name=name, at_ms=at_ms, roles=roles)
    except EmailTaken:
        # Another starting process created it while this one hashed the password.
        return None
    except BadRequest as error:
        # Names the settings instead of the fields: that is where an operator corrects them.
        wrong = [f"FOREKNOW_ADMIN_{field.upper()} {what}" for field, what in error.details["fields"].items()]
        raise BadRequest("; ".join(wrong)) from None


def read_profile(change: ProfileChange) -> dict[str, Any]:
    """Return the given fields of a profile as they are stored, but for the avatar; `BadRequest`."""
    values: dict[str, Any] = {}
    if change.name is not None:
        values["name"] = read_name(change.name)
    if change.nickname is not None:
        values["nickname"] = read_nickname(change.nickname)
    if change.profile_hidden is not None:
        values["profile_hidden"] = change.profile_hidden
    if change.show_holds is not None:
        values["show_holds"] = change.show_holds
    if change.show_forecast is not None:
        values["show_forecast"] = change.show_forecast
    if change.language is not None:
        values["language"] = change.language
    if change.time_zone is not None:
        values["time_zone"] = read_time_zone(change.time_zone)
    return values


def change_profile(tx: WriteTx, row: UserRow, change: ProfileChange) -> UserRow:
    """Change the given fields of the profile of a locked person; `BadRequest`, `NicknameTaken`.

    An uploaded avatar that another address replaces is due for deletion. Its own address changes nothing.
    """
    values = read_profile(change)
    new_avatar = change.avatar_url is not None and change.avatar_url != row.avatar_url
    avatar_url = optional_url("avatar_url", change.avatar_url or "") if new_avatar else row.avatar_url
    if values.get("nickname") and store.is_nickname_taken(tx, values["nickname"], except_user_id=row.id):
        raise NicknameTaken
    store.update_person(tx, row.id, values)
    if "time_zone" in values and values["time_zone"] != row.time_zone:
        notices.hasten(tx, row.id)
    if new_avatar:
        store.show_avatar(tx, row, url=avatar_url, object_name=None, at_ms=now_ms(tx))
    return store.person(tx, row.id)


def with_balance(tx: ReadTx, row: UserRow) -> User:
    """Return the owner's view of an account, with the current balance."""
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[row.id])
    return own_view(row, balance_kopecks=balances[row.id], held_kopecks=held_kopecks(tx, [row.id])[row.id])
