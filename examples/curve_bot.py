"""A bot that moves a number or a date to a curve: write down what you expect, and it buys what is too cheap.

    FOREKNOW_TOKEN=fku_… python examples/curve_bot.py http://127.0.0.1:8000 POOL 1 2 4 6 4 2 1

gives each outcome of the pool its weight, in order, and spends at most --budget kopecks, in one order.
"""

import argparse
import os
import sys

from foreknow_client import Client, ForeknowError, baskets
from foreknow_client.pricing import PoolState

parser = argparse.ArgumentParser(description="Move a pool to a distribution.")
parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
parser.add_argument("pool", type=int, help="the pool's id")
parser.add_argument("weights", type=float, nargs="+", help="of each outcome, over 0; they need not sum to 1")
parser.add_argument("--budget", type=int, default=1_000, help="kopecks, fee included")
asked = parser.parse_args()

try:
    with Client(asked.url, key=os.environ["FOREKNOW_TOKEN"]) as client:
        pool = client.get_pool(asked.pool)
        for one in client.iter_clarifications(pool.id):
            print(f"the rules were made clearer: {one.text}")
        state = PoolState.of(pool)
        shares = baskets.towards(state, asked.weights, asked.budget)
        if -baskets.change(state, shares).net_kopecks < 1:
            sys.exit("the market expects the same")
        basket = client.place_basket(
            changes=baskets.changes(pool, shares), min_net_kopecks=-asked.budget, outcomes=len(pool.markets)
        )
        print(f"bought {len(basket.legs)} outcomes for {-basket.net_kopecks} kopecks")
        for market, chance in zip(pool.markets, basket.probabilities_after, strict=True):
            print(f"{market.name}: {market.yes_probability:.1%} → {chance:.1%}")
except (ForeknowError, ValueError) as failure:
    sys.exit(str(failure))
