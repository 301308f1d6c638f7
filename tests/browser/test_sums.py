"""A site with play money of whole units: whatever figures are shown together add up as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Locator, Page
from playwright.sync_api import expect as see

from foreknow.kernel.currency import Currency
from tests.browser.conftest import NewContext
from tests.support.baskets import markets_of, stake
from tests.support.browser import Look, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Person, Service, expect, pool

#: With a letter: it stands after each amount, in both languages.
SIGN = "pts"
AMOUNT = re.compile(rf"([+\u2212]?)(\d[\d,\u00a0]*)\u00a0{SIGN}")
JOINT = {
    "kind": "joint",
    "questions": [{"name": "Ada", "outcomes": ["runs", "waits"]}, {"name": "Boris", "outcomes": ["wins", "loses"]}],
}


def amounts(shown: Locator | str) -> list[int]:
    """Read the amounts of a text as they are shown, each in whole units with its sign."""
    text = shown if isinstance(shown, str) else shown.inner_text()
    return [int(re.sub(r"\D", "", digits)) * (-1 if sign == "\u2212" else 1) for sign, digits in AMOUNT.findall(text)]


@dataclass(frozen=True)
class Played:
    """What a person has traded, to hundredths that are not shown."""

    person: Person
    question: dict[str, Any]
    listed: dict[str, Any]
    number: dict[str, Any]
    joint: dict[str, Any]
    draft: dict[str, Any]


@pytest.fixture(scope="module")
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    currency = Currency(sign=SIGN, name="points", name_ru="баллы", decimals=0)
    service = Service(sqlite_files.fresh_database(), currency=currency)
    yield service
    service.stop()


@pytest.fixture(scope="module")
def played(site: Service) -> Played:
    person = site.user(balance_kopecks=123_461)
    question = site.event(name="Will it rain?", pools=[pool(margin=0.02)])
    listed = site.event(name="Who wins?", pools=[pool(["Ash", "Birch", "Cedar"])])
    number = site.event(
        name="How warm?", pools=[shaped({"kind": "number", "edges": [0, 10, 20], "unit": "°C"}, [0.1, 0.3, 0.4, 0.2])]
    )
    joint = site.event(name="Both?", pools=[shaped(JOINT, [0.25] * 4) | {"margin": 0.02}])
    sold, over = (site.event(name=name) for name in ("Was it sold?", "Did it snow?"))
    thin = site.event(name="Is it thin?", pools=[pool(b=10_000)])
    (rain,), (lot,), (snow,), (few,) = (markets_of(one["pools"][0]) for one in (question, sold, over, thin))

    bet(person, rain, "YES", 3_033)
    expect(person.client.post("/market/positions/sell", json=position(rain) | {"shares": 1_111}), 201)
    for market, paid in zip(markets_of(listed["pools"][0]), (1_077, 2_055, 999), strict=True):
        bet(person, market, "YES", paid)
    expect(stake(person, markets_of(number["pools"][0])[1:3], 2_345), 201)
    bet(person, lot, "YES", 2_077)
    expect(person.client.post("/market/positions/sell", json=position(lot)), 201)
    for side, paid in (("YES", 1_049), ("NO", 1_533)):
        bet(person, snow, side, paid)
    expect(site.creator.client.post(f"/pools/{over['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    # Filled in part as it arrives, then by another's bet; three more wait.
    order(person, few, price_bps=5_500, shares=4_000)
    bet(site.user(balance_kopecks=10_000), few, "NO", 700)
    for price_bps, shares in ((1_300, 1_300), (1_700, 1_100), (700, 1_900)):
        order(person, rain, price_bps=price_bps, shares=shares)

    halves = [pool(b=b, probabilities=[0.37]) | {"name": f"Half {b}"} for b in (98_765, 87_654, 76_543)]
    draft = site.event(name="Not yet?", pools=halves, publish=False)
    return Played(person, question, listed, number, joint, draft)


@pytest.fixture
def page(new_visitor: NewContext, played: Played) -> Page:
    """A page of the person's."""
    return page_of(new_visitor(), played.person)


@pytest.fixture
def say(look: Look) -> Words:
    return words(look.language)


def shaped(shape: dict[str, Any], priors: list[float]) -> dict[str, Any]:
    made = pool(b=200_000, probabilities=priors)
    made["metadata"]["shape"] = shape
    return made


