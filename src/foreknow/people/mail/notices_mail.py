"""What a mail of notices says: a single one, several, or those of a day."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.people.mail.messages import MailItem, MailSection
from foreknow.people.mail.sections import ShownNotice, sections_of
from foreknow.people.mail.texts import TEXTS, MailText, NoticesText
from foreknow.people.notifications.reader import Reader
from foreknow.platform.mailing.notices import Mode


def notices_mail(
    shown: Sequence[ShownNotice], reader: Reader, *, site: str, more: int, mode: Mode, at_ms: int
) -> tuple[MailText, list[MailSection]]:
    """Return the text of a mail, made at `at_ms`, of some notices and of `more` that it only counts."""
    texts = TEXTS[reader.language].notices
    reason = _reason(shown, texts, mode).format(site=site)
    if len(shown) == 1 and not more:
        # Its text is the subject itself, which no form is filled in with: it has people's words.
        one = shown[0]
        sentence = one.content.said(reader).sentence
        alone = MailItem(text=sentence, link=one.link, button=texts.button)
        return MailText(subject=sentence, lines=(), reason=reason), [MailSection(title="", items=[alone])]
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
