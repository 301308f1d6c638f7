"""What stands around the items of a mail of several notices, in the languages of the web client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foreknow.people.notifications.kind import Section
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
            "closing": "Скоро закончатся торги",
            "decided": "Итоги",
            "published": "Новое",
            "talk": "Ответы и комментарии",
        },
        zone="время: {zone}",
        in_all="Всего",
    ),
}
