"""A site with play money: every amount has its sign, typed ones are whole, and none is called money."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from foreknow.kernel.currency import Currency
from tests.support.browser import Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.schema import SqliteFiles
from tests.support.service import Service, expect, pool

#: As long as a sign may be.
SIGN = "Kudos’ßÿ"
MONEY = {"en": re.compile("money|₽|kop", re.IGNORECASE), "ru": re.compile("деньг|денег|₽|коп", re.IGNORECASE)}


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    currency = Currency(sign=SIGN, name="kudos", name_ru="баллы", decimals=0)
    service = Service(sqlite_files.fresh_database(), currency=currency)
    yield service
    service.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_amounts_are_in_the_sites_own_currency(page: Page, site: Service, language: Language, width: int) -> None:
    person = site.user(balance_kopecks=1_000_099)
    event = site.event(pools=[pool(["Reds", "Blues"], b=1_000_000)])
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 20_000}
    expect(person.client.post("/market/bets", json=bet), 201)
    sign_in(page.context, person)
    # Nothing of it waits for a request.
    page.route("**/api/v1/site", lambda route: route.abort())
    written = {"en": f"9,800\u00a0{SIGN}", "ru": f"9\u00a0800\u00a0{SIGN}"}[language]
    for path in ("/", "/portfolio", f"/events/{event['id']}"):
        page.goto(path)
        see(page.get_by_role("banner").get_by_text(written)).to_be_visible()
        see(page.get_by_role("main")).to_contain_text(SIGN)
        page.wait_for_load_state("networkidle")
        assert not MONEY[language].search(page.locator("body").inner_text())
        page.set_viewport_size({"width": 320, "height": 640})
        assert not scrolls_sideways(page)
        page.set_viewport_size({"width": width, "height": 900})
    if width == 390:
        page.get_by_role("button", name=re.compile("^(Да|Yes) ")).last.click()
    field = page.get_by_role("textbox", name={"en": "You pay", "ru": "Вы платите"}[language])
    field.fill("12.5")
    see(field).to_have_attribute("aria-invalid", "true")
    # What is not shown of a balance stays there.
    page.get_by_role("button", name={"en": "All", "ru": "Всё"}[language], exact=True).last.click()
    see(field).to_have_value("9800")
    assert accessibility_findings(page) == []
