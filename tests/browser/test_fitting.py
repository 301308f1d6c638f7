"""Screens fit their window: a phone with its keyboard and its Back, much enlarged text, a wide desk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import NewContext
from tests.support.browser import SETTLED, Findings, accessibility_findings, scrolls_sideways, sign_in
from tests.support.screens import go
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered

LONG_NAME = "An outcome whose name goes on and on, as those of real markets do; " * 3
NARROWEST: ViewportSize = {"width": 320, "height": 640}
#: A window of 1280 × 1024 pixels, enlarged to 400 %.
ENLARGED: ViewportSize = {"width": 320, "height": 256}
ABOVE_KEYBOARD: ViewportSize = {"width": 390, "height": 420}
#: Where a keyboard lies over the page and leaves it its size, as in Safari.
COVER = """(height) => {
    Object.defineProperty(visualViewport, "height", { configurable: true, get: () => height });
    visualViewport.dispatchEvent(new Event("resize"));
}"""
#: A browser with much to do tells of a closed dialog late: `late` does so when it is called.
LATE_CLOSE = """() => addEventListener("close", (event) => {
    event.stopImmediatePropagation();
    window.late = () => event.target.dispatchEvent(new Event("close"));
}, { capture: true, once: true })"""
#: Left ends and widths of what a screen is made of, from the left end of the header's content.
PLACES = """() => {
    const header = document.querySelector("header .mark").getBoundingClientRect().left;
    const isShown = (one) => one.matches(":not(.sr, dialog)") && one.getBoundingClientRect().height > 0;
    return [...document.querySelectorAll("main > *")].filter(isShown).map((one) => {
        const { left, width } = one.getBoundingClientRect();
        return [Math.round(left - header), Math.round(width)];
    });
}"""


@pytest.fixture
def trader(site: Service) -> Person:
    return site.user(balance_kopecks=100_000)


@pytest.fixture
def market(site: Service) -> dict[str, Any]:
    """An event with an outcome whose name is as long as may be."""
    return site.event(pools=[pool([LONG_NAME[:200], "Blues"], b=1_000_000)])


def is_within(page: Page, element: Locator) -> bool:
    """Return whether the window shows all of an element."""
    box, size = element.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    height = page.evaluate("() => visualViewport.height")
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= min(size["height"], height)
    )


@pytest.mark.parametrize("width", [390])
def test_yes_and_no_stay_in_a_narrow_window_whatever_is_held_of_whatever_name(
    page: Page, trader: Person, market: Mapping[str, Any]
) -> None:
    market_id = market["pools"][0]["markets"][0]["id"]
    bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 20_000}
    answered(trader.client.post("/market/bets", json=bet), 201)
    sign_in(page.context, trader)
    page.set_viewport_size(NARROWEST)
    page.goto(f"/events/{market['id']}?market={market_id}")
    bar = page.get_by_role("group", name="Your bet")
    expect(bar.get_by_text(re.compile("₽"))).to_be_visible()
    for side in ("Yes", "No"):
        assert is_within(page, bar.get_by_role("button", name=re.compile(f"^{side} ")))
    assert not scrolls_sideways(page)

    page.set_viewport_size(ENLARGED)
    for side in ("Yes", "No"):
        assert is_within(page, bar.get_by_role("button", name=re.compile(f"^{side} ")))
    page.mouse.wheel(0, 400)
    # What is left for the page, between what stays in its place.
    assert page.evaluate("() => document.querySelector('.buybar').getBoundingClientRect().top") > 180
    page.wait_for_function("() => document.querySelector('header').getBoundingClientRect().bottom <= 0")
    assert not scrolls_sideways(page)


@pytest.mark.parametrize("width", [390])
def test_back_closes_the_slip_and_buy_stays_above_the_keyboard(
    page: Page, trader: Person, market: Mapping[str, Any]
) -> None:
    sign_in(page.context, trader)
    page.goto("/")
    page.goto(f"/events/{market['id']}")
    page.get_by_role("group", name="Your bet").get_by_role("button", name=re.compile("^No ")).click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_role("textbox", name="You pay")
    field.fill("100")
    buy = dialog.get_by_role("button", name=re.compile("^Buy No"))
    page.set_viewport_size(ABOVE_KEYBOARD)
    assert is_within(page, buy)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(COVER, 420)
    expect(dialog).to_have_css("bottom", "424px")
    assert is_within(page, buy)
    page.evaluate(COVER, 844)

    page.go_back()
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile(rf"/events/{market['id']}\?market=\d+$"))
    page.go_forward()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(re.compile("/$"))


@pytest.mark.parametrize("width", [390])
def test_a_slip_that_is_open_again_stays_open_when_the_browser_tells_late_that_it_was_closed(
    page: Page, market: Mapping[str, Any]
) -> None:
    page.goto("/")
    page.goto(f"/events/{market['id']}")
    page.get_by_role("group", name="Your bet").get_by_role("button", name=re.compile("^No ")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.evaluate(LATE_CLOSE)
    page.go_back()
    page.wait_for_function("() => window.late")
    page.go_forward()
    expect(dialog).to_be_visible()
    page.evaluate("() => late()")
    page.go_back()
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile(rf"/events/{market['id']}\?market=\d+$"))


@pytest.mark.parametrize("width", [390])
def test_search_begins_in_its_field(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Search").click()
    expect(page.get_by_role("main").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("quokka")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=quokka"))


@pytest.mark.parametrize("width", [1440])
def test_an_amount_that_is_none_says_why_and_a_bet_by_enter_keeps_the_focus(
    page: Page, trader: Person, market: Mapping[str, Any]
) -> None:
    sign_in(page.context, trader)
    page.goto(f"/events/{market['id']}")
    field = page.get_by_role("textbox", name="You pay")
    for typed, why in (("1500,000", "two ways"), ("ten", "no amount"), ("-5", "no sign"), ("1.234", "two digits")):
        field.fill(typed)
        expect(page.get_by_text(re.compile(why))).to_be_visible()
        expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("100")
    expect(page.get_by_role("button", name=re.compile("^Buy Yes"))).to_be_enabled()
    field.press("Enter")
    expect(page.get_by_text(re.compile("^Done: pays"))).to_be_visible()
    expect(field).to_be_focused()


@pytest.mark.parametrize("width", [1440])
def test_what_is_paid_is_the_payout_alone(page: Page, site: Service, trader: Person) -> None:
    event = site.event(pools=[pool(b=1_000_000)])
    market_id = event["pools"][0]["markets"][0]["id"]
    bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 20_000}
    shares = answered(trader.client.post("/market/bets", json=bet), 201)["shares"]
    sale = {"market_id": market_id, "token_type": "YES", "shares": shares - 5_000}
    answered(trader.client.post("/market/positions/sell", json=sale), 201)
    answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    sign_in(page.context, trader)
    page.goto(f"/events/{event['id']}")
    expect(page.get_by_text("You were paid").locator("..")).to_have_text(re.compile("You were paid\\s*₽50.00"))


@pytest.mark.parametrize("width", [1440])
def test_all_screens_stand_on_one_grid(page: Page, site: Service, findings: Findings, new_visitor: NewContext) -> None:
    """Where the header begins, as wide as the header or as what stands beside a rail."""
    findings.allow("404.*/chat/messages")  # there is no conversation yet
    person = site.user(creator=True, admin=True, operator=True, stats_viewer=True)
    sign_in(page.context, person)
    event = site.event()
    own = [
        "/",
        "/leaders",
        "/live",
        "/notifications",
        "/settings",
        "/settings/keys",
        "/create",
        "/mine",
        "/desk",
        "/desk/reports",
        "/desk/objections",
        "/following",
        "/record",
        "/deciding",
    ]
    own += ["/admin", "/support", "/search", "/portfolio", f"/users/{person.id}", f"/events/{event['id']}", "/nowhere"]
    screens = [(page, path) for path in own]
    stranger = new_visitor().new_page()
    screens += [(stranger, path) for path in ("/sign-in", "/sign-up", "/reset/a-token", "/settings")]
    stray = {}
    for one in (page, stranger):
        one.goto("/")
    for number, (shown, path) in enumerate(screens):
        go(shown, path)
        expect(shown.get_by_role("heading", level=1).first).to_be_attached()
        shown.wait_for_function(SETTLED)
        # Each is looked at first as wide as the one before it was left.
        for width in (1440, 1920) if number % 2 == 0 else (1920, 1440):
            shown.set_viewport_size({"width": width, "height": 900})
            places = shown.evaluate(PLACES)
            assert places, path
            if any(place not in ([0, 1248], [0, 852]) for place in places):
                stray[path, width] = places
    assert not stray
    for path in ("/search", "/create"):
        go(page, path)
        expect(page.get_by_role("heading", level=1).first).to_be_attached()
        assert accessibility_findings(page) == []
