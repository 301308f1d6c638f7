"""A trader's whole day: sign up, read the market, ask for a quote, bet with a limit, sell, and look at the profit.

Against a running service with an open market; the admin's token gives the new trader money to play with:

    FOREKNOW_TOKEN=… .venv/bin/python examples/trader_day.py http://127.0.0.1:8000 MARKET_ID
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from typing import Any

import httpx


def main(url: str, token: str, market_id: int) -> None:
    """Live through the day and print what happened."""
    with httpx.Client(base_url=f"{url}/api/v1", timeout=30) as trader:
        me = sign_up(trader)
        credit = {"amount_kopecks": 50_000, "note": "pocket money"}
        bearer = {"Authorization": f"Bearer {token}"}
        answer(httpx.post(f"{url}/api/v1/admin/users/{me['id']}/credit", json=credit, headers=bearer))
        read_market(trader, market_id)
        bet = place_bet(trader, market_id)
        sell_half(trader, market_id, bet["shares"] // 2)
        look_back(trader)


def sign_up(trader: httpx.Client) -> dict[str, Any]:
    """Make an account; from now on the client sends its token."""
    email = f"trader-{secrets.token_hex(4)}@example.org"
    person = {"email": email, "password": secrets.token_hex(8), "name": "Tara Trader"}
    signed_up = answer(trader.post("/auth/sign-up", json=person))
    # The cookies are for browsers; a script sends the token, and so no request rides on a cookie.
    trader.cookies.clear()
    trader.headers["Authorization"] = f"Bearer {signed_up['access_token']}"
    user: dict[str, Any] = signed_up["user"]
    return user


def read_market(trader: httpx.Client, market_id: int) -> None:
    """Look at the price, the order book and the chart."""
    market = answer(trader.get(f"/markets/{market_id}"))
    book = answer(trader.get(f"/market/orderbook/{market_id}"))
    chart = answer(trader.get(f"/markets/{market_id}/chart"))
    print(f"{market['name']} stands at {market['yes_probability']:.4f}, {len(book['asks'])} asks, {len(chart)} points")


def place_bet(trader: httpx.Client, market_id: int) -> dict[str, Any]:
    """Ask for a quote, then bet on condition that the price is not worse."""
    order: dict[str, Any] = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 10_000}
    quote = answer(trader.get("/market/quote", params=order))
    headers = {"Idempotency-Key": secrets.token_hex(16)}
    bet: dict[str, Any] = answer(
        trader.post("/market/bets", json=order | {"min_shares": quote["shares"]}, headers=headers)
    )
    print(f"bought {bet['shares']} shares at {bet['avg_price']} bps; {bet['balance_kopecks']} kopecks are left")
    return bet


def sell_half(trader: httpx.Client, market_id: int, shares: int) -> None:
    """Sell a part of the position again."""
    sale = answer(
        trader.post("/market/positions/sell", json={"market_id": market_id, "token_type": "YES", "shares": shares})
    )
    print(f"sold {sale['shares']} shares for {sale['payout_kopecks']} kopecks, profit {sale['pnl']}")


def look_back(trader: httpx.Client) -> None:
    """See what is held and what was earned."""
    held = answer(trader.get("/market/positions"))["positions"]
    points = answer(trader.get("/users/me/pnl/chart"))["points"]
    print(f"{len(held)} open position(s) worth {sum(row['value_kopecks'] for row in held)} kopecks")
    print(f"realized today: {points[-1]['pnl']:+.2f} roubles")


def answer(response: httpx.Response) -> Any:
    """Return the body of a response; an error ends the script."""
    if not response.is_success:
        sys.exit(f"{response.request.method} {response.request.url}: {response.status_code} {response.text}")
    return response.json()


def run() -> None:
    """Read what was given; wrong usage is exit 2, a service that is not there a line."""
    parser = argparse.ArgumentParser(
        description="Live through a trader's day on a running service.",
        epilog="FOREKNOW_TOKEN must be the access token of an admin there, who gives the new trader some money.",
    )
    parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
    parser.add_argument("market_id", type=int, help="the id of an open market")
    given = parser.parse_args()
    token = os.environ.get("FOREKNOW_TOKEN", "")
    if not token:
        parser.error("FOREKNOW_TOKEN is not set: it must be the access token of an admin")
    try:
        main(given.url.rstrip("/"), token, given.market_id)
    except (httpx.TransportError, httpx.InvalidURL) as failure:
        sys.exit(f"{given.url} does not answer ({failure}): is the service running there? bin/foreknow serve starts it")


if __name__ == "__main__":
    run()
