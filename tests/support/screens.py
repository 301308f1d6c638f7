"""What tests of screens share: a person's page, and the words of a language."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page

from tests.support.browser import Language, accessibility_findings, scrolls_sideways, sign_in
from tests.support.service import Person

Words = Callable[[str, str], str]


def words(language: Language) -> Words:
    """Choose between an English and a Russian text."""
    return lambda english, russian: russian if language == "ru" else english


def page_of(context: BrowserContext, person: Person) -> Page:
    """Open a page as a person."""
    sign_in(context, person)
    return context.new_page()


def check_page(page: Page) -> None:
    """Check what holds on every page as it is now."""
    assert not scrolls_sideways(page)
    found = accessibility_findings(page)
    assert found == [], "\n".join(found)
