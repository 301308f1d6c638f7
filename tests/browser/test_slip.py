"""An order from a browser: what it does is said before, its fate is never guessed, and it is carried out once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.support.browser import Findings, Look, accessibility_findings, scrolls_sideways, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import tab_to
from tests.support.service import PASSWORD, Person, Service, pool
from tests.support.service import expect as answered

BETS = "**/api/v1/market/bets"
#: What a browser says in its console of an answer that is an error.
REFUSED = r"Failed to load resource: the server responded with a status of (401|409|429)"
LOST = r"Failed to load resource: (net::ERR_|the server responded with a status of 50)|WebSocket connection"
TEXTS: dict[str, dict[str, Any]] = {
    "en": {
        "pay": "You pay",
        "move": "Your bet moves the chance",
        "win": "If it happens, you get",
        "buy": "Buy Yes for ₽100",
        "bought": "Done: pays ₽",
        "position": "Your position",
        "sell": re.compile("Sell all for"),
        "confirm_sale": re.compile("^Sell Yes for"),
        "sold": "Sold for ₽",
        "done": "Done",
    },
    "ru": {
        "pay": "Вы платите",
        "move": "Ваша ставка сдвинет шанс",
        "win": "Если случится, получите",
        "buy": re.compile(r"Купить «Да» за 100\s₽"),
        "bought": "Готово: выплата",
        "position": "Ваша позиция",
        "sell": re.compile("Продать всё за"),
        "confirm_sale": re.compile("^Продать «Да» за"),
        "sold": "Продано за",
        "done": "Хорошо",
    },
}


@pytest.fixture
def market(site: Service) -> dict[str, Any]:
    """An event with one question that a bet of ₽100 hardly moves."""
    return site.event(pools=[pool(b=1_000_000, margin=0.02)])


@pytest.fixture
def trader(site: Service) -> Person:
    """A trader with ₽1,000."""
    return site.user(balance_kopecks=100_000)


def sign_in(context: BrowserContext, site: Service, person: Person) -> None:
    """Give a browser the session of a person."""
    answer = context.request.post(f"{site.api_url}/auth/sign-in", data={"login": person.email, "password": PASSWORD})
    assert answer.ok, answer.text()


def slip_of(page: Page, event: dict[str, Any]) -> Locator:
    """Open the slip of an event's only market."""
    page.goto(f"/events/{event['id']}?side=yes")
    slip = page.get_by_role("region", name=event["name"])
    expect(slip).to_be_visible()
    return slip


def enter(page: Page, amount: str) -> Locator:
    """Enter a stake, and return the button that buys once the service has quoted it."""
    page.get_by_role("textbox", name="You pay").fill(amount)
    button = page.get_by_role("button", name=re.compile("^Buy (Yes|at)"))
    expect(button).to_be_enabled()
    return button


def bets_of(person: Person) -> list[Any]:
    """Return the trades of a person."""
    trades: list[Any] = answered(person.client.get("/users/me/trades"), 200)["trades"]
    return trades


def longest_motion_s(page: Page) -> float:
    """Return how long the longest transition or animation of any element takes, in seconds."""
    longest: float = page.evaluate(
        """() => Math.max(...[...document.querySelectorAll("*")].map((element) => {
            const { transitionDuration, animationDuration } = getComputedStyle(element);
            return Math.max(...`${transitionDuration},${animationDuration}`.split(",").map(parseFloat));
        }))"""
    )
    return longest


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_bet_says_what_it_does_and_then_what_it_did(
    page: Page, site: Service, market: dict[str, Any], trader: Person, look: Look
) -> None:
    """On the phone by touch; at the desk by keyboard alone, and without motion."""
    texts = TEXTS[look.language]
    is_desk = look.width == 1440
    sign_in(page.context, site, trader)
    if is_desk:
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"/events/{market['id']}")
        slip = page.get_by_role("region", name=market["name"])
        tab_to(page, page.get_by_role("list", name="Outcomes").get_by_role("button", name=re.compile("^Yes")))
        page.keyboard.press("Enter")
        expect(slip.get_by_role("textbox")).to_be_focused()
    else:
        slip = slip_of(page, market)
    assert (longest_motion_s(page) < 0.001) == is_desk
    slip.get_by_role("textbox", name=str(texts["pay"])).fill("100")
    expect(slip.get_by_text(str(texts["move"]))).to_be_visible()
    expect(slip.get_by_text(str(texts["win"]))).to_be_visible()
    buy = slip.get_by_role("button", name=texts["buy"])
    expect(buy).to_be_enabled()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    slip.get_by_role("textbox", name=str(texts["pay"])).press("Enter")

    expect(slip.get_by_text(str(texts["bought"]))).to_be_visible()
    (bet,) = bets_of(trader)
    assert bet["amount_kopecks"] == 10_000
    done = slip.get_by_role("button", name=str(texts["done"]))
    position = page.get_by_role("region", name=str(texts["position"]))
    sell = position.get_by_role("button", name=texts["sell"])
    confirm = slip.get_by_role("button", name=texts["confirm_sale"])
    if is_desk:
        for wanted in (done, sell):
            tab_to(page, wanted)
            page.keyboard.press("Enter")
        expect(slip.get_by_role("textbox")).to_be_focused()
        expect(confirm).to_be_enabled()
        page.keyboard.press("Enter")
    else:
        done.click()
        page.keyboard.press("Escape")
        expect(slip).not_to_be_attached()
        sell.click()
        confirm.click()

    expect(slip.get_by_text(str(texts["sold"]))).to_be_visible()
    expect(position).not_to_be_attached()
    assert [trade["action"] for trade in bets_of(trader)] == ["sell", "buy"]


