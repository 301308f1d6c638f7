"""PnL charts over HTTP."""

from __future__ import annotations

import pytest

from tests.site.portfolio.orders import bet, sell
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused


def chart(person: Person, user: int | str = "me") -> list[float]:
    """Return the profits of a chart in roubles, as this person sees it."""
    points = expect(person.client.get(f"/users/{user}/pnl/chart"), 200)["points"]
    assert points == sorted(points, key=lambda point: point["timestamp"])
    return [point["pnl"] for point in points]


@proves("decisions: PnL chart: cumulative realized profit in roubles after every sale and every settled position")
def test_every_sale_and_settlement_is_a_point(service: Service) -> None:
    ada = service.user(balance_kopecks=100_000)
    assert chart(ada) == []
    event, other = service.event(), service.event()
    market_id, lost_id = (one["pools"][0]["markets"][0]["id"] for one in (event, other))
    bought = bet(ada, market_id, 10_000)
    assert chart(ada) == []
    first = sell(ada, market_id, 1_000)
    second = sell(ada, market_id, 2_000)
    bet(ada, lost_id, 700)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(service.creator.client.post(f"/pools/{other['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)

    earned = first["payout_kopecks"] + second["payout_kopecks"] + bought["shares"] - 3_000
    kopecks = [first["pnl"], first["pnl"] + second["pnl"], earned - 10_000, earned - 10_700]
    assert chart(ada) == [amount / 100 for amount in kopecks]
    assert chart(ada, ada.id) == chart(ada)


@proves("decisions: its PnL chart is 404 `user_not_found` for everyone but its owner and admins; so is a sub-account's")
def test_a_hidden_profiles_chart_is_its_owners_and_the_admins(service: Service) -> None:
    ada, bob = service.user(balance_kopecks=1_000), service.user()
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    bet(ada, market_id, 500)
    sell(ada, market_id)
    path = f"/users/{ada.id}/pnl/chart"
    shown = chart(ada)
    assert expect(service.client().get(path), 200) == expect(bob.client.get(path), 200)
    expect(ada.client.patch("/users/me", json={"profile_hidden": True}), 200)

    refused(service.client().get(path), 404, "user_not_found")
    refused(bob.client.get(path), 404, "user_not_found")
    assert chart(ada, ada.id) == chart(ada) == shown
    assert len(expect(service.admin.get(path), 200)["points"]) == 1


def test_a_sub_account_has_no_chart_not_even_for_admins(service: Service) -> None:
    partner = service.partner(float_kopecks=1_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": "x", "market_id": market_id, "side": "yes", "stake_kopecks": 500}
    user_id = expect(partner.client.post("/partner/bets", json=body), 201)["user_id"]

    for client in (service.client(), service.admin):
        refused(client.get(f"/users/{user_id}/pnl/chart"), 404, "user_not_found")


@proves("interface: Errors: 400 invalid_id, 401 unauthorized (missing token on /me), 404 user_not_found")
@ONCE
@pytest.mark.parametrize("user", ["0", "-1", "01", "1.0", "x", "9223372036854775808", "%D9%A3", "ME"])
def test_an_id_that_is_none_is_refused(service: Service, user: str) -> None:
    refused(service.client().get(f"/users/{user}/pnl/chart"), 400, "invalid_id")


def test_no_user_has_this_id_and_a_bad_token_is_refused_though_none_is_needed(service: Service) -> None:
    refused(service.client().get("/users/9223372036854775807/pnl/chart"), 404, "user_not_found")
    refused(service.client().get("/users/me/pnl/chart"), 401, "unauthorized")
    refused(service.client(token="x").get("/users/1/pnl/chart"), 401, "unauthorized")
