"""A user's password and sessions: what to change after they may have leaked."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import RateLimited
from foreknow.people.users import sessions
from foreknow.people.users.account_mails import AccountMails
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.cookies import cleared_cookies
from foreknow.people.users.errors import (
    DomainNotAllowed,
    EmailTaken,
    InvalidCredentials,
    InvalidSessionId,
    InvalidToken,
    NoEmail,
    PasswordOff,
    SessionNotFound,
    SignInAgain,
)
from foreknow.people.users.password_change import PasswordService
from foreknow.people.users.routes import SIGN_IN, SIGN_UP
from foreknow.people.users.schemas import (
    EmailChange,
    ForgottenPassword,
    MailedToken,
    PasswordChange,
    PasswordReset,
    Session,
    SessionPage,
)
from foreknow.people.users.sessions import SessionRow
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    BodyRequest,
    EndpointOptions,
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
    """A new password, by the old one or by a link; one's sessions."""

    def __init__(
        self,
        context: RouteContext,
        passwords: PasswordService,
        authenticator: UserAuthenticator,
        mails: AccountMails,
        *,
        secure_cookies: bool,
    ) -> None:
        """Answer from `context`; `authenticator` forgets sessions that end."""
        self._context = context
        self._passwords = passwords
        self._authenticator = authenticator
        self._mails = mails
        self._secure = secure_cookies

    def _password_options(self) -> EndpointOptions:
        return {"check_caller": self._passwords.check_has_one}

    @put(
        "/users/me/password",
        AuthLevel.REQUIRED,
        bound_options=_password_options,
        errors=(PasswordOff, InvalidCredentials, SignInAgain, RateLimited),
        rate_limit_group=SIGN_IN,
        unverified=True,
    )
    async def change_password(self, request: BodyRequest[PasswordChange]) -> Empty:
        """Change your password.

        Your other sessions and all your API keys end. A wrong old password counts as a failed sign-in. Who signs in
        through a provider only sends "" for it, within ten minutes of signing in.
        """
        await self._passwords.change(request.user, request.body, rate_limit_key=rate_limit_key(request.client))
        return Empty()

    @post(
        "/auth/reset",
        AuthLevel.NONE,
        response=Empty,
        errors=(InvalidToken, PasswordOff, RateLimited),
        rate_limit_group=SIGN_IN,
        for_strangers=True,
    )
    async def reset_password(self, request: BodyRequest[PasswordReset]) -> Response:
        """Set a new password with a reset link.

        The token is the last part of the link that an admin made, or of a mailed one. All sessions and API keys end,
        failed sign-ins are forgotten, and the cookie `device` is set as by a sign-in.
        """
        device = await self._passwords.reset(request.body, rate_limit_key=rate_limit_key(request.client))
        return json_response(Empty(), cookies=[device])

    @put(
        "/users/me/email",
        AuthLevel.REQUIRED,
        errors=(InvalidCredentials, NoEmail, DomainNotAllowed, EmailTaken, SignInAgain, RateLimited),
        rate_limit_group=SIGN_IN,
        unverified=True,
    )
    async def change_email(self, request: BodyRequest[EmailChange]) -> Empty:
        """Change your e-mail address.

        A link is mailed to the new one, which takes the old one's place once it is verified; of several, the newest. A
        wrong password counts as a failed sign-in. Who signs in through a provider only sends "" for it, within ten
        minutes of signing in. An address gets one such mail a minute and 5 a day.
        """
        await self._passwords.change_email(request.user, request.body, rate_limit_key=rate_limit_key(request.client))
        return Empty()

    @post(
        "/users/me/email/verify",
        AuthLevel.REQUIRED,
        errors=(NoEmail, RateLimited),
        rate_limit_group=SIGN_IN,
        unverified=True,
    )
    async def send_verification(self, request: PlainRequest) -> Empty:
        """Send the link that verifies your e-mail address again.

        To the new address, where one waits. A verified one needs none: then nothing is sent.
        """
        self._mails.require_on()
        user_id = request.user.user_id
        await self._context.db.write_private(lambda tx: self._mails.ask(tx, user_id, at_ms=now_ms(tx)))
        return Empty()

    @post(
        "/auth/verify",
        AuthLevel.NONE,
        errors=(InvalidToken, NoEmail, EmailTaken, RateLimited),
        rate_limit_group=SIGN_IN,
        for_strangers=True,
    )
    async def confirm_email(self, request: BodyRequest[MailedToken]) -> Empty:
        """Verify an e-mail address by a mailed link.

        The token is the last part of the link, which works for 24 hours, more than once.
        """
        self._mails.require_on()
        token = request.body.token
        user_id = await self._context.db.write(lambda tx: self._mails.verify(tx, token, at_ms=now_ms(tx)))
        self._authenticator.invalidate(user_id=user_id)
        return Empty()

    @post(
        "/auth/forgot",
        AuthLevel.NONE,
        errors=(NoEmail, PasswordOff, RateLimited),
        rate_limit_group=SIGN_UP,
        for_strangers=True,
    )
    async def request_reset(self, request: BodyRequest[ForgottenPassword]) -> Empty:
        """Request a link that sets a new password.

        It is mailed to the address if an account has it, and works for an hour; the answer is the same if none has.
        """
        self._passwords.check_any()
        self._mails.require_on()
        email = request.body.email
        await self._context.db.write_private(lambda tx: self._mails.forget(tx, email, at_ms=now_ms(tx)))
        return Empty()

    @get("/users/me/sessions", AuthLevel.REQUIRED, key_scope=None)
    async def list_my_sessions(self, request: QueryRequest[PageQuery]) -> SessionPage:
        """Where you are signed in, newest first."""
        user_id, now_ms = request.user.user_id, self._context.clock()

        def read(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[SessionRow]:
            return sessions.newest_sessions(tx, user_id, before_id=before_id, limit=limit, now_ms=now_ms)

        page = await newest_first(self._context, request, "own_sessions", read)
        shown = [_view(row, current=row.id == request.user.session_id) for row in page.rows]
        return SessionPage(shown, page.next_cursor, page.has_more)

    @delete("/users/me/sessions", AuthLevel.REQUIRED, unverified=True)
    async def end_my_sessions(self, request: PlainRequest) -> Empty:
        """End all other sessions.

        The one that asks goes on.
        """

        def work(tx: WriteTx) -> None:
            sessions.require_live_session(tx, request.user)
            sessions.revoke_others(tx, request.user, now_ms=now_ms(tx))

        try:
            await self._context.db.write_private(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=request.user.user_id)
        return Empty()

    @delete(
        "/users/me/sessions/{session_id}",
        AuthLevel.REQUIRED,
        response=Empty,
        errors=(SessionNotFound,),
        unverified=True,
    )
    async def end_my_session(self, request: PathRequest[SessionPath]) -> Response:
        """End a session of yours.

        The one that asks too: then the cookies are cleared, as when signing out.
        """
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
