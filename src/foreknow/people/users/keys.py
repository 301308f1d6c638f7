"""Users' own API keys: shown once, stored as hashes, each with a session that lives as long as the key.

Because of that session, all that ends sessions for a reason of safety (deactivation, a new password) ends keys too, and
orders check a key as they check a sign-in. Signing out, and ending other sign-ins, leave keys alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.access.api_keys import USER_KEY, hash_key
from foreknow.kernel.access.callers import KeyScope, UserCaller
from foreknow.kernel.validation.fields import required_text
from foreknow.people.users import sessions as key_sessions
from foreknow.people.users.errors import TooManyUserKeys, UserKeyNotFound
from foreknow.people.users.schemas import KEY_NAME_LENGTH_MAX
from foreknow.people.users.tables import sessions, user_keys, users
from foreknow.platform.db.transactions import ReadTx, WriteTx

LIVE_KEYS_MAX = 20
_LIVE = sessions.c.revoked_at_ms.is_(None)


@dataclass(frozen=True, slots=True)
class UserKey:
    """A live key, without the key itself. `last_used_at_ms` lags by up to a minute."""

    id: int
    name: str
    scope: KeyScope
    created_at_ms: int
    last_used_at_ms: int | None


@dataclass(frozen=True, slots=True)
class NewUserKey:
    """A new key; `key` is what its user sends, and cannot be shown again."""

    stored: UserKey
    key: str


@dataclass(frozen=True, slots=True)
class KeySession:
    """The session of a key, whose user and state its session tells."""

    key_id: int
    session_id: int
    last_used_at_ms: int | None


def issue(tx: WriteTx, caller: UserCaller, *, name: str, scope: KeyScope, at_ms: int) -> NewUserKey:
    """Create a key; `BadRequest` for its name, `TooManyUserKeys` where 20 are live, `Unauthorized`."""
    clean = required_text("name", name, most=KEY_NAME_LENGTH_MAX)
    # Two requests at once must not both find 19 keys; and a key must not outlive a password that changes meanwhile, so
    # that the session is checked under the lock.
    tx.execute(sa.select(users.c.id).where(users.c.id == caller.user_id).with_for_update(key_share=True))
    key_sessions.require_live_session(tx, caller)
    _delete_ended(tx, caller.user_id)
    if len(live_keys(tx, caller.user_id)) >= LIVE_KEYS_MAX:
        raise TooManyUserKeys
    session_id = key_sessions.open_key_session(tx, user_id=caller.user_id, scope=scope, now_ms=at_ms)
    key = USER_KEY.new()
    row = {
        "user_id": caller.user_id,
        "session_id": session_id,
        "name": clean,
        "key_hash": hash_key(key),
        "created_at_ms": at_ms,
    }
    key_id = int(tx.execute(user_keys.insert().values(row).returning(user_keys.c.id)).scalar_one())
    return NewUserKey(UserKey(key_id, clean, scope, at_ms, None), key)


def revoke(tx: WriteTx, caller: UserCaller, key_id: int, *, at_ms: int) -> None:
    """End a key of the caller; `UserKeyNotFound`. Call `UserAuthenticator.invalidate` after the commit."""
    key_sessions.require_live_session(tx, caller)
    query = (
        sa.select(user_keys.c.session_id)
        .join_from(user_keys, sessions)
        .where(user_keys.c.id == key_id, user_keys.c.user_id == caller.user_id, _LIVE)
    )
    session_id = tx.execute(query).scalar_one_or_none()
    if session_id is None:
        raise UserKeyNotFound
    key_sessions.revoke(tx, session_id, now_ms=at_ms)


def live_keys(tx: ReadTx, user_id: int) -> Sequence[UserKey]:
    """Return a user's live keys, oldest first."""
    table = user_keys.c
    query = (
        sa.select(table.id, table.name, sessions.c.key_scope, table.created_at_ms, table.last_used_at_ms)
        .join_from(user_keys, sessions)
        .where(table.user_id == user_id, _LIVE)
        .order_by(table.id)
    )
    return [UserKey(*row) for row in tx.execute(query)]


def find_session(tx: ReadTx, key_hash: str) -> KeySession | None:
    """Return the session of the key with this hash, live or not; None where there is none."""
    table = user_keys.c
    query = sa.select(table.id, table.session_id, table.last_used_at_ms).where(table.key_hash == key_hash)
    row = tx.execute(query).one_or_none()
    return None if row is None else KeySession(*row)


def _delete_ended(tx: WriteTx, user_id: int) -> None:
    """Delete a user's keys that have ended, with their sessions: making keys must not fill the database."""
    ended = sa.select(sessions.c.id).where(
        sessions.c.user_id == user_id, sessions.c.key_scope.is_not(None), sessions.c.revoked_at_ms.is_not(None)
    )
    session_ids = list(tx.execute(ended).scalars())
    tx.execute(user_keys.delete().where(user_keys.c.session_id.in_(session_ids)))
    tx.execute(sessions.delete().where(sessions.c.id.in_(session_ids)))