def position(market_id: int, side: str = "YES") -> dict[str, Any]:
    return {"market_id": market_id, "token_type": side}


def bet(person: Person, market_id: int, side: str, amount_kopecks: int) -> None:
    expect(person.client.post("/market/bets", json=position(market_id, side) | {"amount_kopecks": amount_kopecks}), 201)


def order(person: Person, market_id: int, **terms: int) -> None:
    expect(person.client.post("/market/orders", json=position(market_id) | {"action": "buy", **terms}), 201)


def open_portfolio(page: Page, tab: str = "") -> tuple[list[list[int]], list[list[int]]]:
    """Show a list of the portfolio; return the amounts of the tiles above it, and those of its rows."""
    page.goto(f"/portfolio?tab={tab}")
    rows = page.locator(".beside > section tbody tr, .beside > section > ul > li").locator("visible=true")
    see(rows.first).to_be_visible()
    page.wait_for_load_state("networkidle")
    return [amounts(one) for one in page.locator("dl.sums > div").all()], [amounts(row) for row in rows.all()]


EVERYWHERE = seen_as((1440, "en", "light"), (390, "ru", "dark"), (1440, "ru", "dark"), (390, "en", "light"))
AT_A_DESK = pytest.mark.parametrize("width", [1440])


@EVERYWHERE
def test_what_is_held_adds_up_to_what_one_has(page: Page, look: Look) -> None:
    tiles, rows = open_portfolio(page)
    (total,), (balance, held), (worth, gained), _ = tiles
    assert total == balance + held + worth
    if look.width == 390:
        rows = [[worth - gain, worth, gain, pays] for worth, gain, pays in rows]
    else:
        assert amounts(page.get_by_role("banner")) == [balance]
    # A row an event: of the list and the number several positions are one.
    assert len(rows) == 4
    assert all(paid + gain == worth for paid, worth, gain, _ in rows)
    assert sum(row[1] for row in rows) == worth
    assert sum(row[2] for row in rows) == gained
    check_page(page)


@EVERYWHERE
def test_what_is_over_adds_up_to_its_profit(page: Page, played: Played) -> None:
    _, rows = open_portfolio(page, "closed")
    assert len(rows) == 2
    assert all(paid + profit == received for paid, received, profit in rows)
    closed = expect(played.person.client.get("/users/me/positions?state=closed"), 200)["positions"]
    assert sum(row[2] for row in rows) == int(sum(one["pnl"] for one in closed) / 100)
    check_page(page)


@EVERYWHERE
def test_a_profile_and_a_ranking_say_what_the_portfolio_says_was_earned(page: Page, played: Played) -> None:
    tiles, _ = open_portfolio(page)
    earned = tiles[3]
    page.goto(f"/users/{played.person.id}")
    profit = page.locator("dl > div").filter(has_text=re.compile("Realized profit|Полученная прибыль"))
    see(profit).to_be_visible()
    assert amounts(profit) == earned
    page.goto("/leaders?period=all")
    row = page.get_by_role("main").locator("tr, li").filter(has=page.locator(f"a[href='/users/{played.person.id}']"))
    see(row).to_be_visible()
    assert amounts(row)[:1] == earned
    check_page(page)


@EVERYWHERE
def test_the_history_adds_up_to_the_balance(page: Page) -> None:
    tiles, rows = open_portfolio(page, "history")
    # What moved, and the balance after it.
    assert sum(row[-2] for row in rows) == rows[0][-1] == tiles[1][0]
    page.goto("/portfolio")
    last = page.locator("aside li")
    see(last.first).to_be_visible()
    assert [amounts(row)[-1] for row in last.all()] == [row[-2] for row in rows[: last.count()]]


@EVERYWHERE
def test_what_orders_hold_and_filled_adds_up(page: Page, say: Words) -> None:
    tiles, _ = open_portfolio(page, "orders")
    rows = page.locator(".beside > section > ul > li")
    see(rows).to_have_count(4)
    assert sum(amounts(row.locator("dl"))[-1] for row in rows.all()) == tiles[1][1]
    page.get_by_role("button", name=say("Fills", "Сделки")).click()
    fills = page.locator(".fills li")
    see(fills).to_have_count(2)
    assert sum(amounts(fill)[1] for fill in fills.all()) == amounts(page.locator(".fills p"))[0]
    check_page(page)


