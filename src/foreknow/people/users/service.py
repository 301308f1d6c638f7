"""Sign-up, sign-in, refresh and sign-out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.cookies import Cookie, Cookies
from foreknow.kernel.clock import SECOND_MS, Clock
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.settings import Settings
from foreknow.people.invitations import invitation
from foreknow.people.newcomers import Newcomers
from foreknow.people.users import first_admin, login_throttle, sessions, store
from foreknow.people.users.account_mails import AccountMails
from foreknow.people.users.accounts import NewPerson, create_user, newcomer, sign_up, with_balance
from foreknow.people.users.admission import Admission, Admissions
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.errors import InvalidCredentials, PasswordOff
from foreknow.people.users.login_throttle import SignInAttempt
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.schemas import FirstAdmin, SignedIn, SignIn, SignUp, UserLanguage
from foreknow.people.users.sessions import Reused, SessionRow
from foreknow.people.users.store import PasswordCredentials
from foreknow.people.users.tokens import AccessTokens, RefreshClaim, RefreshTokens
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: A hook of other features, run in the transaction of a sign-in: given the user's id and the request's cookies, returns
#: further cookies to set. May run twice, like every transaction.
OnSignIn: TypeAlias = Callable[[WriteTx, int, Cookies], Sequence[Cookie]]


@dataclass(frozen=True, slots=True)
class SignInResult:
    """The response body of a sign-in, and the refresh token with its remaining seconds."""

    signed_in: SignedIn
    refresh_token: str
    refresh_expires_in_s: int
    #: Unix seconds.
    access_expires_at_s: int
    #: The device's, and those of `OnSignIn`.
    cookies: tuple[Cookie, ...] = ()


class SessionService:
    """Starts, refreshes and ends sessions."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        authenticator: UserAuthenticator,
        passwords: Passwords,
        access_tokens: AccessTokens,
        refresh_tokens: RefreshTokens,
        devices: DeviceCookies,
        limit_failures: bool,
        on_sign_in: OnSignIn,
        admissions: Admissions,
        passwords_of_all: bool,
        mails: AccountMails,
        newcomers: Newcomers,
    ) -> None:
        """`limit_failures` False allows any number of wrong passwords, for load tests; `passwords_of_all` False: admins
        alone have one.
        """
        self._db = db
        self._clock = clock
        self._authenticator = authenticator
        self._passwords = passwords
        self._access_tokens = access_tokens
        self._refresh_tokens = refresh_tokens
        self._devices = devices
        self._limit_failures = limit_failures
        self._on_sign_in = on_sign_in
        self._admissions = admissions
        self._passwords_of_all = passwords_of_all
        self._mails = mails
        self._newcomers = newcomers

    async def sign_up(
        self,
        body: SignUp,
        cookies: Cookies,
        *,
        rate_limit_key: str,
        user_agent: str = "",
        language: UserLanguage | None = None,
    ) -> SignInResult:
        """Create an account and start its first session; `PasswordOff`, `RateLimited`, and the errors of
        `NewPerson.read` and `accounts.sign_up`.

        `language` is what the browser prefers: its mails have it until they change it.
        """
        rules = await self._db.lookup(self._admissions.at)
        rules.check_open()
        if not self._passwords_of_all:
            raise PasswordOff
        self._mails.check_sign_up()
        person = NewPerson.read(
            email=body.email,
            password=body.password,
            name=body.name,
            nickname=body.nickname,
            language=self._admissions.language(language),
        )
        admission = Admission(body.invitation, body.terms)
        # Before hashing, which is expensive.
        rules.check_asked(person.email, admission)
        password_hash = await self._passwords.hash(person.password, rate_limit_key=rate_limit_key)

        def run(tx: WriteTx) -> SignInResult:
            at_ms = now_ms(tx)
            rules, settings = self._admissions.with_settings(tx)
            row = sign_up(tx, person, rules, admission, password_hash=password_hash, at_ms=at_ms)
            self._mails.welcome(tx, row, at_ms=at_ms)
            self.welcome(tx, row.id, let_in_by=settings, network=rate_limit_key, at_ms=at_ms)
            return self.begin(tx, row.id, cookies=cookies, user_agent=user_agent, now_ms=at_ms)

        return await self._db.write(run)

    async def make_first_admin(
        self,
        body: FirstAdmin,
        cookies: Cookies,
        *,
        rate_limit_key: str,
        user_agent: str = "",
        language: UserLanguage | None = None,
    ) -> SignInResult:
        """Create the first admin with the link that `foreknow serve` prints, and start their first session.

        `InvalidToken`, `InvalidState` once there was an admin, `RateLimited`, and the errors of `NewPerson.read` and
        `create_user`. No rule of sign-up holds, and nothing is granted.
        """
        await self._db.read(lambda tx: first_admin.check(tx, body.token, at_ms=now_ms(tx)))
        person = NewPerson.read(
            email=body.email,
            password=body.password,
            name=body.name,
            nickname=body.nickname,
            language=self._admissions.language(language),
        )
        password_hash = await self._passwords.hash(person.password, rate_limit_key=rate_limit_key)

        def run(tx: WriteTx) -> SignInResult:
            at_ms = now_ms(tx)
            first_admin.lock_and_check(tx, body.token, at_ms=at_ms)
            roles = {"is_admin": True}
            row = create_user(tx, person, password_hash=password_hash, at_ms=at_ms, email_verified=True, roles=roles)
            return self.begin(tx, row.id, cookies=cookies, user_agent=user_agent, now_ms=at_ms)

        return await self._db.write(run)

    def welcome(
        self, tx: WriteTx, user_id: int, *, let_in_by: Settings | None, network: str | None, at_ms: int
    ) -> None:
        """Grant what newcomers get to a new account, or to one whose e-mail address is verified now.

        `let_in_by` are the settings by which a new account was let in, also where others hold meanwhile; None: it is
        not new. `network` is the address of its request; None for a command.
        """
        row = newcomer(store.person(tx, user_id), network=None if let_in_by is None else network)
        if let_in_by is None:
            self._newcomers.verify(tx, row, at_ms=at_ms)
            return
        invitation_id = store.invitation_id(tx, user_id)
        credit_kopecks = 0 if invitation_id is None else invitation(tx, invitation_id).credit_kopecks
        is_invited = invitation_id is not None
        self._newcomers.arrive(
            tx, row, let_in_by, is_invited=is_invited, invitation_kopecks=credit_kopecks, at_ms=at_ms
        )

    async def sign_in(
        self, body: SignIn, cookies: Cookies, *, rate_limit_key: str, user_agent: str = ""
    ) -> SignInResult:
        """Start a session; `InvalidCredentials`, `RateLimited`.

        Takes the same steps whether or not the account exists.
        """
        found, attempt = await self._db.read(lambda tx: self._look_up(tx, body.login, cookies, rate_limit_key))
        password_hash = found.password_hash if found is not None else None
        matches = await self._passwords.matches(body.password, password_hash, rate_limit_key=rate_limit_key)
        new_hash = None
        if matches and password_hash is not None and self._passwords.is_outdated(password_hash):
            new_hash = await self._passwords.hash(body.password, rate_limit_key=rate_limit_key)

        def decide(tx: WriteTx) -> SignInResult | DomainError:
            at_ms = now_ms(tx)
            counts = login_throttle.lock_and_check(tx, attempt, now_ms=at_ms) if self._limit_failures else None
            # The account's password may have changed while this one was compared.
            if not matches or found is None or self._lock_found(tx, body.login) != found:
                limited = counts and login_throttle.record(tx, attempt, counts, now_ms=at_ms)
                return limited or InvalidCredentials()
            if counts is not None:
                login_throttle.check_account(attempt, counts, now_ms=at_ms)
            if new_hash is not None:
                store.update_person(tx, found.user_id, {"password_hash": new_hash})
            return self.begin(tx, found.user_id, cookies=cookies, user_agent=user_agent, now_ms=at_ms)

        outcome = await self._db.write_private(decide)
        if isinstance(outcome, DomainError):
            # Raised after the commit: an exception inside would roll back the recorded failure.
            raise outcome
        return outcome

    def issued(self, refresh_token: str) -> bool:
        """Return whether this service issued the refresh token, live or not."""
        return self._refresh_tokens.read(refresh_token) is not None

    async def refresh(self, refresh_tokens: Sequence[str]) -> SignInResult:
        """Rotate the first refresh token that is live; `Unauthorized` if none is.

        The token replaced last gets the same successor for `GRACE_MS`. Any other replaced token revokes its session.
        """
        for claim in self._refresh_tokens.read_newest(refresh_tokens):
            with contextlib.suppress(Unauthorized):
                return await self._rotate(claim)
        raise Unauthorized

    async def _rotate(self, claim: RefreshClaim) -> SignInResult:
        def run(tx: WriteTx) -> SignInResult | Reused:
            at_ms = now_ms(tx)
            rotated = sessions.rotate(tx, claim, now_ms=at_ms)
            return rotated if isinstance(rotated, Reused) else self._sign_in_result(tx, rotated, at_ms)

        outcome = await self._db.write_private(run)
        if isinstance(outcome, Reused):
            self._authenticator.invalidate(session_id=outcome.session_id)
            raise Unauthorized
        return outcome

    async def sign_out(self, caller: UserCaller) -> None:
        """End the caller's session; on this server from the next request on."""
        try:
            await self._db.write_private(lambda tx: sessions.revoke(tx, caller.session_id, now_ms=now_ms(tx)))
        finally:
            # Also if the outcome of the commit is unknown.
            self._authenticator.invalidate(session_id=caller.session_id)

    def _look_up(
        self, tx: ReadTx, login: str, cookies: Cookies, rate_limit_key: str
    ) -> tuple[PasswordCredentials | None, SignInAttempt]:
        found = store.find_credentials(tx, login, of_admins=not self._passwords_of_all)
        now_ms = self._clock()
        device_id = self._devices.find(cookies, user_id=found.user_id if found else None, now_ms=now_ms)
        attempt = SignInAttempt.of(found, login, rate_limit_key=rate_limit_key, device_id=device_id)
        if self._limit_failures:
            login_throttle.check(tx, attempt, now_ms=now_ms)
        return found, attempt

    def _lock_found(self, tx: WriteTx, login: str) -> PasswordCredentials | None:
        return store.lock_found_credentials(tx, login, of_admins=not self._passwords_of_all)

    def begin(self, tx: WriteTx, user_id: int, *, cookies: Cookies, user_agent: str, now_ms: int) -> SignInResult:
        """Start a session of an authenticated user; `cookies` are the request's.

        `InvalidCredentials` if the account is not active.
        """
        if not store.lock_person(tx, user_id).is_active:
            raise InvalidCredentials
        session = sessions.open_session(tx, user_id=user_id, user_agent=user_agent, now_ms=now_ms)
        result = self._sign_in_result(tx, session, now_ms)
        device = self._devices.cookie(user_id, now_ms=now_ms)
        return replace(result, cookies=(device, *self._on_sign_in(tx, user_id, cookies)))

    def _sign_in_result(self, tx: ReadTx, session: SessionRow, now_ms: int) -> SignInResult:
        token = self._access_tokens.issue(
            session.refresh_claim,
            user_id=session.user_id,
            session_ends_at_ms=session.expires_at_ms,
            now_ms=now_ms,
        )
        user = with_balance(tx, store.person(tx, session.user_id))
        return SignInResult(
            SignedIn(user=user, access_token=token.text, expires_in=token.expires_in_s),
            self._refresh_tokens.issue(session.refresh_claim),
            (session.expires_at_ms - now_ms) // SECOND_MS,
            token.expires_at_s,
        )
