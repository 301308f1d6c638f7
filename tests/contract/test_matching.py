"""Matching over HTTP, beside the contract's rules word for word (orders.md, "Matching"; `tests.support.twin`)."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.service import Service, expect
from tests.support.twin import Twin, lots

UP_AND_DOWN = (
    "orders: 1. An order is *up* if it buys YES or sells NO, else *down*. Its *level* is its price of YES (10000 − "
    "price for NO). Better: up the higher, down the lower level; then the lower id."
)
RESTING_PRICE = (
    "orders: 2. The *resting price* (of YES) that an up order meets on market i is the lower of: the level of the best "
    "down order of i; and, with two or more markets, 10000 − the sum of the levels of the best up orders of all other "
    "markets that have one, if that is 100 … 9900 (a **set**). For a down order: the higher of the best up order's "
    "level of i; and 10000 − the sum of the levels of the best down orders of all other markets, if every one has one "
    "and it is 100 … 9900. At a tie: the order of i."
)
TURNS = (
    "orders: 3. The order goes by turns, while something is left and its limit allows. A turn is one piece of the "
    "**curve** up to the resting price: of a bet or sale the most whole shares, of a limit order the most whole lots, "
    "that do not carry the market past it (none where it is past already); then, at the resting price, as many lots as "
    "it and every order met have left, and as a bet's money pays after the piece. Where that is no lot there is no "
    "turn, and what is left goes on the curve in one last piece, of a limit order as far as its own limit."
)
PIECES = (
    "orders: 4. A piece is priced as a bet or sale is: bought for the fewest whole kopecks that cover it (a bet's last "
    "piece: the most shares for the rest), sold for the floor. Orders met get or pay exactly their own price; the "
    "order that arrived the resting price (of NO: 10000 − it)."
)
WITH_THE_POOL = (
    "orders: 5. All trade with the pool: buys pay into its escrow, sales are paid from it, q moves by what each got. "
    "The pool keeps the outcomes of a set that had no up order; they return to the house with the rest of escrow."
)
SWEEP = (
    "orders: the order's own rest included: market after market, cyclically from the one after the order's (else, and "
    "for baskets and the house, the first); as long as the market's best up or best down order (never both) can take a "
    "whole lot from the curve within its limit, it takes as many as it can, in one piece, at the curve's price; until "
    "all markets in turn were looked at in vain, or after 50 pieces. What could still follow, or waits in a paused "
    "pool, follows in the next sweep."
)


@LONG
@proves(
    "orders: Orders rest in one book with the market maker.",
    UP_AND_DOWN,
    RESTING_PRICE,
    TURNS,
    PIECES,
    WITH_THE_POOL,
    SWEEP,
    "orders: after a sweep that ended, no resting order could take a lot from the curve; escrow ≥ the loss bound + "
    "C(q), so the house's bound is unchanged;",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("probabilities", [[0.2, 0.3, 0.5], [0.5], [0.3, 0.7], [0.1, 0.2, 0.3, 0.4]], ids=len)
def test_every_order_does_what_the_rules_say(service: Service, probabilities: list[float]) -> None:
    random, seen = Random(len(probabilities)), Counter[str]()
    for _ in range(length(short=1, long=20)):
        twin = Twin(service, probabilities=probabilities, b=random.choice((2_000, 6_000)), people=3)
        for _ in range(120):
            found = twin.step(random)
            assert all(twin.world.curve_taker(outcome) is None for outcome in range(len(probabilities)))
            seen["met"] += bool(found.met)
            seen["swept"] += bool(found.swept)
            seen["own"] += any(reason == "self_trade" for _, reason in found.cancelled)
        twin.check()
    # In pools of three and more markets an order makes others cheap that no set has met.
    assert min(seen[kind] for kind in ("met", "own", "swept")[: len(probabilities)]) > 0, seen


@proves(UP_AND_DOWN, PIECES)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("what", "prices"), [("buy NO", (39, 40, 40, 41)), ("buy YES", (39, 40, 40, 41))])
def test_the_better_level_is_met_first_and_then_the_lower_id(
    service: Service, what: str, prices: tuple[int, ...]
) -> None:
    twin = Twin(service, probabilities=[0.5], b=5_000, people=2)
    for price in prices:
        twin.limit(1, 0, what, 10, price)

    found = twin.bet(0, 0, "YES" if what == "buy NO" else "NO", 9_000)

    # Who pays the most gives the other side away the cheapest.
    assert lots(found.met) == [(4, 10), (2, 10), (3, 10), (1, 10)]
    assert [fill.money for fill in found.met] == [410, 400, 400, 390]


@proves(RESTING_PRICE, WITH_THE_POOL)
def test_sets_over_ten_outcomes_are_met_and_the_pool_keeps_what_no_one_wants(service: Service) -> None:
    """Buys of YES at 9 % in eight of ten markets are a counterpart at 28 % of the first; no one wants the last."""
    twin = Twin(service, probabilities=[0.1] * 10, b=5_000, people=3)
    for outcome in range(1, 9):
        twin.limit(1, outcome, "buy YES", 10, 9)

    found = twin.bet(0, 0, "YES", 4_000)

    assert lots(found.met) == [(order_id, 10) for order_id in range(1, 9)]
    assert [fill.money for fill in found.met] == [90] * 8
    twin.check()
    # Nine who buy NO at 90 % sell, each, YES at 10 %: together a counterpart at 10 % of the first, which need all nine.
    for outcome in range(1, 10):
        twin.limit(2, outcome, "buy NO", 10, 90)
    down = twin.limit(1, 0, "buy NO", 400, 92, rests=False)
    assert lots(down.met) == [(order_id, 10) for order_id in range(9, 18)]
    assert [fill.money for fill in down.met] == [900] * 9
    twin.check()


@proves(RESTING_PRICE)
@ONCE
def test_a_set_in_which_one_market_has_no_down_order_is_none(service: Service) -> None:
    for missing in (False, True):
        twin = Twin(service, probabilities=[0.25] * 4, b=50_000, people=2)
        for outcome in (1, 2) if missing else (1, 2, 3):
            twin.limit(1, outcome, "buy NO", 10, 73)
        found = twin.limit(0, 0, "buy NO", 300, 82, rests=False)
        assert [fill.order_id for fill in found.met] == ([] if missing else [1, 2, 3])


@proves(
    TURNS,
    "orders: 7. An order meets at most 100 different orders, its own included. A turn that would meet the 101st is not "
    "begun, its piece neither: the rest of a limit order is cancelled (`fill_limit`), of a bet or sale goes on the "
    "curve in one last piece; its quote and answer say `capped: true` (else false), so that a client can split it.",
)
def test_an_order_meets_a_hundred_others_and_says_so(service: Service) -> None:
    twin = Twin(service, probabilities=[0.5], b=5_000, people=4)
    for number in range(104):
        twin.limit(number % 3, 0, "buy NO", 10, 40 if number < 103 else 39)
    quote: dict[str, Any] = {"market_id": twin.markets[0], "token_type": "YES", "amount_kopecks": 90_000}
    quoted = expect(twin.people[3].client.get("/market/quote", params=quote), 200)
    few = expect(twin.people[3].client.get("/market/quote", params=quote | {"amount_kopecks": 20_000}), 200)

    found = twin.bet(3, 0, "YES", 90_000)

    assert (found.capped, len(found.met)) == (True, 100)
    assert (quoted["capped"], quoted["shares"], few["capped"]) == (True, found.shares, False)
    # Its last piece took the price past the four that are left; a limit order that meets them all has no rest.
    assert not twin.limit(3, 0, "buy NO", 10, 1).met
    twin.check()


@proves(
    "orders: the rest of a limit order is cancelled (`fill_limit`), of a bet or sale goes on the curve in one last "
    "piece",
    "orders: `unfilled` (a fok not whole, an ioc or capped order with nothing)",
)
@ONCE
def test_the_rest_of_a_capped_limit_order_is_cancelled(service: Service) -> None:
    twin = Twin(service, probabilities=[0.5], b=5_000, people=4)
    for number in range(101):
        twin.limit(number % 3, 0, "buy NO", 10, 40)

    found = twin.limit(3, 0, "buy YES", 2_000, 70)

    assert (found.capped, len(found.met), found.rest > 0) == (True, 100, True)
    assert [one.id for one in twin.world.orders] == [101]


@proves("orders: 8. **The others follow.** After each order that traded", SWEEP)
def test_a_sweep_has_fifty_pieces_and_the_next_goes_on(service: Service) -> None:
    """Who bets against the first makes the second dear, where sixty-one wait; no one waits for the third."""
    twin = Twin(service, probabilities=[0.34, 0.33, 0.33], b=200_000, people=4)
    for number in range(61):
        twin.limit(number % 3, 1, "buy NO", 10, 64)

    found = twin.bet(3, 0, "NO", 240_000)

    assert (lots(found.swept), found.finished) == ([(order_id, 10) for order_id in range(1, 51)], False)
    expect(service.creator.client.post(f"/pools/{twin.pool_id}/pause"), 200)
    expect(service.creator.client.post(f"/pools/{twin.pool_id}/resume"), 200)
    assert twin.shown(51)["filled_shares"] == 0
    found = twin.bet(3, 2, "YES", 100)
    assert (lots(found.swept), found.finished) == ([(order_id, 10) for order_id in range(51, 62)], True)
    twin.check()
