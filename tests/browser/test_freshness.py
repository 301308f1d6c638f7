"""What changes elsewhere is shown without a reload: money, positions, traders, trades.

The bound is two seconds; a test waits for half a minute, since a poll would take a whole one.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.screens import page_of
from tests.support.service import Service, pool
from tests.support.service import expect as answered


@pytest.mark.parametrize("width", [1440])
def test_a_credit_a_bet_and_a_payout_elsewhere_are_seen_in_every_tab(page: Page, site: Service) -> None:
    event = site.event(pools=[pool(b=1_000_000)])
    trader = site.user(balance_kopecks=10_000)
    market = event["pools"][0]["markets"][0]["id"]
    slip = page_of(page.context, trader)
    slip.goto(f"/events/{event['id']}?side=yes")
    page.goto("/portfolio")
    held = page.get_by_role("region", name="Positions")
    sums = page.locator("dl.sums")
    for tab in (page, slip):
        expect(tab.get_by_role("link", name="Balance ₽100.00")).to_be_visible()
    expect(slip.get_by_text("0 traders")).to_be_visible()

    site.credit(trader.id, 5_000)
    expect(page.get_by_role("link", name="Balance ₽150.00")).to_be_visible()
    expect(sums).to_contain_text("₽150.00")
    expect(slip.get_by_role("region", name=event["name"])).to_contain_text("Balance ₽150.00")

    body: dict[str, Any] = {"market_id": market, "token_type": "YES", "amount_kopecks": 5_000}
    answered(trader.client.post("/market/bets", json=body), 201)
    expect(held.get_by_role("link", name=event["name"])).to_be_visible()
    expect(sums).to_contain_text("₽100.00")
    expect(slip.get_by_role("region", name="Your position")).to_be_visible()
    expect(slip.get_by_text("1 trader", exact=True)).to_be_visible()

    # What is lost changes no balance.
    answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    expect(held).to_contain_text("You hold nothing now")
    expect(sums).to_contain_text("−₽50.00")


@pytest.mark.parametrize("width", [390])
def test_live_trades_begin_with_the_last_ones(page: Page, site: Service) -> None:
    event, trader = site.event(), site.user(name="Grace", balance_kopecks=10_000)
    market = event["pools"][0]["markets"][0]["id"]
    for kopecks in (4_100, 4_200):
        body = {"market_id": market, "token_type": "YES", "amount_kopecks": kopecks}
        answered(trader.client.post("/market/bets", json=body), 201)
    page.goto("/live")
    trades = page.get_by_role("region", name="Trades, live").get_by_role("listitem")
    expect(trades.nth(0)).to_contain_text("₽42")
    expect(trades.nth(1)).to_contain_text("₽41")
    expect(trades.nth(0)).to_contain_text(event["name"])


@pytest.mark.parametrize("width", [1440])
def test_a_corrected_result_is_seen_at_once(page: Page, site: Service) -> None:
    disputed = pool(metadata={"resolution": {"kind": "manual", "dispute_minutes": 60}})
    event = site.event(pools=[disputed])
    path = f"/pools/{event['pools'][0]['id']}/resolve"
    with page.expect_websocket() as live:
        page.goto(f"/events/{event['id']}")
    expect(page.get_by_role("heading", level=1, name=event["name"])).to_be_visible()
    answered(site.creator.client.post(path, json={"won_side": 0}), 200)
    result = page.locator("section.result h2")
    expect(result).to_contain_text("Yes")
    # The page asks by itself every ten seconds, too, and need not.
    with live.value.expect_event("framereceived", lambda frame: '"state"' in str(frame)):
        answered(site.admin.post(path, json={"won_side": 1}), 200)
    expect(result).to_contain_text("No")