@pytest.mark.parametrize("width", [1440])
def test_an_order_without_an_answer_is_checked_until_its_fate_is_known_and_made_once(
    page: Page, site: Service, findings: Findings, market: dict[str, Any], trader: Person
) -> None:
    findings.allow(LOST)
    keys: list[str] = []

    def lose_the_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()  # it reaches the service, and is carried out
        if len(keys) < 4:
            route.abort()
        else:
            route.fallback()

    sign_in(page.context, site, trader)
    page.context.route(BETS, lose_the_answer)
    slip_of(page, market)
    enter(page, "100").click()
    checking = page.get_by_text("Your bet of ₽100: checking")
    expect(checking).to_be_visible()
    # It stays so on other pages, and after a reload.
    page.get_by_role("link", name="Foreknow").first.click()
    expect(checking).to_be_visible()
    page.reload()
    expect(checking).to_be_visible()
    expect(page.get_by_text("Done: pays ₽")).to_be_visible()
    expect(page.get_by_role("link", name="₽900.00")).to_be_visible()
    assert len(keys) >= 4
    assert len(set(keys)) == 1
    assert len(bets_of(trader)) == 1
    assert page.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("width", [1440])
def test_what_keeps_an_order_back_is_said_with_what_can_be_done(
    page: Page, site: Service, findings: Findings, market: dict[str, Any], trader: Person
) -> None:
    findings.allow(REFUSED)
    elsewhere = site.event()
    other = site.user(balance_kopecks=100_000_000)
    keys: list[str] = []

    def bet(person: Person, event: dict[str, Any], amount: int) -> None:
        market_id = event["pools"][0]["markets"][0]["id"]
        body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": amount}
        answered(person.client.post("/market/bets", json=body), 201)

    def come_first(route: Route) -> None:
        key = route.request.headers["idempotency-key"]
        if key in keys:
            # The same order once more, as its answer did not come in time.
            route.fallback()
            return
        keys.append(key)
        if len(keys) == 1:
            limited = json.dumps({"error": "rate_limited", "message": "Wait."})
            route.fulfill(status=429, headers={"retry-after": "600"}, body=limited)
            return
        if len(keys) == 2:
            bet(other, market, 500_000)
        elif len(keys) == 3:
            bet(trader, elsewhere, 80_000)
        route.fallback()

    sign_in(page.context, site, trader)
    page.context.route(BETS, come_first)
    slip_of(page, market)
    enter(page, "300").click()
    # The service has too much to do: the order waits, and can be taken back.
    expect(page.get_by_text("Your bet of ₽300: the service is busy")).to_be_visible()
    page.get_by_role("button", name="Do not send it").click()
    enter(page, "300").click()
    expect(page.get_by_text("The price moved beyond your price guard")).to_be_visible()
    page.get_by_role("button", name="Buy at the new price").click()
    expect(page.get_by_text("Your balance does not cover this.")).to_be_visible()
    expect(page.get_by_role("link", name="₽200.00")).to_be_visible()
    page.get_by_role("button", name="Use ₽200.00").click()
    # All of what is left: it takes a second tap.
    enter(page, "200").click()
    page.get_by_role("button", name="Yes, do it").click()
    expect(page.get_by_text("Done: pays ₽")).to_be_visible()
    expect(page.get_by_role("link", name="₽0.00")).to_be_visible()
    assert len(keys) == 4
    assert len(bets_of(trader)) == 2


