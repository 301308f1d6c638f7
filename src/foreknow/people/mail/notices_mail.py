"""What a mail of notices says: a single one, several, or those of a day."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foreknow.people.mail.messages import MailItem, MailSection
from foreknow.people.mail.sections import Reader, ShownNotice, day_of, sections_of
from foreknow.people.mail.texts import TEXTS, MailText, NoticesText
from foreknow.people.notifications.messages import text_of
from foreknow.people.notifications.types import NotificationType
from foreknow.platform.mailing.notices import Mode

#: Types of what a person follows.
FOLLOWED: Collection[NotificationType] = frozenset(
    {"event_closing", "event_comment", "event_moved", "creator_published", "tag_published"}
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
        sentence = text_of(one.type, one.params, reader.currency, reader.language)
        alone = MailItem(text=sentence, link=one.link, button=texts.button)
        return MailText(subject=sentence, lines=(), reason=reason), [MailSection(title="", items=[alone])]
    text = MailText(
        subject=texts.subject.format(site=site, count=len(shown) + more),
        title=texts.title.format(site=site, day=day_of(at_ms, reader)) if mode == "daily" else "",
        lines=(),
        closing=(texts.more.format(site=site, more=more),) if more else (),
        reason=reason,
    )
    return text, sections_of(shown, reader, is_whole=not more)


def _reason(shown: Sequence[ShownNotice], texts: NoticesText, mode: Mode) -> str:
    types = {one.type for one in shown}
    if mode == "daily":
        return texts.daily_reason
    if types == {"price_alert"}:
        return texts.alert_reason
    return texts.followed_reason if types.issubset(FOLLOWED) else texts.reason
