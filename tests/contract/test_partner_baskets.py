"""Baskets, "Orders": those of partners' users, their money and their statement."""

from __future__ import annotations

from typing import Any

from tests.support.baskets import (
    CHECK_PRIORS,
    changes_body,
    markets_of,
    open_pool,
    partner_change,
    partner_stake,
    quote,
)
from tests.support.book import bps
from tests.support.partner_orders import balances, state
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused

PARTNER = (
    "baskets: Partner: POST /partner/baskets and /partner/baskets/quote: `external_user_id` (in a quote optional); "
    "`stake_kopecks` for a request's `amount_kopecks`; answers with `basket_id` for `id`, `external_user_id, user_id, "
    "float_balance_kopecks` (not in a quote), `avg_price_bps` for `avg_price`. What the net costs over the "
    "sub-account's balance is funded from the float; what comes in stays on the sub-account."
)


def lines(partner: PartnerAccount, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = expect(partner.client.get("/partner/transactions", params=query), 200)["transactions"]
    return found


@proves(
    PARTNER,
    "baskets: A basket is one order: one idempotency record, one row of every statement (type `basket`, with "
    "`basket_id`, the net, 0 too; no market),",
)
def test_a_partners_basket_is_funded_by_its_net(service: Service) -> None:
    pool = open_pool(service, CHECK_PRIORS)
    markets = markets_of(pool)
    partner = service.partner(float_kopecks=10_000)

    first = expect(partner_stake(partner, "Ann", markets[1:3], 500), 201)
    assert first == {
        "basket_id": first["basket_id"],
        "external_user_id": "Ann",
        "user_id": first["user_id"],
        "pool_id": pool["id"],
        "legs": [
            {"market_id": markets[1], "shares": 732, "amount_kopecks": 166, "pnl": None},
            {"market_id": markets[2], "shares": 732, "amount_kopecks": 334, "pnl": None},
        ],
        "payout_kopecks": 0,
        "cost_kopecks": 500,
        "fee_kopecks": 0,
        "net_kopecks": -500,
        "avg_price_bps": bps(500, 732),
        "probabilities_before": first["probabilities_before"],
        "probabilities_after": first["probabilities_after"],
        "balance_kopecks": 0,
        "float_balance_kopecks": 9_500,
        "created_at": first["created_at"],
    }
    second = expect(partner_change(partner, "Ann", {markets[1]: -200, markets[3]: 300, markets[4]: 100}), 201)
    assert (second["net_kopecks"], second["balance_kopecks"], second["float_balance_kopecks"]) == (-4, 0, 9_496)
    third = expect(partner_change(partner, "Ann", {markets[2]: -700, markets[0]: 50}), 201)
    net = third["net_kopecks"]
    assert (third["balance_kopecks"], third["float_balance_kopecks"], balances(partner)) == (net, 9_496, (9_496, net))
    assert third["avg_price_bps"] is None
    assert {row["market_id"]: row["shares"] for row in state(partner, "Ann")["positions"]} == {
        markets[0]: 50,
        markets[1]: 532,
        markets[2]: 32,
        markets[3]: 300,
        markets[4]: 100,
    }
    # What the sub-account has pays first.
    fourth = expect(partner_stake(partner, "Ann", markets[:1], net + 100), 201)
    assert (fourth["balance_kopecks"], fourth["float_balance_kopecks"]) == (0, 9_396)

    nets = [(fourth, -100, -net), (third, 0, net), (second, -4, 0), (first, -500, 0)]
    _check_statement(partner, [("basket", one["basket_id"], *changes) for one, *changes in nets])

    for placed in (first, third):
        kept = {name: value for name, value in placed.items() if not name.endswith("balance_kopecks")}
        assert expect(partner.client.get(f"/partner/baskets/{placed['basket_id']}"), 200) == kept
    other = service.partner()
    refused(other.client.get(f"/partner/baskets/{first['basket_id']}"), 404, "BASKET_NOT_FOUND")
    refused(partner.client.get("/partner/baskets/x"), 400, "INVALID_BASKET_ID")
    refused(service.user().client.get(f"/market/baskets/{first['basket_id']}"), 404, "basket_not_found")


def _check_statement(partner: PartnerAccount, wanted: list[tuple[Any, ...]]) -> None:
    """Compare the lines of Ann's baskets, newest first: type, basket, and what the float and her balance gained."""
    about = ("type", "basket_id", "float_change_kopecks", "balance_change_kopecks")
    assert [tuple(row[name] for name in about) for row in lines(partner, type="basket")] == wanted
    nothing = ("market_id", "side", "shares", "bet_id", "sale_id", "order_id")
    assert all(row[name] is None for row in lines(partner, external_user_id="Ann") for name in nothing)
    assert [row["type"] for row in lines(partner)] == ["basket"] * len(wanted) + ["deposit"]


@proves(PARTNER)
def test_a_partner_is_quoted_what_its_user_would_get(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS, margin=0.02))
    partner = service.partner(float_kopecks=1_000)
    stake = {"market_ids": markets[:1], "given": markets[:3], "stake_kopecks": 400}
    for body in (stake, stake | {"external_user_id": "Cid"}, changes_body({markets[2]: 40})):
        quoted = expect(partner.client.post("/partner/baskets/quote", json=body), 200)
        users = {name: value for name, value in body.items() if name not in {"stake_kopecks", "external_user_id"}}
        users |= {"amount_kopecks": 400} if "stake_kopecks" in body else {}
        public = expect(quote(service.client(), users), 200)
        assert quoted == {("avg_price_bps" if name == "avg_price" else name): value for name, value in public.items()}
    refused(
        partner.client.post("/partner/baskets/quote", json=stake | {"external_user_id": ""}),
        400,
        "INVALID_EXTERNAL_USER_ID",
    )
    refused(partner.client.post("/partner/baskets/quote", json={"market_ids": markets[:1]}), 400, "BAD_REQUEST")
    assert not state(partner, "Cid")["exists"]


@proves(PARTNER)
def test_a_basket_that_the_float_does_not_cover_makes_no_sub_account(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    others = markets_of(open_pool(service, [0.5, 0.5]))
    partner = service.partner(float_kopecks=100)
    refused(partner_stake(partner, "Bea", markets[:2], 101), 409, "INSUFFICIENT_FLOAT")
    refused(partner_change(partner, "Bea", {markets[0]: -1}), 409, "INSUFFICIENT_SHARES")
    refused(partner_change(partner, "Bea", {markets[0]: 10, others[0]: 10}), 400, "BAD_REQUEST")
    refused(partner_change(partner, "", {markets[0]: 10}), 400, "INVALID_EXTERNAL_USER_ID")
    assert not state(partner, "Bea")["exists"]
    headers = {"Idempotency-Key": "one-basket"}
    body = {"external_user_id": "Bea", "market_ids": markets[:2], "stake_kopecks": 60}
    placed = [expect(partner.client.post("/partner/baskets", json=body, headers=headers), 201) for _ in range(2)]
    assert placed[0] == placed[1]
    assert (balances(partner), lines(partner)[0]["float_change_kopecks"]) == ((40, 0), -60)
