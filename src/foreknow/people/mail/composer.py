"""The mail of a row of the outbox, made when it is sent: with the address and the link that hold then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.headerregistry import Address
from email.message import EmailMessage

from foreknow.kernel.mail_settings import parse_sender
from foreknow.kernel.settings import Settings
from foreknow.people.mail.messages import Envelope, message_of
from foreknow.people.mail.texts import TEXTS, MailText
from foreknow.people.users import password_reset, store
from foreknow.people.users.mailed_links import VERIFY_PATH, MailedLinks
from foreknow.people.users.schemas import UserLanguage
from foreknow.people.users.store import UserRow
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.mailing import MailKind
from foreknow.platform.mailing.outbox import WaitingMail


@dataclass(frozen=True, slots=True)
class MailSite:
    """What every mail says of the site: its name, its origin, and from whom mails are."""

    name: str
    origin: str
    sender: Address


def mail_site(settings: Settings) -> MailSite:
    """Return what mails say of the site of the settings; they come from its name where the sender has none."""
    sender = parse_sender(settings.email_from)
    named = Address(sender.display_name or settings.site_name, sender.username, sender.domain)
    return MailSite(settings.site_name, settings.public_origin, named)


class Composer:
    """Makes mails."""

    def __init__(self, site: MailSite, links: MailedLinks) -> None:
        """Sign the links of mails by `links`."""
        self._site = site
        self._links = links

    def compose(self, tx: ReadTx, row: WaitingMail) -> EmailMessage | None:
        """Return the mail of a row; None where it would say nothing that still holds. `CannotAddress`."""
        person = None if row.user_id is None else store.find_person(tx, row.user_id)
        if person is None or not person.is_active or row.address == person.refused_email:
            return None
        texts = TEXTS[person.language or "en"]
        if row.kind is MailKind.EMAIL_CHANGED:
            return self._message(row, person, texts.email_changed)
        if row.kind is MailKind.PASSWORD_CHANGED:
            return self._message(row, person, texts.password_changed)
        if row.kind is MailKind.RESET:
            return self._reset(tx, row, person)
        return self._verification(row, person)

    def _verification(self, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        is_asked = row.address == person.email_pending or (row.address == person.email and not person.email_verified)
        if not is_asked:
            return None
        token = self._links.verification(person.id, row.address, ends_at_ms=row.ends_at_ms)
        text = TEXTS[person.language or "en"].verify
        return self._message(row, person, text, link=f"{self._site.origin}{VERIFY_PATH}{token}")

    def _reset(self, tx: ReadTx, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        if row.address != person.email:
            return None
        password_hash = store.credentials(tx, person.id).password_hash
        token = self._links.reset(person, password_hash, ends_at_ms=row.ends_at_ms)
        text = TEXTS[person.language or "en"].reset
        return self._message(row, person, text, link=f"{self._site.origin}{password_reset.PATH}{token}")

    def _message(self, row: WaitingMail, person: UserRow, text: MailText, *, link: str = "") -> EmailMessage:
        envelope = Envelope(
            sender=self._site.sender,
            recipient=row.address,
            message_id=row.message_id,
            created_at_ms=row.created_at_ms,
        )
        language: UserLanguage = person.language or "en"
        return message_of(envelope, filled(text, self._site, row.address), language=language, link=link)


def test_mail(site: MailSite, address: str, *, message_id: str, at_ms: int) -> EmailMessage:
    """Return a mail that says that mails arrive; `CannotAddress`."""
    envelope = Envelope(sender=site.sender, recipient=address, message_id=message_id, created_at_ms=at_ms)
    return message_of(envelope, filled(TEXTS["en"].test, site, address), language="en")


def filled(text: MailText, site: MailSite, address: str) -> MailText:
    """Return a text with the names that stand in it."""
    values: Mapping[str, str] = {"site": site.name, "address": address}
    return replace(
        text,
        subject=text.subject.format_map(values),
        lines=tuple(line.format_map(values) for line in text.lines),
        closing=tuple(line.format_map(values) for line in text.closing),
    )
