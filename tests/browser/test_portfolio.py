"""A trader looks at what they hold, sells it, and reads what became of their money."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.support.browser import Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.service import PASSWORD, Person, Service, expect, pool

LONG_NAME = "Will the " + "very " * 35 + "long bridge?"
TEXTS = {
    "en": {
        "sell": "Sell",
        "closed": "Closed",
        "history": "History",
        "sold": "Sold",
        "lost": "Lost",
        "outcome": "هل ستمطر غدا؟",
        "save": "Save all as CSV",
        "credit": "Credit from the operator",
    },
    "ru": {
        "sell": "Продать",
        "closed": "Закрытые",
        "history": "История",
        "sold": "Продана",
        "lost": "Проиграла",
        "outcome": "Слегка",
        "save": "Сохранить всё в CSV",
        "credit": "Начисление от оператора",
    },
}


def bet(person: Person, market_id: int, side: str, amount_kopecks: int) -> None:
    order = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    expect(person.client.post("/market/bets", json=order), 201)


@pytest.fixture
def trader(site: Service) -> Person:
    """Holds YES of one market, and lost NO of another."""
    person = site.user(balance_kopecks=1_000_000, name="Анна Кузнецова")
    held = site.event(name=LONG_NAME, name_ru="Построят ли мост?")
    rain = pool(["A great deal", "هل ستمطر غدا؟"])
    rain["metadata"]["market_names_ru"] = ["Сильно", "Слегка"]
    lost = site.event(name="Did it rain?", pools=[rain])
    bet(person, held["pools"][0]["markets"][0]["id"], "YES", 5_000)
    bet(person, lost["pools"][0]["markets"][1]["id"], "YES", 10_000)
    expect(site.creator.client.post(f"/pools/{lost['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    return person


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_trader_sells_what_they_hold_and_reads_their_history(
    page: Page, trader: Person, language: Language, tmp_path: Path
) -> None:
    texts = TEXTS[language]
    sign_in(page.context, trader)
    box = page.get_by_role("main")
    page.goto("/portfolio")
    sell = box.get_by_role("button", name=texts["sell"]).locator("visible=true")
    see(sell).to_have_count(1)
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)

    sell.click()
    dialog = page.get_by_role("dialog")
    order = dialog.get_by_role("button", name=texts["sell"]).last
    see(order).to_be_enabled()
    assert accessibility_findings(page) == []
    order.click()
    see(dialog.get_by_role("status")).to_contain_text("₽")
    page.keyboard.press("Escape")
    see(sell).to_have_count(0)

    box.get_by_role("link", name=texts["closed"]).click()
    for end in (texts["sold"], texts["lost"]):
        see(box.get_by_text(end, exact=True).locator("visible=true")).to_have_count(1)
    see(box.get_by_text(texts["outcome"]).locator("visible=true").first).to_be_visible()
    box.get_by_role("link", name=texts["history"], exact=True).last.click()
    see(box.get_by_text(texts["credit"])).to_be_visible()
    see(box.get_by_role("link", name=texts["outcome"]).first).to_be_visible()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    with page.expect_download() as download:
        box.get_by_role("button", name=texts["save"]).click()
    file = tmp_path / "history.csv"
    download.value.save_as(file)
    with file.open(encoding="utf-8-sig", newline="") as rows:
        changes = [row["change_rub"] for row in csv.DictReader(rows)]
    balance = expect(trader.client.get("/users/me"), 200)["balance_kopecks"]
    assert len(changes) == 5
    assert sum(round(float(change) * 100) for change in changes) == balance


@pytest.mark.parametrize("width", [390])
def test_a_visitor_signs_in_over_the_page_and_a_new_trader_learns_what_to_do(page: Page, site: Service) -> None:
    person = site.user()
    box = page.get_by_role("main")
    page.goto("/portfolio")
    box.get_by_role("button", name="Sign in").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("E-mail or nickname").fill(person.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    assert accessibility_findings(page) == []
    dialog.get_by_label("Password").press("Enter")
    see(dialog).to_be_hidden()
    see(box.get_by_text("Ask them in the chat")).to_be_visible()
    see(box.get_by_role("link", name="Find a question").first).to_be_visible()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
