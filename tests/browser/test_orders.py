"""Orders at a price in a browser: placed in the slip, seen in the book, cancelled, filled, given back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.browser import Findings, Language, Look, seen_as
from tests.support.screens import Words, check_page, go, page_of, tab_to, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

ORDERS = "**/api/v1/market/orders"
#: What a browser says in its console of an answer that did not come.
LOST = r"Failed to load resource: net::ERR_"
#: Orders that one order may meet.
MET_MAX = 100


@pytest.fixture
def market(site: Service) -> dict[str, Any]:
    """An event with one question at 50 %, without a margin."""
    return site.event(pools=[pool(b=1_000_000)])


@pytest.fixture
def trader(site: Service) -> Person:
    """A trader with ₽1,000."""
    return site.user(balance_kopecks=100_000)


@pytest.fixture
def say(language: Language) -> Words:
    """The words of the page's language."""
    return words(language)


def market_id(event: dict[str, Any]) -> int:
    found: int = event["pools"][0]["markets"][0]["id"]
    return found


def place(person: Person, event: dict[str, Any], **order: Any) -> Any:
    """Place an order, of YES and to buy where it does not say otherwise."""
    body = {"market_id": market_id(event), "token_type": "YES", "action": "buy", **order}
    return answered(person.client.post("/market/orders", json=body), 201)


def orders_of(person: Person, **query: str) -> list[Any]:
    found: list[Any] = answered(person.client.get("/market/orders", params=query), 200)["orders"]
    return found


def balance_of(person: Person) -> int:
    balance: int = answered(person.client.get("/users/me"), 200)["balance_kopecks"]
    return balance


def slip_at_a_price(page: Page, event: dict[str, Any], say: Words) -> Locator:
    """Open the slip of an event's only market and choose a price of one's own."""
    page.goto(f"/events/{event['id']}?side=yes")
    slip = page.get_by_role("region", name=event["name"])
    slip.get_by_role("button", name=say("At my price", "По моей цене")).click()
    expect(price_field(slip, say)).to_be_visible()
    return slip


def price_field(slip: Locator, say: Words) -> Locator:
    return slip.get_by_role("textbox", name=say("Price per", "Цена за"))


def payout_field(slip: Locator, say: Words) -> Locator:
    return slip.get_by_role("textbox", name=say("Pays if it happens", "Выплата, если «Да»"))


