"""Sessions: begun by a sign-in, kept going by refresh tokens, over after 72 hours or when they are revoked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from foreknow.db.bulk import PlainRows, one_of
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import Forbidden, Unauthorized
from foreknow.users.tables import sessions, users
from foreknow.users.tokens import RefreshClaim
from foreknow.web.callers import UserCaller
from foreknow.web.endpoint import Level, may

SESSION_MS = 72 * HOUR_MS
#: For so long a token that was just replaced still gets the same successor: tabs refresh at the same moment.
GRACE_MS = 10 * SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; `generation` numbers its present refresh token, which replaced the one before at `rotated_at_ms`."""

    id: int
    user_id: int
    created_at_ms: int
    expires_at_ms: int
    revoked_at_ms: int | None
    generation: int
    rotated_at_ms: int

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


def open_session(tx: sa.Connection, *, user_id: int, now_ms: int) -> SessionRow:
    """Begin a session of 72 hours, and sweep out the user's sessions that are over."""
    mine = sessions.c.user_id == user_id
    tx.execute(sessions.delete().where(mine, sessions.c.expires_at_ms <= now_ms))
    row: dict[str, Any] = {
        "user_id": user_id,
        "created_at_ms": now_ms,
        "expires_at_ms": now_ms + SESSION_MS,
        "revoked_at_ms": None,
        "generation": 0,
        "rotated_at_ms": now_ms,
    }
    session_id = int(tx.execute(sessions.insert().values(row).returning(sessions.c.id)).scalar_one())
    return SessionRow(id=session_id, **row)


def rotate(tx: sa.Connection, claim: RefreshClaim, *, now_ms: int) -> SessionRow | Reused:
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
    next_one = {"generation": row.generation + 1, "rotated_at_ms": now_ms}
    tx.execute(sessions.update().where(sessions.c.id == row.id).values(next_one))
    return replace(row, **next_one)


def revoke(tx: sa.Connection, session_id: int, *, now_ms: int) -> None:
    """End a session for good.

    Once this has committed, the process that did it must let its gate forget the session (`UserGate.forget`).
    """
    tx.execute(sessions.update().where(sessions.c.id == session_id, _LIVE).values(revoked_at_ms=now_ms))


def revoke_all(tx: sa.Connection, user_id: int, *, now_ms: int) -> None:
    """End all sessions of a user for good; the gate must forget the user afterwards, as with `revoke`."""
    tx.execute(sessions.update().where(sessions.c.user_id == user_id, _LIVE).values(revoked_at_ms=now_ms))


def find_callers(tx: sa.Connection, session_ids: Collection[int], *, now_ms: int) -> dict[int, UserCaller]:
    """Return whose sessions these are, with the roles of this moment; those that are over are left out."""
    rows = tx.execute(_FIND_CALLERS, {"ids": session_ids, "now_ms": now_ms})
    return {row.id: UserCaller(*row) for row in rows}


# Built once: the gate asks it about every session in use each second.
_FIND_CALLERS = (
    sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
    .join_from(sessions, users)
    .where(one_of(sessions.c.id), _LIVE, sessions.c.expires_at_ms > sa.bindparam("now_ms"))
)


def live_sessions(tx: sa.Connection, session_ids: Collection[int], *, now_ms: int) -> set[int]:
    """Return those sessions, of any number, that are not over."""
    return {session_id for (session_id,) in _FIND_LIVE.fetch(tx, {"ids": session_ids, "now_ms": now_ms})}


_FIND_LIVE = PlainRows(
    lambda _dialect: sa.select(sessions.c.id).where(
        one_of(sessions.c.id), _LIVE, sessions.c.expires_at_ms > sa.bindparam("now_ms")
    )
)


def confirm(tx: sa.Connection, caller: UserCaller, role: Level | None = None) -> None:
    """Make sure, inside the transaction that acts, that the caller may still do so.

    What the gate knows may be a second old. Raises `Unauthorized` where the session was revoked meanwhile, `Forbidden`
    where the role (the level of the endpoint that asks for it) was taken. Whether the session has run out is not
    looked at: the token, which ends no later, was good when the request came.
    """
    query = (
        sa.select(sessions.c.user_id, sessions.c.id, *_CALLER)
        .join_from(sessions, users)
        .where(sessions.c.id == caller.session_id, sessions.c.user_id == caller.user_id, _LIVE)
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        raise Unauthorized
    if role is not None and not may(UserCaller(*row), role):
        raise Forbidden
