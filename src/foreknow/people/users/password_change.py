"""Sets a new password, given the old one or a reset link.

Either ends the account's other sessions, its API keys and its reset link, in case the old password was known to others.
"""

from __future__ import annotations

from typing import Protocol

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.cookies import Cookie
from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.people.users import login_throttle, password_reset, sessions, store
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.errors import InvalidCredentials, PasswordOff, SignInAgain
from foreknow.people.users.login_throttle import SignInAttempt
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.profiles import read_password
from foreknow.people.users.schemas import PasswordChange, PasswordReset
from foreknow.people.users.store import PasswordCredentials
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx


class HasRole(Protocol):
    """A caller or a person."""

    @property
    def is_admin(self) -> bool:
        """Whether they have the role."""
        ...


#: Longest time from sign-in to setting a first password, so that a token stolen later cannot set one.
FRESH_MS = 10 * MINUTE_MS


class PasswordService:
    """Changes passwords."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        authenticator: UserAuthenticator,
        passwords: Passwords,
        devices: DeviceCookies,
        limit_failures: bool,
        of_all: bool,
    ) -> None:
        """`limit_failures` False allows any number of wrong old passwords, for load tests; `of_all` False: only admins
        have passwords.
        """
        self._db = db
        self._clock = clock
        self._authenticator = authenticator
        self._passwords = passwords
        self._devices = devices
        self._limit_failures = limit_failures
        self._of_all = of_all

    def check_has_one(self, account: HasRole) -> None:
        """Raise `PasswordOff` for an account that has no password here, whatever is stored."""
        if not self._of_all and not account.is_admin:
            raise PasswordOff

    async def change(self, caller: UserCaller, body: PasswordChange, *, rate_limit_key: str) -> None:
        """Replace the caller's password, and end all sessions but this one, and all API keys.

        A wrong old password is `InvalidCredentials` and counts as a failed sign-in, so that a stolen token does not
        allow faster guessing: `RateLimited`. `SignInAgain` for a first password without a recent sign-in.
        """
        new = read_password(body.new, field="new")
        found = await self._db.read(lambda tx: self._look_up(tx, caller))
        is_first = found.password_hash is None and not body.old
        matches = is_first or await self._passwords.matches(
            body.old, found.password_hash, rate_limit_key=rate_limit_key
        )
        new_hash = await self._passwords.hash(new, rate_limit_key=rate_limit_key) if matches else ""

        def decide(tx: WriteTx) -> bool:
            at_ms = now_ms(tx)
            attempt = SignInAttempt.of_signed_in(caller.user_id)
            counts = login_throttle.lock_and_check(tx, attempt, now_ms=at_ms) if self._limit_failures else None
            sessions.require_live_session(tx, caller)
            # The password may have changed while it was compared.
            if not matches or store.lock_credentials(tx, caller.user_id) != found:
                if counts is not None:
                    login_throttle.record(tx, attempt, counts, now_ms=at_ms)
                return False
            if is_first:
                _check_fresh(tx, caller, at_ms)
            _replace(tx, caller.user_id, new_hash)
            sessions.revoke_others_and_keys(tx, caller, now_ms=at_ms)
            return True

        try:
            # Raised after the commit: an exception inside would roll back the recorded failure.
            if not await self._db.write_private(decide):
                raise InvalidCredentials("The old password is wrong.")
        finally:
            self._authenticator.invalidate(user_id=caller.user_id)

    async def reset(self, body: PasswordReset, *, rate_limit_key: str) -> Cookie:
        """Set the password of the link's owner, and end all their sessions and API keys; `BadRequest`, `InvalidToken`,
        `PasswordOff`.

        Failed sign-ins until now are forgotten, and the cookie returned marks the browser as the owner's: a guesser
        whose failures lock the account does not lock out its owner.
        """
        password = read_password(body.password)
        # Checked before hashing, which is expensive.
        user_id = await self._db.read(lambda tx: password_reset.find_user_id(tx, body.token, now_ms=now_ms(tx)))
        password_hash = await self._passwords.hash(password, rate_limit_key=rate_limit_key)

        def run(tx: WriteTx) -> Cookie:
            at_ms = now_ms(tx)
            owner = store.person(tx, user_id)
            self.check_has_one(owner)
            login_throttle.clear(tx, user_id, [login for login in (owner.email, owner.nickname) if login])
            _replace(tx, password_reset.redeem(tx, body.token, now_ms=at_ms), password_hash)
            sessions.revoke_all(tx, user_id, now_ms=at_ms)
            return self._devices.cookie(user_id, now_ms=at_ms)

        try:
            return await self._db.write_private(run)
        finally:
            self._authenticator.invalidate(user_id=user_id)

    def _look_up(self, tx: ReadTx, caller: UserCaller) -> PasswordCredentials:
        found = store.credentials(tx, caller.user_id)
        if self._limit_failures:
            login_throttle.check(tx, SignInAttempt.of_signed_in(caller.user_id), now_ms=self._clock())
        return found


def _check_fresh(tx: ReadTx, caller: UserCaller, now_ms: int) -> None:
    if sessions.session(tx, caller.session_id).created_at_ms <= now_ms - FRESH_MS:
        raise SignInAgain


def _replace(tx: WriteTx, user_id: int, password_hash: str) -> None:
    store.update_person(tx, user_id, {"password_hash": password_hash})
    password_reset.delete(tx, user_id)
