"""A comment that goes with a bet: sent once the bet is made, which stands whatever becomes of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.browser import Findings, Language, Look, seen_as
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Person, Service
from tests.support.service import expect as answered

COMMENTS = "**/api/v1/comments"
REFUSED = {"error": "muted", "message": "You are muted here for now.", "details": {}, "request_id": "said"}


@pytest.fixture
def say(language: Language) -> Words:
    """The words of the page's language."""
    return words(language)


def _slip(page: Page, event: dict[str, Any], say: Words) -> Locator:
    """Open a market's slip with an amount in it."""
    page.goto(f"/events/{event['id']}?side=yes")
    slip = page.get_by_role("region", name=event["name"])
    slip.get_by_role("textbox", name=say("You pay", "Вы платите")).fill("10")
    expect(slip.get_by_role("button", name=re.compile(say("^Buy Yes for", "^Купить «Да» за")))).to_be_enabled()
    return slip


def _buy(slip: Locator, say: Words) -> None:
    slip.get_by_role("button", name=re.compile(say("^Buy Yes for", "^Купить «Да» за"))).click()


def _comments(person: Person, event: dict[str, Any]) -> list[str]:
    found = answered(person.client.get(f"/events/{event['id']}/comments"), 200)["comments"]
    return [one["content"] for one in found]


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_bet_says_why_and_stands_where_that_is_refused(
    page: Page, site: Service, look: Look, say: Words, findings: Findings
) -> None:
    findings.allow(r"status of 403 .*/comments")
    event, trader = site.event(), site.user(balance_kopecks=100_000)
    page = page_of(page.context, trader)
    slip = _slip(page, event, say)
    why = slip.get_by_role("textbox", name=say("Say why", "Напишите почему"))
    why.fill("Clouds in the west.")
    check_page(page)
    _buy(slip, say)
    expect(slip.get_by_text(say("Done: pays ₽", "Готово: выплата"))).to_be_visible()
    written = slip.get_by_role("link", name=say("Your comment is in the discussion", "Ваш комментарий в обсуждении"))
    expect(written).to_be_visible()
    check_page(page)
    assert _comments(trader, event) == ["Clouds in the west."]
    if look.width == 1440:
        expect(page.get_by_role("article").filter(has_text="Clouds in the west.")).to_be_visible()

    # Refused: the receipt stays, the text can be corrected.
    page.route(
        COMMENTS, lambda route: route.fulfill(status=403, content_type="application/json", body=json.dumps(REFUSED))
    )
    slip = _slip(page, event, say)
    why.fill("Rain!")
    _buy(slip, say)
    expect(slip.get_by_text(say("your comment was not accepted", "комментарий не принят"))).to_be_visible()
    expect(slip.get_by_text(say("Done: pays ₽", "Готово: выплата"))).to_be_visible()
    expect(why).to_have_value("Rain!")
    check_page(page)
    page.unroute(COMMENTS)
    why.fill("Rain, I think.")
    slip.get_by_role("button", name=say("Send the comment", "Отправить комментарий")).click()
    expect(written).to_be_visible()
    assert _comments(trader, event) == ["Rain, I think.", "Clouds in the west."]
    assert len(answered(trader.client.get("/users/me/trades"), 200)["trades"]) == 2


@pytest.mark.parametrize("width", [1440])
def test_a_reload_neither_loses_nor_repeats_what_was_said(
    page: Page, site: Service, say: Words, findings: Findings
) -> None:
    findings.allow(r"Failed to load resource: net::ERR_")
    event, trader = site.event(), site.user(balance_kopecks=100_000)
    page = page_of(page.context, trader)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(COMMENTS, lose)
    slip = _slip(page, event, say)
    slip.get_by_role("textbox", name="Say why").fill("Clouds in the west.")
    _buy(slip, say)
    expect(slip.get_by_text("your comment was not accepted")).to_be_visible()
    page.unroute(COMMENTS)
    page.reload()
    expect(page.get_by_role("link", name="Your comment is in the discussion")).to_be_visible()
    assert _comments(trader, event) == ["Clouds in the west."]


@pytest.mark.parametrize("width", [1440])
def test_who_is_muted_is_not_asked_why(page: Page, site: Service, say: Words) -> None:
    event, trader = site.event(), site.user(balance_kopecks=100_000)
    until = {"until": "2100-01-01T00:00:00Z"}
    answered(site.admin.put(f"/admin/users/{trader.id}/muted", json=until), 200)
    page = page_of(page.context, trader)
    slip = _slip(page, event, say)
    expect(slip.get_by_role("textbox", name="Say why")).to_have_count(0)
    _buy(slip, say)
    expect(slip.get_by_text("Done: pays ₽")).to_be_visible()
