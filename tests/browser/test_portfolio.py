"""A trader looks at what they hold, sells it, and reads what became of their money."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from foreknow.kernel.clock import DAY_MS
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.worth.tables import worth_days
from tests.support.browser import Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.screens import go
from tests.support.service import PASSWORD, Person, Service, expect, pool
from tests.support.waiting import wait_until

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
        "by_day": "Total by day",
        "as_table": "As a table",
        "month": "1M",
        "earned": "Earned by trading",
        "several": "3 positions",
        "sort": "Sort by",
        "balance": "Balance after",
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
        "by_day": "Всего по дням",
        "as_table": "Таблицей",
        "month": "1 мес",
        "earned": "Принесла торговля",
        "several": "3 позиции",
        "sort": "Порядок",
        "balance": "Баланс после",
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


def amount(text: str) -> int:
    """Read kopecks as the client shows them."""
    shown = text.replace("\u2212", "-").replace(",", "" if "." in text else ".")
    return round(float("".join(one for one in shown if one in "-.0123456789")) * 100)


@seen_as((1440, "en", "light"), (390, "ru", "dark"), (1440, "ru", "dark"), (390, "en", "light"))
def test_a_trader_sees_what_they_had_each_day_and_what_trading_earned_of_it(
    page: Page, site: Service, trader: Person, language: Language
) -> None:
    texts = TEXTS[language]
    # A day counts once all that is dated in it is committed.
    last_day = (site.clock() - OVERLAP_MS) // DAY_MS
    # So in the first minutes of a day the last one does not, and a month shows a day less.
    missing = site.clock() // DAY_MS - last_day
    rows = [
        {"user_id": trader.id, "day": last_day - back, "worth_kopecks": 130_000 - back * 997, "added_kopecks": 0}
        for back in range(40)
    ]
    site.server.run(site.app.db.write(lambda tx: tx.execute(worth_days.insert(), rows)))
    wait_until(lambda: len(expect(trader.client.get("/users/me/worth"), 200)["points"]) == 41)
    sign_in(page.context, trader)
    page.goto("/portfolio")
    chart = (
        page.get_by_role("main").locator("section.card").filter(has=page.get_by_role("heading", name=texts["by_day"]))
    )
    see(chart.get_by_role("img", name=texts["by_day"])).to_be_visible()
    chart.scroll_into_view_if_needed()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)

    last = expect(trader.client.get("/users/me/worth"), 200)["points"][-1]
    see(chart.get_by_text(texts["earned"])).to_be_visible()
    total, given, earned = map(amount, chart.locator("dd").all_inner_texts())
    assert (total, given) == (last["worth_kopecks"], last["added_kopecks"])
    assert earned == total - given
    for name, days in (("", 40), (texts["month"], 30 - missing)):
        if name:
            chart.get_by_role("button", name=name).click()
        chart.get_by_role("button", name=texts["as_table"]).click()
        see(chart.locator("tbody tr")).to_have_count(days + 1)
    assert "worth=1m" in page.url
    assert accessibility_findings(page) == []


@seen_as((1440, "en", "light"), (390, "en", "dark"))
def test_a_position_is_worth_what_its_result_pays_as_long_as_that_can_be_corrected(page: Page, site: Service) -> None:
    question = pool()
    question["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    event = site.event(pools=[question])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = site.user(balance_kopecks=100_000)
    bet(person, market_id, "YES", 50_000)
    (held,) = expect(person.client.get("/users/me/positions?state=open"), 200)["positions"]
    pays = f"\u20bd{held['amount'] / 100:,.2f}"
    expect(site.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)

    sign_in(page.context, person)
    box = page.get_by_role("main")
    lost = box.get_by_text("Decided: No, pays \u20bd0 unless corrected until").locator("visible=true")
    worth = box.get_by_text("In positions", exact=True).locator("xpath=following-sibling::dd[1]")
    page.goto("/portfolio")
    see(lost).to_have_count(1)
    see(worth).to_have_text("\u20bd0.00")
    see(box.get_by_text("\u2212\u20bd500.00 not sold yet")).to_be_visible()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    go(page, f"/events/{event['id']}")
    see(lost).to_have_count(1)
    assert accessibility_findings(page) == []

    # A correction shows by itself, there and here.
    expect(site.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    won = box.get_by_text(f"Decided: Yes, pays {pays} unless corrected until").locator("visible=true")
    see(won).to_have_count(1)
    see(box.get_by_role("heading", name="Result: Yes")).to_be_visible()
    go(page, "/portfolio")
    see(won).to_have_count(1)
    see(worth).to_have_text(pays)
    expect(site.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    see(lost).to_have_count(1)


@seen_as((1440, "en", "light"), (390, "ru", "dark"), (1440, "ru", "dark"), (390, "en", "light"))
def test_what_is_held_of_one_event_is_one_row_and_the_history_leads_to_the_balance(
    page: Page, site: Service, language: Language
) -> None:
    texts = TEXTS[language]
    person = site.user(balance_kopecks=100_000)
    degrees = pool(b=1_000_000)
    degrees["metadata"] |= {"shape": {"kind": "number", "edges": [0, 10, 20, 30], "unit": "°C"}}
    warm = site.event(name="How warm will it be?", pools=[degrees])
    single = site.event(name="Will it freeze?")
    changes = [{"market_id": one["id"], "shares": 100 * (at + 1)} for at, one in enumerate(warm["pools"][0]["markets"])]
    basket = expect(person.client.post("/market/baskets", json={"changes": changes[1:4]}), 201)
    bet(person, single["pools"][0]["markets"][0]["id"], "YES", 150)
    positions = expect(person.client.get("/users/me/positions"), 200)["positions"]
    wide = page.viewport_size is not None and page.viewport_size["width"] > 1000
    sign_in(page.context, person)
    page.goto("/portfolio")
    box = page.get_by_role("main")
    rows = box.locator(".wide.table tbody tr" if wide else "ul.narrow > li")
    see(rows).to_have_count(2)
    row = rows.filter(has_text=warm["name"])
    cost = sum(one["cost_kopecks"] for one in positions if one["event_id"] == warm["id"])
    assert cost == -basket["net_kopecks"]
    opens = row.get_by_role("button", name=texts["several"])
    see(opens).to_have_attribute("aria-expanded", "false")
    if wide:
        shown = row.locator("td.num").all_inner_texts()
        worth, gain = shown[1].split("\n")
        assert [amount(shown[0]), amount(shown[2])] == [cost, 400]
        assert amount(worth) - amount(shown[0]) == amount(gain)
    opens.click()
    see(box.get_by_text("10 – 20 °C").locator("visible=true").first).to_be_visible()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    opens.click()

    box.get_by_label(texts["sort"]).select_option("paid")
    see(rows.first).to_contain_text(warm["name"])
    assert "sort=paid" in page.url

    box.get_by_role("link", name=texts["history"], exact=True).last.click()
    see(page).not_to_have_url(re.compile("sort"))
    see(box.get_by_role("link", name="0 – 30 °C")).to_be_visible()
    # The columns on a desk, one below the other on a phone.
    moves = [
        [amount(text) for text in line.replace("\t", "\n").split("\n") if any(one.isdigit() for one in text)][-2:]
        for line in box.locator("tbody tr").all_inner_texts()
    ]
    after = 0
    for change, balance in reversed(moves):
        after += change
        assert after == balance
    assert after == expect(person.client.get("/users/me"), 200)["balance_kopecks"]
    see(box.get_by_text(texts["balance"]).locator("visible=true").first).to_be_visible()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    with page.expect_download() as download:
        box.get_by_role("button", name=texts["save"]).click()
    saved = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8-sig"))))
    assert {row["type"]: row["market"] for row in saved}["basket"] == "0 – 30 °C"
    assert [round(float(row["balance_rub"]) * 100) for row in saved] == [balance for _, balance in moves]


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
