"""Who has signed out leaves nothing of theirs in the browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.support.browser import Findings, sign_in
from tests.support.service import Service, expect


@pytest.mark.parametrize("width", [1440])
def test_back_shows_no_one_what_the_person_before_was_shown(page: Page, site: Service, findings: Findings) -> None:
    findings.allow("ERR_FAILED")
    person, event = site.user(balance_kopecks=10_000), site.event()
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 5_000}
    expect(person.client.post("/market/bets", json=bet), 201)
    sign_in(page.context, person)
    page.goto(f"/events/{event['id']}")
    position = page.get_by_role("region", name="Your position")
    see(position).to_be_visible()
    page.get_by_role("banner").get_by_role("link", name="Leaders").click()
    page.go_back()
    see(position).to_be_visible()
    page.go_forward()

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    see(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    # What is shown without an answer was kept.
    page.route("**/api/v1/events/*/page", lambda route: route.abort())
    page.go_back()
    page.go_back()
    see(page).to_have_url(f"{site.url}/events/{event['id']}")
    see(page.get_by_role("alert")).to_be_visible()
    see(position).to_have_count(0)

    kept = "() => ({ ...localStorage, ...sessionStorage })"
    assert page.evaluate(kept) == {}
    assert page.evaluate("() => caches.keys()") == []
    # Which lets a person sign in here while others guess at their password.
    assert [cookie["name"] for cookie in page.context.cookies()] == ["device"]


@pytest.mark.parametrize("width", [1440])
def test_who_could_not_be_signed_out_is_not_left_to_believe_it(page: Page, site: Service, findings: Findings) -> None:
    findings.allow("ERR_FAILED")
    sign_in(page.context, site.user())
    page.goto("/")
    page.route("**/api/v1/auth/logout", lambda route: route.abort())
    page.get_by_role("button", name="More", exact=True).click()
    leave = page.get_by_role("button", name="Sign out")
    leave.click()
    see(page.get_by_role("alert")).to_be_visible()

    page.unroute("**/api/v1/auth/logout")
    leave.click()
    see(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    see(leave).to_have_count(0)
