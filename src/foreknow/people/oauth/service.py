"""Starts sign-ins at providers and finishes them, with requests to the provider between its transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import NotFound
from foreknow.kernel.provider_settings import OidcProvider
from foreknow.people.oauth import store
from foreknow.people.oauth.accounts import SignInAccount, find_or_create_account
from foreknow.people.oauth.errors import UnknownSignIn
from foreknow.people.oauth.flows import Flow, Flows
from foreknow.people.oauth.http import OidcClient
from foreknow.people.oauth.provider import AuthorizationResponse, OpenIDProvider
from foreknow.people.users.admission import Admission, SignUpRules
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.schemas import UserLanguage
from foreknow.people.users.service import SessionService, SignInResult
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A started sign-in, and the provider's URL to redirect the browser to."""

    flow: Flow
    url: str


@dataclass(frozen=True, slots=True)
class OAuthSignIn:
    """A finished sign-in."""

    flow: Flow
    result: SignInResult


class OAuthService:
    """Signs people in through the providers of the settings."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        authenticator: UserAuthenticator,
        sessions: SessionService,
        keys: Sequence[bytes],
        providers: Mapping[str, OidcProvider],
        api_url: str,
        secure_cookies: bool,
        rules: SignUpRules,
    ) -> None:
        """`keys` are shared by all servers (`TokenKeys`).

        `api_url` is where browsers reach this API: providers know its callbacks.
        """
        self._rules = rules
        self._db = db
        self._clock = clock
        self._authenticator = authenticator
        self._sessions = sessions
        self._flows = Flows(*keys, secure_cookies=secure_cookies)
        self._client = OidcClient() if providers else None
        self._providers = {
            name: OpenIDProvider(one, self._client, clock, redirect_uri=f"{api_url}/auth/oauth/{name}/callback")
            for name, one in providers.items()
            if self._client is not None
        }

    async def begin(self, provider: str, *, return_to: str, admission: Admission) -> AuthorizationRequest:
        """Start a sign-in; `NotFound` for a provider that is not in the settings, `ProviderUnavailable`.

        `admission` is for a new account.
        """
        flow = self._flows.begin(provider=provider, return_to=return_to, admission=admission, now_ms=self._clock())
        return AuthorizationRequest(flow, await self._provider(provider).authorization_url(flow))

    async def finish(
        self,
        provider: str,
        *,
        state: str,
        response: AuthorizationResponse,
        cookies: Mapping[str, str],
        user_agent: str,
        network: str,
        language: UserLanguage | None,
    ) -> OAuthSignIn:
        """Finish a sign-in; `NotFound`, `UnknownSignIn`, the errors of `OpenIDProvider.verify_identity` and
        `find_or_create_account`, and `InvalidCredentials` for an account that is not active.

        The state is used first, so that each response of the provider gets one attempt. `network` is the address of the
        request, by which grants are counted; `language` is what its browser prefers, for a new account.
        """
        found = self._provider(provider)
        flow = self._flows.find(state, provider=provider, cookies=cookies, now_ms=self._clock())
        if flow is None or not await self._db.write_private(lambda tx: self._spend(tx, flow)):
            raise UnknownSignIn
        identity = await found.verify_identity(response, flow)

        def run(tx: WriteTx) -> tuple[SignInResult, SignInAccount]:
            at_ms = now_ms(tx)
            account = find_or_create_account(tx, identity, self._rules, flow.admission, now_ms=at_ms, language=language)
            if account.is_new or account.sessions_ended:
                # Linked by its address: that is verified now.
                self._sessions.welcome(tx, account.user_id, is_new=account.is_new, network=network, at_ms=at_ms)
            result = self._sessions.begin(tx, account.user_id, cookies=cookies, user_agent=user_agent, now_ms=at_ms)
            return result, account

        result, account = await self._db.write(run)
        if account.sessions_ended:
            self._authenticator.invalidate(user_id=account.user_id)
        return OAuthSignIn(flow, result)

    async def stop(self) -> None:
        """Close the connections to providers."""
        if self._client is not None:
            await self._client.close()

    def _provider(self, name: str) -> OpenIDProvider:
        found = self._providers.get(name)
        if found is None:
            raise NotFound("There is no sign-in provider of this name.")
        return found

    def _spend(self, tx: WriteTx, flow: Flow) -> bool:
        return store.spend_state(tx, flow.state, expires_at_ms=flow.expires_at_ms, now_ms=now_ms(tx))
