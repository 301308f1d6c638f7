"""The sections of a mail of several notices: what waits for its reader, what they won, what moved, what closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreknow.people.mail.messages import MailItem, MailSection
from foreknow.people.notifications.kind import Content, Section, tone_of
from foreknow.people.notifications.reader import Reader
from foreknow.people.users.schemas import UserLanguage


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTexts:
    """The sections' titles, in their order, and what stands beside and below them."""

    titles: Mapping[Section, str]
    #: Of an end of trading: `{zone}` is its reader's time zone.
    zone: str
    #: What all settled positions of a mail brought.
    in_all: str


SECTION_TEXTS: Mapping[UserLanguage, SectionTexts] = {
    "en": SectionTexts(
        titles={
            "waiting": "Waiting for you",
            "results": "Your results",
            "moves": "What moved",
            "closing": "Closing soon",
            "decided": "Decided",
            "published": "New",
            "talk": "Replies and comments",
        },
        zone="times of {zone}",
        in_all="In all",
    ),
    "ru": SectionTexts(
        titles={
            "waiting": "Ждёт вас",
            "results": "Ваши результаты",
            "moves": "Что изменилось",
            "closing": "Скоро закроются",
            "decided": "Итоги",
            "published": "Новое",
            "talk": "Ответы и комментарии",
        },
        zone="время: {zone}",
        in_all="Всего",
    ),
}


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice of a mail, and the link that belongs to it."""

    content: Content
    link: str


def sections_of(notices: Sequence[ShownNotice], reader: Reader, *, is_whole: bool) -> list[MailSection]:
    """Return the sections of a mail, each with its notices, oldest first; equal ones are one, with their number.

    `is_whole`: the mail names all of its notices, so that what they brought can be added up.
    """
    texts = SECTION_TEXTS[reader.language]
    by_section: dict[Section, list[ShownNotice]] = {name: [] for name in texts.titles}
    for one in notices:
        by_section[one.content.about.section].append(one)
    found: list[MailSection] = []
    for name, held in by_section.items():
        if held:
            note = texts.zone.format(zone=reader.zone) if name == "closing" else ""
            total = _in_all(held, reader) if is_whole else None
            found.append(MailSection(title=texts.titles[name], items=_items(held, reader), note=note, total=total))
    return found


def _items(held: Sequence[ShownNotice], reader: Reader) -> list[MailItem]:
    found: dict[tuple[str, str, str], tuple[Content, int]] = {}
    for one in held:
        content = one.content
        key = (content.about.kind, one.link, "" if content.adds_up else content.said(reader).sentence)
        if key not in found:
            found[key] = content, 1
        else:
            first, times = found[key]
            found[key] = first.plus(content), times + (not content.adds_up)
    return [_item(content, link, reader, times=times) for (_, link, _), (content, times) in found.items()]


def _item(content: Content, link: str, reader: Reader, *, times: int) -> MailItem:
    said = content.said(reader)
    repeated = f"×{times}" if times > 1 else ""
    return MailItem(
        text=f"{said.sentence} {repeated}".rstrip(),
        more=said.why,
        link=link,
        name=(content.event_ru if reader.language == "ru" else content.event_name) or said.sentence,
        detail=said.short,
        figure=" ".join(part for part in (said.figure, repeated) if part),
        tone=said.tone,
    )


def _in_all(held: Sequence[ShownNotice], reader: Reader) -> MailItem | None:
    """Return what several settled positions brought together."""
    earned = [kopecks for one in held if (kopecks := one.content.said(reader).earned_kopecks) is not None]
    if len(earned) < 2:
        return None
    figure, title = reader.gain(sum(earned)), SECTION_TEXTS[reader.language].in_all
    return MailItem(text=f"{title}: {figure}", link="", name=title, figure=figure, tone=tone_of(sum(earned)))
