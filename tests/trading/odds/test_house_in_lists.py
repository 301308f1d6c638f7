"""The house account in a list that grows: what it holds of Other becomes two positions, and both are its own."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.people.users.tables import HOUSE_TRADER_KEY
from tests.support.books import audit_database
from tests.support.following import Follower
from tests.support.lists import add_outcome, list_pool
from tests.support.odds import polymarket_group
from tests.support.proofs import proves
from tests.support.service import expect, pool

BALANCE = """
    SELECT a.balance_kopecks FROM accounts a JOIN users u ON u.account_id = a.id WHERE u.nickname_key = :key
"""
SHARES = """
    SELECT SUM(p.shares) FROM positions p JOIN users u ON u.id = p.user_id
    WHERE u.nickname_key = :key AND p.market_id = :market
"""


def grown(follower: Follower) -> tuple[dict[str, Any], int]:
    """Let the house buy of Other, and an outcome be taken out of it; return the event and the new market."""
    described = pool(["Reds", "Blues", "Other"], probabilities=[0.4, 0.4, 0.2])
    described["metadata"]["shape"] = {"kind": "list"}
    event = follower.event({"Reds": "0.3", "Blues": "0.3", "Other": "0.4"}, pools=[described])
    follower.bet(event)
    assert follower.round(event)
    assert follower.spent(event) > 0
    body = {"name": "Greens", "share": 0.5, "probability": follower.prices(event)[2] / 2}
    path = f"/pools/{event['pools'][0]['id']}/outcomes"
    return event, expect(follower.service.creator.client.post(path, json=body), 201)["markets"][3]["id"]


def resolve_to_new(follower: Follower, event: dict[str, Any]) -> None:
    body = {"won_side": 3, "outcomes": 4}
    expect(follower.service.admin.post(f"/pools/{event['pools'][0]['id']}/resolve", json=body), 200)


@proves("lifecycle: Its money is the house's (transfers `odds_funding`, `odds_return`)")
def test_what_it_is_paid_for_an_outcome_taken_out_of_other_returns_to_the_house(follower: Follower) -> None:
    event, market_id = grown(follower)
    assert follower.sum(SHARES, key=HOUSE_TRADER_KEY, market=market_id) > 0
    resolve_to_new(follower, event)
    assert follower.sum(BALANCE, key=HOUSE_TRADER_KEY) == 0
    audit_database(follower.service.database_url)


def test_it_sells_what_was_taken_out_of_other(follower: Follower) -> None:
    event, market_id = grown(follower)
    held = follower.sum(SHARES, key=HOUSE_TRADER_KEY, market=market_id)
    follower.answer(event, polymarket_group(Reds="0.45", Blues="0.3", Other="0.2", Greens="0.05"))
    assert follower.round(event)
    assert 0 <= follower.sum(SHARES, key=HOUSE_TRADER_KEY, market=market_id) < held
    resolve_to_new(follower, event)
    assert follower.sum(BALANCE, key=HOUSE_TRADER_KEY) == 0
    audit_database(follower.service.database_url)


@proves(
    "lifecycle: Before the first trade (or split, lists.md) the priors become the source's,",
    "lifecycle: After it the house account",
)
def test_it_trades_in_a_list_that_was_split_before_any_trade(follower: Follower) -> None:
    described = list_pool(["Reds", "Blues", "Other"], b=100_000, probabilities=[0.4, 0.4, 0.2])
    event = follower.event({"Reds": "0.4", "Blues": "0.4", "Other": "0.1", "Greens": "0.1"}, pools=[described])
    pool_id = event["pools"][0]["id"]
    expect(add_outcome(follower.service.creator.client, pool_id, "Greens", 0.5), 201)
    assert follower.round(event)
    assert follower.spent(event) == 0, "within 0.01 already"
    follower.answer(event, polymarket_group(Reds="0.43", Blues="0.37", Other="0.1", Greens="0.1"))
    assert follower.round(event)
    assert follower.spent(event) > 0
    assert follower.prices(event) == pytest.approx([0.43, 0.37, 0.1, 0.1], abs=0.01)
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0, "outcomes": 4}), 200)
    assert follower.sum(BALANCE, key=HOUSE_TRADER_KEY) == 0
    audit_database(follower.service.database_url)


def test_names_from_before_placeholders_were_filled_still_count_after_a_split(follower: Follower) -> None:
    described = list_pool(["Team {number}", "Blues", "Other"], b=100_000, finish_at="2099-01-01T00:00:00Z")
    described["metadata"]["odds"] = {"names": {"Team {number}": "Reds"}}
    answer = polymarket_group(Reds="0.3", Blues="0.2", Other="0.5")
    event = follower.event(answer=answer, pools=[described], loop_interval_minutes=60)
    assert event["pools"][0]["markets"][0]["name"] == "Team 1"
    assert follower.round(event)
    assert follower.status(event) == "ok"
    expect(add_outcome(follower.service.creator.client, event["pools"][0]["id"], "Greens", 0.5), 201)
    follower.answer(event, polymarket_group(Reds="0.3", Blues="0.2", Other="0.25", Greens="0.25"))
    assert follower.round(event)
    assert follower.status(event) == "ok"
    outcomes = follower.odds(event)["pools"][0]["outcomes"]
    assert [one["external_name"] for one in outcomes] == ["Reds", "Blues", "Other", "Greens"]