def close_slip(page: Page, look: Look, say: Words) -> None:
    if look.width == 390:
        page.get_by_role("dialog").get_by_role("button", name=say("Close", "Закрыть")).click()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_an_order_waits_at_its_price_until_it_is_cancelled(
    page: Page, market: dict[str, Any], look: Look, say: Words, trader: Person
) -> None:
    """On the phone by touch; at the desk by keyboard alone, once the price has the focus."""
    page = page_of(page.context, trader)
    slip = slip_at_a_price(page, market, say)
    price_field(slip, say).fill("30.5")
    expect(slip.get_by_text(say("A price is a whole percent", "целое число процентов"))).to_be_visible()
    price_field(slip, say).fill("44")
    price_field(slip, say).press("ArrowUp")
    payout_field(slip, say).fill("200")
    expect(slip.get_by_text(say("nothing: it waits whole", "ничего: ждёт целиком"))).to_be_visible()
    expect(slip.get_by_text(say("Waits until Yes falls to 45%", "Ждёт, пока «Да» упадёт до 45"))).to_be_visible()
    held = slip.get_by_text(re.compile(r"^(₽90\.00|90,00\s₽)$"))
    expect(held).to_have_count(2)  # what it pays at most, and what is held
    check_page(page)
    button = slip.get_by_role("button", name=re.compile("^(Place order|Поставить заявку)"))
    if look.width == 1440:
        tab_to(page, button)
        page.keyboard.press("Enter")
    else:
        button.click()

    expect(slip.get_by_text(re.compile(say("Waiting: ₽200 at 45%", r"Ждёт: 200\s₽ по 45\s%")))).to_be_visible()
    (order,) = orders_of(trader)
    assert (order["shares"], order["price_bps"], order["status"]) == (20_000, 4_500, "open")
    assert balance_of(trader) == 100_000 - 9_000
    close_slip(page, look, say)
    own = page.get_by_role("region", name=say("Your orders here", "Ваши заявки здесь"))
    expect(own.get_by_role("row")).to_have_count(2 if look.width == 1440 else 1)  # phones have no head
    check_page(page)
    own.get_by_role("button", name=re.compile(say("^Cancel Buy Yes", "^Снять Купить"))).click()
    expect(own).not_to_be_attached()
    expect(page.get_by_text(re.compile("^(Waiting|Ждёт): "))).not_to_be_attached()
    assert [one["reason"] for one in orders_of(trader)] == ["user"]
    expect(page.get_by_role("link", name=re.compile(r"₽1,000\.00|1\s000,00\s₽"))).to_be_visible()


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_an_order_that_would_fill_whole_becomes_one_of_this_moment(
    page: Page, market: dict[str, Any], say: Words, trader: Person
) -> None:
    page = page_of(page.context, trader)
    slip = slip_at_a_price(page, market, say)
    price_field(slip, say).fill("60")
    payout_field(slip, say).fill("100")
    note = slip.get_by_text(say("all of it fills now", "всё исполняется сразу"))
    expect(note).to_be_visible()
    check_page(page)
    slip.get_by_role("button", name=say("Make it “Now”", "Сделать «Сейчас»")).click()
    pays = slip.get_by_role("textbox", name=say("You pay", "Вы платите"))
    expect(pays).to_have_value(re.compile("^50"))
    slip.get_by_role("button", name=re.compile(say("^Buy Yes for", "^Купить «Да» за"))).click()
    expect(slip.get_by_text(say("Done: pays ₽", "Готово: выплата"))).to_be_visible()
    assert orders_of(trader) == []
    assert len(answered(trader.client.get("/users/me/trades"), 200)["trades"]) == 1


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_what_fills_at_once_and_what_waits_are_distinct(
    page: Page, market: dict[str, Any], say: Words, trader: Person, site: Service
) -> None:
    seller = site.user(balance_kopecks=100_000)
    place(seller, market, token_type="NO", shares=5_000, price_bps=4_900)  # sells YES at 51
    page = page_of(page.context, trader)
    slip = slip_at_a_price(page, market, say)
    price_field(slip, say).fill("51")
    payout_field(slip, say).fill("1000")
    expect(slip.get_by_text(re.compile(r"^≈ .*(for|за)"))).to_be_visible()
    slip.get_by_role("button", name=re.compile("^(Place order|Поставить заявку)")).click()
    slip.get_by_role("button", name=re.compile("^(Yes, do it|Да, )")).click()
    expect(slip.get_by_text(re.compile("^(Waiting|Ждёт): "))).to_be_visible()
    (order,) = orders_of(trader)
    assert 5_000 <= order["filled_shares"] < 100_000
    assert order["held_kopecks"] == (100_000 - order["filled_shares"]) * 51 // 100

    # The portfolio: what is held, what was filled, and one way out of all, asked once.
    page.goto("/portfolio?tab=orders")
    expect(page.get_by_text(re.compile("in orders$|в заявках$"))).to_be_visible()
    expect(page.get_by_role("link", name=market["name"]).first).to_be_visible()
    page.get_by_role("button", name=say("Fills", "Сделки")).click()
    expect(page.get_by_text(say("on arrival", "сразу"))).to_be_visible()
    check_page(page)
    page.get_by_role("button", name=say("Cancel all", "Снять все")).click()
    assert [one["status"] for one in orders_of(trader)] == ["open"]
    page.get_by_role("button", name=say("Yes, cancel all", "Да, снять все")).click()
    expect(page.get_by_text(say("No order of yours waits", "Ни одна заявка не ждёт"))).to_be_visible()
    shown = page.get_by_role("group", name=say("Orders shown", "Какие заявки"))
    shown.get_by_role("button", name=say("All", "Все")).click()
    expect(page.get_by_text(re.compile(say("· Cancelled$", "· Снята$")))).to_be_visible()
    assert orders_of(trader, status="open") == []


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_the_book_marks_ones_own_from_either_side(
    page: Page, market: dict[str, Any], say: Words, trader: Person
) -> None:
    place(trader, market, shares=4_000, price_bps=4_700)
    page = page_of(page.context, trader)
    page.goto(f"/events/{market['id']}?tab=orders")
    book = page.get_by_role("region", name=re.compile(say("^Orders ·", "^Заявки ·")))
    own = book.get_by_role("listitem").filter(has_text=say("yours", "ваши"))
    expect(own).to_contain_text("47")
    expect(book.get_by_text(say("buyers pay", "покупатели платят"))).to_be_visible()
    check_page(page)
    book.get_by_role("button", name=say("No", "Нет"), exact=True).click()
    expect(own).to_contain_text("53")


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_price_of_the_book_is_entered_in_the_slip(
    page: Page, market: dict[str, Any], look: Look, say: Words, trader: Person
) -> None:
    """At the desk by keyboard, on the phone by touch; what is chosen outlives a reload, and goes with the side."""
    page = page_of(page.context, trader)
    page.goto(f"/events/{market['id']}?tab=orders")
    book = page.get_by_role("region", name=re.compile(say("^Orders ·", "^Заявки ·")))
    buyers = book.get_by_role("list", name=say("To buy", "Покупают"))
    expect(buyers.get_by_role("button")).to_have_count(6)
    prices = [text[:2] for text in buyers.locator("b").all_inner_texts()]
    assert prices == sorted(prices, reverse=True)
    widths = [bar["width"] for one in buyers.locator("i").all() if (bar := one.bounding_box())]
    assert widths == sorted(widths)
    assert widths[-1] > widths[0] > 0

    step = buyers.get_by_role("button", name="47")
    if look.width == 1440:
        tab_to(page, step)
        page.keyboard.press("Enter")
    else:
        step.click()
    slip = page.get_by_role("region", name=market["name"])
    expect(price_field(slip, say)).to_have_value("47")
    check_page(page)
    page.reload()
    expect(price_field(slip, say)).to_have_value("47")
    price_field(slip, say).fill("40")
    page.reload()
    expect(price_field(slip, say)).to_have_value("40")
    close_slip(page, look, say)
    expect(buyers.get_by_role("button", pressed=True)).to_have_count(0)  # 40 % is not among the best
    if look.width == 1440:
        step.click()
        expect(price_field(slip, say)).to_have_value("47")
        slip.get_by_role("button", name=re.compile("^No ")).click()
        expect(price_field(slip, say)).to_have_value("49")  # of the other side it is another price
    book.get_by_role("button", name=say("No", "Нет"), exact=True).click()
    book.get_by_role("list", name=say("To sell", "Продают")).get_by_role("button", name="53").click()
    expect(price_field(slip, say)).to_have_value("53")
    payout_field_of_no = slip.get_by_role("textbox", name=say("Pays if it does not", "Выплата, если «Нет»"))
    payout_field_of_no.fill("100")
    slip.get_by_role("button", name=re.compile("^(Place order|Поставить заявку)")).click()
    done = slip.get_by_text(re.compile(say("^(Waiting|Filled|Done)", "^(Ждёт|Исполнена|Готово)")))
    expect(done.first).to_be_visible()
    assert orders_of(trader)[0]["price_bps"] == 5_300


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_shares_on_sale_are_sold_by_nothing_else(
    page: Page, market: dict[str, Any], say: Words, trader: Person
) -> None:
    bet = {"market_id": market_id(market), "token_type": "YES", "amount_kopecks": 20_000}
    shares = answered(trader.client.post("/market/bets", json=bet), 201)["shares"]
    place(trader, market, action="sell", shares=shares - shares % 100, price_bps=9_000)
    page = page_of(page.context, trader)
    page.goto("/portfolio")
    expect(page.get_by_text(re.compile(say("on sale$", "на продаже$"))).filter(visible=True)).to_have_count(1)
    go(page, f"/events/{market['id']}?side=yes")
    slip = page.get_by_role("region", name=market["name"])
    slip.get_by_role("button", name=say("Sell", "Продать"), exact=True).click()
    sold = slip.get_by_role("textbox")
    expect(sold).to_have_value(re.compile(r"^0[.,]"))
    check_page(page)


