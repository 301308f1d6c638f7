"""A trader's whole day: sign up, read the market, ask for a quote, bet with a limit, sell, and look at the profit.

Against a running service with an open market; the admin's token gives the new trader money to play with:

    FOREKNOW_TOKEN=… python examples/trader_day.py http://127.0.0.1:8000 MARKET_ID
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys

from foreknow_client import Client, ForeknowError, errors, models


def main(url: str, token: str, market_id: int) -> None:
    """Live through the day and print what happened."""
    with Client(url, key=token) as admin, Client(url) as trader:
        check_rights(admin)
        me = sign_up(trader)
        admin.credit_user(me.id, amount_kopecks=50_000, note="pocket money")
        outcomes = read_market(trader, market_id)
        bet = place_bet(trader, market_id, outcomes=outcomes)
        sell_half(trader, market_id, bet.shares // 2, outcomes=outcomes)
        look_back(trader)


def check_rights(admin: Client) -> None:
    """End before an account is made that gets no money."""
    try:
        admin.list_users(limit=1)
    except errors.Forbidden:
        sys.exit("FOREKNOW_TOKEN may not credit users: it must be an admin's access token; no API key has roles")


def sign_up(trader: Client) -> models.User:
    """Make an account; from now on the client sends its token."""
    email = f"trader-{secrets.token_hex(4)}@example.org"
    signed_up = trader.sign_up(email=email, password=secrets.token_hex(8), name="Tara Trader")
    trader.use(key=signed_up.access_token)
    return signed_up.user


def read_market(trader: Client, market_id: int) -> int:
    """Look at the price, the order book and the chart; return how many outcomes there are to choose from."""
    market = trader.get_market(market_id)
    book = trader.get_orderbook(market_id)
    chart = trader.get_market_chart(market_id)
    print(f"{market.name} stands at {market.yes_probability:.4f}, {len(book.asks)} asks, {len(chart)} points")
    return len(trader.get_pool(market.pool_id).markets)


def place_bet(trader: Client, market_id: int, *, outcomes: int) -> models.Bet:
    """Ask for a quote, then bet on condition that the price is not worse, and that no outcome has come meanwhile."""
    quote = trader.quote_order(market_id=market_id, token_type="YES", amount_kopecks=10_000, outcomes=outcomes)
    bet = trader.place_bet(
        market_id=market_id, token_type="YES", amount_kopecks=10_000, min_shares=quote.shares, outcomes=outcomes
    )
    print(f"bought {bet.shares} shares at {bet.avg_price} bps; {bet.balance_kopecks} kopecks are left")
    return bet


def sell_half(trader: Client, market_id: int, shares: int, *, outcomes: int) -> None:
    """Sell a part of the position again."""
    sale = trader.sell_shares(market_id=market_id, token_type="YES", shares=shares, outcomes=outcomes)
    print(f"sold {sale.shares} shares for {sale.payout_kopecks} kopecks, profit {sale.pnl}")


def look_back(trader: Client) -> None:
    """See what is held and what was earned."""
    held = list(trader.iter_my_held_positions())
    points = trader.get_my_pnl_chart().points
    print(f"{len(held)} open position(s) worth {sum(position.value_kopecks for position in held)} kopecks")
    print(f"realized today: {points[-1].pnl:+.2f} roubles")


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
        main(given.url, token, given.market_id)
    except (ForeknowError, ValueError) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    run()
