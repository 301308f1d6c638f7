"""A visitor and an operator talk to each other, each on a page of their own, without a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Service


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_visitor_calls_and_an_operator_answers(
    page: Page, new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk")
    expect(desk.get_by_role("heading", level=1)).to_have_text(say("Support chats", "Чаты поддержки"))

    question = f"Where is my payout? {language}"
    page.goto("/support")
    check_page(page)
    field = page.get_by_label(say("Your message", "Ваше сообщение"))
    field.fill(question)
    field.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(question)
    expect(field).to_have_value("")
    page.get_by_role("button", name=say("Call an operator", "Позвать оператора")).click()
    expect(page.get_by_text(say("An operator has been called", "Оператора позвали"), exact=True)).to_be_visible()
    check_page(page)

    # The call arrives by itself.
    entry = desk.get_by_role("link").filter(has_text=say("waits", "ждёт")).last
    expect(entry).to_contain_text(question)
    entry.click()
    expect(desk.get_by_role("log")).to_contain_text(question)
    check_page(desk)
    desk.get_by_label(say("Your message", "Ваше сообщение")).fill("It is on its way: <b>soon</b>")
    desk.get_by_role("button", name=say("Send", "Отправить")).click()
    expect(page.get_by_role("log")).to_contain_text("<b>soon</b>")
    expect(page.get_by_text(say("An operator has answered", "Оператор ответил"))).to_be_visible()

    page.reload()
    expect(page.get_by_role("log")).to_contain_text("<b>soon</b>")
    field.fill("Thank you")
    field.press("Enter")
    expect(desk.get_by_role("log")).to_contain_text("Thank you")

    desk.get_by_role("button", name=say("Close", "Закрыть"), exact=True).click()
    desk.get_by_role("button", name=say("Close it now", "Точно закрыть")).click()
    expect(page.get_by_text(say("This conversation is closed", "Разговор закрыт"))).to_be_visible()
    field.fill("One more thing")
    field.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("One more thing")
    expect(page.get_by_role("log")).not_to_contain_text("Thank you")


@pytest.mark.parametrize("width", [390])
def test_only_operators_have_a_desk(page: Page, new_visitor: NewContext, site: Service, findings: Findings) -> None:
    page.goto("/desk")
    page.get_by_role("main").get_by_role("link", name="Sign in").wait_for()
    check_page(page)
    trader = page_of(new_visitor(), site.user())
    trader.goto("/desk")
    expect(trader.get_by_text("This page is for operators.")).to_be_visible()
    # A person who has written from nowhere yet has no conversation to ask for.
    findings.allow("/chat/messages")
    go(trader, "/support")
    expect(trader.get_by_text("No conversation yet")).to_be_visible()
    check_page(trader)
