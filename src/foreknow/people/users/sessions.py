"""Sessions: started by a sign-in, refreshed by tokens, ended after 72 hours or by revocation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import KeyScope, UserCaller
from foreknow.kernel.access.levels import AuthLevel, may
from foreknow.kernel.access.ownership import Created, Published, is_run_by, may_still_edit, may_still_run
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import Forbidden, Unauthorized
from foreknow.people.users.active_days import note_active
from foreknow.people.users.errors import SessionNotFound
from foreknow.people.users.tables import sessions, users
from foreknow.people.users.tokens import RefreshClaim
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.transactions import ReadTx, WriteTx

SESSION_MS = 72 * HOUR_MS
#: Time in which a replaced refresh token still gets the same successor: browser tabs refresh at the same time.
GRACE_MS = 10 * SECOND_MS
#: Characters stored of a User-Agent header.
USER_AGENT_LENGTH_MAX = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; `generation` numbers its current refresh token, which was issued at `rotated_at_ms`."""

    id: int
    user_id: int
    created_at_ms: int
    expires_at_ms: int
    revoked_at_ms: int | None
    generation: int
    #: Also when the session was last active, to within 20 minutes, the lifetime of an access token.
    rotated_at_ms: int
    user_agent: str | None

    @property
    def refresh_claim(self) -> RefreshClaim:
        """The contents of the current refresh token."""
        return RefreshClaim(self.id, self.generation, self.created_at_ms)


@dataclass(frozen=True, slots=True)
class Reused:
    """A replaced refresh token was used, so a copy of it exists; the session was revoked."""

    session_id: int


_COLUMNS = [sessions.c[name] for name in SessionRow.__slots__]
_LIVE = sessions.c.revoked_at_ms.is_(None)
_IS_SIGN_IN = sessions.c.key_scope.is_(None)
#: A key acts without its user's roles.
_CALLER = (
    *(
        sa.and_(_IS_SIGN_IN, role).label(role.name)
        for role in (users.c.is_creator, users.c.is_admin, users.c.is_stats_viewer, users.c.is_operator)
    ),
    sessions.c.key_scope,
    users.c.email_verified,
    users.c.muted_until_ms,
)
#: End of a key's session, which no one lives to see: 31 December 9999, Unix milliseconds.
NEVER_MS = 253_402_214_400_000


def open_session(tx: WriteTx, *, user_id: int, now_ms: int, user_agent: str = "") -> SessionRow:
    """Start a session of 72 hours, and delete the user's expired sessions.

    `user_agent` is cut to `USER_AGENT_LENGTH_MAX`.
    """
    mine = sessions.c.user_id == user_id
    tx.execute(sessions.delete().where(mine, sessions.c.expires_at_ms <= now_ms))
    row: dict[str, Any] = {
        "user_id": user_id,
        "created_at_ms": now_ms,
        "expires_at_ms": now_ms + SESSION_MS,
        "revoked_at_ms": None,
        "generation": 0,
        "rotated_at_ms": now_ms,
        "user_agent": _printable(user_agent),
    }
    session_id = int(tx.execute(sessions.insert().values(row).returning(sessions.c.id)).scalar_one())
    note_active(tx, user_id, at_ms=now_ms)
    return SessionRow(id=session_id, **row)


def open_key_session(tx: WriteTx, *, user_id: int, scope: KeyScope, now_ms: int) -> int:
    """Start the session of an API key, which ends by revocation alone; return its id."""
    row = sessions.insert().values(
        user_id=user_id,
        created_at_ms=now_ms,
        expires_at_ms=NEVER_MS,
        generation=0,
        rotated_at_ms=now_ms,
        key_scope=scope,
    )
    return int(tx.execute(row.returning(sessions.c.id)).scalar_one())


