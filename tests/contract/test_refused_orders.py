"""Decisions, "Trading": which orders are refused, in which order of checks; a refused one changes nothing."""

from __future__ import annotations

import pytest

from tests.support.kinds import ONCE
from tests.support.orders import balance, bet, open_market, quote, sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

ORDER = (
    "decisions: Refusals, checked in this order: 404 `market_not_found`; 409 `market_resolved` (cancelled too), "
    "`market_closed` (not active, before `live_at`, past `finish_at`), `market_paused`, `insufficient_shares`; 400 "
    "`amount_too_small`; 409 `market_limit`, `slippage`, `insufficient_funds`, `balance_limit`"
)
BUY_RULE = (
    "decisions: Buy: fee = ceil(stake · margin); the rest buys the most whole shares whose exact cost it covers. Fewer "
    "than 1 share: 400 `amount_too_small`."
)


@proves("decisions: `max_price_bps` is compared exactly: stake · 10000 ≤ max_price_bps · shares.")
@ONCE
@pytest.mark.parametrize("margin", [0, 0.02])
def test_the_bounds_of_a_bet_are_exact(service: Service, margin: float) -> None:
    (market,) = open_market(service, b=50_000, margin=margin)
    person = service.user(balance_kopecks=100_000)
    shares = expect(quote(service, market, "YES", amount_kopecks=1_000), 200)["shares"]
    least_price = -(-1_000 * 10_000 // shares)

    refused(bet(person, market, "YES", 1_000, min_shares=shares + 1), 409, "slippage")
    refused(bet(person, market, "YES", 1_000, max_price_bps=least_price - 1), 409, "slippage")
    refused(bet(person, market, "YES", 1_000, min_shares=shares, max_price_bps=least_price - 1), 409, "slippage")
    assert balance(person) == 100_000
    expect(bet(person, market, "YES", 1_000, min_shares=shares, max_price_bps=least_price), 201)


@proves("decisions: `min_shares`, `min_payout_kopecks` and `max_price_bps` are 1 … 9·10^15.")
@ONCE
def test_the_bound_of_a_sale_is_exact(service: Service) -> None:
    (market,) = open_market(service)
    person = service.user(balance_kopecks=10_000)
    expect(bet(person, market, "NO", 10_000), 201)
    payout = expect(quote(service, market, "NO", shares=5_000), 200)["amount_kopecks"]

    refused(sell(person, market, "NO", 5_000, min_payout_kopecks=payout + 1), 409, "slippage")
    assert expect(sell(person, market, "NO", 5_000, min_payout_kopecks=payout), 201)["payout_kopecks"] == payout
    for bad in (0, -1, 9 * 10**15 + 1):
        refused(sell(person, market, "NO", 1_000, min_payout_kopecks=bad), 400, "bad_request")


@proves(ORDER)
@ONCE
def test_more_shares_than_are_held_are_not_sold(service: Service) -> None:
    market, other = open_market(service, names=["A", "B"])
    person, stranger = service.user(balance_kopecks=1_000), service.user()
    shares = expect(bet(person, market, "YES", 1_000), 201)["shares"]

    error = refused(sell(person, market, "YES", shares + 1), 409, "insufficient_shares")
    assert error["details"] == {"required": shares + 1, "available": shares}
    refused(sell(person, market, "NO", 1), 409, "insufficient_shares")
    refused(sell(person, other, "YES"), 409, "insufficient_shares")
    refused(sell(stranger, market, "YES"), 409, "insufficient_shares")
    expect(sell(person, market, "YES", shares), 201)
    refused(sell(person, market, "YES"), 409, "insufficient_shares")


@proves(BUY_RULE)
@ONCE
def test_less_than_a_share_or_a_kopeck_is_too_small(service: Service) -> None:
    (dear,) = open_market(service, probabilities=[0.9999], b=100, margin=0.5)
    person = service.user(balance_kopecks=1_000)

    refused(bet(person, dear, "YES", 1), 400, "amount_too_small")
    # Of 2 kopecks, 1 is the fee; the other buys a share even here, since no share costs a whole kopeck.
    assert expect(bet(person, dear, "YES", 2), 201)["shares"] == 1
    refused(sell(person, dear, "YES", 1), 400, "amount_too_small")
    expect(bet(person, dear, "NO", 2), 201)
    refused(sell(person, dear, "NO", 1), 400, "amount_too_small")


@proves(ORDER)
@ONCE
def test_errors_come_in_their_order(service: Service) -> None:
    event = service.event(pools=[pool(b=100), pool(b=100), pool(b=100, live_at="2099-01-01T00:00:00Z")])
    resolved, paused, later = ((each["id"], each["markets"][0]["id"]) for each in event["pools"])
    creator = service.creator.client
    person = service.user()
    rich = service.user(balance_kopecks=100_000)
    expect(bet(rich, resolved[1], "YES", 50), 201)
    expect(bet(rich, paused[1], "YES", 50), 201)
    # Each order below has everything wrong that comes later too: no money, no shares, a bound out of reach.
    for pool_id in (resolved[0], paused[0], later[0]):
        expect(creator.post(f"/pools/{pool_id}/pause"), 200)
    expect(creator.post(f"/pools/{resolved[0]}/resolve", json={"won_side": 0}), 200)

    for market, status, code in (
        (999_999_999, 404, "market_not_found"),
        (resolved[1], 409, "market_resolved"),
        (later[1], 409, "market_closed"),
        (paused[1], 409, "market_paused"),
    ):
        refused(bet(person, market, "YES", 1, min_shares=10**9), status, code)
        refused(sell(person, market, "YES", 5, min_payout_kopecks=10**9), status, code)
        refused(quote(service, market, "YES", amount_kopecks=1), status, code)
        refused(quote(service, market, "YES", shares=1), status, code)
    expect(creator.post(f"/pools/{paused[0]}/resume"), 200)
    market = paused[1]
    refused(sell(person, market, "YES", 1, min_payout_kopecks=10**9), 409, "insufficient_shares")
    refused(sell(rich, market, "YES", 1, min_payout_kopecks=10**9), 400, "amount_too_small")
    refused(sell(rich, market, "YES", 10, min_payout_kopecks=10**9), 409, "slippage")
    refused(bet(person, market, "YES", 50, min_shares=10**9), 409, "slippage")
    refused(bet(person, market, "YES", 50), 409, "insufficient_funds")


@proves("decisions: |q_yes_i|, |q_no_i| ≤ 10^15 after the trade (over it: 409 `market_limit`)", ORDER)
@ONCE
def test_a_market_holds_no_more_than_its_limit(service: Service) -> None:
    (market,) = open_market(service, b=10**12)
    person = service.user(balance_kopecks=5 * 10**15)
    # At a price that nears one, a kopeck buys a share: 10^15 kopecks and some buy over 10^15 shares.
    refused(bet(person, market, "YES", 2 * 10**15, min_shares=9 * 10**15), 409, "market_limit")
    refused(quote(service, market, "YES", amount_kopecks=2 * 10**15), 409, "market_limit")
    refused(bet(service.user(), market, "YES", 2 * 10**15), 409, "market_limit")
    shares = expect(bet(person, market, "YES", 9 * 10**14), 201)["shares"]
    assert 9 * 10**14 < shares <= 10**15


@proves(ORDER)
@ONCE
def test_a_cancelled_market_is_resolved(service: Service) -> None:
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    expect(bet(person, market, "YES", 100), 201)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)

    refused(bet(person, market, "YES", 100), 409, "market_resolved")
    refused(sell(person, market, "YES"), 409, "market_resolved")
    refused(quote(service, market, "YES", amount_kopecks=100), 409, "market_resolved")


@proves("decisions: User endpoints; money from the user's own balance.")
def test_a_refused_order_changes_nothing(service: Service) -> None:
    (market,) = open_market(service)
    person = service.user(balance_kopecks=99)
    before = expect(service.client().get(f"/markets/{market}"), 200)

    refused(bet(person, market, "YES", 100), 409, "insufficient_funds")
    assert expect(service.client().get(f"/markets/{market}"), 200) == before
    assert balance(person) == 99
    assert expect(person.client.get("/market/positions"), 200)["positions"] == []
    chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
    assert {point["probability"] for point in chart} == {0.5}
