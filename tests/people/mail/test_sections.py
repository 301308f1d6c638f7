"""Sections of a mail of several notices."""

from __future__ import annotations

import pytest

from foreknow.kernel.currency import Currency
from foreknow.money.pricing import Side
from foreknow.people.mail.sections import ShownNotice, sections_of
from foreknow.people.notifications.kinds.own import OutcomeAdded
from foreknow.people.notifications.reader import Reader
from foreknow.people.users.schemas import UserLanguage


@pytest.mark.parametrize(
    ("language", "title", "name", "detail"),
    [
        ("en", "New", "Which party wins?", "Greens · a new outcome: you hold 5 YES"),
        ("ru", "Новое", "Кто победит?", "Зелёные · новый исход: у вас 5 ДА"),
    ],
)
def test_a_new_outcome_stands_under_what_is_new(language: UserLanguage, title: str, name: str, detail: str) -> None:
    added = OutcomeAdded(
        event_name="Which party wins?",
        event_name_ru="Кто победит?",
        pool_name="",
        pool_name_ru="",
        market_name="Greens",
        market_name_ru="Зелёные",
        token_type=Side.YES,
        shares=5,
    )
    reader = Reader(language=language, zone="UTC", currency=Currency(sign="¤", name="points"))
    notice = ShownNotice(added, "https://foreknow.test/events/1")

    [section] = sections_of([notice], reader, is_whole=True)
    [item] = section.items
    assert (section.title, item.name, item.detail) == (title, name, detail)
