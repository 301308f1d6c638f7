"""Sign-up, sign-in, refresh, logout, and the caller's own account."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import WriteTx
from foreknow.kernel.errors import RateLimited, Unauthorized
from foreknow.users import store
from foreknow.users.accounts import change_profile, with_balance
from foreknow.users.cookies import REFRESH_COOKIE, cleared_cookies, sign_in_cookies
from foreknow.users.errors import EmailTaken, InvalidCredentials, NicknameTaken, SignUpClosed
from foreknow.users.schemas import ProfileChange, SignedIn, SignIn, SignUp, User
from foreknow.users.service import SessionService, SignInResult
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    AuthCookie,
    BodyRequest,
    Endpoint,
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
_GUESSING = (
    "After 10 failures a minute on one account its sign-in is closed: see Retry-After. A browser that signed in to it "
    "before, by its cookie `device`, has 10 of its own. After 300 failures a minute from one address sign-in is closed "
    "to the address."
)
_SIGNING_UP = (
    "Sets the cookies `access_token`, `refresh_token` and the readable `session_until` (Unix seconds of the access "
    "token's end), as sign-in and refresh do, and `device`, as sign-in does. One of the commonest 10,000 passwords "
    "is 400 `bad_request`."
)


class UserRoutes:
    """POST /auth/sign-up, /auth/sign-in, /auth/refresh, DELETE /auth/logout, GET and PATCH /users/me."""

    def __init__(
        self, context: RouteContext, service: SessionService, *, secure_cookies: bool, sign_up_is_open: bool
    ) -> None:
        """Mark cookies Secure where they must not travel in the clear."""
        self._context = context
        self._sign_up_is_open = sign_up_is_open
        self._service = service
        self._secure = secure_cookies

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/auth/sign-up",
                self.sign_up,
                AuthLevel.NONE,
                SignedIn,
                "Make an account",
                operation_id="sign_up",
                status=201,
                errors=(SignUpClosed, EmailTaken, NicknameTaken, RateLimited),
                description=_SIGNING_UP,
                rate_limit_group=SIGN_IN,
            ),
            post(
                "/auth/sign-in",
                self.sign_in,
                AuthLevel.NONE,
                SignedIn,
                "Sign in with e-mail address or nickname",
                operation_id="sign_in",
                errors=(InvalidCredentials, RateLimited),
                description=_GUESSING,
                rate_limit_group=SIGN_IN,
            ),
            post(
                "/auth/refresh",
                self.refresh,
                AuthLevel.NONE,
                SignedIn,
                "Get a new access token",
                operation_id="refresh_session",
                auth_cookie=AuthCookie(
                    REFRESH_COOKIE, "refreshCookie", "The refresh token.", is_valid=self._service.issued
                ),
                cookies_if_unauthorized=tuple(cleared_cookies(secure=self._secure)),
                errors=(Unauthorized,),
                description="Reads the cookie `refresh_token` and replaces the cookies. For 10 more seconds the token "
                "replaced gets the same successor; after that it ends the session. 72 hours after sign-in a session is "
                "over, however often it was refreshed. A 401 clears the session's cookies where any was sent.",
                rate_limit_group=SIGN_IN,
            ),
            delete(
                "/auth/logout",
                self.logout,
                AuthLevel.REQUIRED,
                Empty,
                "End the session",
                operation_id="sign_out",
                description="Both tokens are refused from now on, and the cookies are cleared.",
            ),
            *self._of_own_account(),
        ]

    def _of_own_account(self) -> list[Endpoint]:
        """List the endpoints of the caller's own account."""
        return [
            get("/users/me", self.me, AuthLevel.REQUIRED, User, "Your account", operation_id="get_me"),
            patch(
                "/users/me",
                self.change_me,
                AuthLevel.REQUIRED,
                User,
                "Change your profile",
                operation_id="update_me",
                errors=(NicknameTaken,),
            ),
        ]

    async def sign_up(self, request: BodyRequest[SignUp]) -> Response:
        """Make an account, signed in."""
        if not self._sign_up_is_open:
            raise SignUpClosed
        return self._signed_in(
            await self._service.sign_up(
                request.body,
                request.cookies,
                rate_limit_key=rate_limit_key(request.client),
                user_agent=request.user_agent,
            ),
            status=201,
        )

    async def sign_in(self, request: BodyRequest[SignIn]) -> Response:
        """Begin a session."""
        result = await self._service.sign_in(
            request.body, request.cookies, rate_limit_key=rate_limit_key(request.client), user_agent=request.user_agent
        )
        return self._signed_in(result)

    async def refresh(self, request: PlainRequest) -> Response:
        """Continue the session of the refresh cookie."""
        return self._signed_in(await self._service.refresh(request.cookies.get(REFRESH_COOKIE)))

    async def logout(self, request: PlainRequest) -> Response:
        """End the caller's session and clear its cookies."""
        await self._service.sign_out(request.user)
        cookies = cleared_cookies(secure=self._secure)
        return json_response(Empty(), cookies=cookies)

    async def me(self, request: PlainRequest) -> User:
        """Show the caller's account."""
        user_id = request.user.user_id
        return await self._context.db.lookup(lambda tx: with_balance(tx, store.person(tx, user_id)))

    async def change_me(self, request: BodyRequest[ProfileChange]) -> User:
        """Change the caller's profile."""

        def run(tx: WriteTx) -> User:
            return with_balance(tx, change_profile(tx, request.user.user_id, request.body))

        return await self._context.db.write(run)

    def _signed_in(self, result: SignInResult, *, status: int = 200) -> Response:
        cookies = sign_in_cookies(result, secure=self._secure)
        return json_response(result.signed_in, status=status, cookies=cookies)
