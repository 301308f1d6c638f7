"""A list that grows: its runner takes an outcome out of Other while a trader has a slip open on it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.lists import add_outcome
from tests.support.screens import Words, check_page, go, page_of, words
from tests.support.service import Person, Service
from tests.support.service import expect as answered


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_an_outcome_is_taken_out_of_other_while_a_slip_is_open_on_it(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    findings.allow(r"status of 409 .*/market/quote.*outcomes=[34]")
    say = words(language)
    creator, trader = site.user(creator=True), site.user(balance_kopecks=1_000_000)
    metadata = {
        "shape": {"kind": "list"},
        "market_names": ["Ann", "Boris", "Other"],
        "market_names_ru": ["Анна", "Борис", "Другое"],
        "market_probabilities": [0.3, 0.2, 0.5],
        "lmsr_b_kopecks": 300_000,
    }
    event = site.event(creator, name=f"Who wins? {creator.nickname}", pools=[{"name": "x", "metadata": metadata}])
    other = event["pools"][0]["markets"][2]["id"]
    answered(trader.client.post("/market/bets", json=_bet(other, 10_000, outcomes=3)), 201)

    holder = page_of(new_visitor(), trader)
    holder.goto(f"/events/{event['id']}?market={other}")
    rows = holder.get_by_role("list", name=say("Outcomes", "Исходы")).get_by_role("listitem")
    expect(rows.last).to_contain_text(say("Other", "Другое"))
    rows.last.get_by_role("button").first.click()
    # On a phone the slip is a dialog.
    slip = holder.get_by_role("dialog").or_(holder.get_by_role("complementary"))
    slip.get_by_label(say("You pay", "Вы платите")).last.fill("50")
    buy = slip.get_by_role("button", name=re.compile(say("^Buy Yes for", "^Купить «Да» за")))
    expect(buy).to_be_enabled()

    _take_out_dana(page_of(new_visitor(), creator), say, event["id"])

    taken = slip.get_by_role("alert").filter(has_text=say("Dana", "Дана"))
    expect(taken).to_be_visible()
    expect(buy).to_be_disabled()
    check_page(holder)
    taken.get_by_role("button").click()
    expect(buy).to_be_enabled()
    buy.click()
    expect(slip.get_by_role("button", name=say("Done", "Хорошо"))).to_be_visible()
    slip.get_by_role("button", name=re.compile(say("^Any but it", "^Кроме него"))).click()
    slip.get_by_label(say("You pay", "Вы платите")).last.fill("70")
    slip.get_by_role("button", name=re.compile(say("^Buy for", "^Купить за"))).click()
    expect(slip.get_by_role("button", name=say("Done", "Хорошо"))).to_be_visible()
    check_page(holder)
    go(holder, f"/events/{event['id']}?tab=trades")
    expect(holder.get_by_text(say("Any but Other", "Любой, кроме «Другое»")).first).to_be_visible()
    _sell_other(holder, say, creator, event["pools"][0]["id"])
    go(holder, "/notifications")
    for name in (say("Dana", "Дана"), "Eve"):
        expect(holder.get_by_text(say(f"New outcome “{name}”", f"Новый исход «{name}»"))).to_be_visible()
    go(holder, "/portfolio?tab=history")
    expect(holder.get_by_text(say("Taken out of Other", "Выделено из «Другого»")).first).to_be_visible()
    # With the list's own name, as among the positions.
    expect(holder.get_by_text(say("· x · Dana", "· x · Дана")).first).to_be_visible()


def _sell_other(holder: Page, say: Words, creator: Person, pool_id: int) -> None:
    """Sell Other from the portfolio, while one more is taken out of it."""
    go(holder, "/portfolio")
    # All that is held of an event is one row, which opens.
    holder.get_by_role("button", name=re.compile(say("positions", "позици"))).locator("visible=true").click()
    parts = holder.locator("tr.part, .parts > li").filter(has_text=say("Other", "Другое"))
    parts.get_by_role("button", name=say("Sell", "Продать")).locator("visible=true").click()
    dialog = holder.get_by_role("dialog")
    sell = dialog.get_by_role("button", name=re.compile(say("^Sell Yes for", "^Продать «Да» за")))
    expect(sell).to_be_enabled()
    # Its No is all that are named: not sold here.
    expect(dialog.get_by_role("group", name=say("Side", "Сторона")).get_by_role("button")).to_have_count(1)
    answered(add_outcome(creator.client, pool_id, "Eve", 0.5), 201)
    taken = dialog.get_by_role("alert").filter(has_text="Eve")
    expect(taken).to_be_visible()
    expect(sell).to_be_disabled()
    check_page(holder)
    taken.get_by_role("button").click()
    expect(sell).to_be_enabled()
    sell.click()
    expect(dialog.get_by_role("status").filter(has_text=say("Sold for", "Продано за"))).to_be_visible()


def _bet(market_id: int, amount_kopecks: int, *, outcomes: int) -> dict[str, object]:
    return {"market_id": market_id, "token_type": "YES", "amount_kopecks": amount_kopecks, "outcomes": outcomes}


def _take_out_dana(runner: Page, say: Words, event_id: int) -> None:
    """Add an outcome as its runner: half of Other, after a name that is taken."""
    runner.goto(f"/events/{event_id}")
    runner.get_by_role("button", name=say("Add an outcome", "Добавить исход")).click()
    form = runner.get_by_role("dialog")
    form.get_by_label(say("Its name", "Как называется"), exact=True).fill("ann")
    add = form.get_by_role("button", name=say("Add it permanently", "Добавить насовсем"))
    add.click()
    expect(form.get_by_text(say("There is an outcome of this name", "Исход с таким названием"))).to_be_visible()
    form.get_by_label(say("Its name", "Как называется"), exact=True).fill("Dana")
    form.get_by_label(say("Its name in Russian", "Название по-русски")).fill("Дана")
    form.get_by_role("slider").fill("50")
    expect(form.get_by_text(say("This cannot be undone", "Это нельзя отменить"))).to_be_visible()
    check_page(runner)
    add.click()
    expect(form).to_have_count(0)
    new = runner.get_by_role("listitem").filter(has_text=say("Dana", "Дана")).first
    expect(new).to_contain_text(say("New", "Новый"))
    check_page(runner)
    go(runner, f"/mine?event={event_id}")
    runner.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True).click()
    form = runner.get_by_role("dialog")
    expect(form.get_by_role("radio")).to_have_count(4)
    expect(form.get_by_role("radio", name=say("Other", "Другое")).and_(form.get_by_role("radio").last)).to_be_visible()
    check_page(runner)
