"""Decisions, "Trading" and "Pricing": what quotes, bets and sales answer, and to which kopeck."""

from __future__ import annotations

import random

import pytest

from tests.support.book import Book, bps
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance, bet, open_market, quote, sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

BET = (
    "decisions: POST /market/bets | `{market_id, token_type, amount_kopecks, min_shares?, max_price_bps?}` → 201 `{id, "
    "market_id, token_type, amount_kopecks, fee_kopecks, shares, avg_price, probability_before, probability_after, "
    "balance_kopecks, created_at}`"
)
SALE = (
    "decisions: POST /market/positions/sell | `{market_id, token_type, shares? (all), min_payout_kopecks?}` → 201 "
    "`{id, market_id, token_type, shares, payout_kopecks, avg_price, pnl, probability_before, probability_after, "
    "balance_kopecks, created_at}`"
)
QUOTE = (
    "decisions: exactly one of amount and shares; of a sale, the amount is the payout and the fee 0; refused as the "
    "order would be, without `insufficient_funds` and `insufficient_shares`"
)
BUY_RULE = (
    "decisions: Buy: fee = ceil(stake · margin); the rest buys the most whole shares whose exact cost it covers. Fewer "
    "than 1 share: 400 `amount_too_small`."
)
SELL_RULE = "decisions: Sell: payout = floor(exact value), no fee; under 1 kopeck: 400 `amount_too_small`."
BOTH_SIDES = ("YES", "NO")


@proves(BET, BUY_RULE, "decisions: avg price (bps) of a bet = round(10000 · stake ÷ shares), fee included")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("side", BOTH_SIDES)
def test_a_bet_answers_with_all_that_it_did(service: Service, side: str) -> None:
    (market,) = open_market(service, probabilities=[0.3], b=20_000, margin=0.02)
    book = Book(b=20_000, probabilities=[0.3], margin=0.02)
    person = service.user(balance_kopecks=5_000)
    placed = expect(bet(person, market, side, 1_234), 201)
    shares = book.buy(0, side, 1_234)

    assert placed == {
        "id": placed["id"],
        "market_id": market,
        "token_type": side,
        "amount_kopecks": 1_234,
        "fee_kopecks": 25,
        "shares": shares,
        "avg_price": bps(1_234, shares),
        "probability_before": 0.3,
        "probability_after": pytest.approx(book.probability(0), abs=1e-14),
        "capped": False,
        "balance_kopecks": 5_000 - 1_234,
        "created_at": placed["created_at"],
    }
    assert balance(person) == 5_000 - 1_234


