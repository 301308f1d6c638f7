"""Baskets, "Orders": what placing and quoting one answers, to which kopeck, and what is refused."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.support.baskets import (
    CHECK_B,
    CHECK_PRIORS,
    JOINT,
    BasketBook,
    Priced,
    change,
    changes_body,
    markets_of,
    open_pool,
    quote,
    stake,
)
from tests.support.book import bps
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance, bet, sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.sign_in import with_key

STAKE_RULE = (
    "baskets: With s = the stake less its fee (as of a bet), b the present one and r the sums of the present prices: "
    "buys x = floor(b · log1p(expm1(s/b) · r_G/r_T)) YES of each in T, exactly, and s YES of each outside G."
)
FORMS = (
    "baskets: POST /market/baskets (takes an Idempotency-Key), exactly one of two forms; all markets of one pool with "
    "two or more, each named once:"
)


def shown_legs(basket: dict[str, Any], markets: list[int]) -> dict[int, tuple[int, int]]:
    """Return what a basket's answer says of each outcome: shares, and money."""
    legs = [(markets.index(leg["market_id"]), leg["shares"], leg["amount_kopecks"]) for leg in basket["legs"]]
    assert legs == sorted(legs), "legs are in outcome order"
    return {outcome: (shares, kopecks) for outcome, shares, kopecks in legs}


def check(basket: dict[str, Any], priced: Priced, markets: list[int]) -> None:
    """Compare an answer with the formulas."""
    assert shown_legs(basket, markets) == priced.legs
    money = (basket["payout_kopecks"], basket["cost_kopecks"], basket["fee_kopecks"], basket["net_kopecks"])
    assert money == (priced.payout, priced.cost, priced.fee, priced.payout - priced.cost - priced.fee)
    assert basket["probabilities_before"] == pytest.approx(priced.before, abs=1e-14)
    assert basket["probabilities_after"] == pytest.approx(priced.after, abs=1e-14)


