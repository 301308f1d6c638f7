"""A partner's whole day: a key, a float, bets and sales of its users, settlement, and every kopeck accounted for.

Against a running service, with the access token of an admin who is a creator too:

    FOREKNOW_TOKEN=… python examples/partner_day.py http://127.0.0.1:8000

It stops with an error where anything does not add up.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections import Counter

from foreknow_client import Client, ForeknowError, errors, models


def main(url: str, token: str) -> None:
    """Live through the day and print what happened."""
    with Client(url, key=token) as admin:
        check_rights(admin)
        issued = admin.create_partner(name=f"example-{secrets.token_hex(4)}")
        admin.deposit_to_partner(issued.partner, amount_kopecks=100_000)
        pool = open_pool(admin)
        with Client(url, partner_key=issued.key) as partner:
            trade(partner, pool)
            admin.resolve_pool(pool.id, won_side=0)
            take_home(partner)
            reconcile(partner)


def check_rights(admin: Client) -> None:
    """End before anything is made, unless the token may do all of the day."""
    me = admin.get_me()
    try:
        admin.list_partners(limit=1)
    except errors.Forbidden:
        sys.exit("FOREKNOW_TOKEN may not manage partners: it must be an admin's access token; no API key has roles")
    if not me.is_creator:
        sys.exit(f"{me.email} may not create events: make the account a creator first")


def open_pool(admin: Client) -> models.Pool:
    """Create and publish an event with three outcomes, as its creator."""
    outcomes = {
        "market_names": ["Red", "Green", "Blue"],
        "market_probabilities": [0.5, 0.3, 0.2],
        "lmsr_b_kopecks": 50_000,
    }
    pool = models.PoolBody(name="Winner", margin=0.02, metadata=outcomes)
    created = admin.create_event(name="Which colour wins?", pools=[pool])
    return admin.publish_event(created.id).pools[0]


def trade(partner: Client, pool: models.Pool) -> None:
    """Bet for two users and sell a part again; a bet sent twice under one key is one bet."""
    red, green, _ = (market.id for market in pool.markets)
    # How many outcomes the user saw: an order on a list that has grown since is refused.
    seen = len(pool.markets)
    key = secrets.token_hex(16)
    first, again = (
        partner.place_partner_bet(
            external_user_id="anna/1",
            market_id=red,
            side="yes",
            stake_kopecks=5_000,
            outcomes=seen,
            idempotency_key=key,
        )
        for _ in range(2)
    )
    check(first.bet_id == again.bet_id and again.is_replayed, "the same key is the same bet")
    # Without a key of yours, the client makes one for each order, and sends it again until the order's fate is known.
    partner.place_partner_bet(external_user_id="boris", market_id=green, side="yes", stake_kopecks=5_000, outcomes=seen)
    partner.place_partner_bet(external_user_id="boris", market_id=red, side="no", stake_kopecks=5_000, outcomes=seen)
    sale = partner.sell_partner_shares(
        external_user_id="anna/1", market_id=red, side="yes", shares=first.shares // 2, outcomes=seen
    )
    print(f"anna bought {first.shares} shares for 5000 and sold half for {sale.payout_kopecks}")


def take_home(partner: Client) -> None:
    """Withdraw what the users have now back to the float."""
    for user in ("anna/1", "boris"):
        state = partner.get_partner_user(user)
        check(state.positions == [], "everything is settled")
        print(f"{user} ends the day with {state.balance_kopecks} kopecks")
        if state.balance_kopecks:
            partner.withdraw_from_partner_user(user, amount_kopecks=state.balance_kopecks)


def reconcile(partner: Client) -> None:
    """Add up every transaction: the sums must be the balances, to the kopeck."""
    rows = list(partner.iter_statement(limit=3))
    balance = partner.get_partner_balance()
    in_float = sum(row.float_change_kopecks for row in rows)
    with_users = sum(row.balance_change_kopecks for row in rows)
    check(in_float == balance.float_balance_kopecks, "the float is the sum of its changes")
    check(with_users == balance.users_balance_kopecks == 0, "the users' balances are the sum of their changes")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(row.type for row in rows).items()))
    print(f"{len(rows)} transactions ({kinds}) add up to the float of {in_float} kopecks")


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
        main(given.url, token)
    except (ForeknowError, ValueError) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    run()
