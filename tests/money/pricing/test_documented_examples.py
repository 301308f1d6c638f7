"""docs/pricing.md shows the numbers that the market maker computes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from foreknow.commands.replay.history import History, packaged_trades, read_histories
from foreknow.money.pricing import ADDITIONS_MAX, Lmsr, Side, bundles, loss_bound_kopecks, prior_weights
from tests.money.pricing.cases import untouched

PAGE = (Path(__file__).parents[3] / "docs" / "pricing.md").read_text()
HISTORIES = read_histories(packaged_trades())
FIRST = HISTORIES[0]


def row(*cells: object) -> str:
    """A row of a table on the page."""
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells) + " |"


def shown(text: str) -> bool:
    """Whether the page says so, wherever its lines break."""
    return " ".join(text.split()) in " ".join(PAGE.split())


def after_bets(count: int) -> Lmsr:
    """The first real market after some bets."""
    lmsr = untouched([0.5], 10_000)
    for trade in FIRST.trades[:count]:
        side = Side(trade.side)
        lmsr = lmsr.traded(0, side, lmsr.shares_bought(0, side, trade.amount))
    return lmsr


def test_the_first_bets_of_a_real_market_are_as_on_the_page() -> None:
    assert FIRST.name == "RPP-1"
    for count, trade in enumerate(FIRST.trades[:3]):
        assert (trade.action, trade.side) == ("buy", "NO")
        before, after = after_bets(count), after_bets(count + 1)
        prices = [f"{lmsr.probability(0):.6f}" for lmsr in (before, after)]
        assert row(trade.amount, after.q_no[0] - before.q_no[0], *prices) in PAGE
    three = after_bets(3)
    assert three.sale_payout_kopecks(0, Side.NO, 536) == 299
    assert shown("The 536 shares of the third bet, sold at once, would pay 299 kopecks")
    assert three.value_kopecks(0, Side.NO, 2_626) == 1_484
    assert shown("All 2,626 shares are worth 1,484")
    assert shown(f"= {0.5 * math.exp(-0.1):.6f}.")


def house_losses() -> Iterator[int]:
    """What the house would have lost on each real market, less what it earned."""
    for history in HISTORIES:
        yield house_loss(history)


def house_loss(history: History) -> int:
    lmsr, received = untouched([0.5], 10_000), 0
    for trade in history.trades:
        side = Side(trade.side)
        if trade.action == "buy":
            received += trade.amount
            lmsr = lmsr.traded(0, side, lmsr.shares_bought(0, side, trade.amount))
        else:
            received -= lmsr.sale_payout_kopecks(0, side, trade.amount)
            lmsr = lmsr.traded(0, side, -trade.amount)
    return (lmsr.q_yes if history.finding.replicated else lmsr.q_no)[0] - received


def test_the_real_markets_cost_the_house_what_the_page_says() -> None:
    losses = list(house_losses())
    bound = loss_bound_kopecks(b=10_000, weights=(1, 1))
    assert shown(
        f"Over the {len(losses)} real markets the bounds sum to {len(losses) * bound:,} kopecks ({bound:,} each)"
    )
    assert shown(f"The house would have lost {sum(losses):,}, {sum(losses) // len(losses)} a market")
    assert shown(f"it lost on {sum(loss > 0 for loss in losses)} of them, at most {max(losses):,}")
    assert shown(f"and earned {-min(losses):,} on the best")


@pytest.mark.parametrize(
    ("pool", "least", "prior"),
    [
        ("yes or no, at 0.5", "0.5", [0.5]),
        ("three outcomes, equal", "1/3", [1 / 3] * 3),
        ("ten outcomes, equal", "0.1", [0.1] * 10),
        ("yes or no, at 0.02", "0.02", [0.02]),
    ],
)
def test_the_largest_b_for_a_budget_is_as_on_the_page(pool: str, least: str, prior: list[float]) -> None:
    weights = prior_weights(prior)
    logarithm = math.log(sum(weights) / min(weights))
    b = int(100_000 / logarithm)
    assert row(pool, least, f"{logarithm:.3f}", b) in PAGE
    assert loss_bound_kopecks(b=b, weights=weights) <= 100_000 < loss_bound_kopecks(b=b + 1, weights=weights)


def test_the_budget_of_a_long_shot_is_as_on_the_page() -> None:
    assert shown(f"makes the same b cost {math.log(10_000):.2f} times b")


def test_the_price_after_a_bet_is_the_formula_on_the_page() -> None:
    for lmsr in (after_bets(3), after_bets(3).with_liquidity(20_000)):
        for side, before in ((Side.YES, lmsr.probability(0)), (Side.NO, 1 - lmsr.probability(0))):
            after = lmsr.traded(0, side, lmsr.shares_bought(0, side, 2_000)).probability(0)
            after = after if side is Side.YES else 1 - after
            assert after == pytest.approx(1 - (1 - before) * math.exp(-2_000 / lmsr.b), abs=1e-4)


def test_the_added_liquidity_is_as_on_the_page() -> None:
    pool = untouched([0.5, 0.3, 0.2], 1000)
    shares = pool.shares_bought(0, Side.YES, 500)
    assert row("500 kopecks on YES of the first buy", f"{shares} shares") in PAGE
    pool = pool.traded(0, Side.YES, shares)
    assert row("raising b to 1,700 costs the house", f"{pool.subsidy_kopecks(1_700):,} kopecks") in PAGE
    pool = pool.with_liquidity(1_700)
    shares = pool.shares_bought(1, Side.YES, 500)
    assert row("500 kopecks on YES of the second buy", f"{shares:,} shares") in PAGE
    pool = pool.traded(1, Side.YES, shares)
    shares = pool.shares_bought(2, Side.NO, 500)
    assert row("500 kopecks on NO of the third buy", f"{shares} shares") in PAGE
    pool = pool.traded(2, Side.NO, shares)
    paid = pool.sale_payout_kopecks(0, Side.YES, 300)
    assert row("300 of the first shares sell for", f"{paid} kopecks") in PAGE


def test_the_real_market_with_added_liquidity_is_as_on_the_page() -> None:
    before, bet = after_bets(3), FIRST.trades[3]
    assert (bet.action, bet.side, bet.amount) == ("buy", "NO", 500)
    assert shown(f"that costs the house {before.subsidy_kopecks(20_000):,} kopecks")
    thin, deep = before, before.with_liquidity(20_000)
    bought = [lmsr.shares_bought(0, Side.NO, 500) for lmsr in (thin, deep)]
    prices = [lmsr.traded(0, Side.NO, q).probability(0) for lmsr, q in zip((thin, deep), bought, strict=True)]
    assert shown(f"from {before.probability(0):.6f} to {prices[1]:.6f} instead of {prices[0]:.6f}")
    assert shown(f"buys {bought[1]} shares instead of {bought[0]}")


def test_the_gain_of_who_knows_of_an_addition_is_as_on_the_page() -> None:
    fresh = untouched([0.5, 0.3, 0.2], 1000)
    shares = fresh.shares_bought(2, Side.YES, 1_000)
    moved = fresh.traded(2, Side.YES, shares)
    paid = moved.with_liquidity(1_000_000).sale_payout_kopecks(2, Side.YES, shares)
    bound = loss_bound_kopecks(b=1000, weights=fresh.weights)
    assert shown(f"buy {shares:,} shares and take it to {moved.probability(2):.4f}.")
    assert shown(f"they sell for {paid:,}: a gain of {paid - 1_000}, out of a bound of {bound:,}.")


def test_the_bound_on_additions_is_as_on_the_page() -> None:
    assert shown(f"A pool takes at most {ADDITIONS_MAX} additions. B stays below 2^838")
    assert (10**12) ** (ADDITIONS_MAX + 1) < 2**838


def prices(lmsr: Lmsr) -> str:
    return ", ".join(f"{price:.4f}" for price in lmsr.probabilities())


def test_a_range_that_is_bought_and_changed_is_as_on_the_page() -> None:
    stake = bundles.staked(untouched([0.1, 0.2, 0.4, 0.2, 0.1], 1000), 500, outcomes={1, 2})
    (shares,) = set(stake.shares.values())
    second, third = bundles.split_kopecks(500, [shares, shares], stake.after.probabilities()[1:3])
    cells = (f"{shares} of each", f"{second} and {third}", prices(stake.after))
    assert row("500 kopecks on the second and the third", *cells) in PAGE
    purchase = bundles.bought(stake.after, {3: 300, 4: 100})
    sale = bundles.sold(purchase.after, {1: 200})
    fourth, last = bundles.split_kopecks(purchase.kopecks, [300, 100], sale.after.probabilities()[3:])
    cells = ("300 and 100", f"{fourth} and {last}", prices(purchase.after))
    assert row("then 300 of the fourth and 100 of the last are bought", *cells) in PAGE
    assert row("and 200 of the second are sold", 200, sale.kopecks, prices(sale.after)) in PAGE


def test_a_condition_is_as_on_the_page() -> None:
    before = untouched([0.3, 0.2, 0.1, 0.4], 1000)
    stake = bundles.staked(before, 500, outcomes={0}, given={0, 1})
    assert row("shares of A and B, which pay if A and B come true", stake.shares[0]) in PAGE
    assert stake.shares == {0: stake.shares[0], 2: 500, 3: 500}
    assert row("shares of both outcomes without A, which pay the stake back", 500) in PAGE
    (both, one, other, neither), (b, a, c, d) = before.probabilities(), stake.after.probabilities()
    assert row("B, if A", f"from {both / (both + one):.4f} to {b / (b + a):.4f}") in PAGE
    assert row("B, if not A", f"{other / (other + neither):.4f}, as before") in PAGE
    assert c / (c + d) == pytest.approx(other / (other + neither), abs=1e-15)
    assert row("A", f"from {both + one:.4f} to {b + a:.4f}, by rounding down alone") in PAGE
