"""Whether a signed-in user knows their password, before what a stolen token must not do."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import MINUTE_MS, Clock
from foreknow.people.users import login_throttle, sessions, store
from foreknow.people.users.errors import SignInAgain
from foreknow.people.users.login_throttle import SignInAttempt
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.store import PasswordCredentials
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Longest time from sign-in in which a user without a password needs none, so that a token stolen later is of no use.
FRESH_MS = 10 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class ComparedPassword:
    """What was found of a password; `is_missing`: the account has none, and none was sent."""

    found: PasswordCredentials
    matches: bool
    is_missing: bool


class PasswordCheck:
    """Compares passwords of signed-in users, and counts wrong ones as failed sign-ins."""

    def __init__(
        self, db: Database, clock: Clock, passwords: Passwords, *, limit_failures: bool, admins_alone: bool
    ) -> None:
        """`limit_failures` False allows any number of wrong passwords, for load tests.

        `admins_alone`: all but admins have no password, also where one is stored.
        """
        self._db = db
        self._clock = clock
        self._passwords = passwords
        self._limit_failures = limit_failures
        self._of_admins = admins_alone

    async def compare(self, caller: UserCaller, password: str, *, rate_limit_key: str) -> ComparedPassword:
        """Compare a password, which is slow; `RateLimited`."""
        found = await self._db.read(lambda tx: self._look_up(tx, caller))
        is_missing = found.password_hash is None and not password
        matches = is_missing or await self._passwords.matches(
            password, found.password_hash, rate_limit_key=rate_limit_key
        )
        return ComparedPassword(found, matches, is_missing)

    def passes(self, tx: WriteTx, caller: UserCaller, compared: ComparedPassword, *, at_ms: int) -> bool:
        """Return whether the password was right, and is still; `RateLimited`, `SignInAgain`.

        Where it returns False, commit, which records the failure, and then raise `InvalidCredentials`. Call it first:
        it locks the failures, then the user.
        """
        attempt = SignInAttempt.of_signed_in(caller.user_id)
        counts = login_throttle.lock_and_check(tx, attempt, now_ms=at_ms) if self._limit_failures else None
        sessions.require_live_session(tx, caller)
        # The password may have changed while it was compared.
        if not compared.matches or self._lock(tx, caller) != compared.found:
            if counts is not None:
                login_throttle.record(tx, attempt, counts, now_ms=at_ms)
            return False
        if compared.is_missing and sessions.session(tx, caller.session_id).created_at_ms <= at_ms - FRESH_MS:
            raise SignInAgain
        return True

    def _look_up(self, tx: ReadTx, caller: UserCaller) -> PasswordCredentials:
        found = store.credentials(tx, caller.user_id, of_admins=self._of_admins)
        if self._limit_failures:
            login_throttle.check(tx, SignInAttempt.of_signed_in(caller.user_id), now_ms=self._clock())
        return found

    def _lock(self, tx: WriteTx, caller: UserCaller) -> PasswordCredentials:
        return store.lock_credentials(tx, caller.user_id, of_admins=self._of_admins)
