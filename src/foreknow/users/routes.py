"""Sign-up, sign-in, refresh, logout, and one's own account."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.errors import RateLimited, Unauthorized
from foreknow.users import store
from foreknow.users.accounts import change_profile, with_balance
from foreknow.users.cookies import REFRESH_COOKIE, admission_cookies, cleared_cookies
from foreknow.users.refusals import EmailTaken, InvalidCredentials, NicknameTaken
from foreknow.users.schemas import ProfileChange, SignedIn, SignIn, SignUp, User
from foreknow.users.service import Admission, SessionService
from foreknow.web.addresses import household
from foreknow.web.answers import Answer, Empty, json_answer
from foreknow.web.endpoint import Call, Endpoint, Group, Level, delete, get, patch, post
from foreknow.web.room import Room

_GUESSING = (
    "After 10 failures a minute on one account its sign-in is closed: see Retry-After. A browser that signed in to it "
    "before, by its cookie `device`, has 10 of its own. After 300 failures a minute from one address sign-in is closed "
    "to the address."
)
_SIGNING_UP = (
    "Sets the cookies `access_token`, `refresh_token` and the readable `session_until` (Unix seconds of the access "
    "token's end), as sign-in and refresh do, and `device`, as sign-in does. One of the commonest 10,000 passwords is "
    "400 `bad_request`."
)


class UserRoutes:
    """POST /auth/sign-up, /auth/sign-in, /auth/refresh, DELETE /auth/logout, GET and PATCH /users/me."""

    def __init__(self, room: Room, service: SessionService, *, secure_cookies: bool) -> None:
        """Mark cookies Secure where they must not travel in the clear."""
        self._room = room
        self._service = service
        self._secure = secure_cookies

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/auth/sign-up",
                self.sign_up,
                Level.NONE,
                SignedIn,
                "Make an account",
                status=201,
                body=SignUp,
                refusals=(EmailTaken, NicknameTaken, RateLimited),
                description=_SIGNING_UP,
                limited_as=Group.SIGN_IN,
            ),
            post(
                "/auth/sign-in",
                self.sign_in,
                Level.NONE,
                SignedIn,
                "Sign in with e-mail address or nickname",
                body=SignIn,
                refusals=(InvalidCredentials, RateLimited),
                description=_GUESSING,
                limited_as=Group.SIGN_IN,
            ),
            post(
                "/auth/refresh",
                self.refresh,
                Level.NONE,
                SignedIn,
                "Get a new access token",
                rides_on=REFRESH_COOKIE,
                is_ride=self._service.issued,
                refusals=(Unauthorized,),
                description="Reads the cookie `refresh_token` and replaces the cookies. For 10 more seconds the token "
                "replaced gets the same successor; after that it ends the session. 72 hours after sign-in a session is "
                "over, however often it was refreshed.",
                limited_as=Group.SIGN_IN,
            ),
            delete(
                "/auth/logout",
                self.logout,
                Level.REQUIRED,
                Empty,
                "End the session",
                description="Both tokens are refused from now on, and the cookies are cleared.",
            ),
            get("/users/me", self.me, Level.REQUIRED, User, "Your account"),
            patch(
                "/users/me",
                self.change_me,
                Level.REQUIRED,
                User,
                "Change your profile",
                body=ProfileChange,
                refusals=(NicknameTaken,),
            ),
        ]

    async def sign_up(self, call: Call) -> Answer:
        """Make an account, signed in."""
        return self._admitted(
            await self._service.sign_up(
                call.body, call.cookies, household=household(call.client), user_agent=call.user_agent
            ),
            status=201,
        )

    async def sign_in(self, call: Call) -> Answer:
        """Begin a session."""
        admission = await self._service.sign_in(
            call.body, call.cookies, household=household(call.client), user_agent=call.user_agent
        )
        return self._admitted(admission)

    async def refresh(self, call: Call) -> Answer:
        """Go on with the session of the refresh cookie."""
        return self._admitted(await self._service.refresh(call.cookies.get(REFRESH_COOKIE)))

    async def logout(self, call: Call) -> Answer:
        """End the caller's session and clear its cookies."""
        await self._service.sign_out(call.user)
        cookies = cleared_cookies(secure=self._secure)
        return json_answer(Empty(), headers=tuple(cookie.header() for cookie in cookies))

    async def me(self, call: Call) -> User:
        """Show the caller's account."""
        user_id = call.user.user_id
        return await self._room.db.read(lambda tx: with_balance(tx, store.person(tx, user_id)), brief=True)

    async def change_me(self, call: Call) -> User:
        """Change the caller's profile."""

        def run(tx: sa.Connection) -> User:
            return with_balance(tx, change_profile(tx, call.user.user_id, call.body))

        return await self._room.db.write(run)

    def _admitted(self, admission: Admission, *, status: int = 200) -> Answer:
        cookies = admission_cookies(admission, secure=self._secure)
        return json_answer(admission.signed_in, status=status, headers=tuple(cookie.header() for cookie in cookies))
