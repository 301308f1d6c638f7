"""The two halves of a sign-in: off to the provider, and back from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import NotFound
from foreknow.oauth import store
from foreknow.oauth.accounts import account_of
from foreknow.oauth.errors import UnknownSignIn
from foreknow.oauth.flows import Flow, Flows
from foreknow.oauth.http import OidcClient
from foreknow.oauth.provider import AuthorizationResponse, Provider
from foreknow.settings import OidcProvider
from foreknow.users.authenticator import UserAuthenticator
from foreknow.users.service import SessionService, SignInResult
from foreknow.web.endpoint import PREFIX


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A sign-in that begins, and where the browser is sent."""

    flow: Flow
    url: str


@dataclass(frozen=True, slots=True)
class OAuthSignIn:
    """A sign-in that is done: what its user gets."""

    flow: Flow
    admission: SignInResult


class OAuthService:
    """Signs people in through the providers of the settings."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        gate: UserAuthenticator,
        sessions: SessionService,
        key: bytes,
        providers: Mapping[str, OidcProvider],
        public_url: str,
        secure_cookies: bool,
    ) -> None:
        """`key` is shared by all servers; `public_url` is this site's origin, under which providers know it."""
        self._db = db
        self._clock = clock
        self._gate = gate
        self._sessions = sessions
        self._flows = Flows(key, secure_cookies=secure_cookies)
        self._wire = OidcClient() if providers else None
        self._providers = {
            name: Provider(one, self._wire, clock, redirect_uri=f"{public_url}{PREFIX}/auth/oauth/{name}/callback")
            for name, one in providers.items()
            if self._wire is not None
        }

    async def begin(self, provider: str, *, return_to: str) -> AuthorizationRequest:
        """Begin a sign-in; `NotFound` for a provider that is not in the settings, `ProviderUnavailable`."""
        flow = self._flows.begin(provider=provider, return_to=return_to, now_ms=self._clock())
        return AuthorizationRequest(flow, await self._provider(provider).authorization_url(flow))

    async def finish(
        self, provider: str, *, state: str, returned: AuthorizationResponse, cookies: Mapping[str, str], user_agent: str
    ) -> OAuthSignIn:
        """Finish a sign-in; `NotFound`, `UnknownSignIn`, what `Provider.vouch` and `account_of` refuse with, and
        `InvalidCredentials` for an account that is not active.

        The state is used up first of all: whatever comes of it, an answer of the provider gets one attempt.
        """
        asked = self._provider(provider)
        flow = self._flows.find(state, provider=provider, cookies=cookies, now_ms=self._clock())
        if flow is None or not await self._db.write_private(lambda tx: self._spend(tx, flow)):
            raise UnknownSignIn
        vouched = await asked.vouch(returned, flow)

        def admit(tx: WriteTx) -> tuple[SignInResult, int | None]:
            now_ms = self._clock()
            account = account_of(tx, vouched, now_ms=now_ms)
            forgotten = account.user_id if account.sessions_ended else None
            admission = self._sessions.begin(tx, account.user_id, cookies=cookies, user_agent=user_agent, now_ms=now_ms)
            return admission, forgotten

        admission, forgotten = await self._db.write(admit)
        if forgotten is not None:
            self._gate.forget(user_id=forgotten)
        return OAuthSignIn(flow, admission)

    async def stop(self) -> None:
        """Close the connections to providers."""
        if self._wire is not None:
            await self._wire.close()

    def _provider(self, name: str) -> Provider:
        found = self._providers.get(name)
        if found is None:
            raise NotFound("There is no sign-in provider of this name.")
        return found

    def _spend(self, tx: WriteTx, flow: Flow) -> bool:
        return store.spend_state(tx, flow.state, expires_at_ms=flow.expires_at_ms, now_ms=self._clock())
