"""A restored site: every page says to an admin that nothing is sent, who says that it is the site."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect as see

from foreknow.commands.cli.database import write
from foreknow.service.sending import guard_of
from tests.browser.conftest import NewContext
from tests.support.browser import seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, page_of
from tests.support.service import Service, expect

HELD = "Nothing is sent"


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A site that is held."""
    service = Service(sqlite_files.fresh_database())
    guard = guard_of(service.settings)
    # In a thread: this one has a browser's event loop.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(write, service.settings, guard.hold).result()
    yield service
    service.stop()


@seen_as((390, "en", "light"), (1440, "en", "light"))
def test_an_admin_of_a_restored_site_lets_it_send_again(new_visitor: NewContext, site: Service) -> None:
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin/site")
    banner = page.get_by_role("complementary", name=HELD)
    see(banner).to_be_visible()
    see(page.get_by_text("Newest backup")).to_be_visible()
    check_page(page)
    banner.get_by_role("button", name="This is the site: send").click()
    see(banner).to_have_count(0)
    assert expect(site.client().get("/ready"), 200) == {"status": "ready"}


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_a_trader_sees_nothing_of_it(new_visitor: NewContext, site: Service) -> None:
    page = page_of(new_visitor(), site.user())
    page.goto("/")
    page.wait_for_load_state("networkidle")
    see(page.get_by_role("complementary", name=HELD)).to_have_count(0)
