"""The mail of a row of the outbox, made when it is sent: with the address and the link that hold then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from email.headerregistry import Address
from email.message import EmailMessage

from foreknow.kernel.currency import Currency
from foreknow.kernel.mail_settings import parse_sender
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.time_zones import UTC_NAME
from foreknow.people import invitations
from foreknow.people.invitations.mailed import uninvited_among
from foreknow.people.mail.messages import PLAIN_ACCENT, Envelope, MailItem, MailSection, message_of
from foreknow.people.mail.sections import ShownNotice, sections_of
from foreknow.people.mail.texts import TEXTS, InvitationText, MailText, NoticesText
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
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.mailing import MailKind
from foreknow.platform.mailing.notices import Mode
from foreknow.platform.mailing.outbox import WaitingMail
from foreknow.platform.settings import LiveSettings

#: Paths of the web client.
_EVENT_PATH, _NOTIFICATIONS_PATH, _SETTINGS_PATH = "/events/", "/notifications", "/settings"


#: Returns which of some comments no one is to read: they are deleted or hidden.
UnreadComments = Callable[[ReadTx, Collection[int]], Collection[int]]


@dataclass(frozen=True, slots=True)
class MailSite:
    """What every mail says of the site: its name, origin and colours, from whom mails are, what amounts are in."""

    name: str
    origin: str
    sender: Address
    currency: Currency
    accent: SiteTheme


def mail_site(settings: Settings, theme: SiteTheme | None = None) -> MailSite:
    """Return what mails say of the site of the settings; they come from its name where the sender has none."""
    sender = parse_sender(settings.email_from)
    named = Address(sender.display_name or settings.site_name, sender.username, sender.domain)
    return MailSite(settings.site_name, settings.public_origin, named, settings.shown_currency, theme or PLAIN_ACCENT)


class Composer:
    """Makes mails."""

    @property
    def _site(self) -> MailSite:
        return mail_site(self._settings.now, self._theme())

    def __init__(
        self,
        settings: LiveSettings,
        links: MailedLinks,
        unsubscribe: UnsubscribeLinks,
        unread: UnreadComments,
        *,
        theme: Callable[[], SiteTheme | None],
    ) -> None:
        """Sign the links of mails by `links`, and those that end mails by `unsubscribe`; of comments that are `unread`
        when a mail is sent, it says nothing. `theme` returns the site's colours, None without its own.
        """
        self._theme = theme
        self._settings = settings
        self._links = links
        self._unsubscribe = unsubscribe
        self._unread = unread

    def _language(self, person: UserRow) -> UserLanguage:
        return self._settings.now.spoken(person.language)

    def compose(self, tx: ReadTx, row: WaitingMail) -> EmailMessage | None:
        """Return the mail of a row; None where it would say nothing that still holds. `CannotAddress`."""
        if row.kind is MailKind.INVITATION:
            return self._invitation(tx, row)
        person = None if row.user_id is None else store.find_person(tx, row.user_id)
        if person is None or not person.is_active:
            return None
        texts = TEXTS[self._language(person)]
        if row.kind is MailKind.EMAIL_CHANGED:
            return self._message(row, person, texts.email_changed)
        if row.kind is MailKind.PASSWORD_CHANGED:
            return self._message(row, person, texts.password_changed)
        if row.kind is MailKind.RESET:
            return self._reset(tx, row, person)
        if row.kind is MailKind.NOTICES:
            return self._notices(tx, row, person)
        return self._verification(row, person)

    def _invitation(self, tx: ReadTx, row: WaitingMail) -> EmailMessage | None:
        """Return the mail of an invitation that is good still, to who has no account and wants invitations."""
        found = invitations.find(tx, row.params["invitation_id"])
        if found is None or found.email is None or not found.is_good(now_ms(tx)):
            return None
        links = self._unsubscribe.invitations
        if store.is_email_taken(tx, found.email) or uninvited_among(tx, [links.address_hash(found.email)]):
            return None
        language: UserLanguage = row.params["language"]
        inviter = None if found.admin_id is None else store.find_person(tx, found.admin_id)
        settings = self._settings.now
        start_kopecks = settings.welcome_kopecks + (found.credit_kopecks if settings.takes_orders else 0)
        link = f"{self._site.origin}{invitations.PATH}{links.token(found.email, found.created_at_ms)}"
        stop = self._site.origin + UNSUBSCRIBE_PATH + self._unsubscribe.invitation_token(found.email)
        return message_of(
            self._envelope(row),
            invitation_text(
                TEXTS[language].invitation,
                by=inviter.name if inviter is not None and inviter.is_active else "",
                site=self._site.name,
                address=row.address,
                amount=self._site.currency.written(start_kopecks, language) if start_kopecks else "",
                creator=found.creator,
            ),
            language=language,
            link=link,
            footer=(MailItem(text=TEXTS[language].invitation.stop, link=stop),),
            unsubscribe=stop,
        )

    def _verification(self, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        is_asked = row.address == person.email_pending or (row.address == person.email and not person.email_verified)
        if not is_asked:
            return None
        token = self._links.verification(person.id, row.address, ends_at_ms=row.ends_at_ms)
        text = TEXTS[self._language(person)].verify
        return self._message(row, person, text, link=f"{self._site.origin}{VERIFY_PATH}{token}")

    def _reset(self, tx: ReadTx, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        if row.address != person.email:
            return None
        password_hash = store.credentials(tx, person.id).password_hash
        token = self._links.reset(person, password_hash, ends_at_ms=row.ends_at_ms)
        text = TEXTS[self._language(person)].reset
        return self._message(row, person, text, link=f"{self._site.origin}{password_reset.PATH}{token}")

    def _notices(self, tx: ReadTx, row: WaitingMail, person: UserRow) -> EmailMessage | None:
        """Return a mail of notices, without those that are not wanted any more."""
        if row.address != person.email or not person.email_verified or row.address == person.refused_email:
            return None
        choices = choices_of(tx, [person.id])
        origin = self._site.origin
        notices = row.params["notices"]
        # Rows of an earlier release name no comment.
        unread = self._unread(tx, [one["comment_id"] for one in notices if one.get("comment_id") is not None])
        shown = [
            ShownNotice(content, origin + _place(content, one["event_id"]))
            for one in notices
            if one.get("comment_id") not in unread
            and (content := stored_content(one["type"], one["params"])) is not None
            and choices.of(person.id, one["type"]).email != "off"
        ]
        if not shown:
            return None
        reader = Reader(
            language=self._language(person), zone=person.time_zone or UTC_NAME, currency=self._site.currency
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
        language = self._language(person)
        return message_of(self._envelope(row), filled(text, self._site, row.address), language=language, link=link)

    def _envelope(self, row: WaitingMail) -> Envelope:
        return Envelope(
            sender=self._site.sender,
            recipient=row.address,
            message_id=row.message_id,
            created_at_ms=row.created_at_ms,
            accent=self._site.accent,
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


def invitation_text(texts: InvitationText, *, by: str, site: str, address: str, amount: str, creator: bool) -> MailText:
    """Return the text of an invitation: `by` whom, and what one starts with; "" for neither."""
    values = {"by": by, "site": site, "address": address, "amount": amount}
    given = " ".join([*([texts.start] if amount else []), *([texts.creator] if creator else [])])
    lines = [texts.about, *([given] if given else []), texts.account]
    subject = (texts.subject if by else texts.unsigned_subject).format_map(values)
    return MailText(
        subject=subject,
        title=subject,
        lines=tuple(line.format_map(values) for line in lines),
        button=texts.button,
        closing=(texts.closing,),
        reason=texts.reason.format_map(values),
    )


def notices_mail(
    shown: Sequence[ShownNotice], reader: Reader, *, site: str, more: int, mode: Mode, at_ms: int
) -> tuple[MailText, list[MailSection]]:
    """Return the text of a mail, made at `at_ms`, of some notices and of `more` that it only counts."""
    texts = TEXTS[reader.language].notices
    reason = _reason(shown, texts, mode).format(site=site)
    if len(shown) == 1 and not more:
        # Its text is the subject itself, which no form is filled in with: it has people's words.
        one = shown[0]
        said = one.content.said(reader)
        alone = MailItem(text=said.sentence, more=said.why, link=one.link, button=texts.button)
        return MailText(subject=said.sentence, lines=(), reason=reason), [MailSection(title="", items=[alone])]
    text = MailText(
        subject=texts.subject.format(site=site, count=len(shown) + more),
        title=texts.title.format(site=site, day=reader.day(at_ms)) if mode == "daily" else "",
        lines=(),
        closing=(texts.more.format(site=site, more=more),) if more else (),
        reason=reason,
    )
    return text, sections_of(shown, reader, is_whole=not more)


def _reason(shown: Sequence[ShownNotice], texts: NoticesText, mode: Mode) -> str:
    if mode == "daily":
        return texts.daily_reason
    reasons = {one.content.mail_reason for one in shown}
    if reasons == {"alert"}:
        return texts.alert_reason
    return texts.followed_reason if reasons == {"followed"} else texts.reason
