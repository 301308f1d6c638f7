"""Starts sign-ins at providers and finishes them, with requests to the provider between its transactions.

The account of a verified identity is a known one, one linked by its verified address, or a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreknow.kernel.access.cookies import Cookies
from foreknow.kernel.clock import Clock
from foreknow.kernel.email_addresses import address_key, ascii_domain
from foreknow.kernel.errors import NotFound
from foreknow.kernel.provider_settings import OidcProvider
from foreknow.people.oauth import store
from foreknow.people.oauth.errors import NoVerifiedEmail, UnknownSignIn
from foreknow.people.oauth.flows import Flow, Flows
from foreknow.people.oauth.http import OidcClient
from foreknow.people.oauth.provider import AuthorizationResponse, OpenIDProvider, VerifiedIdentity
from foreknow.people.users.account_mails import end_links
from foreknow.people.users.accounts import NewPerson, sign_up
from foreknow.people.users.admission import Admission, Admissions, SignUpRules
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.errors import EmailTaken
from foreknow.people.users.schemas import UserLanguage
from foreknow.people.users.service import SessionService, SignInResult
from foreknow.people.users.sessions import revoke_all
from foreknow.people.users.store import UserRow, find_person_by_email, lock_person, update_person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx


@dataclass(frozen=True, slots=True)
class SignInAccount:
    """An account; after `sessions_ended`, call `UserAuthenticator.invalidate` after the commit."""

    user_id: int
    sessions_ended: bool = False
    #: Made now.
    is_new: bool = False


def find_or_create_account(
    tx: WriteTx,
    identity: VerifiedIdentity,
    rules: SignUpRules,
    admission: Admission,
    *,
    now_ms: int,
    language: UserLanguage | None = None,
) -> SignInAccount:
    """Find, link or create the account; `NoVerifiedEmail`, `EmailTaken`, and for a new one the errors of
    `accounts.sign_up`.
    """
    known = store.find_user_id(tx, issuer=identity.issuer, subject=identity.subject)
    if known is not None:
        return SignInAccount(known)
    if identity.email is None:
        raise NoVerifiedEmail
    found = _locked(tx, identity.email)
    if found is None:
        # Without a password: only the provider has checked one.
        person = NewPerson(email=identity.email, password="", name=identity.name, nickname="", language=language)
        row = sign_up(tx, person, rules, admission, password_hash=None, email_verified=True, at_ms=now_ms)
        account = SignInAccount(row.id, is_new=True)
    elif is_same_address(found.email, identity.email):
        account = _link(tx, found, now_ms=now_ms)
    else:
        raise EmailTaken
    store.add_identity(tx, issuer=identity.issuer, subject=identity.subject, user_id=account.user_id, at_ms=now_ms)
    return account


def is_same_address(one: str, other: str) -> bool:
    """Return whether two addresses differ only in upper and lower case, and in how their domain is spelled.

    The case folding of `users.email_key` is too coarse before the @: it maps ſ to s and ß to ss, which may be another
    mailbox.
    """
    return _parts(one) == _parts(other)


def _parts(email: str) -> tuple[str, str, str]:
    local, _, domain = email.rpartition("@")
    # What is no domain, in an address of an earlier release, is itself alone.
    return local.lower(), local.upper(), ascii_domain(domain) or domain


def _locked(tx: WriteTx, email: str) -> UserRow | None:
    """Return the account with this address, locked."""
    found = find_person_by_email(tx, email)
    # Until the lock its address may have changed.
    row = None if found is None else lock_person(tx, found.id)
    return row if row is not None and address_key(row.email) == address_key(email) else None


def _link(tx: WriteTx, row: UserRow, *, now_ms: int) -> SignInAccount:
    if row.email_verified:
        return SignInAccount(row.id)
    # The account's creator may not own the address: the password, the sessions and all links end, a new address that
    # waits is taken back, so that only the owner has access.
    update_person(tx, row.id, {"email_verified": True, "password_hash": None})
    end_links(tx, row.id)
    revoke_all(tx, row.id, now_ms=now_ms)
    return SignInAccount(row.id, sessions_ended=True)


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
        admissions: Admissions,
    ) -> None:
        """`keys` are shared by all servers (`TokenKeys`).

        `api_url` is where browsers reach this API: providers know its callbacks.
        """
        self._admissions = admissions
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
        cookies: Cookies,
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
        language = self._admissions.language(language)

        def run(tx: WriteTx) -> tuple[SignInResult, SignInAccount]:
            at_ms = now_ms(tx)
            rules, settings = self._admissions.with_settings(tx)
            account = find_or_create_account(tx, identity, rules, flow.admission, now_ms=at_ms, language=language)
            if account.is_new or account.sessions_ended:
                # Linked by its address: that is verified now.
                let_in_by = settings if account.is_new else None
                self._sessions.welcome(tx, account.user_id, let_in_by=let_in_by, network=network, at_ms=at_ms)
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
