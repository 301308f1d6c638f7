"""A site of one language: no choice of another, no text wanted in it, whatever the browser speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.browser.conftest import NewContext
from tests.support.browser import seen_as
from tests.support.proofs import proves
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, page_of
from tests.support.service import Service, expect


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database(), languages="ru")
    yield service
    service.stop()


def languages(page: Page) -> int:
    """How many places of a page let one choose a language."""
    return page.get_by_role("button", name="English", exact=True).count()


@proves("administration: Of one the client shows no choice, and asks for no text in others; fields of the API stay.")
@seen_as((390, "en", "light"), (1440, "en", "dark"))
def test_of_one_language_there_is_no_choice_and_no_text_in_others(
    page: Page, new_visitor: NewContext, site: Service
) -> None:
    page.goto("/")
    see(page.locator("html")).to_have_attribute("lang", "ru")
    page.get_by_role("button", name=re.compile("Ещё|Меню")).last.click()
    see(page.get_by_role("combobox", name="Оформление")).to_be_visible()
    assert languages(page) == 0
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    page.goto("/settings")
    see(page.get_by_role("heading", level=1)).to_be_visible()
    assert languages(page) == 0
    page.goto("/create")
    page.get_by_role("radio").first.wait_for()
    see(page.get_by_label("Вопрос", exact=True)).to_be_visible()
    see(page.get_by_label(re.compile("по-(русски|английски)", re.IGNORECASE))).to_have_count(0)
    check_page(page)
    event = site.event(name="Who?", name_ru="Кто?")
    assert expect(creator.client.get(f"/events/{event['id']}"), 200)["name_ru"] == "Кто?"
    page.goto(f"/events/{event['id']}")
    see(page.get_by_role("heading", level=1)).to_have_text("Кто?")
