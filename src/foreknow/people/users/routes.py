"""Sign-up, sign-in, refresh, logout, and the caller's own account."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import InvalidState, Muted, RateLimited, Unauthorized
from foreknow.people.users import store
from foreknow.people.users.accounts import change_profile, with_balance
from foreknow.people.users.admission import ADMISSION_ERRORS
from foreknow.people.users.cookies import REFRESH_COOKIE, cleared_cookies, sign_in_cookies
from foreknow.people.users.errors import EmailTaken, InvalidCredentials, InvalidToken, NicknameTaken, PasswordOff
from foreknow.people.users.schemas import FirstAdmin, ProfileChange, SignedIn, SignIn, SignUp, User
from foreknow.people.users.service import SessionService, SignInResult
from foreknow.people.users.sessions import require_live_session
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    AuthCookie,
    BodyRequest,
    EndpointOptions,
    PlainRequest,
    RateLimitGroup,
    delete,
    get,
    patch,
    post,
)
from foreknow.web.responses import Empty, Response, json_response

#: Sign-in, and all else that checks or sets a password.
SIGN_IN = RateLimitGroup("sign-in")
#: New accounts: each costs a slow hash, and rows that stay.
SIGN_UP = RateLimitGroup("sign-up")


class UserRoutes:
    """Signing up, in and out; one's own account."""

    def __init__(self, context: RouteContext, service: SessionService, *, secure_cookies: bool) -> None:
        """Mark cookies Secure where they must not travel in the clear."""
        self._context = context
        self._service = service
        self._secure = secure_cookies

    @post(
        "/auth/sign-up",
        AuthLevel.NONE,
        response=SignedIn,
        status=201,
        errors=(PasswordOff, *ADMISSION_ERRORS, EmailTaken, NicknameTaken, RateLimited),
        rate_limit_group=SIGN_UP,
        for_strangers=True,
    )
    async def sign_up(self, request: BodyRequest[SignUp]) -> Response:
        """Make an account.

        Sets the cookies `access_token`, `refresh_token` and the readable `session_until` (Unix seconds of the access
        token's end), as sign-in and refresh do, and `device`, as sign-in does. One of the commonest 10,000 passwords is
        400 `bad_request`. What the site asks of newcomers, GET /site says. Mails are in the language that
        Accept-Language prefers, until it is changed.
        """
        return self._signed_in(
            await self._service.sign_up(
                request.body,
                request.cookies,
                rate_limit_key=rate_limit_key(request.client),
                user_agent=request.user_agent,
                language=request.language,
            ),
            status=201,
        )

    @post(
        "/auth/setup",
        AuthLevel.NONE,
        response=SignedIn,
        status=201,
        errors=(InvalidToken, InvalidState, EmailTaken, NicknameTaken, RateLimited),
        rate_limit_group=SIGN_UP,
        for_strangers=True,
    )
    async def create_first_admin(self, request: BodyRequest[FirstAdmin]) -> Response:
        """Make the first admin of a new site.

        With the link that the server prints at its start while there was never an admin. It answers as a
        sign-up does, whatever the site asks of newcomers; nothing is granted.
        """
        return self._signed_in(
            await self._service.make_first_admin(
                request.body,
                request.cookies,
                rate_limit_key=rate_limit_key(request.client),
                user_agent=request.user_agent,
                language=request.language,
            ),
            status=201,
        )

    @post(
        "/auth/sign-in",
        AuthLevel.NONE,
        response=SignedIn,
        errors=(InvalidCredentials, RateLimited),
        rate_limit_group=SIGN_IN,
        for_strangers=True,
    )
    async def sign_in(self, request: BodyRequest[SignIn]) -> Response:
        """Sign in with e-mail address or nickname.

        After 10 failures a minute on one account its sign-in is closed: see Retry-After. A browser that signed in to it
        before, by its cookie `device`, has 10 of its own. After 300 failures a minute from one address sign-in is
        closed to the address.
        """
        result = await self._service.sign_in(
            request.body, request.cookies, rate_limit_key=rate_limit_key(request.client), user_agent=request.user_agent
        )
        return self._signed_in(result)

    def _refresh_options(self) -> EndpointOptions:
        cookie = AuthCookie(REFRESH_COOKIE, "refreshCookie", "The refresh token.", is_valid=self._service.issued)
        return {"auth_cookie": cookie, "cookies_if_unauthorized": tuple(cleared_cookies(secure=self._secure))}

    @post(
        "/auth/refresh",
        AuthLevel.NONE,
        response=SignedIn,
        bound_options=_refresh_options,
        errors=(Unauthorized,),
        rate_limit_group=SIGN_IN,
        for_strangers=True,
    )
    async def refresh_session(self, request: PlainRequest) -> Response:
        """Get a new access token.

        Reads the cookie `refresh_token` and replaces the cookies. For 10 more seconds the token replaced gets the same
        successor; after that it ends the session. 72 hours after sign-in a session is over, however often it was
        refreshed. A 401 clears the session's cookies where any was sent.
        """
        return self._signed_in(await self._service.refresh(request.cookies.get(REFRESH_COOKIE, ())))

    @delete("/auth/logout", AuthLevel.REQUIRED, response=Empty, unverified=True)
    async def sign_out(self, request: PlainRequest) -> Response:
        """End the session.

        Both tokens are refused from now on, and the cookies are cleared.
        """
        await self._service.sign_out(request.user)
        cookies = cleared_cookies(secure=self._secure)
        return json_response(Empty(), cookies=cookies)

    @get("/users/me", AuthLevel.REQUIRED)
    async def get_me(self, request: PlainRequest) -> User:
        """Your account."""
        user_id = request.user.user_id
        return await self._context.db.lookup(lambda tx: with_balance(tx, store.person(tx, user_id)))

    @patch("/users/me", AuthLevel.REQUIRED, errors=(Muted, NicknameTaken), unverified=True)
    async def update_me(self, request: BodyRequest[ProfileChange]) -> User:
        """Change your profile.

        Who is muted keeps name, nickname and avatar, and may change the rest.
        """
        if request.body.changes_looks:
            self._context.check_unmuted(request.user)

        def run(tx: WriteTx) -> User:
            row = store.lock_person(tx, request.user.user_id)
            # Under the lock: a deletion that came first has forgotten all of this.
            require_live_session(tx, request.user)
            return with_balance(tx, change_profile(tx, row, request.body))

        return await self._context.db.write(run)

    def _signed_in(self, result: SignInResult, *, status: int = 200) -> Response:
        cookies = sign_in_cookies(result, secure=self._secure)
        return json_response(result.signed_in, status=status, cookies=cookies)
