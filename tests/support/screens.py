"""What tests of screens share: a person's page, and the words of a language."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page

from tests.support.browser import Language, accessibility_findings, scrolls_sideways, sign_in
from tests.support.service import Person

Words = Callable[[str, str], str]
#: From the click until its code is there, the screen before is busy.
_IS_THERE = "() => document.querySelector('main')?.ariaBusy === 'false'"
#: No page has that many things to stop at before the one that a test wants.
TABS_MAX = 100


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


def go(page: Page, address: str) -> None:
    """Follow a link to an address of the client, as a click does: at less than half the cost of another page.

    Return once the screen is there; what it shows may still be on its way.
    """
    page.evaluate(
        """(address) => {
            const link = document.createElement("a");
            link.href = address;
            document.body.append(link);
            link.click();
            link.remove();
        }""",
        address,
    )
    page.wait_for_function(_IS_THERE)


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(TABS_MAX):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("no Tab leads there")
