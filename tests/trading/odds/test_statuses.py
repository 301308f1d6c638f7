"""What GET /events/{id}/odds says of an event, from before its first round to after its end."""

from __future__ import annotations

from typing import Any

from tests.support.following import STALE_MS, Follower
from tests.support.odds import polymarket, polymarket_group
from tests.support.proofs import proves
from tests.support.service import expect


@proves(
    "lifecycle: `{source, status: off|ok|stale|closed|absurd|unmatched|unsupported, checked_at, pools: [{pool_id, "
    "follows, outcomes: [{outcome_index, name, external_name, price}], unmatched (theirs), spent_kopecks}]}`.",
    "lifecycle: A pool follows if all its outcomes match and their prices",
)
def test_the_status_says_what_became_of_the_last_round(follower: Follower) -> None:
    good = polymarket_group(Reds="0.6", Blues="0.4")
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    odds = follower.odds(event)
    assert set(odds) == {"source", "status", "checked_at", "pools"}
    assert (odds["source"], odds["status"], odds["checked_at"]) == ("polymarket", "stale", None)
    answers: dict[str, Any] = {
        "absurd": polymarket_group(Reds="0.6", Blues="0.2"),
        "unmatched": polymarket_group(Reds="0.6", Greens="0.4"),
        "closed": good | {"closed": True},
        "unsupported": polymarket(),
        "ok": good,
    }
    for status, answer in answers.items():
        follower.answer(event, answer)
        assert follower.round(event)
        odds = follower.odds(event)
        (shown,) = odds["pools"]
        assert (odds["status"], shown["follows"]) == (status, status == "ok")
        assert odds["checked_at"].endswith("Z")
        assert set(shown) == {"pool_id", "follows", "outcomes", "unmatched", "spent_kopecks"}
    assert odds["pools"][0]["outcomes"] == [
        {"outcome_index": 0, "name": "Reds", "external_name": "Reds", "price": 0.6},
        {"outcome_index": 1, "name": "Blues", "external_name": "Blues", "price": 0.4},
    ]
    follower.wait(STALE_MS)
    assert follower.status(event) == "stale"
    expect(follower.service.admin.post(f"/events/{event['id']}/cancel"), 200)
    assert follower.round(event)
    assert follower.status(event) == "off"
