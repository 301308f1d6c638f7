"""The mail of a row of the outbox, made when it is sent: with the address and the link that hold then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.headerregistry import Address
from email.message import EmailMessage

from foreknow.kernel.currency import Currency
from foreknow.kernel.mail_settings import parse_sender
from foreknow.kernel.settings import Settings
from foreknow.kernel.time_zones import UTC_NAME
from foreknow.people.mail.messages import Envelope, MailItem, message_of
from foreknow.people.mail.notices_mail import notices_mail
from foreknow.people.mail.sections import ShownNotice
from foreknow.people.mail.texts import TEXTS, MailText
from foreknow.people.mail.unsubscribing import PATH as UNSUBSCRIBE_PATH
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.notifications.choices import choices_of
from foreknow.people.notifications.kind import Content
from foreknow.people.notifications.kinds import stored_content
from foreknow.people.notifications.reader import Reader
from foreknow.people.users import password_reset, store
from foreknow.people.users.mailed_links import VERIFY_PATH, MailedLinks
from foreknow.people.users.schemas import UserLanguage
from foreknow.people.users.store import UserRow
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.mailing import MailKind
from foreknow.platform.mailing.outbox import WaitingMail

#: Paths of the web client.
_EVENT_PATH, _NOTIFICATIONS_PATH, _SETTINGS_PATH = "/events/", "/notifications", "/settings"


@dataclass(frozen=True, slots=True)
class MailSite:
    """What every mail says of the site: its name, its origin, from whom mails are, and what amounts are in."""

    name: str
    origin: str
    sender: Address
    currency: Currency


def mail_site(settings: Settings) -> MailSite:
    """Return what mails say of the site of the settings; they come from its name where the sender has none."""
    sender = parse_sender(settings.email_from)
    named = Address(sender.display_name or settings.site_name, sender.username, sender.domain)
    return MailSite(settings.site_name, settings.public_origin, named, settings.currency)


class Composer:
    """Makes mails."""

    def __init__(self, site: MailSite, links: MailedLinks, unsubscribe: UnsubscribeLinks) -> None:
        """Sign the links of mails by `links`, and those that end mails by `unsubscribe`."""
        self._site = site
        self._links = links
        self._unsubscribe = unsubscribe

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
        if row.kind is MailKind.NOTICES:
            return self._notices(tx, row, person)
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

    def _notices(self, tx: ReadTx, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        """Return a mail of notices, without those that are not wanted any more."""
        if row.address != person.email or not person.email_verified:
            return None
        choices = choices_of(tx, [person.id])
        origin = self._site.origin
        shown = [
            ShownNotice(content, origin + _place(content, one["event_id"]))
            for one in row.params["notices"]
            if (content := stored_content(one["type"], one["params"])) is not None
            and choices.of(person.id, one["type"]).email != "off"
        ]
        if not shown:
            return None
        reader = Reader(
            language=person.language or "en", zone=person.time_zone or UTC_NAME, currency=self._site.currency
        )
        # Rows of an earlier release have no mode.
        text, sections = notices_mail(
            shown,
            reader,
            site=self._site.name,
            more=row.params["more"],
            mode=row.params.get("mode", "now"),
            at_ms=row.created_at_ms,
        )
        texts = TEXTS[reader.language].notices
        kinds = {one.content.about.kind for one in shown}
        stop = origin + UNSUBSCRIBE_PATH + self._unsubscribe.token(person.id, row.address, kinds)
        return message_of(
            self._envelope(row),
            text,
            language=reader.language,
            sections=sections,
            footer=(
                MailItem(text=texts.settings, link=origin + _SETTINGS_PATH),
                MailItem(text=texts.stop, link=stop),
            ),
            unsubscribe=stop,
        )

    def _message(self, row: WaitingMail, person: UserRow, text: MailText, *, link: str = "") -> EmailMessage:
        language: UserLanguage = person.language or "en"
        return message_of(self._envelope(row), filled(text, self._site, row.address), language=language, link=link)

    def _envelope(self, row: WaitingMail) -> Envelope:
        return Envelope(
            sender=self._site.sender,
            recipient=row.address,
            message_id=row.message_id,
            created_at_ms=row.created_at_ms,
        )


def _place(content: Content, event_id: int | None) -> str:
    """Return where a notification leads, as in the web client's list."""
    return content.about.link or (_NOTIFICATIONS_PATH if event_id is None else f"{_EVENT_PATH}{event_id}")


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
        reason=text.reason.format_map(values),
    )
