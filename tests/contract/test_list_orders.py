"""Orders in lists that grow: what is refused, what says less after a split, and what ends with one (lists.md)."""

from __future__ import annotations

from typing import Any

from tests.support.kinds import ONCE
from tests.support.lists import held, open_list, read_pool, split
from tests.support.orders import bet, open_market, quote, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused


def market_ids(pool: dict[str, Any]) -> list[int]:
    return [market["id"] for market in pool["markets"]]


def person_holding(service: Service, market: int, stake: int) -> Person:
    person = service.user(balance_kopecks=stake)
    expect(bet(person, market, "YES", stake), 201)
    return person


@proves(
    "lists: NO of Other is never traded, before the first split neither: 400 `bad_request` after `market_not_found`, "
    "in quotes too (who wants it buys a basket of all the named); NO of others stays.",
)
@ONCE
def test_no_of_other_is_never_traded(service: Service) -> None:
    pool = open_list(service)
    person, partner = service.user(balance_kopecks=10_000), service.partner(float_kopecks=10_000)
    ann, _, other = market_ids(pool)
    for _ in range(2):
        refused(bet(person, other, "NO", 100), 400, "bad_request")
        refused(sell(person, other, "NO", 100), 400, "bad_request")
        refused(quote(service, other, "NO", amount_kopecks=100), 400, "bad_request")
        refused(quote(service, other, "NO", shares=100), 400, "bad_request")
        order = {"market_id": other, "token_type": "NO", "action": "buy", "shares": 1000, "price_bps": 5000}
        refused(person.client.post("/market/orders", json=order), 400, "bad_request")
        body = {"external_user_id": "u", "market_id": other, "side": "no"}
        refused(partner.client.post("/partner/bets", json=body | {"stake_kopecks": 100}), 400, "BAD_REQUEST")
        refused(partner.client.post("/partner/positions/sell", json=body), 400, "BAD_REQUEST")
        limit = body | {"action": "buy", "shares": 1000, "price_bps": 5000}
        refused(partner.client.post("/partner/orders", json=limit), 400, "BAD_REQUEST")
        asked: dict[str, Any] = {"market_id": other, "side": "no", "stake_kopecks": 100}
        refused(partner.client.get("/partner/quote", params=asked), 400, "BAD_REQUEST")
        expect(bet(person, ann, "NO", 100), 201)
        expect(sell(person, ann, "NO"), 201)
        if len(read_pool(service, pool["id"])["markets"]) == 3:
            split(service, pool["id"], "Dana")
    expect(service.creator.client.post(f"/pools/{pool['id']}/pause"), 200)
    refused(bet(person, other, "NO", 100), 400, "bad_request")
    refused(bet(person, 10**9, "NO", 100), 404, "market_not_found")


