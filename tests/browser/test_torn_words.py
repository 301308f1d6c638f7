"""Words stay whole and buttons show all of theirs in Russian, on a wide desk and the narrowest phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import SETTLED, scrolls_sideways, sign_in, torn_words
from tests.support.schema import SqliteFiles
from tests.support.screens import go
from tests.support.service import Service, pool
from tests.support.service import expect as answered


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own: the leaders of a shared one are other tests' people."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


@pytest.mark.parametrize(("width", "language"), [(1440, "ru"), (390, "ru")])
def test_no_word_is_torn_and_no_button_cut(page: Page, site: Service, width: int) -> None:
    trader = site.user(balance_kopecks=100_000)
    longest = "Александра Константинопольская, если раньше неё никто другой не подаст своей заявки в комиссию"
    sides = pool([longest, "Искусственный интеллект", "Кто-нибудь другой"])
    event = site.event(name="Кто станет председателем правления?", pools=[sides])
    lead = site.event(name="Снизит ли центральный банк ключевую ставку?")
    for made, amount in ((lead, 30_000), (event, 10_000)):
        market_id = made["pools"][0]["markets"][:2][-1]["id"]
        bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": amount}
        answered(trader.client.post("/market/bets", json=bet), 201)
    sign_in(page.context, trader)
    if width < 720:
        page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/settings")
    for path in ("/", f"/events/{event['id']}", "/portfolio", "/live", "/leaders"):
        go(page, path)
        expect(page.get_by_role("main").locator("a, button").first).to_be_visible()
        page.wait_for_function(SETTLED)
        assert torn_words(page) == [], path
        assert not scrolls_sideways(page)
