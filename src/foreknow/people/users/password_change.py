"""Sets a new password, given the old one or a reset link.

Either ends the account's other sessions, its API keys and its reset link, in case the old password was known to others.
"""

from __future__ import annotations

from typing import Protocol

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.cookies import Cookie
from foreknow.people.users import login_throttle, password_reset, sessions, store
from foreknow.people.users.account_mails import AccountMails, end_links
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.errors import InvalidCredentials, PasswordOff
from foreknow.people.users.mailed_links import is_mailed
from foreknow.people.users.password_check import PasswordCheck
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.profiles import read_email, read_password
from foreknow.people.users.schemas import EmailChange, PasswordChange, PasswordReset
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx


class HasRole(Protocol):
    """A caller or a person."""

    @property
    def is_admin(self) -> bool:
        """Whether they have the role."""
        ...


class PasswordService:
    """Changes passwords, and addresses, which need one."""

    def __init__(
        self,
        *,
        db: Database,
        authenticator: UserAuthenticator,
        passwords: Passwords,
        check: PasswordCheck,
        devices: DeviceCookies,
        mails: AccountMails,
        of_all: bool,
    ) -> None:
        """`check` compares old passwords; `mails` notify of new ones, and verify mailed links.

        `of_all` False: only admins have passwords.
        """
        self._db = db
        self._authenticator = authenticator
        self._passwords = passwords
        self._check = check
        self._devices = devices
        self._mails = mails
        self._of_all = of_all

    def check_has_one(self, account: HasRole) -> None:
        """Raise `PasswordOff` for an account that has no password here, whatever is stored."""
        if not self._of_all and not account.is_admin:
            raise PasswordOff

    def check_any(self) -> None:
        """Raise `PasswordOff` where only admins have passwords: they get links from each other."""
        if not self._of_all:
            raise PasswordOff

    async def change(self, caller: UserCaller, body: PasswordChange, *, rate_limit_key: str) -> None:
        """Replace the caller's password, and end all sessions but this one, and all API keys.

        A wrong old password is `InvalidCredentials` and counts as a failed sign-in, so that a stolen token does not
        allow faster guessing: `RateLimited`. `SignInAgain` for a first password without a recent sign-in.
        """
        self.check_has_one(caller)
        new = read_password(body.new, field="new")
        compared = await self._check.compare(caller, body.old, rate_limit_key=rate_limit_key)
        new_hash = await self._passwords.hash(new, rate_limit_key=rate_limit_key) if compared.matches else ""

        def decide(tx: WriteTx) -> bool:
            at_ms = now_ms(tx)
            if not self._check.passes(tx, caller, compared, at_ms=at_ms):
                return False
            self._replace(tx, caller.user_id, new_hash, at_ms=at_ms)
            sessions.revoke_others_and_keys(tx, caller, now_ms=at_ms)
            return True

        try:
            # Raised after the commit: an exception inside would roll back the recorded failure.
            if not await self._db.write_private(decide):
                raise InvalidCredentials("The old password is wrong.")
        finally:
            self._authenticator.invalidate(user_id=caller.user_id)

    async def change_email(self, caller: UserCaller, body: EmailChange, *, rate_limit_key: str) -> None:
        """Let the caller have another address once it is verified; `BadRequest`, `NoEmail`, `InvalidCredentials`,
        `SignInAgain`, `EmailTaken`, `RateLimited`.
        """
        # First: a password beside what is no address counts as no failed sign-in.
        email = read_email(body.email)
        self._mails.require_on()
        compared = await self._check.compare(caller, body.password, rate_limit_key=rate_limit_key)

        def decide(tx: WriteTx) -> bool:
            at_ms = now_ms(tx)
            if not self._check.passes(tx, caller, compared, at_ms=at_ms):
                return False
            self._mails.change_email(tx, caller.user_id, email, at_ms=at_ms)
            return True

        if not await self._db.write_private(decide):
            raise InvalidCredentials("The password is wrong.")

    async def reset(self, body: PasswordReset, *, rate_limit_key: str) -> Cookie:
        """Set the password of the link's owner, and end all their sessions and API keys; `BadRequest`, `InvalidToken`,
        `PasswordOff`.

        Failed sign-ins until now are forgotten, and the cookie returned marks the browser as the owner's: a guesser
        whose failures lock the account does not lock out its owner. A mailed link verifies the address.
        """
        password = read_password(body.password)
        # Checked before hashing, which is expensive.
        user_id = await self._db.read(lambda tx: self._find_owner(tx, body.token))
        password_hash = await self._passwords.hash(password, rate_limit_key=rate_limit_key)

        def run(tx: WriteTx) -> Cookie:
            at_ms = now_ms(tx)
            owner = store.person(tx, user_id)
            self.check_has_one(owner)
            login_throttle.clear(tx, user_id, [login for login in (owner.email, owner.nickname) if login])
            redeem = self._mails.redeem_reset if is_mailed(body.token) else password_reset.redeem
            self._replace(tx, redeem(tx, body.token, now_ms=at_ms), password_hash, at_ms=at_ms)
            sessions.revoke_all(tx, user_id, now_ms=at_ms)
            return self._devices.cookie(user_id, now_ms=at_ms)

        try:
            return await self._db.write_private(run)
        finally:
            self._authenticator.invalidate(user_id=user_id)

    def _find_owner(self, tx: ReadTx, token: str) -> int:
        if is_mailed(token):
            return self._mails.find_reset(tx, token, now_ms=now_ms(tx)).id
        return password_reset.find_user_id(tx, token, now_ms=now_ms(tx))

    def _replace(self, tx: WriteTx, user_id: int, password_hash: str, *, at_ms: int) -> None:
        store.update_person(tx, user_id, {"password_hash": password_hash})
        end_links(tx, user_id)
        self._mails.note_password_changed(tx, store.person(tx, user_id), at_ms=at_ms)
