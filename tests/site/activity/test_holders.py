"""GET /pools/{id}/holders: who holds most of each side, under which name, and how many hold any."""

from __future__ import annotations

from typing import Any

from tests.site.activity.holders import holders_of
from tests.site.portfolio.orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused


def trader_of(person: Person) -> dict[str, Any]:
    own = expect(person.client.get("/users/me"), 200)
    return {"id": own["id"], "name": own["name"], "avatar_url": own["avatar_url"]}


@proves(
    "client: | 11 | GET /pools/{id}/holders (None)",
    "client: `{markets: [{market_id, yes: [≤ 20 {user, shares}], no: […], yes_holders, no_holders}]}` |",
)
def test_the_largest_holders_of_each_side_come_first(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b"])])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    ann, bob, cat = (service.user(balance_kopecks=50_000) for _ in range(3))
    small, large = bet(ann, first, 500), bet(bob, first, 5_000)
    against = bet(ann, first, 700, "NO")
    bet(cat, first, 900)
    sell(cat, first)
    other = bet(cat, second, 400)

    found = holders_of(service, event, (2, 1), (1, 0))
    assert found == {
        "markets": [
            {
                "market_id": first,
                "yes": [
                    {"user": trader_of(bob), "shares": large["shares"]},
                    {"user": trader_of(ann), "shares": small["shares"]},
                ],
                "no": [{"user": trader_of(ann), "shares": against["shares"]}],
                "yes_holders": 2,
                "no_holders": 1,
            },
            {
                "market_id": second,
                "yes": [{"user": trader_of(cat), "shares": other["shares"]}],
                "no": [],
                "yes_holders": 1,
                "no_holders": 0,
            },
        ]
    }


def test_of_many_holders_twenty_are_shown_and_all_are_counted(service: Service) -> None:
    event = service.event(pools=[pool(b=10_000_000)])
    market_id = event["pools"][0]["markets"][0]["id"]
    partner = service.partner(float_kopecks=100_000)
    stakes = [300, 200, 500, *range(1_000, 3_000, 100)]
    shares = []
    for number, stake in enumerate(stakes):
        body = {"external_user_id": f"u{number}", "market_id": market_id, "side": "yes", "stake_kopecks": stake}
        shares.append(expect(partner.client.post("/partner/bets", json=body), 201)["shares"])
    (market,) = holders_of(service, event, (23, 0))["markets"]
    assert [one["shares"] for one in market["yes"]] == sorted(shares, reverse=True)[:20]
    assert [one["user"] for one in market["yes"]] == [{"id": None, "name": partner.name, "avatar_url": ""}] * 20


def test_hidden_profiles_are_not_named(service: Service) -> None:
    event = service.event()
    ann = service.user(balance_kopecks=50_000)
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    bet(ann, event["pools"][0]["markets"][0]["id"], 500)
    (market,) = holders_of(service, event, (1, 0))["markets"]
    assert [one["user"] for one in market["yes"]] == [{"id": None, "name": "Hidden trader", "avatar_url": ""}]


def test_in_a_paid_pool_no_shares_are_held(service: Service) -> None:
    event = service.event()
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    bet(service.user(balance_kopecks=50_000), market_id, 500)
    holders_of(service, event, (1, 0))
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    (market,) = holders_of(service, event, (0, 0))["markets"]
    assert (market["yes"], market["no"]) == ([], [])


def test_a_pool_that_is_not_published_has_no_holders_to_see(service: Service) -> None:
    draft = service.event(publish=False)
    for client in (service.client(), service.creator.client):
        refused(client.get(f"/pools/{draft['pools'][0]['id']}/holders"), 404, "pool_not_found")
        refused(client.get("/pools/999999999/holders"), 404, "pool_not_found")
        refused(client.get("/pools/0/holders"), 400, "invalid_pool_id")
