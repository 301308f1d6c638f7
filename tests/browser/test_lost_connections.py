"""What a lost connection, or a session that ended, leaves: the app's own page, the reason, and nothing done twice."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Findings
from tests.support.screens import page_of
from tests.support.service import PASSWORD, Service, pool
from tests.support.service import expect as answered

LOST = r"Failed to load resource: (net::ERR_|the server responded with a status of 401)|WebSocket connection"


@pytest.mark.parametrize("width", [1440])
def test_a_screen_that_cannot_be_loaded_opens_by_itself_when_it_can(page: Page, findings: Findings) -> None:
    findings.allow(LOST)
    page.goto("/nowhere")
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    waits = page.get_by_role("alert").filter(has_text="It opens by itself")
    page.context.set_offline(True)
    page.locator("header a[href='/leaders']").click()
    expect(waits).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaders")

    # While the service is started again, the browser itself has a connection.
    down = re.compile(r"/assets/Live-[^/]*\.js|/api/v1/ready")
    page.route(down, lambda route: route.abort())
    page.locator("header a[href='/live']").click()
    expect(waits).to_be_visible()
    page.unroute(down)
    expect(page.get_by_role("heading", level=1)).to_have_text("Trades, live")


@pytest.mark.parametrize("width", [390])
def test_a_session_that_ends_at_a_bet_asks_again_after_the_sign_in(
    page: Page, site: Service, findings: Findings
) -> None:
    findings.allow(LOST)
    event, trader = site.event(pools=[pool(b=1_000_000)]), site.user(balance_kopecks=100_000)
    slip = page_of(page.context, trader)
    slip.goto(f"/events/{event['id']}?side=yes")
    slip.get_by_role("textbox", name="You pay").fill("100")
    buy = slip.get_by_role("button", name=re.compile("^Buy Yes"))
    expect(buy).to_be_enabled()
    page.context.clear_cookies()
    buy.click()
    expect(slip.get_by_text("Your session ended before the order was made")).to_be_visible()
    slip.get_by_role("button", name="Sign in to bet").click()
    dialog = slip.get_by_role("dialog").filter(has=slip.get_by_label("Password"))
    dialog.get_by_label("E-mail or nickname").fill(trader.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog).not_to_be_attached()
    expect(buy).to_be_enabled()
    assert answered(trader.client.get("/users/me/trades"), 200)["trades"] == []
    buy.click()
    expect(slip.get_by_text("Done: pays ₽")).to_be_visible()
    assert len(answered(trader.client.get("/users/me/trades"), 200)["trades"]) == 1


@pytest.mark.parametrize("width", [1440])
def test_a_comment_whose_answer_was_lost_is_written_once(page: Page, site: Service, findings: Findings) -> None:
    findings.allow(LOST)
    event, reader = site.event(), site.user()

    def lose_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    thread = page_of(page.context, reader)
    thread.route("**/api/v1/comments", lose_answer, times=2)
    thread.goto(f"/events/{event['id']}")
    for text, label in (("Who knows?", "Write what you know about this"), ("I do.", "Write a reply")):
        if label == "Write a reply":
            thread.get_by_role("button", name="Reply", exact=True).click()
        box = thread.get_by_role("textbox", name=label)
        box.fill(text)
        form = thread.locator("form").filter(has=box)
        form.get_by_role("button", name="Send").click()
        expect(form.get_by_role("alert")).to_be_visible()
        form.get_by_role("button", name="Send").click()
        expect(thread.get_by_text(text, exact=True)).to_have_count(1)
    (written,) = answered(reader.client.get(f"/events/{event['id']}/comments"), 200)["comments"]
    assert (written["content"], written["replies_count"]) == ("Who knows?", 1)
