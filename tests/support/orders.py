"""Users' orders and quotes, as their browser would send them."""

from __future__ import annotations

from typing import Any

import httpx

from foreknow.kernel.access.callers import UserCaller
from foreknow.money.pricing import Side
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.entry.bet_routes import bet_receipt
from tests.support.service import Person, Service, expect, pool


def open_market(service: Service, *, names: list[str] | None = None, **fields: Any) -> list[int]:
    """Make an event with one pool; return its markets' ids. `fields` are the pool's."""
    event = service.event(pools=[pool(names, **fields)])
    return [market["id"] for market in event["pools"][0]["markets"]]


def bet(person: Person, market: int, side: str, stake: int, **bounds: int) -> httpx.Response:
    """Place a bet and return its answer; `bounds` are `min_shares` and `max_price_bps`."""
    order = {"market_id": market, "token_type": side, "amount_kopecks": stake, **bounds}
    return person.client.post("/market/bets", json=order)


def sell(person: Person, market: int, side: str, shares: int | None = None, **bounds: int) -> httpx.Response:
    """Sell shares, all by default, and return the answer; `bounds` is `min_payout_kopecks`."""
    order: dict[str, Any] = {"market_id": market, "token_type": side, **bounds}
    if shares is not None:
        order["shares"] = shares
    return person.client.post("/market/positions/sell", json=order)


def quote(service: Service, market: int, side: str, **amount: int) -> httpx.Response:
    """Quote a bet (`amount_kopecks`) or a sale (`shares`), as a visitor."""
    return service.client().get("/market/quote", params={"market_id": market, "token_type": side, **amount})


def add_liquidity(client: httpx.Client, pool_id: int, b: int, **fields: Any) -> httpx.Response:
    """Raise a pool's b, at the prices that it has now unless `fields` name others."""
    shown = client.get(f"/pools/{pool_id}")
    markets = shown.json()["markets"] if shown.status_code == 200 else ()
    prices = [market["yes_probability"] for market in markets] or [0.5]
    body = {"lmsr_b_kopecks": b, "probabilities": prices, **fields}
    return client.post(f"/pools/{pool_id}/liquidity", json=body)


def balance(person: Person) -> int:
    """Return a person's balance in kopecks."""
    return int(expect(person.client.get("/users/me"), 200)["balance_kopecks"])


async def at_the_desk(service: Service, person: Person, market_id: int, side: Side, stake_kopecks: int) -> Buy:
    """Return a bet as the desk takes it, for tests that place many at the same moment: over HTTP each costs more."""
    caller = await service.app.services.authenticator.user(person.token)
    assert isinstance(caller, UserCaller)
    return Buy(caller=caller, market_id=market_id, side=side, stake_kopecks=stake_kopecks, receipt=bet_receipt)
