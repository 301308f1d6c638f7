"""Baskets, "Orders": what is refused, in which order, and who sees a basket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from tests.support.baskets import CHECK_PRIORS, change, changes_body, markets_of, open_pool, quote, stake
from tests.support.kinds import ONCE
from tests.support.orders import balance, bet
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.service import pool as described_pool

FORMS = (
    "baskets: POST /market/baskets (takes an Idempotency-Key), exactly one of two forms; all markets of one pool with "
    "two or more, each named once:"
)


@proves(
    FORMS,
    "baskets: Refusals: 400 for what the body alone shows (a market twice, `given` without T or no larger);",
    "baskets: `shares`: −9·10^15 … 9·10^15, not 0;",
    "baskets: 1. **Stake**: `{market_ids, given?, amount_kopecks, min_shares?}`. T = `market_ids`, 1 … n−1 of them; G "
    "= `given`, a proper superset of T but not all; left out: all.",
    "baskets: 2. **Changes**: `{changes: [1 … 100 of {market_id, shares}], min_net_kopecks?}`.",
    "baskets: `min_net_kopecks` (−9·10^15 … 9·10^15) bounds it from below.",
)
@ONCE
def test_what_the_body_alone_shows_is_refused(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    person = service.user(balance_kopecks=10_000)
    one = changes_body({markets[0]: 10})
    bodies: list[dict[str, Any]] = [
        {},
        {"market_ids": markets[:1]},
        {"amount_kopecks": 100},
        {"market_ids": [], "amount_kopecks": 100},
        {"market_ids": markets[:1], "amount_kopecks": 0},
        {"market_ids": [markets[0], markets[0]], "amount_kopecks": 100},
        {"market_ids": markets[:2], "given": markets[:2], "amount_kopecks": 100},
        {"market_ids": markets[:2], "given": markets[1:4], "amount_kopecks": 100},
        {"market_ids": markets[:1], "given": [markets[0], markets[1], markets[1]], "amount_kopecks": 100},
        {"market_ids": markets[:1], "amount_kopecks": 100, **one},
        {"market_ids": markets[:1], "amount_kopecks": 100, "min_net_kopecks": -100},
        {"min_net_kopecks": -100},
        one | {"min_shares": 1},
        one | {"given": markets[:2]},
        {"changes": []},
        {"changes": one["changes"] * 2},
        {"changes": [{"market_id": market, "shares": 1} for market in range(1, 102)]},
        changes_body({markets[0]: 0}),
        changes_body({markets[0]: 9 * 10**15 + 1}),
        changes_body({markets[0]: -9 * 10**15 - 1}),
        one | {"min_net_kopecks": 9 * 10**15 + 1},
        one | {"min_net_kopecks": -9 * 10**15 - 1},
        {"changes": [{"market_id": markets[0], "shares": 10, "side": "NO"}]},
    ]
    for body in bodies:
        refused(person.client.post("/market/baskets", json=body), 400, "bad_request")
        refused(quote(person.client, body), 400, "bad_request")
    expect(person.client.post("/market/baskets", json=one | {"market_ids": None, "min_net_kopecks": -9 * 10**15}), 201)


@proves(
    "baskets: 404 `market_not_found`; 400 `bad_request` for markets of several pools, a pool of one market, T or G all "
    "of it; then in the order of Trading; x, s or a payout under 1: `amount_too_small`."
)
@ONCE
def test_what_the_markets_show_is_refused(service: Service) -> None:
    pool = open_pool(service, CHECK_PRIORS, margin=0.5)
    markets, others = markets_of(pool), markets_of(open_pool(service, [0.5, 0.5]))
    hidden = markets_of(service.event(publish=False, pools=[{"name": "Draft", "metadata": {}}])["pools"][0])
    (single,) = markets_of(service.event()["pools"][0])
    person = service.user(balance_kopecks=10_000)
    unknown = 2**62

    def send(body: dict[str, Any], status: int, code: str) -> None:
        refused(person.client.post("/market/baskets", json=body), status, code)
        refused(quote(person.client, body), status, code)

    send(changes_body({unknown: 10}), 404, "market_not_found")
    send(changes_body({markets[0]: 10, unknown: 10}), 404, "market_not_found")
    send(changes_body({hidden[0]: 10}), 404, "market_not_found")
    send(changes_body({markets[0]: 10, hidden[0]: 10}), 404, "market_not_found")
    send(changes_body({markets[0]: 10, others[0]: 10}), 400, "bad_request")
    send({"market_ids": markets[:1], "given": [markets[0], others[0]], "amount_kopecks": 100}, 400, "bad_request")
    send(changes_body({single: 10}), 400, "bad_request")
    send({"market_ids": markets, "amount_kopecks": 100}, 400, "bad_request")
    send({"market_ids": markets[:1], "given": markets, "amount_kopecks": 100}, 400, "bad_request")

    # All of the stake is its fee; no share; no kopeck.
    send({"market_ids": markets[:1], "amount_kopecks": 1}, 400, "amount_too_small")
    expect(stake(person, markets[:4], 5_000), 201)
    send(changes_body({markets[0]: -1}), 400, "amount_too_small")

    # In the order of Trading: shares, size, the limit of a market, slippage, money.
    refused(change(person, {markets[4]: -1, markets[0]: 10**15}), 409, "insufficient_shares")
    refused(change(person, {markets[0]: 10**15}, min_net_kopecks=0), 409, "market_limit")
    refused(change(person, {markets[0]: 10**9}, min_net_kopecks=0), 409, "slippage")
    answer = refused(change(person, {markets[0]: 10**6}), 409, "insufficient_funds")
    assert answer["details"]["available"] == 5_000
    refused(stake(person, markets[:1], 100, min_shares=10**6), 409, "slippage")
    assert balance(person) == 5_000

    expect(service.creator.client.post(f"/pools/{pool['id']}/pause"), 200)
    refused(stake(person, markets[:1], 10**9), 409, "market_paused")


@proves(
    "baskets: 404 `market_not_found`; 400 `bad_request` for markets of several pools, a pool of one market, T or G all "
    "of it; then in the order of Trading; x, s or a payout under 1: `amount_too_small`.",
    "baskets: refused as the order would be, without `insufficient_funds`, `insufficient_shares` and `balance_limit`.",
)
@ONCE
def test_markets_of_several_pools_are_refused_by_what_their_trader_may_see_now(service: Service) -> None:
    draft = service.event(publish=False, pools=[described_pool(["A", "B", "C"]), described_pool(["D", "E"])])
    first, second = (markets_of(one) for one in draft["pools"])
    public = markets_of(open_pool(service, CHECK_PRIORS))
    stranger, partner = service.user(balance_kopecks=10_000), service.partner(float_kopecks=10_000)

    def send(client: httpx.Client, markets: Sequence[int], status: int, code: str) -> None:
        body = changes_body(dict.fromkeys(markets, 10))
        refused(client.post("/market/baskets", json=body), status, code)
        refused(quote(client, body), status, code)

    def send_all(status: int, code: str) -> None:
        for markets in ([first[0], second[0]], [public[0], first[1]], [second[1], public[0]]):
            send(stranger.client, markets, status, code)
            body = {"external_user_id": "1"} | changes_body(dict.fromkeys(markets, 10))
            refused(partner.client.post("/partner/baskets", json=body), status, code.upper())
            refused(partner.client.post("/partner/baskets/quote", json=body), status, code.upper())
            send(service.creator.client, markets, 400, "bad_request")
            send(service.admin, markets, 400, "bad_request")

    for market in (*first, *second):
        refused(bet(stranger, market, "YES", 100), 404, "market_not_found")
    send_all(404, "market_not_found")
    expect(service.creator.client.post(f"/events/{draft['id']}/publish"), 200)
    send_all(400, "bad_request")


@proves("baskets: 400 `invalid_basket_id`, 404 `basket_not_found` (another's too).")
def test_a_basket_is_shown_to_its_owner_alone(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    owner, other = service.user(balance_kopecks=1_000), service.user()
    basket_id = expect(stake(owner, markets[:2], 500), 201)["id"]

    refused(other.client.get(f"/market/baskets/{basket_id}"), 404, "basket_not_found")
    refused(owner.client.get(f"/market/baskets/{2**62}"), 404, "basket_not_found")
    refused(owner.client.get("/market/baskets/0"), 400, "invalid_basket_id")
    refused(service.client().get(f"/market/baskets/{basket_id}"), 401, "unauthorized")
