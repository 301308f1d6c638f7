"""Rows of people. No query here returns partners' sub-accounts or the house's own trader, in the same table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.kernel.email_addresses import address_key
from foreknow.kernel.look_alikes import skeleton
from foreknow.kernel.text import fold, may_be_within, search_fold
from foreknow.kernel.time_zones import UTC_NAME
from foreknow.people.users import first_admin
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.schemas import EMAIL_LENGTH_MAX, UserLanguage
from foreknow.people.users.tables import IS_MAILED, IS_PERSON, unused_avatars, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx, WriteTx


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow:
    """A person, without the password."""

    id: int
    email: str
    email_verified: bool
    #: The address that takes its place once it is verified.
    email_pending: str | None
    #: The address that is mailed no more notices: its mailbox is dead.
    refused_email: str | None
    #: Of mails; None: English.
    language: UserLanguage | None
    #: Of daily mails, an IANA name; None: UTC.
    time_zone: str | None
    name: str
    nickname: str
    avatar_url: str
    #: The stored object behind it; None for an address elsewhere, and without an avatar.
    avatar_object: str | None
    profile_hidden: bool
    is_creator: bool
    is_admin: bool
    is_stats_viewer: bool
    is_operator: bool
    #: The ledger account with the balance.
    account_id: int
    created_at_ms: int
    #: False: has no session and cannot start one.
    is_active: bool
    #: When the account was deleted; None for one that was not.
    deleted_at_ms: int | None
    #: Until when they may write nothing that others read, also where that is past; None: no one has muted them.
    muted_until_ms: int | None
    #: Whether comments show what they held when they wrote them, and what they thought.
    show_holds: bool
    show_forecast: bool


@dataclass(frozen=True, slots=True)
class PasswordCredentials:
    """The password hash of a user; None for an inactive account, or one that signs in through a provider only."""

    user_id: int
    password_hash: str | None


Role = Literal["creator", "admin", "stats_viewer", "operator"]
#: Number of people that a page of a search looks at: some 50 ms.
SEARCHED_MAX = 20_000
_COLUMNS = [users.c[name] for name in UserRow.__slots__]
_IS_ACCOUNT = sa.and_(IS_PERSON, users.c.deleted_at_ms.is_(None))
_CREDENTIALS = sa.select(users.c.id, sa.case((users.c.is_active, users.c.password_hash)))
_ADMINS_CREDENTIALS = sa.select(
    users.c.id, sa.case((sa.and_(users.c.is_active, users.c.is_admin), users.c.password_hash))
)
_DELETED = CompiledQuery(sa.select(users.c.id).where(in_array(users.c.id), users.c.deleted_at_ms.is_not(None)))


def find_person(tx: ReadTx, user_id: int) -> UserRow | None:
    """Return a person; None if unknown."""
    return _one(tx, users.c.id == user_id)


def person(tx: ReadTx, user_id: int) -> UserRow:
    """Return a person; `UserNotFound`."""
    found = find_person(tx, user_id)
    if found is None:
        raise UserNotFound
    return found


def account(tx: ReadTx, user_id: int) -> UserRow:
    """Return a person whose account was not deleted; `UserNotFound`."""
    found = person(tx, user_id)
    if found.deleted_at_ms is not None:
        raise UserNotFound
    return found


def deleted_among(tx: ReadTx, user_ids: Collection[int]) -> set[int]:
    """Return which of these users, sub-accounts too, have deleted their accounts."""
    return {user_id for (user_id,) in _DELETED.fetch(tx, {"ids": user_ids})} if user_ids else set()


def lock_person(tx: WriteTx, user_id: int) -> UserRow:
    """Return a person with the row locked against sign-ins and changes until `tx` ends; `UserNotFound`."""
    tx.execute(sa.select(users.c.id).where(users.c.id == user_id, IS_PERSON).with_for_update(key_share=True))
    return person(tx, user_id)


def find_person_by_email(tx: ReadTx, email: str) -> UserRow | None:
    """Return the person with this e-mail address, by whichever spelling (`address_key`); None if unknown."""
    return _one(tx, users.c.email_key == address_key(email))


def invitation_id(tx: ReadTx, user_id: int) -> int | None:
    """Return the invitation by which an account was made; None for none."""
    found: int | None = tx.execute(sa.select(users.c.invitation_id).where(users.c.id == user_id)).scalar_one()
    return found


def find_people(tx: ReadTx, user_ids: Sequence[int]) -> dict[int, UserRow]:
    """Return the people that exist among `user_ids` (a hundred or so), by id."""
    query = sa.select(*_COLUMNS).where(users.c.id.in_(user_ids), IS_PERSON)
    return {row["id"]: UserRow(**row) for row in tx.execute(query).mappings()}


def find_people_by_nicknames(tx: ReadTx, keys: Collection[str]) -> dict[str, UserRow]:
    """Return the people with these nicknames (some hundred, each folded), by key."""
    query = sa.select(users.c.nickname_key, *_COLUMNS).where(users.c.nickname_key.in_(keys), IS_PERSON)
    return {row.pop("nickname_key"): UserRow(**row) for row in map(dict, tx.execute(query).mappings())}


@dataclass(frozen=True, slots=True)
class MailedPerson:
    """A person who may be mailed notices; daily ones follow the days of `time_zone`."""

    id: int
    email: str
    time_zone: str


def mailed_people(tx: ReadTx, user_ids: Collection[int]) -> dict[int, MailedPerson]:
    """Return those people among `user_ids` who may be mailed notices, by id."""
    found: dict[int, MailedPerson] = {}
    for chunk in chunks(user_ids):
        query = sa.select(users.c.id, users.c.email, sa.func.coalesce(users.c.time_zone, UTC_NAME))
        rows = tx.execute(query.where(users.c.id.in_(chunk), IS_PERSON, IS_MAILED))
        found |= {row[0]: MailedPerson(*row) for row in rows}
    return found


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """People of a page of a search, and the id under which it goes on; None at the end."""

    rows: Sequence[UserRow]
    before_id: int | None


def search_people(tx: ReadTx, *, part: str | None, role: Role | None, before_id: int | None, limit: int) -> FoundPeople:
    """Return the newest people with a role and with `part` in name, e-mail or nickname, or as their id.

    It looks at `SEARCHED_MAX` people, so that a page may have fewer than `limit` although more follow.
    """
    key = None if part is None else search_fold(part)
    flag = sa.true() if role is None else users.c[f"is_{role}"]
    query = sa.select(users.c.id, users.c.name, users.c.email, users.c.email_key, users.c.nickname_key, flag)
    query = query.where(_IS_ACCOUNT).order_by(users.c.id.desc()).limit(SEARCHED_MAX)
    if before_id is not None:
        query = query.where(users.c.id < before_id)
    found: list[int] = []
    rows = tx.execute(query).all()
    for user_id, name, email, email_key, nickname, has_role in rows:
        if len(found) == limit:
            return FoundPeople(_in_order(tx, found), found[-1])
        texts = map(search_fold, (name, email, email_key or "", nickname or ""))
        if has_role and (key is None or part == str(user_id) or any(key in text for text in texts)):
            found.append(user_id)
    return FoundPeople(_in_order(tx, found), rows[-1].id if len(rows) == SEARCHED_MAX else None)


def _in_order(tx: ReadTx, user_ids: Sequence[int]) -> list[UserRow]:
    people = find_people(tx, user_ids)
    return [people[user_id] for user_id in user_ids]


def has_admin(tx: ReadTx) -> bool:
    """Return whether any active account is an admin."""
    query = sa.select(sa.exists().where(IS_PERSON, users.c.is_admin, users.c.is_active))
    return bool(tx.execute(query).scalar_one())


def admin_ids(tx: ReadTx) -> Sequence[int]:
    """Return the ids of all active admins."""
    query = sa.select(users.c.id).where(IS_PERSON, users.c.is_admin, users.c.is_active).order_by(users.c.id)
    return tx.execute(query).scalars().all()


def newest_people(tx: ReadTx, *, before_id: int | None, limit: int) -> Sequence[UserRow]:
    """Return the newest people; with `before_id`, those with lower ids."""
    query = sa.select(*_COLUMNS).where(_IS_ACCOUNT).order_by(users.c.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(users.c.id < before_id)
    return [UserRow(**row) for row in tx.execute(query).mappings()]


def find_credentials(tx: ReadTx, login: str, *, of_admins: bool = False) -> PasswordCredentials | None:
    """Return the credentials of an e-mail address or a nickname (which never contains an @); None if unknown.

    `of_admins`: all others have no password.
    """
    row = tx.execute(_credentials_of(login, of_admins=of_admins)).one_or_none()
    return None if row is None else PasswordCredentials(*row)


def lock_found_credentials(tx: WriteTx, login: str, *, of_admins: bool = False) -> PasswordCredentials | None:
    """Do the same, with the row locked until `tx` ends."""
    row = tx.execute(_credentials_of(login, of_admins=of_admins).with_for_update(key_share=True)).one_or_none()
    return None if row is None else PasswordCredentials(*row)


def _credentials_of(login: str, *, of_admins: bool) -> sa.Select[Any]:
    key = users.c.email_key if "@" in login else users.c.nickname_key
    # A text too long for a login is looked up as "", which no row has, to take the same time.
    wanted = address_key(login) if may_be_within(login, EMAIL_LENGTH_MAX) else ""
    return (_ADMINS_CREDENTIALS if of_admins else _CREDENTIALS).where(key == wanted, IS_PERSON)


def credentials(tx: ReadTx, user_id: int, *, of_admins: bool = False) -> PasswordCredentials:
    """Return the credentials of an existing person. `of_admins`: all others have no password."""
    query = _ADMINS_CREDENTIALS if of_admins else _CREDENTIALS
    return PasswordCredentials(*tx.execute(query.where(users.c.id == user_id, IS_PERSON)).one())


def lock_credentials(tx: WriteTx, user_id: int, *, of_admins: bool = False) -> PasswordCredentials:
    """Do the same, with the row locked until `tx` ends."""
    query = (_ADMINS_CREDENTIALS if of_admins else _CREDENTIALS).where(users.c.id == user_id, IS_PERSON)
    return PasswordCredentials(*tx.execute(query.with_for_update(key_share=True)).one())


def is_email_taken(tx: ReadTx, email: str) -> bool:
    """Return whether an account has this e-mail address."""
    return tx.execute(sa.select(users.c.id).where(users.c.email_key == address_key(email))).first() is not None


def verified_by_address(tx: ReadTx, keys: Collection[str]) -> dict[str, bool]:
    """Return whether the address is verified of each account among these `address_key`s."""
    query = sa.select(users.c.email_key, users.c.email_verified).where(users.c.email_key.in_(keys), IS_PERSON)
    return {key: is_verified for key, is_verified in tx.execute(query)}  # noqa: C416 - rows are typed as tuples


def is_nickname_taken(tx: ReadTx, nickname: str, *, except_user_id: int | None = None) -> bool:
    """Return whether an account other than `except_user_id` has this nickname, or one that looks like it."""
    is_taken = sa.or_(users.c.nickname_key == fold(nickname), users.c.nickname_skeleton == skeleton(nickname))
    query = sa.select(users.c.id).where(is_taken)
    if except_user_id is not None:
        query = query.where(users.c.id != except_user_id)
    return tx.execute(query).first() is not None


def insert_person(tx: WriteTx, values: Mapping[str, Any]) -> int:
    """Insert a person and return the id. Requires `email`, `name`, `created_at_ms`; sets their keys."""
    row = {**values, "email_key": address_key(values["email"]), **_nickname_keys(values)}
    if values.get("is_admin"):
        first_admin.note_made(tx)
    return int(tx.execute(users.insert().values(row).returning(users.c.id)).scalar_one())


def update_person(tx: WriteTx, user_id: int, values: Mapping[str, Any]) -> None:
    """Change the given columns of a person."""
    if values:
        changes = {**values, **_nickname_keys(values)}
        tx.execute(users.update().where(users.c.id == user_id, IS_PERSON).values(changes))


def show_avatar(tx: WriteTx, row: UserRow, *, url: str, object_name: str | None, at_ms: int) -> str | None:
    """Let a locked person show another avatar, "" for none; `object_name` is the stored object behind it, if any.

    Return the object that they showed before, if any, which is due for deletion now.
    """
    update_person(tx, row.id, {"avatar_url": url, "avatar_object": object_name})
    if row.avatar_object is not None:
        tx.execute(unused_avatars.insert().values(object=row.avatar_object, user_id=row.id, due_at_ms=at_ms))
    return row.avatar_object


def set_roles(tx: WriteTx, user_id: int, roles: Mapping[str, bool]) -> None:
    """Grant (true) and revoke (false) roles by column name. Call `UserAuthenticator.invalidate` after the commit."""
    assert roles.keys() <= {"is_creator", "is_admin", "is_stats_viewer", "is_operator"}
    if roles.get("is_admin"):
        first_admin.note_made(tx)
    update_person(tx, user_id, roles)


def _one(tx: ReadTx, condition: sa.ColumnElement[bool]) -> UserRow | None:
    row = tx.execute(sa.select(*_COLUMNS).where(condition, IS_PERSON)).mappings().one_or_none()
    return None if row is None else UserRow(**row)


def _nickname_keys(values: Mapping[str, Any]) -> dict[str, str | None]:
    nickname = values.get("nickname")
    if nickname is None:
        return {}
    return {
        "nickname_key": fold(nickname) if nickname else None,
        "nickname_skeleton": skeleton(nickname) if nickname else None,
    }
