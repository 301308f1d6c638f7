"""Names as long as they may be, from either side, a hundred at once and two of them equal, on the narrowest phone."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import SETTLED, Findings, scrolls_sideways
from tests.support.lengths import LONG, length
from tests.support.screens import check_page, go, page_of
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered

MOST = 200
ARABIC = ("سوق التنبؤات الكبير " * 20)[:MOST].strip()
ONE_WORD = "W" * MOST
GERMAN = "Donaudampfschifffahrtsgesellschaft " * 6


@dataclass
class Named:
    """A person and a market with such names, and what the person did there."""

    person: Person
    event: dict[str, Any]
    tag: str


@pytest.fixture
def named(site: Service) -> Named:
    """Someone runs a market of a hundred outcomes, holds shares of one, was paid for another pool, and wrote twice."""
    unique = secrets.token_hex(4)
    person = site.user(
        creator=True,
        admin=True,
        operator=True,
        balance_kopecks=200_000_000,
        name=ARABIC,
        nickname=f"{'סוחר' * 5}_{unique}",
    )
    names = [ARABIC, ARABIC, ONE_WORD, *(f"{number} {GERMAN}"[:MOST].strip() for number in range(97))]
    tag = f"{'وسم ' * 20}{unique}"
    event = site.event(
        person,
        name=f"{ARABIC[:180]} {unique}",
        name_ru=(GERMAN * 2)[:MOST],
        # An author may give a tag twice, too.
        tags=[tag, tag],
        pools=[pool(names, b=10_000_000, rules=ARABIC * 5), pool(name=ONE_WORD, rules=ONE_WORD)],
    )
    first, second = event["pools"]
    for market, amount in ((first["markets"][0], 20_000_000), (second["markets"][0], 5_000)):
        bet = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": amount}
        answered(person.client.post("/market/bets", json=bet), 201)
    answered(person.client.post(f"/pools/{second['id']}/resolve", json={"won_side": 0}), 200)
    comment = {"event_id": event["id"], "content": f"{ARABIC} {ONE_WORD}"}
    root = answered(person.client.post("/comments", json=comment), 201)
    answered(person.client.post("/comments", json=comment | {"parent_id": root["id"]}), 201)
    return Named(person, event, tag)


def _check(page: Page, *, is_audited: bool = False) -> None:
    """Check what holds on every page, and that what others wrote begins at its own side.

    Who cannot see is thought of here where no other test opens the screen; everywhere in the long form.
    """
    page.wait_for_function(SETTLED)
    if length(short=is_audited, long=True):
        check_page(page)
    else:
        assert not scrolls_sideways(page)
    unsided = page.evaluate(
        """() => {
            const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
            const found = [];
            while (texts.nextNode()) {
                const { data, parentElement: around } = texts.currentNode;
                const isShown = !around.closest("option, .sr, [aria-hidden]");
                const isFromTheRight = /^\\P{L}*[\\u0590-\\u06ff]/u.test(data);
                if (isShown && isFromTheRight && !around.closest("[dir=auto]"))
                    found.push(around.outerHTML.slice(0, 200));
            }
            return found;
        }"""
    )
    assert unsided == []


@LONG
@pytest.mark.parametrize("width", [390])
def test_every_screen_that_shows_names_holds_the_longest(
    new_visitor: NewContext, findings: Findings, named: Named
) -> None:
    # A person who has written from nowhere yet has no conversation to ask for.
    findings.allow("/chat/messages")
    page = page_of(new_visitor(), named.person)
    page.set_viewport_size({"width": 320, "height": 640})
    _on_the_support_page(page)
    _on_the_event_page(page, named.event["id"])
    _on_pages_of_lists(page, named)
    _at_the_desk_and_live(page, named)
    page.set_viewport_size({"width": 1920, "height": 1080})
    for address in ("/", f"/events/{named.event['id']}", "/portfolio", f"/users/{named.person.id}"):
        go(page, address)
        page.wait_for_function(SETTLED)
        assert not scrolls_sideways(page)


def _on_the_support_page(page: Page) -> None:
    page.goto("/support")
    field = page.get_by_label("Your message")
    field.fill(f"{ARABIC} {ONE_WORD}")
    # Enter sends nothing before it is known whether there is a conversation.
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    field.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(ONE_WORD)
    _check(page)


def _on_the_event_page(page: Page, event_id: int) -> None:
    in_main = page.get_by_role("main")
    go(page, f"/events/{event_id}")
    expect(in_main.get_by_role("article")).to_have_count(2)
    # Two outcomes have one name.
    in_main.get_by_role("button", name="As a table").click()
    expect(in_main.get_by_role("columnheader", name=ARABIC)).to_have_count(2)
    _check(page)
    for tab in ("Rules", "Trades", "Holders"):
        in_main.get_by_role("link", name=re.compile(f"^{tab}")).click()
        _check(page)
    in_main.get_by_role("button", name=re.compile("^Yes")).first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check_page(page)
    page.keyboard.press("Escape")
    in_main.get_by_role("button", name="Show all 100 outcomes").click()
    expect(in_main.get_by_role("list", name="Outcomes").get_by_role("listitem")).to_have_count(100)
    assert not scrolls_sideways(page)
    in_main.get_by_role("link", name=ONE_WORD).first.click()
    expect(in_main.get_by_role("heading", name="Result: Yes")).to_be_visible()
    _check(page)


def _on_pages_of_lists(page: Page, named: Named) -> None:
    in_main = page.get_by_role("main")
    for address in (
        f"/?tag={named.tag}",
        f"/search?q={named.event['name'][-8:]}",
        "/portfolio",
        "/portfolio?tab=closed",
        "/portfolio?tab=history",
        "/leaders?period=all",
        f"/users/{named.person.id}",
        "/notifications",
        "/mine",
        f"/mine?event={named.event['id']}",
        f"/admin/people?q={named.person.email}",
    ):
        go(page, address)
        expect(in_main.get_by_text("سوق").locator("visible=true").first).to_be_visible()
        _check(page, is_audited=address.startswith(("/?", "/search")))

    go(page, "/settings")
    expect(in_main.get_by_label("Name", exact=True)).to_have_value(ARABIC)
    _check(page)


def _at_the_desk_and_live(page: Page, named: Named) -> None:
    in_main = page.get_by_role("main")
    go(page, "/desk")
    in_main.get_by_role("link").filter(has_text=ARABIC).first.click()
    expect(in_main.get_by_role("log")).to_contain_text(ONE_WORD)
    _check(page)
    go(page, "/live")
    page.mouse.move(5, 5)  # a tape stands still under a pointer
    expect(in_main.get_by_role("status")).to_have_text("connected")
    bet = {"market_id": named.event["pools"][0]["markets"][1]["id"], "token_type": "NO", "amount_kopecks": 10_000}
    answered(named.person.client.post("/market/bets", json=bet), 201)
    expect(in_main.get_by_role("listitem").filter(has_text=ARABIC).first).to_be_visible()
    _check(page)