def rotate(tx: WriteTx, claim: RefreshClaim, *, now_ms: int) -> SessionRow | Reused:
    """Replace the refresh token of `claim`; within `GRACE_MS` it gets the same successor again.

    Raises `Unauthorized` if the session has ended. For a token replaced before, revokes the session and returns
    `Reused`: the caller must commit the transaction.
    """
    query = sa.select(*_COLUMNS).where(sessions.c.id == claim.session_id, _LIVE, _IS_SIGN_IN).with_for_update()
    found = tx.execute(query).mappings().one_or_none()
    if found is None or found["created_at_ms"] != claim.session_created_at_ms:
        raise Unauthorized
    row = SessionRow(**found)
    # Tokens and cookies count whole seconds: a session with less than 1 s left gets none.
    if row.expires_at_ms - now_ms < SECOND_MS or claim.generation > row.generation:
        raise Unauthorized
    if claim.generation < row.generation:
        if claim.generation == row.generation - 1 and now_ms < row.rotated_at_ms + GRACE_MS:
            return row
        revoke(tx, row.id, now_ms=now_ms)
        return Reused(row.id)
    next_one = replace(row, generation=row.generation + 1, rotated_at_ms=now_ms)
    changed = {"generation": next_one.generation, "rotated_at_ms": now_ms}
    tx.execute(sessions.update().where(sessions.c.id == row.id).values(changed))
    note_active(tx, row.user_id, at_ms=now_ms)
    return next_one


def revoke(tx: WriteTx, session_id: int, *, now_ms: int) -> None:
    """Revoke a session. Call `UserAuthenticator.invalidate` after the commit."""
    tx.execute(sessions.update().where(sessions.c.id == session_id, _LIVE).values(revoked_at_ms=now_ms))


def revoke_all(tx: WriteTx, user_id: int, *, now_ms: int) -> None:
    """Revoke all sessions of a user, those of keys too. Call `UserAuthenticator.invalidate` after the commit."""
    tx.execute(sessions.update().where(sessions.c.user_id == user_id, _LIVE).values(revoked_at_ms=now_ms))


def revoke_others(tx: WriteTx, caller: UserCaller, *, now_ms: int) -> None:
    """Revoke the caller's other sign-ins; keys go on. Call `UserAuthenticator.invalidate` after the commit."""
    tx.execute(sessions.update().where(*_others(caller), _IS_SIGN_IN, _LIVE).values(revoked_at_ms=now_ms))


def revoke_others_and_keys(tx: WriteTx, caller: UserCaller, *, now_ms: int) -> None:
    """Revoke the caller's other sign-ins and all their keys, which are sessions, too.

    Call `UserAuthenticator.invalidate` after the commit.
    """
    tx.execute(sessions.update().where(*_others(caller), _LIVE).values(revoked_at_ms=now_ms))


def revoke_own(tx: WriteTx, caller: UserCaller, session_id: int, *, now_ms: int) -> None:
    """Revoke one of the caller's sessions; `SessionNotFound` if it has ended or is another user's.

    Call `UserAuthenticator.invalidate` after the commit.
    """
    own = (sessions.c.user_id == caller.user_id, _IS_SIGN_IN)
    mine = (sessions.c.id == session_id, *own, sessions.c.expires_at_ms > now_ms)
    ended = sessions.update().where(*mine, _LIVE).values(revoked_at_ms=now_ms).returning(sessions.c.id)
    if tx.execute(ended).first() is None:
        raise SessionNotFound