@EVERYWHERE
def test_an_events_position_adds_up(page: Page, played: Played, say: Words) -> None:
    page.goto(f"/events/{played.question['id']}")
    card = page.get_by_role("region", name=say("Your position", "Ваша позиция"))
    see(card).to_be_visible()
    _, cost, worth, gain, *_ = amounts(card)
    assert cost + gain == worth
    page.goto(f"/events/{played.listed['id']}")
    positions = card.locator(".position")
    see(positions).to_have_count(3)
    for _, cost, worth, gain, *_ in map(amounts, positions.all()):
        assert cost + gain == worth
    page.goto(f"/events/{played.number['id']}")
    card = page.get_by_role("region", name=say("What you hold pays", "Что выплатят ваши доли"))
    see(card).to_be_visible()
    worth, *_, cost, gain = amounts(card.inner_text().split(say("Sell", "Продать"))[0])
    assert cost + gain == worth


@AT_A_DESK
def test_a_slip_and_its_receipt_add_up(new_visitor: NewContext, site: Service, played: Played) -> None:
    seller = site.user(balance_kopecks=50_000)
    (market,) = markets_of(played.question["pools"][0])
    bet(seller, market, "YES", 1_033)
    page = page_of(new_visitor(), seller)
    page.goto(f"/events/{played.question['id']}?side=yes")
    slip = page.get_by_role("region", name=played.question["name"])
    slip.get_by_role("textbox", name="You pay").fill("10")
    figures = slip.locator("dl")
    see(figures).not_to_contain_text("\u2248 +")
    pays, profit, lost, *_ = amounts(figures)
    assert (lost, pays - profit) == (10, 10)
    cost = amounts(page.get_by_role("region", name="Your position"))[1]
    page.get_by_role("button", name=re.compile("^Sell all")).click()
    see(figures).to_contain_text("You give up")
    see(figures).not_to_contain_text("\u2248")
    brought, result, *_ = amounts(figures)
    assert brought - result == cost
    slip.get_by_role("button", name=re.compile("^Sell ")).last.click()
    receipt = slip.get_by_role("status").filter(has_text="Sold for")
    see(receipt).to_be_visible()
    brought, _, result, balance = amounts(receipt)  # beside a price of 1
    assert brought - result == cost
    see(page.get_by_role("banner")).to_contain_text(f"{balance}\u00a0{SIGN}")


@AT_A_DESK
def test_slips_of_several_outcomes_add_up(page: Page, played: Played) -> None:
    page.goto(f"/events/{played.number['id']}?from=1&to=2")
    slip = page.get_by_role("region", name="Bet on")
    slip.get_by_role("textbox", name="You pay").fill("10")
    see(slip.locator("dl")).to_be_visible()
    pays, profit, lost, *_ = amounts(slip.locator("dl"))
    assert (lost, pays - profit) == (10, 10)
    page.goto(f"/events/{played.joint['id']}")
    page.get_by_role("button", name=re.compile("^wins, if runs")).click()
    slip = page.get_by_role("complementary")
    slip.get_by_label("You pay").last.fill("13")
    see(slip.locator("dl")).to_contain_text("you get back")
    _, lost, returned, fee = amounts(slip.locator("dl"))
    assert returned + fee == lost == 13


@AT_A_DESK
def test_what_runners_and_admins_see_adds_up(new_visitor: NewContext, site: Service, played: Played) -> None:
    page = page_of(new_visitor(), site.creator)
    page.goto(f"/mine?event={played.draft['id']}")
    note = page.get_by_text("the most it can lose")
    see(note).to_be_visible()
    bounds = page.locator("dl > div").filter(has_text="The house loses at most")
    see(bounds).to_have_count(3)
    assert [sum(amounts(one)[0] for one in bounds.all())] == amounts(note)
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin/people")
    page.get_by_role("searchbox", name="Name, e-mail").last.fill(played.person.email)
    page.keyboard.press("Enter")
    movements = page.locator("section").filter(has=page.get_by_role("heading", name="Movements of the balance"))
    movements.get_by_role("button", name="Show more").click()
    rows = movements.locator("li")
    moved = expect(played.person.client.get("/users/me/transactions?limit=100"), 200)["transactions"]
    see(rows).to_have_count(len(moved))
    balance = page.get_by_role("heading", name="Balance", exact=True).locator("..")
    assert [sum(amounts(row)[-1] for row in rows.all())] == amounts(balance)
