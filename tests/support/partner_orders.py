"""A partner's orders and what it is shown, as its own server would ask for them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from tests.support.service import PartnerAccount, Service, expect, pool


def a_market(service: Service, **fields: Any) -> int:
    """Make an event with one market; return the market's id. `fields` are the pool's."""
    return int(service.event(pools=[pool(**fields)])["pools"][0]["markets"][0]["id"])


def bet(
    partner: PartnerAccount, user: str, market: int, stake: int, *, side: str = "yes", **bounds: int
) -> httpx.Response:
    """Place a bet for a user and return its answer; `bounds` are `min_shares` and `max_price_bps`."""
    order = {"external_user_id": user, "market_id": market, "side": side, "stake_kopecks": stake, **bounds}
    return partner.client.post("/partner/bets", json=order)


def sell(partner: PartnerAccount, user: str, market: int, *, side: str = "yes", **fields: int) -> httpx.Response:
    """Sell what a user holds and return the answer; `fields` are `shares` (all) and `min_payout_kopecks`."""
    order = {"external_user_id": user, "market_id": market, "side": side, **fields}
    return partner.client.post("/partner/positions/sell", json=order)


def state(partner: PartnerAccount, user: str) -> Any:
    """Return what the partner is shown of a user."""
    return expect(partner.client.get(f"/partner/users/{quote(user, safe='')}"), 200)


def balances(partner: PartnerAccount) -> tuple[int, int]:
    """Return the float and what all users of the partner have together, in kopecks."""
    shown = expect(partner.client.get("/partner/balance"), 200)
    assert shown["total_kopecks"] == shown["float_balance_kopecks"] + shown["users_balance_kopecks"]
    return shown["float_balance_kopecks"], shown["users_balance_kopecks"]
