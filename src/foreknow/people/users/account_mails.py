"""What an account's mails do: verify its address, change it, set a forgotten password; and what it is notified of.

Rows of the outbox are written here; what they say is made when they are sent (`people/mail/`).
"""

from __future__ import annotations

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.kernel.email_addresses import address_key, is_routed
from foreknow.kernel.errors import RateLimited
from foreknow.people.newcomers import Newcomers
from foreknow.people.users import password_reset, store
from foreknow.people.users.accounts import newcomer
from foreknow.people.users.admission import Admissions
from foreknow.people.users.errors import EmailTaken, InvalidToken, NoEmail, PasswordOff
from foreknow.people.users.mailed_links import LinkClaim, MailedLinks
from foreknow.people.users.profiles import read_email
from foreknow.people.users.store import UserRow
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import MailKind, outbox
from foreknow.platform.settings import LiveSettings

#: How long a link verifies an address.
VERIFY_MS = DAY_MS
#: How long a link sets a new password.
RESET_MS = HOUR_MS


class AccountMails:
    """The mails of accounts, and what their links do."""

    def __init__(
        self, links: MailedLinks, settings: LiveSettings, admissions: Admissions, newcomers: Newcomers
    ) -> None:
        """`admissions` say which addresses accounts may have."""
        self._links = links
        self._newcomers = newcomers
        self._admissions = admissions
        self._settings = settings
        #: Whether there is a mail server.
        self.is_on = settings.given.sends_mail

    def check_sign_up(self) -> None:
        """Raise `PasswordOff` where an account with a password could never verify its address."""
        if self._settings.now.asks_for_verification and not self.is_on:
            raise PasswordOff

    def require_on(self) -> None:
        """Raise `NoEmail` where the site sends no mails."""
        if not self.is_on:
            raise NoEmail

    def welcome(self, tx: WriteTx, person: UserRow, *, at_ms: int) -> None:
        """Send a new account the link that verifies its address, unless the address was sent too many."""
        if self.is_on and not person.email_verified:
            self._send_link(tx, person, person.email, at_ms=at_ms)

    def ask(self, tx: WriteTx, user_id: int, *, at_ms: int) -> None:
        """Send a link that verifies the new address, or the only one if that is still to be; `RateLimited`."""
        person = store.lock_person(tx, user_id)
        if person.email_pending or not person.email_verified:
            _require(self._send_link(tx, person, person.email_pending or person.email, at_ms=at_ms))

    def change_email(self, tx: WriteTx, user_id: int, email: str, *, at_ms: int) -> None:
        """Let a user have another address, as `read_email` returns it, once it is verified; `DomainNotAllowed`,
        `EmailTaken`, `RateLimited`.

        Their own verified one takes back a change that waits.
        """
        person = store.lock_person(tx, user_id)
        if address_key(email) == address_key(person.email) and email != person.email_pending:
            if not person.email_verified:
                _require(self._send_link(tx, person, person.email, at_ms=at_ms))
            store.update_person(tx, user_id, {"email_pending": None})
            return
        self._admissions.at(tx).check_domain(email)
        if store.is_email_taken(tx, email):
            raise EmailTaken
        _require(self._send_link(tx, person, email, at_ms=at_ms))
        store.update_person(tx, user_id, {"email_pending": email})

    def verify(self, tx: WriteTx, token: str, *, at_ms: int) -> int:
        """Verify the address of a token and return its user; `InvalidToken`, `EmailTaken`.

        Call `UserAuthenticator.invalidate` after the commit.
        """
        claim = self._read(token, at_ms)
        person = store.find_person(tx, claim.user_id)
        if person is None:
            raise InvalidToken
        person = store.lock_person(tx, claim.user_id)
        if not person.is_active:
            raise InvalidToken
        if self._links.verifies(claim, person.email) and not is_routed(person.email):
            mark_verified(tx, person)
        elif person.email_pending and self._links.verifies(claim, person.email_pending):
            self._take_pending(tx, person, person.email_pending, at_ms=at_ms)
        else:
            raise InvalidToken
        self._grant(tx, person.id, at_ms=at_ms)
        return person.id

    def _grant(self, tx: WriteTx, user_id: int, *, at_ms: int) -> None:
        # Their network addresses were counted at sign-up.
        self._newcomers.verify(tx, newcomer(store.person(tx, user_id), network=None), at_ms=at_ms)

    def _take_pending(self, tx: WriteTx, person: UserRow, email: str, *, at_ms: int) -> None:
        if address_key(email) != address_key(person.email) and store.is_email_taken(tx, email):
            raise EmailTaken
        if person.email_verified:
            outbox.write(tx, MailKind.EMAIL_CHANGED, address=person.email, user_id=person.id, at_ms=at_ms)
        values = {"email": email, "email_key": address_key(email), "email_pending": None, "email_verified": True}
        store.update_person(tx, person.id, values)
        end_links(tx, person.id)

    def forget(self, tx: WriteTx, text: str, *, at_ms: int) -> None:
        """Note that someone forgot the password of this address; `BadRequest`.

        Whether an account has it is looked up later, so that the time this takes does not show it.
        """
        outbox.write(tx, MailKind.FORGOT, address=read_email(text), user_id=None, at_ms=at_ms, lives_ms=RESET_MS)

    def find_reset(self, tx: ReadTx, token: str, *, now_ms: int) -> UserRow:
        """Return the owner of a link to a new password; `InvalidToken`."""
        claim = self._read(token, now_ms)
        person = store.find_person(tx, claim.user_id)
        if person is None or not person.is_active:
            raise InvalidToken
        if not self._links.resets(claim, person, store.credentials(tx, person.id).password_hash):
            raise InvalidToken
        return person

    def redeem_reset(self, tx: WriteTx, token: str, *, now_ms: int) -> int:
        """Use a link to a new password, whose address that verifies, and return its owner, locked; `InvalidToken`."""
        store.lock_person(tx, self.find_reset(tx, token, now_ms=now_ms).id)
        # Again: another use may have come first.
        person = self.find_reset(tx, token, now_ms=now_ms)
        mark_verified(tx, person)
        self._grant(tx, person.id, at_ms=now_ms)
        return person.id

    def note_password_changed(self, tx: WriteTx, person: UserRow, *, at_ms: int) -> None:
        """Notify a verified address that its account has a new password."""
        if self.is_on and person.email_verified:
            outbox.write(tx, MailKind.PASSWORD_CHANGED, address=person.email, user_id=person.id, at_ms=at_ms)

    def _read(self, token: str, now_ms: int) -> LinkClaim:
        claim = self._links.read(token, now_ms=now_ms)
        if claim is None:
            raise InvalidToken
        return claim

    def _send_link(self, tx: WriteTx, person: UserRow, email: str, *, at_ms: int) -> int:
        """Write the mail; return the seconds to wait, without any, where the address was sent too many."""
        is_verified = person.email_verified and email == person.email
        wait_s = outbox.take_request(tx, email, is_verified=is_verified, at_ms=at_ms)
        if not wait_s:
            outbox.drop(tx, person.id, [MailKind.VERIFY])
            outbox.write(tx, MailKind.VERIFY, address=email, user_id=person.id, at_ms=at_ms, lives_ms=VERIFY_MS)
        return wait_s


def mark_verified(tx: WriteTx, person: UserRow) -> None:
    """Note that the address of a locked account is its owner's, unless a server may read another one in it."""
    if not person.email_verified and not is_routed(person.email):
        store.update_person(tx, person.id, {"email_verified": True})


def end_links(tx: WriteTx, user_id: int) -> None:
    """End all links of an account, locked, that has a new password or a new address.

    A new address that still waits is taken back, too: who knew the old password may have requested it.
    """
    password_reset.delete(tx, user_id)
    outbox.drop(tx, user_id, [MailKind.RESET])
    if store.person(tx, user_id).email_pending:
        outbox.drop(tx, user_id, [MailKind.VERIFY])
        store.update_person(tx, user_id, {"email_pending": None})


def _require(wait_s: int) -> None:
    if wait_s:
        raise RateLimited(retry_after_s=wait_s)
