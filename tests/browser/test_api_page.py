"""The API page in a browser: its groups, its filter, and a request sent from it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from foreknow.service.api_groups import GROUPS


@pytest.mark.parametrize("width", [1440], indirect=True)
def test_the_page_shows_groups_filters_operations_and_sends_requests(page: Page) -> None:
    # Whatever the page may do wrong by its policy, its console or its requests, `findings` notes.
    page.goto("/docs")
    tags = page.locator("h3.opblock-tag")
    expect(tags).to_have_count(len(GROUPS))
    texts = tags.all_inner_texts()
    for group, text in zip(GROUPS, texts, strict=True):
        assert text.startswith(group.name)
        assert group.description.replace("`", "") in text
    operations = page.locator(".opblock-summary-path")
    expect(operations).to_have_count(0)

    sought = page.locator(".operation-filter-input")
    # A word matches in any case; all words must match.
    sought.fill("Bets")
    paths = ["/api/v1/market/bets", "/api/v1/partner/bets"]
    assert_shown(page, paths)
    sought.fill("partner place_partner_bet")
    assert_shown(page, paths[1:])
    sought.fill("no such word")
    expect(tags).to_have_count(0)
    sought.fill("/health")
    assert_shown(page, ["/api/v1/health"])

    page.locator(".opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    with page.expect_response("**/api/v1/health") as answer:
        page.get_by_role("button", name="Execute").click()
    assert answer.value.status == 200
    expect(page.locator(".live-responses-table .response-col_status").last).to_have_text("200")
    sought.fill("")
    expect(tags).to_have_count(len(GROUPS))


def assert_shown(page: Page, paths: list[str]) -> None:
    shown = page.locator(".opblock-summary-path")
    expect(shown).to_have_count(len(paths))
    assert [shown.nth(n).get_attribute("data-path") for n in range(len(paths))] == paths