@proves(
    "lists: Bets, sales, baskets, orders and verdicts, partners' and quotes too, take `outcomes` (1 … 100), how many "
    "the caller knows: another number than the pool's is 409 `slippage`, `details.outcomes` the pool's, right "
    "after `market_paused`.",
)
@ONCE
def test_who_knows_another_number_of_outcomes_is_refused(service: Service) -> None:
    pool = open_list(service)
    person, partner = service.user(balance_kopecks=10_000), service.partner(float_kopecks=10_000)
    ann, _, other = market_ids(pool)
    split(service, pool["id"], "Dana")
    assert refused(bet(person, other, "YES", 100, outcomes=3), 409, "slippage")["details"] == {"outcomes": 4}
    expect(bet(person, other, "YES", 100, outcomes=4), 201)
    refused(sell(person, other, "YES", outcomes=3), 409, "slippage")
    expect(sell(person, other, "YES", 10, outcomes=4), 201)
    refused(quote(service, ann, "NO", amount_kopecks=100, outcomes=3), 409, "slippage")
    expect(quote(service, ann, "NO", amount_kopecks=100, outcomes=4), 200)
    order = {"market_id": ann, "token_type": "YES", "action": "buy", "shares": 1000, "price_bps": 1000}
    refused(person.client.post("/market/orders", json=order | {"outcomes": 5}), 409, "slippage")
    expect(person.client.post("/market/orders", json=order | {"outcomes": 4}), 201)
    body = {"external_user_id": "u", "market_id": other, "side": "yes"}
    refused(partner.client.post("/partner/bets", json=body | {"stake_kopecks": 100, "outcomes": 3}), 409, "SLIPPAGE")
    expect(partner.client.post("/partner/bets", json=body | {"stake_kopecks": 100, "outcomes": 4}), 201)
    refused(partner.client.post("/partner/positions/sell", json=body | {"outcomes": 3}), 409, "SLIPPAGE")
    limit = body | {"action": "buy", "shares": 1000, "price_bps": 1000, "outcomes": 3}
    refused(partner.client.post("/partner/orders", json=limit), 409, "SLIPPAGE")
    asked: dict[str, Any] = {"market_id": other, "side": "yes", "stake_kopecks": 100, "outcomes": 3}
    refused(partner.client.get("/partner/quote", params=asked), 409, "SLIPPAGE")
    basket = {"market_ids": [ann, other], "amount_kopecks": 100}
    for path in ("/market/baskets", "/market/baskets/quote"):
        refused(person.client.post(path, json=basket | {"outcomes": 3}), 409, "slippage")
    expect(person.client.post("/market/baskets/quote", json=basket | {"outcomes": 4}), 200)
    expect(person.client.post("/market/baskets", json=basket | {"outcomes": 4}), 201)
    of_partner = {"external_user_id": "u", "changes": [{"market_id": other, "shares": 10}]}
    for path in ("/partner/baskets", "/partner/baskets/quote"):
        refused(partner.client.post(path, json=of_partner | {"outcomes": 3}), 409, "SLIPPAGE")
        expect(partner.client.post(path, json=of_partner | {"outcomes": 4}), 201 if path.endswith("s") else 200)
    for wrong in (0, 101):
        refused(bet(person, other, "YES", 100, outcomes=wrong), 400, "bad_request")
    (single,) = open_market(service)
    expect(bet(person, single, "YES", 100, outcomes=1), 201)
    refused(bet(person, single, "YES", 100, outcomes=2), 409, "slippage")
    client = service.creator.client
    expect(client.post(f"/pools/{pool['id']}/pause"), 200)
    refused(bet(person, other, "YES", 100, outcomes=3), 409, "market_paused")
    expect(client.post(f"/pools/{pool['id']}/resume"), 200)
    refused(client.post(f"/pools/{pool['id']}/resolve", json={"payouts": [0, 0, 1], "outcomes": 3}), 409, "slippage")
    refused(client.post(f"/pools/{pool['id']}/resolve", json={"payouts": [0, 0, 1]}), 400, "bad_request")
    resolved = expect(client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 3, "outcomes": 4}), 200)
    assert resolved["won_side"] == 3


@proves("lists: Who trades Other sends it: `min_shares` is no guard where it is cheaper by meaning less.")
@ONCE
def test_min_shares_alone_is_no_guard(service: Service) -> None:
    pool = open_list(service)
    person = service.user(balance_kopecks=1_000)
    other = market_ids(pool)[2]
    quoted = expect(quote(service, other, "YES", amount_kopecks=100), 200)["shares"]
    split(service, pool["id"], "Dana", 0.75)
    refused(bet(person, other, "YES", 100, min_shares=quoted, outcomes=3), 409, "slippage")
    assert expect(bet(person, other, "YES", 100, min_shares=quoted), 201)["shares"] > 2 * quoted


@proves(
    "lists: **Orders.**",
    "lists: Resting ones on Other end as at a verdict (`cancelled`, `split`; notice `orders_ended`), the shares they "
    "reserved are free at once, others stay; no sweep.",
    "orders: `split` (lists.md)",
)
def test_resting_orders_on_other_end(service: Service) -> None:
    pool = open_list(service, b=100_000)
    ann, _, other = market_ids(pool)
    person = person_holding(service, other, 2_000)
    service.credit(person.id, 10_000)
    shares = held(person)[other]["amount"] // 100 * 100

    def place(market: int, action: str, count: int, price: int) -> dict[str, Any]:
        order = {"market_id": market, "token_type": "YES", "action": action, "shares": count, "price_bps": price}
        placed: dict[str, Any] = expect(person.client.post("/market/orders", json=order), 201)
        return placed

    sale, buy, stays = (
        place(other, "sell", shares, 9900),
        place(other, "buy", 2_000, 100),
        place(ann, "buy", 1_000, 100),
    )
    assert held(person)[other]["reserved_shares"] == shares

    split(service, pool["id"], "Dana")

    shown = {
        one["id"]: (one["status"], one["reason"]) for one in expect(person.client.get("/market/orders"), 200)["orders"]
    }
    assert shown == {sale["id"]: ("cancelled", "split"), buy["id"]: ("cancelled", "split"), stays["id"]: ("open", None)}
    assert held(person)[other]["reserved_shares"] == 0
    (notice,) = [
        one
        for one in expect(person.client.get("/notifications"), 200)["notifications"]
        if one["type"] == "orders_ended"
    ]
    assert notice["params"]["order_count"] == 2
    expect(sell(person, other, "YES", outcomes=4), 201)