@proves(
    SALE,
    SELL_RULE,
    "decisions: of a sale = round(10000 · payout ÷ shares); halves to even.",
    "decisions: selling x of n shares takes floor(cost · x / n) of it, the last sale or settlement takes the rest",
    "decisions: `pnl` of a sale: its payout less the cost it takes",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("side", BOTH_SIDES)
def test_a_sale_answers_with_all_that_it_did(service: Service, side: str) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=30_000)
    book = Book(b=30_000, probabilities=[0.6])
    person = service.user(balance_kopecks=10_000)
    held = expect(bet(person, market, side, 3_001), 201)["shares"]
    assert held == book.buy(0, side, 3_001)
    cost, cash = 3_001, 10_000 - 3_001
    for part in (held // 3, 1_000, None):
        shares = part or held
        before = book.probability(0)
        sold = expect(sell(person, market, side, part), 201)
        payout = book.sell(0, side, shares)
        taken = cost if part is None else cost * shares // held
        cash += payout
        assert sold == {
            "id": sold["id"],
            "market_id": market,
            "token_type": side,
            "shares": shares,
            "payout_kopecks": payout,
            "avg_price": bps(payout, shares),
            "pnl": payout - taken,
            "probability_before": pytest.approx(before, abs=1e-14),
            "probability_after": pytest.approx(book.probability(0), abs=1e-14),
            "capped": False,
            "balance_kopecks": cash,
            "created_at": sold["created_at"],
        }
        held, cost = held - shares, cost - taken
    assert balance(person) == cash
    shown = expect(service.client().get(f"/markets/{market}"), 200)
    assert (shown["q_yes"], shown["q_no"], shown["yes_probability"]) == (0, 0, pytest.approx(0.6, abs=1e-12))


@proves(
    BUY_RULE,
    SELL_RULE,
    "decisions: the YES probabilities of a pool always sum to 1",
    "decisions: p_i = softmax_i( ln w_i + (q_yes_i − q_no_i) / b )",
    "decisions: In a pool with priors w_i: C(q) = Σ_j q_no_j + b · ln Σ_i w_i · exp((q_yes_i − q_no_i) / b)",
    "decisions: With r = p_i (YES) or 1 − p_i (NO), exact closed forms: cost of x shares = b·log1p(r·expm1(x/b)); "
    "shares for s kopecks = b·log1p(expm1(s/b)/r); payout for x shares = −b·log1p(r·expm1(−x/b)).",
    "decisions: so money, shares and b share one unit, and all three are integers everywhere.",
    "decisions: shares, payouts and values are the floor of the exact number, without tolerance",
    "decisions: `volume`: kopecks of stakes plus payouts of sales.",
    "decisions: `probability_before` and `_after`: the market's YES probability whichever side is traded",
    "decisions: A pool is one question with exclusive outcomes, one market each, priced together (below)",
    "decisions: Creators are trusted with that money",
    "decisions: `FOREKNOW_HOUSE_LIMIT_KOPECKS` (none by default)",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("seed", "b", "priors", "margin"),
    [
        (1, 100, [0.5], 0),
        (2, 1_000, [0.5, 0.5], 0),
        (3, 12_345, [0.2, 0.3, 0.5], 0.07),
        (4, 100_000, [0.0001, 0.9999], 0.02),
        (5, 777, [0.1] * 10, 0.5),
        (6, 10**12, [0.25, 0.75], 0.001),
    ],
)
def test_a_long_series_of_trades_is_priced_to_the_kopeck(
    service: Service, seed: int, b: int, priors: list[float], margin: float
) -> None:
    chance = random.Random(seed)
    names = [f"Outcome {n}" for n in range(len(priors))] if len(priors) > 1 else None
    markets = open_market(service, names=names, probabilities=priors, b=b, margin=margin)
    book = Book(b=b, probabilities=priors, margin=margin)
    person = service.user(balance_kopecks=10**15)
    held: dict[tuple[int, str], int] = {}
    volume = dict.fromkeys(range(len(markets)), 0)
    cash = 10**15
    for _ in range(40):
        outcome, side = chance.randrange(len(markets)), chance.choice(BOTH_SIDES)
        owned = held.get((outcome, side), 0)
        if owned and chance.random() < 0.5:
            shares = chance.choice([owned, chance.randint(1, owned), min(owned, 2)])
            payout = book.value(outcome, side, shares)
            answer = sell(person, markets[outcome], side, shares)
            if payout < 1:
                refused(answer, 400, "amount_too_small")
                continue
            assert expect(answer, 201)["payout_kopecks"] == book.sell(outcome, side, shares)
            held[outcome, side] = owned - shares
            volume[outcome] += payout
            cash += payout
        else:
            stake = int(b ** chance.uniform(0.3, 1.05)) + 1
            placed = expect(bet(person, markets[outcome], side, stake), 201)
            assert placed["fee_kopecks"] == book.fee_kopecks(stake)
            assert placed["shares"] == book.buy(outcome, side, stake)
            held[outcome, side] = owned + placed["shares"]
            volume[outcome] += stake
            cash -= stake
    shown = [expect(service.client().get(f"/markets/{market}"), 200) for market in markets]
    assert [each["volume"] for each in shown] == list(volume.values())
    assert [(each["q_yes"], each["q_no"]) for each in shown] == [
        tuple(held.get((outcome, side), 0) for side in BOTH_SIDES) for outcome in range(len(markets))
    ]
    assert [each["yes_probability"] for each in shown] == pytest.approx(
        [book.probability(outcome) for outcome in range(len(markets))], rel=1e-9, abs=1e-12
    )
    if len(markets) > 1:
        assert sum(each["yes_probability"] for each in shown) == pytest.approx(1, abs=1e-12)
    assert balance(person) == cash


@proves("decisions: Hence a sale or a value of x shares is at most x − 1.", SELL_RULE)
@ONCE
def test_even_certain_shares_sell_for_less_than_they_may_pay(service: Service) -> None:
    (market,) = open_market(service, b=100)
    person = service.user(balance_kopecks=100_000)
    shares = expect(bet(person, market, "YES", 50_000), 201)["shares"]
    (held,) = expect(person.client.get("/market/positions"), 200)["positions"]

    assert held["value_kopecks"] <= shares - 1
    assert expect(quote(service, market, "YES", shares=10), 200)["amount_kopecks"] == 9
    refused(quote(service, market, "YES", shares=1), 400, "amount_too_small")
    assert expect(sell(person, market, "YES", 2), 201)["payout_kopecks"] == 1


@proves("decisions: No sequence of trades makes a sure profit, at margin 0 too.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("stake", [1, 2, 3, 69, 100, 22_796, 22_797, 99_999])
def test_buying_and_selling_at_once_never_earns(service: Service, stake: int) -> None:
    (market,) = open_market(service, b=100)
    person = service.user(balance_kopecks=100_000)
    placed = bet(person, market, "YES", stake)
    shares = expect(placed, 201)["shares"]
    if stake == 22_796:
        assert shares == 22_865
    sold = sell(person, market, "YES")
    if sold.status_code == 201:
        assert sold.json()["payout_kopecks"] <= stake
        if stake == 22_796:
            assert sold.json()["payout_kopecks"] == 22_795
    else:
        refused(sold, 400, "amount_too_small")
    assert balance(person) <= 100_000


@proves(
    "decisions: GET /market/quote (auth optional) | `?market_id=&token_type=YES|NO&amount_kopecks=` (buy) or "
    "`&shares=` (sell) → `{market_id, token_type, shares, amount_kopecks, fee_kopecks, avg_price, probability_before, "
    "probability_after}`",
    QUOTE,
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("side", BOTH_SIDES)
def test_a_quote_is_what_the_order_would_get(service: Service, side: str) -> None:
    market, _ = open_market(service, names=["A", "B"], probabilities=[0.35, 0.65], b=5_000, margin=0.03)
    person = service.user(balance_kopecks=10_000)
    quoted = expect(quote(service, market, side, amount_kopecks=999), 200)
    placed = expect(bet(person, market, side, 999), 201)
    assert quoted == {name: placed[name] for name in quoted}
    assert len(quoted) == 9

    quoted = expect(quote(service, market, side, shares=500), 200)
    sold = expect(sell(person, market, side, 500), 201)
    assert (quoted["amount_kopecks"], quoted["fee_kopecks"]) == (sold["payout_kopecks"], 0)
    same = ("market_id", "token_type", "shares", "avg_price", "probability_before", "probability_after")
    assert {name: quoted[name] for name in same} == {name: sold[name] for name in same}


@proves(QUOTE)
@ONCE
def test_a_quote_needs_neither_money_nor_shares(service: Service) -> None:
    (market,) = open_market(service)
    poor = service.user()
    params: dict[str, int | str] = {"market_id": market, "token_type": "YES"}

    expect(poor.client.get("/market/quote", params={**params, "amount_kopecks": 10**9}), 200)
    expect(poor.client.get("/market/quote", params={**params, "shares": 10**6}), 200)
    assert expect(poor.client.get("/market/positions"), 200)["positions"] == []


@proves("decisions: YES_i + NO_i costs exactly 1 per share")
@ONCE
def test_both_sides_of_a_market_together_cost_one(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.37], b=1_000)
    book = Book(b=1_000, probabilities=[0.37])
    person = service.user(balance_kopecks=10_000)
    yes = expect(bet(person, market, "YES", 1_000), 201)["shares"]
    assert yes == book.buy(0, "YES", 1_000)
    no = expect(bet(person, market, "NO", 1_000), 201)["shares"]
    assert no == book.buy(0, "NO", 1_000)
    pairs = min(yes, no)

    # Selling a whole pair brings back its kopeck, less the rounding of two sales.
    back = expect(sell(person, market, "YES", pairs), 201)["payout_kopecks"]
    back += expect(sell(person, market, "NO", pairs), 201)["payout_kopecks"]
    assert pairs - 2 <= back <= pairs
