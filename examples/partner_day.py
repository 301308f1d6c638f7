"""A partner's whole day: a key, a float, bets and sales of its users, settlement, and every kopeck accounted for.

Against a running service, with the access token of an admin who is a creator too:

    FOREKNOW_TOKEN=… .venv/bin/python examples/partner_day.py http://127.0.0.1:8000

It stops with an error where anything does not add up.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections import Counter
from typing import Any

import httpx


def main(url: str, token: str) -> None:
    """Live through the day and print what happened."""
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=bearer, timeout=30) as admin:
        name = f"example-{secrets.token_hex(4)}"
        key = answer(admin.post("/admin/partners", json={"name": name}))["key"]
        answer(admin.post(f"/admin/partners/{name}/deposit", json={"amount_kopecks": 100_000}))
        pool = open_pool(admin)
        with httpx.Client(base_url=f"{url}/api/v1", headers={"X-Partner-Key": key}, timeout=30) as partner:
            trade(partner, pool)
            answer(admin.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}))
            take_home(partner)
            reconcile(partner)


def open_pool(admin: httpx.Client) -> dict[str, Any]:
    """Create and publish an event with three outcomes, as its creator."""
    outcomes = {
        "market_names": ["Red", "Green", "Blue"],
        "market_probabilities": [0.5, 0.3, 0.2],
        "lmsr_b_kopecks": 50_000,
    }
    event = {"name": "Which colour wins?", "pools": [{"name": "Winner", "margin": 0.02, "metadata": outcomes}]}
    created = answer(admin.post("/events/create-full", json=event))
    pool: dict[str, Any] = answer(admin.post(f"/events/{created['id']}/publish"))["pools"][0]
    return pool


def trade(partner: httpx.Client, pool: dict[str, Any]) -> None:
    """Bet for two users and sell a part again; a bet sent twice under one key is one bet."""
    red, green, _ = (market["id"] for market in pool["markets"])
    bet = {"external_user_id": "anna/1", "market_id": red, "side": "yes", "stake_kopecks": 5_000}
    key = {"Idempotency-Key": secrets.token_hex(16)}
    first, again = (answer(partner.post("/partner/bets", json=bet, headers=key)) for _ in range(2))
    check(first == again, "the same key is the same bet")
    answer(partner.post("/partner/bets", json=bet | {"external_user_id": "boris", "market_id": green}))
    answer(partner.post("/partner/bets", json=bet | {"external_user_id": "boris", "side": "no"}))
    half = {"external_user_id": "anna/1", "market_id": red, "side": "yes", "shares": first["shares"] // 2}
    sale = answer(partner.post("/partner/positions/sell", json=half))
    print(f"anna bought {first['shares']} shares for 5000 and sold half for {sale['payout_kopecks']}")


def take_home(partner: httpx.Client) -> None:
    """Withdraw what the users have now back to the float."""
    for user, path in (("anna/1", "anna%2F1"), ("boris", "boris")):
        state = answer(partner.get(f"/partner/users/{path}"))
        check(state["positions"] == [], "everything is settled")
        print(f"{user} ends the day with {state['balance_kopecks']} kopecks")
        if state["balance_kopecks"]:
            amount = {"amount_kopecks": state["balance_kopecks"]}
            answer(partner.post(f"/partner/users/{path}/withdraw", json=amount))


def reconcile(partner: httpx.Client) -> None:
    """Add up every transaction: the sums must be the balances, to the kopeck."""
    rows: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = answer(
            partner.get("/partner/transactions", params={"limit": 3} | ({"cursor": cursor} if cursor else {}))
        )
        rows += page["transactions"]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    balance = answer(partner.get("/partner/balance"))
    in_float = sum(row["float_change_kopecks"] for row in rows)
    with_users = sum(row["balance_change_kopecks"] for row in rows)
    check(in_float == balance["float_balance_kopecks"], "the float is the sum of its changes")
    check(with_users == balance["users_balance_kopecks"] == 0, "the users' balances are the sum of their changes")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(row["type"] for row in rows).items()))
    print(f"{len(rows)} transactions ({kinds}) add up to the float of {in_float} kopecks")


def answer(response: httpx.Response) -> Any:
    """Return the body of a response; an error ends the script."""
    if not response.is_success:
        sys.exit(f"{response.request.method} {response.request.url}: {response.status_code} {response.text}")
    return response.json()


def check(holds: object, what: str) -> None:
    """End the day where something does not hold."""
    if not holds:
        sys.exit(f"does not hold: {what}")


def run() -> None:
    """Read what was given; wrong usage is exit 2, a service that is not there a line."""
    parser = argparse.ArgumentParser(
        description="Live through a partner's day on a running service.",
        epilog="FOREKNOW_TOKEN must be the access token of an admin there who is a creator too.",
    )
    parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
    given = parser.parse_args()
    token = os.environ.get("FOREKNOW_TOKEN", "")
    if not token:
        parser.error("FOREKNOW_TOKEN is not set: it must be the access token of an admin who is a creator too")
    try:
        main(given.url.rstrip("/"), token)
    except (httpx.TransportError, httpx.InvalidURL) as failure:
        sys.exit(f"{given.url} does not answer ({failure}): is the service running there? bin/foreknow serve starts it")


if __name__ == "__main__":
    run()
