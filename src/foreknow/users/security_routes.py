"""One's password and sessions: what to do when somebody else may have had them."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import RateLimited
from foreknow.users import sessions
from foreknow.users.changing import PasswordService
from foreknow.users.cookies import cleared_cookies
from foreknow.users.gate import UserGate
from foreknow.users.refusals import InvalidCredentials, InvalidToken, SessionNotFound, SignInAgain
from foreknow.users.schemas import PasswordChange, PasswordReset, Session, Sessions
from foreknow.users.sessions import SessionRow
from foreknow.web.addresses import household
from foreknow.web.answers import Answer, Empty, json_answer
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Group, Level, delete, get, post, put
from foreknow.web.listing import newest_first
from foreknow.web.room import Room


class SecurityRoutes:
    """PUT /users/me/password, POST /auth/reset, GET and DELETE /users/me/sessions."""

    def __init__(self, room: Room, passwords: PasswordService, gate: UserGate, *, secure_cookies: bool) -> None:
        """Answer from `room`; `gate` is told of sessions that end."""
        self._room = room
        self._passwords = passwords
        self._gate = gate
        self._secure = secure_cookies

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            put(
                "/users/me/password",
                self.change_password,
                Level.REQUIRED,
                Empty,
                "Change your password",
                body=PasswordChange,
                refusals=(InvalidCredentials, SignInAgain, RateLimited),
                description="Your other sessions end. A wrong old password counts as a failed sign-in. Who signs in "
                'through a provider only sends "" for it, within ten minutes of signing in.',
                limited_as=Group.SIGN_IN,
            ),
            post(
                "/auth/reset",
                self.reset_password,
                Level.NONE,
                Empty,
                "Set a new password with a reset link",
                body=PasswordReset,
                refusals=(InvalidToken, RateLimited),
                description="The token is the last part of the link that an admin made. All sessions end.",
                limited_as=Group.SIGN_IN,
            ),
            get(
                "/users/me/sessions",
                self.page,
                Level.REQUIRED,
                Sessions,
                "Where you are signed in, newest first",
                query=(LIMIT, CURSOR),
            ),
            delete(
                "/users/me/sessions",
                self.end_others,
                Level.REQUIRED,
                Empty,
                "End all other sessions",
                description="The one that asks goes on.",
            ),
            delete(
                "/users/me/sessions/{session_id}",
                self.end_one,
                Level.REQUIRED,
                Empty,
                "End a session of yours",
                refusals=(SessionNotFound,),
                description="The one that asks too: then the cookies are cleared, as when signing out.",
            ),
        ]

    async def change_password(self, call: Call) -> Empty:
        """Replace the caller's password."""
        await self._passwords.change(call.user, call.body, household=household(call.client))
        return Empty()

    async def reset_password(self, call: Call) -> Empty:
        """Set the password that somebody lost."""
        await self._passwords.reset(call.body, household=household(call.client))
        return Empty()

    async def page(self, call: Call) -> Sessions:
        """List the caller's live sessions."""
        user_id, now_ms = call.user.user_id, self._room.clock()

        def read(tx: sa.Connection, before_id: int | None, limit: int) -> Sequence[SessionRow]:
            return sessions.newest_sessions(tx, user_id, before_id=before_id, limit=limit, now_ms=now_ms)

        page = await newest_first(self._room, call, "own_sessions", read)
        shown = [_view(row, current=row.id == call.user.session_id) for row in page.rows]
        return Sessions(shown, page.next_cursor, page.has_more)

    async def end_others(self, call: Call) -> Empty:
        """End all sessions but the caller's."""

        def work(tx: sa.Connection) -> None:
            sessions.confirm(tx, call.user)
            sessions.revoke_others(tx, call.user, now_ms=self._room.clock())

        try:
            await self._room.db.write(work, shown=False)
        finally:
            # Where the fate of the commit is unknown, too: asking the database once more costs nothing.
            self._gate.forget(user_id=call.user.user_id)
        return Empty()

    async def end_one(self, call: Call) -> Answer:
        """End one session."""
        session_id: int = call.path["session_id"]

        def work(tx: sa.Connection) -> None:
            sessions.confirm(tx, call.user)
            sessions.revoke_own(tx, call.user, session_id, now_ms=self._room.clock())

        try:
            await self._room.db.write(work, shown=False)
        finally:
            self._gate.forget(session_id=session_id)
        cleared = cleared_cookies(secure=self._secure) if session_id == call.user.session_id else []
        return json_answer(Empty(), headers=tuple(cookie.header() for cookie in cleared))


def _view(row: SessionRow, *, current: bool) -> Session:
    return Session(
        id=row.id,
        created_at=iso(row.created_at_ms),
        last_used_at=iso(row.rotated_at_ms),
        user_agent=row.user_agent or "",
        current=current,
    )