@pytest.mark.parametrize("width", [390])
def test_an_undecided_order_outlives_the_session_and_waits_for_the_same_person(
    page: Page, site: Service, findings: Findings, market: dict[str, Any], trader: Person
) -> None:
    findings.allow(f"{REFUSED}|{LOST}")
    other = site.user(balance_kopecks=100_000)

    keys: list[str] = []

    def lose_answer_and_session(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 1:
            route.fallback()
            return
        route.fetch()
        page.context.clear_cookies()
        route.abort()

    def sign_in_over_the_page(person: Person) -> None:
        page.get_by_role("button", name="Sign in", exact=True).last.click()
        dialog = page.get_by_role("dialog").filter(has=page.get_by_label("Password"))
        dialog.get_by_label("E-mail or nickname").fill(person.email)
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Sign in", exact=True).click()
        expect(dialog).not_to_be_attached()

    sign_in(page.context, site, trader)
    page.context.route(BETS, lose_answer_and_session)
    slip_of(page, market)
    enter(page, "100").click()
    held = page.get_by_text("sign in again as the same person")
    expect(held).to_be_visible()
    # It may have been made, so it cannot be taken back; another person must not send it.
    expect(page.get_by_role("button", name="Do not send it")).not_to_be_attached()
    sign_in_over_the_page(other)
    # It stands aside for them, and is there again once they are gone.
    expect(held).not_to_be_attached()
    page.context.clear_cookies()
    page.reload()
    expect(held).to_be_visible()
    sign_in_over_the_page(trader)
    expect(page.get_by_text("Done: pays ₽")).to_be_visible()
    assert len(set(keys)) == 1
    assert len(bets_of(trader)) == 1
    assert bets_of(other) == []


@pytest.mark.parametrize("width", [1440])
def test_two_tabs_show_one_account_go_offline_and_come_back(
    page: Page, site: Service, findings: Findings, market: dict[str, Any], trader: Person
) -> None:
    # What was under way when the connection went, a part of the page too, may say so.
    findings.allow(r"net::ERR_|WebSocket connection|dynamically imported module")
    # A quote requested as the pause began.
    findings.allow(r"status of 409 .*/market/quote")
    sign_in(page.context, site, trader)
    slip_of(page, market)
    other = page.context.new_page()
    slip_of(other, market)
    enter(page, "100").click()
    expect(page.get_by_text("Done: pays ₽")).to_be_visible()
    expect(other.get_by_role("region", name="Your position")).to_be_visible()
    expect(other.get_by_role("link", name="₽900.00")).to_be_visible()
    expect(other.get_by_text("Done: pays ₽")).not_to_be_attached()

    # Without a connection nothing can be ordered, and no number passes for one of this moment.
    button, chance = enter(other, "100"), page.locator("main .live-number").first
    expect(chance).to_have_css("opacity", "1")
    before = chance.inner_text()
    page.context.set_offline(True)
    for tab in (page, other):
        expect(tab.get_by_text(re.compile(r"No connection. What you see is as of \d\d:\d\d"))).to_be_visible()
    expect(button).to_be_disabled()
    expect(other.get_by_text("There is no connection, so nothing can be ordered.")).to_be_visible()
    expect(chance).not_to_have_css("opacity", "1")
    body = {"market_id": market["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 500_000}
    answered(site.user(balance_kopecks=500_000).client.post("/market/bets", json=body), 201)
    assert chance.inner_text() == before
    page.context.set_offline(False)
    expect(chance).not_to_have_text(before)
    expect(chance).to_have_css("opacity", "1")
    expect(button).to_be_enabled()
    expect(other.get_by_text("No connection")).not_to_be_attached()

    answered(site.creator.client.post(f"/pools/{market['pools'][0]['id']}/pause"), 200)
    for tab in (page, other):
        expect(tab.get_by_text("Trading is paused by the market's creator.")).to_be_visible()


class TestAServerThatDies:
    """A service of its own, which goes and comes back under the same address."""

    @pytest.fixture
    def site(self, sqlite_files: SqliteFiles) -> Iterator[Service]:
        running = Service(sqlite_files.fresh_database())
        yield running
        running.stop()

    @pytest.mark.parametrize("width", [390])
    def test_an_order_is_decided_when_it_is_back(
        self, page: Page, site: Service, findings: Findings, market: dict[str, Any], trader: Person
    ) -> None:
        findings.allow(LOST)
        sign_in(page.context, site, trader)
        slip_of(page, market)
        button = enter(page, "100")
        port = site.server.port
        site.stop()
        stale = page.locator("main[data-stale]")
        expect(stale).to_be_attached()
        button.click()
        expect(page.get_by_text("Your bet of ₽100: checking")).to_be_visible()
        site.start_again(port=port)
        expect(page.get_by_text("Done: pays ₽")).to_be_visible()
        again = site.client(token=trader.token)
        assert len(answered(again.get("/users/me/trades"), 200)["trades"]) == 1
        # Prices are live again.
        expect(stale).not_to_be_attached()
        numbers = page.locator("main .live-number")
        before = numbers.all_inner_texts()[:2]  # what was traded, and the chance
        body = {"market_id": market["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 500_000}
        answered(site.user(balance_kopecks=500_000).client.post("/market/bets", json=body), 201)
        for number, text in enumerate(before):
            expect(numbers.nth(number)).not_to_have_text(text)