@proves(
    "baskets: Check, margin 0, b 1000, priors 0.1, 0.2, 0.4, 0.2, 0.1: 500 on outcomes 1 and 2 buys 732 of each (166 "
    "and 334), prices then 0.0607, 0.2524, 0.5048, 0.1214, 0.0607; then changes −200 of 1, +300 of 3, +100 of 4: cost "
    "48 (42 and 6), payout 44, net −4, prices 0.0605, 0.2060, 0.5032, 0.1634, 0.0669.",
    "baskets: → 201 `{id, pool_id, legs: [{market_id, shares, amount_kopecks, pnl}], payout_kopecks, cost_kopecks, "
    "fee_kopecks, net_kopecks, avg_price (of form 1 as of a bet: stake over x; else null), probabilities_before, "
    "probabilities_after, balance_kopecks, created_at}`; `cost` without the fee (of form 1: s).",
    "baskets: Legs in outcome order; `shares` are negative where sold, `amount_kopecks` its part of the payout, or of "
    "cost and fee, `pnl` null where bought.",
    "baskets: GET /market/baskets/{id}, GET /partner/baskets/{id}: the answer as it was given, without the balances;",
)
def test_the_contracts_range_comes_out_to_the_kopeck(service: Service) -> None:
    pool = open_pool(service, CHECK_PRIORS)
    markets = markets_of(pool)
    person = service.user(balance_kopecks=10_000)

    first = expect(stake(person, markets[1:3], 500), 201)
    assert first == {
        "id": first["id"],
        "pool_id": pool["id"],
        "legs": [
            {"market_id": markets[1], "shares": 732, "amount_kopecks": 166, "pnl": None},
            {"market_id": markets[2], "shares": 732, "amount_kopecks": 334, "pnl": None},
        ],
        "payout_kopecks": 0,
        "cost_kopecks": 500,
        "fee_kopecks": 0,
        "net_kopecks": -500,
        "avg_price": bps(500, 732),
        "probabilities_before": pytest.approx(CHECK_PRIORS, abs=1e-15),
        "probabilities_after": pytest.approx([0.0607, 0.2524, 0.5048, 0.1214, 0.0607], abs=5e-5),
        "balance_kopecks": 9_500,
        "created_at": first["created_at"],
    }

    second = expect(change(person, {markets[1]: -200, markets[3]: 300, markets[4]: 100}), 201)
    assert second["legs"] == [
        {"market_id": markets[1], "shares": -200, "amount_kopecks": 44, "pnl": 44 - 166 * 200 // 732},
        {"market_id": markets[3], "shares": 300, "amount_kopecks": 42, "pnl": None},
        {"market_id": markets[4], "shares": 100, "amount_kopecks": 6, "pnl": None},
    ]
    money = (second["payout_kopecks"], second["cost_kopecks"], second["fee_kopecks"], second["net_kopecks"])
    assert (money, second["avg_price"]) == ((44, 48, 0, -4), None)
    assert second["probabilities_before"] == first["probabilities_after"]
    assert second["probabilities_after"] == pytest.approx([0.0605, 0.2060, 0.5032, 0.1634, 0.0669], abs=5e-5)
    assert (second["balance_kopecks"], balance(person)) == (9_496, 9_496)

    for placed in (first, second):
        kept = {name: value for name, value in placed.items() if name != "balance_kopecks"}
        assert expect(person.client.get(f"/market/baskets/{placed['id']}"), 200) == kept


@proves(
    "baskets: Joint of two yes/no questions A, B (A·B 0.3, A·not B 0.2, not A·B 0.1, neither 0.4): 500 on A·B given A "
    "buys 732 of A·B and 500 of each without A (262, 48 and 190); B if A goes from 0.6 to 0.7572, B if not A stays "
    "0.2, A goes from 0.5 to 0.4998 (by rounding down alone).",
    "baskets: So it pays x if T, gives s back if not G, and nothing else; among the outcomes of G and among those "
    'outside, all ratios but T\'s stay: "B if A" moves the price of B if A alone.',
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("wins", "back"), [(0, 732), (1, 0), (2, 500), (3, 500)])
def test_the_contracts_condition_comes_out_to_the_kopeck(service: Service, wins: int, back: int) -> None:
    pool = open_pool(service, [0.3, 0.2, 0.1, 0.4], shape=JOINT)
    markets = markets_of(pool)
    person = service.user(balance_kopecks=500)

    placed = expect(stake(person, markets[:1], 500, given=markets[:2]), 201)

    assert shown_legs(placed, markets) == {0: (732, 262), 2: (500, 48), 3: (500, 190)}
    after = placed["probabilities_after"]
    a = after[0] + after[1]
    assert (after[0] / a, after[2] / (1 - a), a) == pytest.approx((0.7572, 0.2, 0.4998), abs=5e-5)

    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": wins}), 200)
    assert balance(person) == back


@proves(STAKE_RULE)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("seed", "b", "margin", "markets_count"),
    [(1, 1_000, 0.0, 5), (2, 777, 0.07, 3), (3, 50_000, 0.02, 40), (4, 100, 0.5, 2)],
)
def test_a_series_of_baskets_bets_and_sales_is_priced_to_the_kopeck(
    service: Service, seed: int, b: int, margin: float, markets_count: int
) -> None:
    chance = random.Random(seed)
    weights = [chance.randint(1, 20) for _ in range(markets_count)]
    priors = [weight / sum(weights) for weight in weights]
    priors[-1] = 1 - sum(priors[:-1])
    markets = markets_of(open_pool(service, priors, b=b, margin=margin))
    book = BasketBook(b=b, probabilities=priors, margin=margin)
    person = service.user(balance_kopecks=10**9)
    held = dict.fromkeys(range(markets_count), 0)
    cash = 10**9
    for _ in range(25):
        kind = chance.choice(["stake", "given", "change", "change", "bet", "sell"])
        chosen = chance.sample(range(markets_count), chance.randint(1, markets_count - 1))
        if kind == "bet":
            placed = expect(bet(person, markets[chosen[0]], "YES", b // 3), 201)
            assert placed["shares"] == book.buy(chosen[0], "YES", b // 3)
            held[chosen[0]] += placed["shares"]
            cash -= b // 3
            continue
        if kind == "sell":
            outcome = max(held, key=held.__getitem__)
            if held[outcome] > 10:
                sold = expect(sell(person, markets[outcome], "YES", held[outcome] // 2), 201)
                assert sold["payout_kopecks"] == book.sell(outcome, "YES", held[outcome] // 2)
                held[outcome] -= held[outcome] // 2
                cash += sold["payout_kopecks"]
            continue
        if kind == "change":
            changes = {one: chance.randint(1, b) * chance.choice([1, -1]) for one in chosen}
            changes = {one: shares if shares > 0 else -min(held[one], -shares) for one, shares in changes.items()}
            changes = {one: shares for one, shares in changes.items() if (shares and shares < -9) or shares > 0}
            if not changes:
                continue
            answer = change(person, {markets[one]: shares for one, shares in changes.items()})
            if min(changes.values()) < 0 and copy.deepcopy(book).change(changes).payout < 1:
                refused(answer, 400, "amount_too_small")
                continue
            placed, priced = expect(answer, 201), book.change(changes)
        else:
            inner = chosen[: chance.randint(1, len(chosen))]
            given = chosen if kind == "given" and len(inner) < len(chosen) else None
            more = {} if given is None else {"given": [markets[one] for one in given]}
            amount = chance.randint(10, 2 * b)
            placed = expect(stake(person, [markets[one] for one in inner], amount, **more), 201)
            priced = book.stake(inner, amount, given)
            assert placed["avg_price"] == bps(amount, priced.legs[inner[0]][0])
        check(placed, priced, markets)
        cash += placed["net_kopecks"]
        assert placed["balance_kopecks"] == cash
        for outcome, (shares, _) in priced.legs.items():
            held[outcome] += shares
    shown = expect(person.client.get("/market/positions?limit=100"), 200)["positions"]
    assert {row["market_id"]: row["amount"] for row in shown} == {
        markets[one]: count for one, count in held.items() if count
    }


@proves(
    "baskets: POST /market/baskets/quote (auth optional, a key of any scope; no Idempotency-Key): the same body → the "
    "same without `id, legs[].pnl, balance_kopecks, created_at`, refused as the order would be, without "
    "`insufficient_funds`, `insufficient_shares` and `balance_limit`.",
)
def test_a_quote_is_what_the_basket_would_get(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS, margin=0.03))
    person = service.user(balance_kopecks=10_000)
    bodies: list[dict[str, Any]] = [
        {"market_ids": markets[1:3], "amount_kopecks": 700},
        {"market_ids": markets[:1], "given": markets[:2], "amount_kopecks": 100},
        changes_body({markets[1]: -100, markets[4]: 250}),
    ]
    keys = [with_key(service, person, scope=scope) for scope in ("read", "trade")]
    for body in bodies:
        quoted = expect(quote(service.client(), body), 200)
        for client in (person.client, *keys):
            assert expect(quote(client, body), 200) == quoted
        placed = expect(person.client.post("/market/baskets", json=body), 201)
        for leg in placed["legs"]:
            del leg["pnl"]
        assert quoted == {name: placed[name] for name in quoted}
        assert placed.keys() - quoted.keys() == {"id", "balance_kopecks", "created_at"}

    # An Idempotency-Key means nothing to it: what it gets is of now.
    for outcome in (1, 2):
        headers = {"Idempotency-Key": "again"}
        body = {"market_ids": [markets[outcome]], "amount_kopecks": 100}
        answer = service.client().post("/market/baskets/quote", json=body, headers=headers)
        assert [leg["market_id"] for leg in expect(answer, 200)["legs"]] == [markets[outcome]]
    stranger = service.user()
    expect(quote(stranger.client, changes_body({markets[0]: -400})), 200)
    expect(quote(stranger.client, {"market_ids": markets[:1], "amount_kopecks": 10**7}), 200)
    # b 1000: a share more than a kopeck's worth is sold for none.
    refused(quote(stranger.client, changes_body({markets[0]: -1})), 400, "amount_too_small")
    refused(quote(stranger.client, {"market_ids": markets[:1], "amount_kopecks": 10**16 - 1}), 400, "bad_request")
    refused(quote(stranger.client, changes_body({markets[0]: 10**15 + 1})), 409, "market_limit")
    too_many = {"market_ids": markets[:2], "amount_kopecks": 700, "min_shares": 10**6}
    refused(quote(stranger.client, too_many), 409, "slippage")


@proves(
    "baskets: What its sales bring pays for its purchases: funds and `balance_limit` are of the net.",
    "baskets: First all purchases, as one piece: cost = ceil(b · ln Σ p_i·exp(x_i/b)), fee = ceil(cost · margin / (1 − "
    "margin)). Then all sales, as one piece, at the prices after that: payout = floor(−b · ln Σ p_i·exp(−y_i/b)). "
    "`net_kopecks` = payout − cost − fee;",
    "baskets: negative ones sell YES that is held (NO is not touched).",
)
def test_a_basket_is_paid_by_what_it_sells(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS, margin=0.02))
    book = BasketBook(b=CHECK_B, probabilities=CHECK_PRIORS, margin=0.02)
    person = service.user(balance_kopecks=1_000)
    expect(stake(person, markets[2:3], 1_000), 201)
    held = book.stake([2], 1_000).legs[2][0]
    refused(bet(person, markets[0], "NO", 100), 409, "insufficient_funds")

    swap = {markets[2]: -held, markets[1]: 400}
    answer = refused(change(person, {markets[2]: -held, markets[1]: 5_000}), 409, "insufficient_funds")
    assert answer["details"]["available"] == 0
    placed = expect(change(person, swap), 201)
    check(placed, book.change({2: -held, 1: 400}), markets)
    assert placed["net_kopecks"] == balance(person) > 0
    pnl = {leg["market_id"]: leg["pnl"] for leg in placed["legs"]}
    assert pnl == {markets[1]: None, markets[2]: placed["payout_kopecks"] - 1_000}
    shown = expect(person.client.get("/market/positions"), 200)["positions"]
    assert [(row["market_id"], row["amount"]) for row in shown] == [(markets[1], 400)]


@proves(FORMS)
def test_a_baskets_key_executes_it_once(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    person = service.user(balance_kopecks=1_000)
    body = {"market_ids": markets[:2], "amount_kopecks": 300}
    headers = {"Idempotency-Key": "one-basket-once"}
    shots = [("POST", "/market/baskets", {"json": body, "headers": headers})] * 5
    answers = service.together(shots, tokens=[person.token])
    assert len({expect(answer, 201)["id"] for answer in answers}) == 1
    again = person.client.post("/market/baskets", json=body, headers=headers)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    refused(
        person.client.post("/market/baskets", json=body | {"amount_kopecks": 301}, headers=headers),
        422,
        "idempotency_key_reused",
    )
    assert balance(person) == 700


@proves(
    "baskets: On the curve alone (orders.md), form 1 of one market without `given` is that bet; a change that sells "
    "alone is that sale, one that buys x alone costs the least stake of a bet that gets x or more."
)
@ONCE
def test_one_market_alone_is_a_bet_or_a_sale(service: Service) -> None:
    pools = [markets_of(open_pool(service, CHECK_PRIORS)) for _ in range(2)]
    by_basket, by_bet = (service.user(balance_kopecks=10_000) for _ in range(2))

    basket = expect(stake(by_basket, pools[0][1:2], 345), 201)
    placed = expect(bet(by_bet, pools[1][1], "YES", 345), 201)
    assert basket["legs"][0]["shares"] == placed["shares"]
    assert basket["avg_price"] == placed["avg_price"]
    assert basket["probabilities_after"][1] == placed["probability_after"]

    sold = expect(change(by_basket, {pools[0][1]: -123}), 201)
    sale = expect(sell(by_bet, pools[1][1], "YES", 123), 201)
    assert (sold["payout_kopecks"], sold["legs"][0]["pnl"]) == (sale["payout_kopecks"], sale["pnl"])

    bought = expect(change(by_basket, {pools[0][3]: 271}), 201)
    cost = bought["cost_kopecks"]
    expect(bet(by_bet, pools[1][3], "YES", cost, min_shares=271), 201)
    assert expect(quote(by_bet.client, changes_body({pools[1][3]: -1 - 271})), 200)["payout_kopecks"] >= 0


@proves(
    "baskets: All exact as Pricing is: every comparison is one between sums of integers times e^(m/b); x of every "
    "outcome cost x and pay x, a tie."
)
@ONCE
def test_as_many_of_every_outcome_cost_and_pay_as_many(service: Service) -> None:
    markets = markets_of(open_pool(service, [1 / 3, 1 / 3, 1 / 3]))
    person = service.user(balance_kopecks=5_000)
    bought = expect(change(person, dict.fromkeys(markets, 1_234)), 201)
    assert (bought["cost_kopecks"], bought["probabilities_after"]) == (1_234, bought["probabilities_before"])
    assert sum(leg["amount_kopecks"] for leg in bought["legs"]) == 1_234
    sold = expect(change(person, dict.fromkeys(markets, -1_234)), 201)
    assert (sold["payout_kopecks"], balance(person)) == (1_234, 5_000)


@proves(
    "baskets: The payout is split over the sold legs by shares · `probabilities_before`, cost and fee over the bought "
    "ones by shares · `probabilities_after` (before the sweep of orders.md; the doubles of the same answer, as exact "
    "fractions; by shares alone where all are 0), cumulatively: the k-th of a piece's legs gets floor(M·U_k/U) − "
    "floor(M·U_k−1/U), U_k the sum of the first k. A part may be 0."
)
@ONCE
def test_a_part_may_be_nothing(service: Service) -> None:
    markets = markets_of(open_pool(service, [0.001, 0.999]))
    person = service.user(balance_kopecks=5_000)
    placed = expect(change(person, {markets[0]: 5, markets[1]: 1_000}), 201)
    cost = placed["cost_kopecks"]
    assert [leg["amount_kopecks"] for leg in placed["legs"]] == [0, cost]
    positions = expect(person.client.get("/market/positions"), 200)["positions"]
    shown = {row["market_id"]: (row["amount"], row["avg_price"]) for row in positions}
    assert shown == {markets[0]: (5, 0), markets[1]: (1_000, bps(cost, 1_000))}
    sold = expect(change(person, {markets[0]: -5, markets[1]: -1_000}), 201)
    assert [leg["pnl"] for leg in sold["legs"]] == [0, sold["payout_kopecks"] - cost]
