"""Sessions: begun by a sign-in, kept going by refresh tokens, over after 72 hours or when they are revoked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from foreknow.access.callers import UserCaller
from foreknow.access.levels import AuthLevel, may
from foreknow.db.bulk import CompiledQuery, in_array
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import Forbidden, Unauthorized
from foreknow.users.errors import SessionNotFound
from foreknow.users.tables import sessions, users
from foreknow.users.tokens import RefreshClaim

SESSION_MS = 72 * HOUR_MS
#: For so long a token that was just replaced still gets the same successor: tabs refresh at the same moment.
GRACE_MS = 10 * SECOND_MS
#: So much is kept of what a browser calls itself.
USER_AGENT_LENGTH_MAX = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; `generation` numbers its present refresh token, which replaced the one before at `rotated_at_ms`."""

    id: int
    user_id: int
    created_at_ms: int
    expires_at_ms: int
    revoked_at_ms: int | None
    generation: int
    #: Also when the session was last seen: whoever uses it comes by every 20 minutes for another access token.
    rotated_at_ms: int
    user_agent: str | None

    @property
    def refresh_claim(self) -> RefreshClaim:
        """What the present refresh token says."""
        return RefreshClaim(self.id, self.generation, self.created_at_ms)


@dataclass(frozen=True, slots=True)
class Reused:
    """An old refresh token came back: somebody has a copy, so the session was revoked."""

    session_id: int


_COLUMNS = [sessions.c[name] for name in SessionRow.__slots__]
_CALLER = (users.c.is_creator, users.c.is_admin, users.c.is_stats_viewer, users.c.is_operator)
_LIVE = sessions.c.revoked_at_ms.is_(None)


