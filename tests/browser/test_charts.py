"""Charts of a pool: from its priors at publication to its result."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import accessibility_findings
from tests.support.service import Service, pool
from tests.support.service import expect as answered

PRIORS = {"Reds": 0.5, "Blues": 0.3, "Greens": 0.2}


def rows(page: Page) -> list[dict[str, str]]:
    """Return what the table of the chart says of each outcome, the newest moment first."""
    page.get_by_role("button", name="As a table").click()
    shown = page.get_by_role("region", name="chances over time").get_by_role("row")
    expect(shown.nth(1)).to_be_visible()
    head, *lines = (text.split("\t") for text in shown.all_inner_texts())
    return [dict(zip(head[1:], line[1:], strict=True)) for line in lines]


@pytest.mark.parametrize("width", [1440])
def test_a_young_chart_begins_at_the_priors_and_ends_at_the_result(page: Page, site: Service) -> None:
    event = site.event(pools=[pool(PRIORS, probabilities=PRIORS.values())])
    pool_id, markets = event["pools"][0]["id"], event["pools"][0]["markets"]
    order = {"market_id": markets[2]["id"], "token_type": "YES", "amount_kopecks": 50_000}
    answered(site.user(balance_kopecks=100_000).client.post("/market/bets", json=order), 201)
    price = answered(site.client().get(f"/markets/{markets[2]['id']}"), 200)["yes_probability"]

    page.goto(f"/events/{event['id']}")
    while_open = rows(page)
    assert while_open[-1] == {name: f"{prior:.1%}" for name, prior in PRIORS.items()}
    assert while_open[0]["Greens"] == f"{price:.1%}"
    # All of it is the only part that there is.
    expect(page.get_by_role("group", name="Time shown")).to_have_count(0)
    answered(site.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    page.reload()
    expect(page.get_by_role("img", name="chances over time")).to_contain_text("Result")
    assert accessibility_findings(page) == []
    assert rows(page)[0] == {"Reds": "0%", "Blues": "100%", "Greens": "0%"}
