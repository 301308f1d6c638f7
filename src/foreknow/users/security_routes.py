"""A user's password and sessions: what to change after they may have leaked."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import RateLimited
from foreknow.users import sessions
from foreknow.users.authenticator import UserAuthenticator
from foreknow.users.cookies import cleared_cookies
from foreknow.users.errors import InvalidCredentials, InvalidSessionId, InvalidToken, SessionNotFound, SignInAgain
from foreknow.users.password_change import PasswordService
from foreknow.users.routes import SIGN_IN
from foreknow.users.schemas import PasswordChange, PasswordReset, Session, Sessions
from foreknow.users.sessions import SessionRow
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    BodyRequest,
    Endpoint,
    PathRequest,
    PlainRequest,
    QueryRequest,
    delete,
    get,
    post,
    put,
)
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Empty, Response, json_response


@parameters
class SessionPath:
    session_id: int = path_id(InvalidSessionId)


class SecurityRoutes:
    """PUT /users/me/password, POST /auth/reset, GET and DELETE /users/me/sessions."""

    def __init__(
        self,
        context: RouteContext,
        passwords: PasswordService,
        authenticator: UserAuthenticator,
        *,
        secure_cookies: bool,
    ) -> None:
        """Answer from `context`; `authenticator` forgets sessions that end."""
        self._context = context
        self._passwords = passwords
        self._authenticator = authenticator
        self._secure = secure_cookies

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            put(
                "/users/me/password",
                self.change_password,
                AuthLevel.REQUIRED,
                Empty,
                "Change your password",
                operation_id="change_password",
                errors=(InvalidCredentials, SignInAgain, RateLimited),
                description="Your other sessions end. A wrong old password counts as a failed sign-in. Who signs in "
                'through a provider only sends "" for it, within ten minutes of signing in.',
                rate_limit_group=SIGN_IN,
            ),
            post(
                "/auth/reset",
                self.reset_password,
                AuthLevel.NONE,
                Empty,
                "Set a new password with a reset link",
                operation_id="reset_password",
                errors=(InvalidToken, RateLimited),
                description="The token is the last part of the link that an admin made. All sessions end, failed "
                "sign-ins are forgotten, and the cookie `device` is set as by a sign-in.",
                rate_limit_group=SIGN_IN,
            ),
            get(
                "/users/me/sessions",
                self.page,
                AuthLevel.REQUIRED,
                Sessions,
                "Where you are signed in, newest first",
                operation_id="list_my_sessions",
                key_scope=None,
            ),
            delete(
                "/users/me/sessions",
                self.end_others,
                AuthLevel.REQUIRED,
                Empty,
                "End all other sessions",
                operation_id="end_my_sessions",
                description="The one that asks goes on.",
            ),
            delete(
                "/users/me/sessions/{session_id}",
                self.end_one,
                AuthLevel.REQUIRED,
                Empty,
                "End a session of yours",
                operation_id="end_my_session",
                errors=(SessionNotFound,),
                description="The one that asks too: then the cookies are cleared, as when signing out.",
            ),
        ]

    async def change_password(self, request: BodyRequest[PasswordChange]) -> Empty:
        """Replace the caller's password."""
        await self._passwords.change(request.user, request.body, rate_limit_key=rate_limit_key(request.client))
        return Empty()

    async def reset_password(self, request: BodyRequest[PasswordReset]) -> Response:
        """Set a new password with a reset token."""
        device = await self._passwords.reset(request.body, rate_limit_key=rate_limit_key(request.client))
        return json_response(Empty(), cookies=[device])

    async def page(self, request: QueryRequest[PageQuery]) -> Sessions:
        """List the caller's live sessions."""
        user_id, now_ms = request.user.user_id, self._context.clock()

        def read(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[SessionRow]:
            return sessions.newest_sessions(tx, user_id, before_id=before_id, limit=limit, now_ms=now_ms)

        page = await newest_first(self._context, request, "own_sessions", read)
        shown = [_view(row, current=row.id == request.user.session_id) for row in page.rows]
        return Sessions(shown, page.next_cursor, page.has_more)

    async def end_others(self, request: PlainRequest) -> Empty:
        """End all sessions but the caller's."""

        def work(tx: WriteTx) -> None:
            sessions.require_live_session(tx, request.user)
            sessions.revoke_others(tx, request.user, now_ms=now_ms(tx))

        try:
            await self._context.db.write_private(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=request.user.user_id)
        return Empty()

    async def end_one(self, request: PathRequest[SessionPath]) -> Response:
        """End one session."""
        session_id = request.path.session_id

        def work(tx: WriteTx) -> None:
            sessions.require_live_session(tx, request.user)
            sessions.revoke_own(tx, request.user, session_id, now_ms=now_ms(tx))

        try:
            await self._context.db.write_private(work)
        finally:
            self._authenticator.invalidate(session_id=session_id)
        cleared = cleared_cookies(secure=self._secure) if session_id == request.user.session_id else []
        return json_response(Empty(), cookies=cleared)


def _view(row: SessionRow, *, current: bool) -> Session:
    return Session(
        id=row.id,
        created_at=iso(row.created_at_ms),
        last_used_at=iso(row.rotated_at_ms),
        user_agent=row.user_agent or "",
        current=current,
    )
