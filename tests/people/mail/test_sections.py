"""Sections of a mail of several notices."""

from __future__ import annotations

from typing import get_args

import pytest

from foreknow.kernel.currency import Currency
from foreknow.people.mail.sections import SECTION_OF, Reader, ShownNotice, sections_of
from foreknow.people.notifications.types import NotificationType
from foreknow.people.users.schemas import UserLanguage


def test_every_type_has_a_section() -> None:
    assert set(SECTION_OF) == set(get_args(NotificationType))


@pytest.mark.parametrize(
    ("language", "title", "name", "detail"),
    [
        ("en", "New", "Which party wins?", "Greens · a new outcome: you hold 5 YES"),
        ("ru", "Новое", "Кто победит?", "Зелёные · новый исход: у вас 5 ДА"),
    ],
)
def test_a_new_outcome_stands_under_what_is_new(language: UserLanguage, title: str, name: str, detail: str) -> None:
    params: dict[str, str | int] = {
        "event_name": "Which party wins?",
        "event_name_ru": "Кто победит?",
        "market_name": "Greens",
        "market_name_ru": "Зелёные",
        "token_type": "YES",
        "shares": 5,
    }
    reader = Reader(language=language, zone="UTC", currency=Currency(sign="¤", name="points"))
    notice = ShownNotice("outcome_added", params, "https://foreknow.test/events/1")

    [section] = sections_of([notice], reader, is_whole=True)
    [item] = section.items
    assert (section.title, item.name, item.detail) == (title, name, detail)