@seen_as((390, "en", "dark"), (1440, "ru", "light"))
def test_where_a_part_is_on_sale_the_rest_is_what_can_be_sold(
    page: Page, market: dict[str, Any], say: Words, trader: Person
) -> None:
    bet = {"market_id": market_id(market), "token_type": "YES", "amount_kopecks": 20_000}
    answered(trader.client.post("/market/bets", json=bet), 201)
    page = page_of(page.context, trader)
    page.goto(f"/events/{market['id']}")
    position = page.get_by_role("region", name=say("Your position", "Ваша позиция"))
    expect(position.get_by_role("button", name=say("Sell all for", "Продать всё за"))).to_be_visible()
    order = place(trader, market, action="sell", shares=1_000, price_bps=9_000)
    page.reload()
    expect(position.get_by_role("button", name=say("Sell the rest for", "Продать остальное за"))).to_be_visible()
    expect(position.get_by_text(say("On sale at your price", "На продаже по вашей цене"))).to_be_visible()
    check_page(page)
    answered(trader.client.delete(f"/market/orders/{order['id']}"), 200)
    page.reload()
    expect(position.get_by_role("button", name=say("Sell all for", "Продать всё за"))).to_be_visible()


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_who_waited_finds_the_fill_at_the_bell(
    page: Page, market: dict[str, Any], say: Words, trader: Person, site: Service
) -> None:
    place(trader, market, shares=2_000, price_bps=4_900)
    page = page_of(page.context, trader)
    page.goto("/")
    bell = page.get_by_role("link", name=re.compile(say("Notifications|Alerts", "Уведомления|События")))
    expect(bell.filter(visible=True)).to_have_count(1)
    taker = site.user(balance_kopecks=1_000_000)
    bet = {"market_id": market_id(market), "token_type": "NO", "amount_kopecks": 100_000}
    answered(taker.client.post("/market/bets", json=bet), 201)
    wait_until(lambda: answered(trader.client.get("/notifications/unread/count"), 200)["count"] == 1)

    page.reload()
    unread = page.get_by_role("link", name=re.compile(say("1 unread", "1 непрочитанное")))
    expect(unread.filter(visible=True)).to_have_count(1)
    unread.filter(visible=True).click()

    notice = page.get_by_role("link").filter(has_text=say("Your order is filled", "Ваша заявка исполнена"))
    expect(page.get_by_role("link", name=market["name"], exact=True)).to_be_visible()
    check_page(page)
    notice.click()
    expect(page).to_have_url(re.compile(r"/portfolio\?tab=orders"))
    expect(page.get_by_text(re.compile(say("· Filled$", "· Исполнена$")))).to_be_visible()


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_paused_market_lets_orders_go_and_an_ended_one_gives_back(
    page: Page, market: dict[str, Any], say: Words, trader: Person, site: Service
) -> None:
    pool_id = market["pools"][0]["id"]
    for price in (40, 41):
        place(trader, market, shares=1_000, price_bps=price * 100)
    page = page_of(page.context, trader)
    page.goto(f"/events/{market['id']}")
    own = page.get_by_role("region", name=say("Your orders here", "Ваши заявки здесь"))
    cancel = own.get_by_role("button", name=re.compile(say("^Cancel Buy", "^Снять Купить")))
    expect(cancel).to_have_count(2)
    answered(site.creator.client.post(f"/pools/{pool_id}/pause"), 200)
    expect(page.get_by_text(say("Paused", "Пауза"), exact=True).first).to_be_visible()
    cancel.first.click()
    expect(cancel).to_have_count(1)
    answered(site.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    expect(own.get_by_text(say("Decided: given back", "Итог подведён: возвращено"))).to_be_visible()
    check_page(page)


@pytest.mark.parametrize("width", [1440])
def test_an_order_without_an_answer_is_placed_once(
    page: Page, market: dict[str, Any], say: Words, trader: Person, findings: Findings
) -> None:
    findings.allow(LOST)
    keys: list[str] = []

    def lose_the_answer(route: Route) -> None:
        if route.request.method != "POST":
            route.fallback()
            return
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()  # it reaches the service, and is placed
            route.abort()
        else:
            route.fallback()

    page = page_of(page.context, trader)
    page.context.route(ORDERS, lose_the_answer)
    slip = slip_at_a_price(page, market, say)
    price_field(slip, say).fill("40")
    payout_field(slip, say).fill("50")
    slip.get_by_role("button", name=re.compile("^Place order")).click()
    expect(page.get_by_text("Your order: checking")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Waiting: ₽50 at 40%")).to_be_visible()
    assert len(set(keys)) == 1
    assert len(keys) > 1
    assert len(orders_of(trader)) == 1


@pytest.mark.parametrize("width", [1440])
def test_a_bet_that_meets_as_many_orders_as_it_may_can_be_split(
    page: Page, market: dict[str, Any], trader: Person, site: Service
) -> None:
    maker = site.user(balance_kopecks=1_000_000)
    for _ in range(MET_MAX + 1):
        place(maker, market, token_type="NO", shares=1_000, price_bps=4_900)
    page = page_of(page.context, trader)
    page.goto(f"/events/{market['id']}")
    slip = page.get_by_role("region", name=market["name"])
    slip.get_by_role("textbox", name="You pay").fill("1000")
    expect(slip.get_by_text("This meets 100 orders")).to_be_visible()
    check_page(page)
    slip.get_by_role("button", name="Enter half").click()
    expect(slip.get_by_role("textbox", name="You pay")).to_have_value("500")