def open_session(tx: WriteTx, *, user_id: int, now_ms: int, user_agent: str = "") -> SessionRow:
    """Begin a session of 72 hours, and sweep out the user's sessions that are over.

    `user_agent` is what the browser calls itself; of a long one the beginning is kept.
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
        "user_agent": _shown(user_agent),
    }
    session_id = int(tx.execute(sessions.insert().values(row).returning(sessions.c.id)).scalar_one())
    return SessionRow(id=session_id, **row)


def rotate(tx: WriteTx, claim: RefreshClaim, *, now_ms: int) -> SessionRow | Reused:
    """Replace the refresh token that says `claim`; whoever asks with it again within 10 s gets the same successor.

    Raises `Unauthorized` where the session is over. A token that was replaced before is `Reused`, and the session is
    revoked: the caller must let its transaction commit.
    """
    query = sa.select(*_COLUMNS).where(sessions.c.id == claim.session_id, _LIVE).with_for_update()
    found = tx.execute(query).mappings().one_or_none()
    if found is None or found["created_at_ms"] != claim.session_created_at_ms:
        raise Unauthorized
    row = SessionRow(**found)
    # Tokens and cookies count whole seconds: a session with less than one left could be given none.
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
    return next_one


def revoke(tx: WriteTx, session_id: int, *, now_ms: int) -> None:
    """End a session for good.

    Once this has committed, the process that did it must let its gate forget the session (`UserAuthenticator.forget`).
    """
    tx.execute(sessions.update().where(sessions.c.id == session_id, _LIVE).values(revoked_at_ms=now_ms))


def revoke_all(tx: WriteTx, user_id: int, *, now_ms: int) -> None:
    """End all sessions of a user for good; the gate must forget the user afterwards, as with `revoke`."""
    tx.execute(sessions.update().where(sessions.c.user_id == user_id, _LIVE).values(revoked_at_ms=now_ms))


def revoke_others(tx: WriteTx, caller: UserCaller, *, now_ms: int) -> None:
    """End all sessions of the caller but the one that calls; the gate must forget the user afterwards."""
    others = (sessions.c.user_id == caller.user_id, sessions.c.id != caller.session_id)
    tx.execute(sessions.update().where(*others, _LIVE).values(revoked_at_ms=now_ms))


def revoke_own(tx: WriteTx, caller: UserCaller, session_id: int, *, now_ms: int) -> None:
    """End one session of the caller's; `SessionNotFound` for one that is over or somebody else's. The gate must forget
    it afterwards.
    """
    mine = (sessions.c.id == session_id, sessions.c.user_id == caller.user_id, sessions.c.expires_at_ms > now_ms)
    ended = sessions.update().where(*mine, _LIVE).values(revoked_at_ms=now_ms).returning(sessions.c.id)
    if tx.execute(ended).first() is None:
        raise SessionNotFound


def newest_sessions(
    tx: ReadTx, user_id: int, *, before_id: int | None, limit: int, now_ms: int
) -> Sequence[SessionRow]:
    """Return a user's live sessions, newest first, of those with ids under `before_id` where it is given."""
    mine = (sessions.c.user_id == user_id, _LIVE, sessions.c.expires_at_ms > now_ms)
    query = sa.select(*_COLUMNS).where(*mine).order_by(sessions.c.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(sessions.c.id < before_id)
    return [SessionRow(**row) for row in tx.execute(query).mappings()]


def session(tx: ReadTx, session_id: int) -> SessionRow:
    """Return a session that exists."""
    return SessionRow(**tx.execute(sa.select(*_COLUMNS).where(sessions.c.id == session_id)).mappings().one())


def find_callers(tx: ReadTx, session_ids: Collection[int], *, now_ms: int) -> dict[int, UserCaller]:
    """Return whose sessions these are, with the roles of this moment; those that are over are left out."""
    rows = tx.execute(_FIND_CALLERS, {"ids": session_ids, "now_ms": now_ms})
    return {row.id: UserCaller(*row) for row in rows}


# Built once: the gate asks it about every session in use each second.
_FIND_CALLERS = (
    sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
    .join_from(sessions, users)
    # A release from before accounts could be inactive may have begun a session for one.
    .where(in_array(sessions.c.id), _LIVE, sessions.c.expires_at_ms > sa.bindparam("now_ms"), users.c.is_active)
)


def live_sessions(tx: ReadTx, session_ids: Collection[int], *, now_ms: int) -> set[int]:
    """Return those sessions, of any number, that are not over."""
    return {session_id for (session_id,) in _FIND_LIVE.fetch(tx, {"ids": session_ids, "now_ms": now_ms})}


_FIND_LIVE = CompiledQuery(
    lambda _dialect: sa.select(sessions.c.id).where(
        in_array(sessions.c.id), _LIVE, sessions.c.expires_at_ms > sa.bindparam("now_ms")
    )
)


def require_live_session(tx: ReadTx, caller: UserCaller, *roles: AuthLevel) -> None:
    """Make sure, inside the transaction that acts, that the caller may still do so.

    What the gate knows may be a second old. Raises `Unauthorized` where the session was revoked meanwhile, `Forbidden`
    where `roles` (levels of the endpoints that ask for them) are given and the caller has none. Whether it has run
    out is not looked at: the token, which ends no later, was good when the request came.
    """
    query = (
        sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
        .join_from(sessions, users)
        .where(sessions.c.id == caller.session_id, sessions.c.user_id == caller.user_id, _LIVE, users.c.is_active)
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        raise Unauthorized
    if roles and not any(may(UserCaller(*row), role) for role in roles):
        raise Forbidden


def confirm_runs(tx: ReadTx, caller: UserCaller, *, creator_id: int) -> None:
    """Raise `Forbidden` or `Unauthorized` unless the caller may run what `creator_id` created: its creator while they
    are one, or an admin. Session and roles are read as `require_live_session` does.
    """
    require_live_session(tx, caller, AuthLevel.ADMIN, *([AuthLevel.CREATOR] if caller.user_id == creator_id else []))


def _shown(user_agent: str) -> str:
    """Return what may be kept and shown of a header's text."""
    return "".join(sign for sign in user_agent[:USER_AGENT_LENGTH_MAX] if sign.isprintable())
