"""A number and a date in a browser: its distribution, a range, a curve of one's own, and what is held of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import Language, Look, scrolls_sideways, seen_as
from tests.support.screens import Words, check_page, go, page_of, tab_to, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

EDGES = [0, 10, 20, 30]
PRIORS = [0.1, 0.2, 0.4, 0.2, 0.1]


def shaped(shape: dict[str, Any], priors: list[float] | None = None) -> dict[str, Any]:
    made = pool(b=1_000_000)
    made["metadata"] |= {"shape": shape} | ({"market_probabilities": priors} if priors else {})
    return made


@pytest.fixture
def number(site: Service) -> dict[str, Any]:
    """A question about degrees: five ranges, without a margin."""
    return site.event(pools=[shaped({"kind": "number", "edges": EDGES, "unit": "°C"}, PRIORS)])


@pytest.fixture
def trader(site: Service) -> Person:
    """A trader with ₽1,000."""
    return site.user(balance_kopecks=100_000)


@pytest.fixture
def say(language: Language) -> Words:
    return words(language)


def held(person: Person) -> list[int]:
    """What a person holds, in the order of the markets."""
    found = answered(person.client.get("/market/positions"), 200)["positions"]
    return [one["amount"] for one in sorted(found, key=lambda one: one["market_id"])]


def open_slip(page: Page, look: Look, say: Words) -> Locator:
    if look.width == 390:
        page.get_by_role("button", name=say("Buy this range", "Купить этот диапазон")).click()
    return page.get_by_role("region", name=say("Bet on", "Ставка"))


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_range_is_bought_by_one_order_and_sold_outside_of_another(
    page: Page, number: dict[str, Any], look: Look, say: Words, trader: Person
) -> None:
    """At the desk by keyboard, on the phone by touch."""
    page = page_of(page.context, trader)
    page.goto(f"/events/{number['id']}?from=1&to=4")
    expect(page.get_by_text(re.compile("^15 °C|^15\u00a0°C")).first).to_be_visible()  # the median
    low = page.get_by_role("slider", name=say("From", "От"))
    if look.width == 1440:
        tab_to(page, low)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.get_by_role("slider", name="To, not included").press("ArrowLeft")
    else:
        box = page.get_by_role("slider", name="До, не включая").bounding_box()
        step = page.get_by_role("slider", name="От").bounding_box()
        assert box
        assert step
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - (box["x"] - step["x"]) / 3, y, steps=4)
        page.mouse.up()
    expect(page).to_have_url(re.compile("from=1&to=3"))
    check_page(page)

    slip = open_slip(page, look, say)
    slip.get_by_role("button", name=say("At least", "Не меньше")).click()
    expect(page).to_have_url(re.compile("from=1&to=5"))
    slip.get_by_role("button", name=say("Between", "Между")).click()
    expect(page).to_have_url(re.compile("from=1&to=3"))  # both ends are kept
    expect(slip.get_by_text(re.compile("60[.,]0"), exact=False).first).to_be_visible()
    slip.get_by_role("textbox", name=say("You pay", "Вы платите")).fill("500")
    expect(slip.get_by_text(re.compile(r"^(₽819\.96|819,96\s₽)$"))).to_be_visible()
    check_page(page)
    slip.get_by_role("button", name=re.compile(say("^Buy “0 – 20 °C”", "^Купить «0 – 20 °C»"))).click()
    expect(slip.get_by_text(re.compile(say("Done: pays", "Готово: выплата")))).to_be_visible()
    assert held(trader) == [81_996, 81_996]

    # The order is a single trade, named by its range.
    if look.width == 390:
        page.get_by_role("dialog").get_by_role("button", name="Закрыть").click()
    expect(page.get_by_role("cell", name=re.compile("0 – 20 °C")).first).to_be_attached()
    own = page.get_by_role("region", name=say("What you hold pays", "Что выплатят ваши доли"))
    expect(own.get_by_text("0 – 20 °C")).to_be_visible()
    own.get_by_role("button", name=say("Sell outside of a range", "Продать вне диапазона")).click()
    slip = page.get_by_role("region", name=say("Bet on", "Ставка"))
    slip.get_by_label(say("From", "От"), exact=True).select_option("2")
    slip.get_by_role("button", name=re.compile(say("^Sell for ₽", r"^Продать за \d"))).click()
    expect(slip.get_by_text(re.compile(say("^Sold for", "^Продано за")))).to_be_visible()
    assert held(trader) == [81_996]


@seen_as((1440, "ru", "dark"), (390, "en", "light"))
def test_a_curve_of_ones_own_moves_the_market(
    page: Page, number: dict[str, Any], look: Look, say: Words, trader: Person
) -> None:
    page = page_of(page.context, trader)
    page.goto(f"/events/{number['id']}")
    slip = open_slip(page, look, say)
    slip.get_by_role("button", name=say("My curve", "Кривая")).click()
    for name, value in (("Median|Медиана", "22"), ("chance of less|что меньше", "12"), ("of more|что больше", "34")):
        slip.get_by_role("textbox", name=re.compile(name)).fill(value)
    slip.get_by_role("textbox", name=say("You pay at most", "Вы платите не больше")).fill("400")
    expect(slip.get_by_text(say("On average, if your curve is right", "В среднем, если ваша"))).to_be_visible()
    check_page(page)
    slip.get_by_role("button", name=re.compile(say("^Move it for ₽", r"^Сдвинуть за \d"))).click()
    expect(slip.get_by_text(re.compile(say("^Done: ", "^Готово: заплачено")))).to_be_visible()
    balance = answered(trader.client.get("/users/me"), 200)["balance_kopecks"]
    assert 60_000 <= balance < 60_100
    prices = [
        market["yes_probability"]
        for market in answered(trader.client.get(f"/events/{number['id']}"), 200)["pools"][0]["markets"]
    ]
    assert prices[3] > PRIORS[3]
    assert prices[0] < PRIORS[0]


@seen_as((390, "en", "dark"), (1440, "ru", "light"))
def test_a_hundred_ranges_fit_and_time_has_a_table(page: Page, site: Service, say: Words) -> None:
    edges = [100 * step for step in range(1, 100)]
    event = site.event(pools=[shaped({"kind": "number", "edges": edges, "unit": "kilowatt-hours a day"})])
    page.goto(f"/events/{event['id']}")
    expect(page.get_by_role("slider")).to_have_count(2)
    check_page(page)
    assert not scrolls_sideways(page)
    page.get_by_role("button", name=say("Over time", "Во времени")).click()
    expect(page.get_by_role("img", name=re.compile(say("middle 50%", "средние 50")))).to_be_visible()
    check_page(page)
    page.get_by_role("button", name=say("As a table", "Таблицей")).click()
    expect(page.get_by_role("columnheader", name=say("Median", "Медиана"))).to_be_visible()
    check_page(page)
    page.get_by_role("button", name=say("Table", "Таблица"), exact=True).click()
    expect(page.get_by_role("cell", name=re.compile("10,000|9[,\u00a0]?900")).first).to_be_attached()
    assert not scrolls_sideways(page)


@seen_as((390, "ru", "light"), (1440, "en", "dark"))
def test_a_date_is_named_in_the_pages_language_and_its_card_shows_the_median(
    page: Page, site: Service, say: Words
) -> None:
    quarters = [f"2027-{month:02}-01T00:00:00Z" for month in (1, 4, 7, 10)]
    event = site.event(tags=["shipping"], pools=[shaped({"kind": "date", "edges": quarters}, PRIORS)])
    page.goto("/?tag=shipping")
    expect(page.get_by_text(say("Median", "Медиана")).first).to_be_visible()
    check_page(page)
    go(page, f"/events/{event['id']}")
    expect(page.get_by_text(say("1 April 2027 – 1 July 2027", "1 апреля 2027 – 1 июля 2027")).first).to_be_visible()
    expect(page.get_by_text(say("Before 1 January 2027", "До 1 января 2027")).first).to_be_visible()
    check_page(page)
    client = site.creator.client
    resolved = client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"value": "2027-05-01T00:00:00Z"})
    answered(resolved, 200)
    page.reload()
    expect(page.get_by_role("heading", name=re.compile(say("Result: 1 May 2027", "Итог: 1 мая 2027")))).to_be_visible()
    check_page(page)


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_series_is_drawn_as_one(page: Page, site: Service, say: Words) -> None:
    shape = {"kind": "number", "edges": EDGES, "unit": "°C"}
    first = site.event(pools=[shaped(shape, PRIORS)], loop_interval_minutes=60)
    (ended,) = first["pools"]
    buyer = site.user(balance_kopecks=2_000_000)
    order = {"market_id": ended["markets"][4]["id"], "token_type": "YES", "amount_kopecks": 2_000_000}
    answered(buyer.client.post("/market/bets", json=order), 201)
    answered(site.creator.client.post(f"/pools/{ended['id']}/resolve", json={"won_side": 4}), 200)

    def following() -> Any:
        return answered(site.client().get(f"/events/{first['id']}"), 200)["series"]["next_event_id"]

    wait_until(lambda: following() is not None)
    page.goto(f"/events/{following()}?range=all")
    page.get_by_role("button", name=say("Over time", "Во времени")).click()
    table = page.get_by_role("button", name=say("As a table", "Таблицей"))
    table.click()
    rows = page.get_by_role("table").filter(has_text=say("Median", "Медиана")).get_by_role("row")
    expect(rows.nth(1)).to_be_visible()
    alone = rows.count()
    # With the points of the question before.
    page.get_by_role("button", name=say("Whole series", "Вся серия")).click()
    expect(rows).to_have_count(0)
    table.click()
    expect(rows.nth(alone)).to_be_visible()
    check_page(page)