def newest_sessions(
    tx: ReadTx, user_id: int, *, before_id: int | None, limit: int, now_ms: int
) -> Sequence[SessionRow]:
    """Return a user's live sign-ins, newest first; with `before_id`, those with lower ids."""
    mine = (sessions.c.user_id == user_id, _LIVE, _IS_SIGN_IN, sessions.c.expires_at_ms > now_ms)
    query = sa.select(*_COLUMNS).where(*mine).order_by(sessions.c.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(sessions.c.id < before_id)
    return [SessionRow(**row) for row in tx.execute(query).mappings()]


def session(tx: ReadTx, session_id: int) -> SessionRow:
    """Return an existing session."""
    return SessionRow(**tx.execute(sa.select(*_COLUMNS).where(sessions.c.id == session_id)).mappings().one())


def find_callers(tx: ReadTx, session_ids: Collection[int], *, now_ms: int) -> dict[int, UserCaller]:
    """Return the users of these sessions, with their current roles, by session id; ended sessions are left out."""
    rows = tx.execute(_FIND_CALLERS, {"ids": session_ids, "now_ms": now_ms})
    return {row.id: UserCaller(*row) for row in rows}


# Built once: the authenticator runs it every second for all active sessions.
_FIND_CALLERS = (
    sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
    .join_from(sessions, users)
    # A release older than inactive accounts may have started a session for one.
    .where(in_array(sessions.c.id), _LIVE, sessions.c.expires_at_ms > sa.bindparam("now_ms"), users.c.is_active)
)


def live_sessions(tx: ReadTx, session_ids: Collection[int], *, now_ms: int) -> set[int]:
    """Return those of the sessions, of any number, that have not ended."""
    return live_at(session_ends_fetch(session_ids).fetch(tx), now_ms)


def session_ends_fetch(session_ids: Collection[int]) -> Fetch[dict[int, int]]:
    """Return the query of when sessions end that are not revoked (Unix milliseconds, by id)."""
    return Fetch(_FIND_ENDS, {"ids": session_ids}, lambda rows: dict(map(tuple, rows)), is_empty=not session_ids)


def live_at(ends_ms: Mapping[int, int], now_ms: int) -> set[int]:
    """Return which of the sessions of `session_ends_fetch` have not ended."""
    return {session_id for session_id, end_ms in ends_ms.items() if end_ms > now_ms}


_FIND_ENDS = CompiledQuery(sa.select(sessions.c.id, sessions.c.expires_at_ms).where(in_array(sessions.c.id), _LIVE))


def require_live_session(tx: ReadTx, caller: UserCaller, *roles: AuthLevel) -> UserCaller:
    """Return the caller with the roles of this transaction, which acts for them.

    What the authenticator knows may be a second old. Raises `Unauthorized` where the session was revoked meanwhile,
    `Forbidden` where `roles` (levels of the endpoints that need them) are given and the caller has none. Expiry is not
    checked: the access token ends no later than the session, and was valid when the request came.
    """
    query = (
        sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
        .join_from(sessions, users)
        .where(sessions.c.id == caller.session_id, sessions.c.user_id == caller.user_id, _LIVE, users.c.is_active)
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        raise Unauthorized
    confirmed = replace(UserCaller(*row), creators=caller.creators)
    if roles and not any(may(confirmed, role) for role in roles):
        raise Forbidden
    return confirmed


def lock_live_person(tx: WriteTx, caller: UserCaller) -> None:
    """Lock the caller as `store.lock_person` does; `Unauthorized` where the session was revoked meanwhile."""
    live = sa.and_(sessions.c.id == caller.session_id, sessions.c.user_id == caller.user_id, _LIVE, users.c.is_active)
    query = sa.select(users.c.id).join_from(sessions, users).where(live)
    if tx.execute(query.with_for_update(key_share=True, of=users)).first() is None:
        raise Unauthorized


def require_run_by(tx: ReadTx, caller: UserCaller, row: Created, error: str) -> None:
    """Raise unless the caller may run what its creator made (`access.ownership`).

    `Forbidden` with the message `error` to other users, `Unauthorized` where the session has ended, and `Forbidden`
    where the role was taken meanwhile.
    """
    if not is_run_by(caller, row):
        raise Forbidden(error)
    if not may_still_run(require_live_session(tx, caller), row):
        raise Forbidden


def require_edited_by(tx: ReadTx, caller: UserCaller, row: Published, error: str) -> None:
    """Raise likewise unless the caller may change what its creator made; before it is published, a creator who only
    suggests may, too.
    """
    if not is_run_by(caller, row):
        raise Forbidden(error)
    if not may_still_edit(require_live_session(tx, caller), row):
        raise Forbidden


def _others(caller: UserCaller) -> tuple[sa.ColumnElement[bool], ...]:
    return (sessions.c.user_id == caller.user_id, sessions.c.id != caller.session_id)


def _printable(user_agent: str) -> str:
    return "".join(char for char in user_agent[:USER_AGENT_LENGTH_MAX] if char.isprintable())
