"""How much waits is a number on the tab, in the menu and on the installed client's icon, until it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.browser.conftest import NewContext
from tests.support.browser import Language, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Service, expect

#: Keeps what the icon shows.
ICON = """() => {
    globalThis.shown = [];
    navigator.setAppBadge = async (count) => void globalThis.shown.push(count);
    navigator.clearAppBadge = async () => void globalThis.shown.push(0);
}"""
CLOSED = re.compile(r"/api/v1/admin/reports/\d+/close")


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database(), creators="suggest")
    yield service
    service.stop()


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_what_waits_is_counted_until_it_is_done(
    new_visitor: NewContext, site: Service, width: int, language: Language
) -> None:
    say = words(language)
    ann, bob, operator = site.user(), site.user(), site.user(operator=True)
    context = new_visitor()
    context.add_init_script(f"({ICON})()")
    page = page_of(context, operator)
    page.goto("/leaders")
    see(page).to_have_title(re.compile(say("^Leaders", "^Лидеры")))

    expect(ann.client.post("/reports", json={"kind": "user", "id": bob.id, "reason": "spam"}), 201)
    # For who decides on it: an admin.
    site.event(ann, publish=False)
    page.evaluate("dispatchEvent(new Event('focus'))")
    see(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.evaluate("() => shown.at(-1)") == 1
    check_page(page)
    menu = opened_menu(page, say, width)
    see(menu.get_by_role("link", name=say("Reports 1 thing waits", "Жалобы вас ждёт 1 дело"))).to_be_visible()
    see(menu.get_by_role("link", name=say("Administration", "Управление"), exact=True)).to_be_visible()
    check_page(page)

    menu.get_by_role("link", name=say("Reports", "Жалобы")).click()
    see(page).to_have_title(re.compile(say(r"^\(1\) Reports", r"^\(1\) Жалобы")))
    see(page.locator("[aria-current=true]").get_by_role("button").first).to_be_visible()
    # It can be undone for ten seconds: until then it waits.
    with page.expect_response(CLOSED):
        page.keyboard.press("c")
    see(page).to_have_title(re.compile(say("^Reports", "^Жалобы")))
    assert page.evaluate("() => shown.at(-1)") == 0

    admin = page_of(new_visitor(), site.user(admin=True))
    admin.goto("/admin")
    see(admin).to_have_title(re.compile(r"^\(1\) "))
    see(admin.get_by_role("link", name=re.compile(say("^Waiting.1", "^Ждут решения.1")))).to_be_visible()
    check_page(admin)


def opened_menu(page: Page, say: Words, width: int) -> Page:
    """Open the menu, where its number is."""
    more = re.compile(say("^More:? 1 thing waits for you", "^Ещё:? вас ждёт 1 дело"))
    bar = page.get_by_role("banner") if width > 1080 else page.get_by_role("navigation").last
    bar.get_by_role("button", name=more).click()
    return page
