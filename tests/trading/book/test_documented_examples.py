"""docs/pricing.md shows the numbers that orders and a resting order come to."""

from __future__ import annotations

from pathlib import Path

from foreknow.money.pricing import Lmsr, Side
from foreknow.trading.book import Arrival, ArrivingBet, Book, Resting, decide

PAGE = (Path(__file__).parents[3] / "docs" / "pricing.md").read_text()


def row(name: str, shares: int, kopecks: int) -> str:
    return f"| {name} | {shares:,} | {kopecks:,} |"


def test_a_bet_meets_a_limit_order_as_on_the_page() -> None:
    even = Lmsr.of(b=10_000, weights=(1, 1), q_yes=(0,), q_no=(0,))
    waiting = Resting(id=1, user_id=1, outcome=0, side=Side.NO, is_buy=True, level_percent=60, shares=1_000)
    bet = Arrival(user_id=2, outcome=0, side=Side.YES, is_buy=True, terms=ArrivingBet(money_kopecks=3_000))
    decision = decide(even, Book(1, [waiting]), bet)
    piece = even.shares_to_percent(0, Side.YES, 60)
    cost = even.cost_kopecks(0, Side.YES, piece)
    left = 3_000 - cost - 600
    assert row("the curve up to 60 %", piece, cost) in PAGE
    assert row("ten lots of the resting order, at 60", 1_000, 600) in PAGE
    assert row("the rest, on the curve", decision.shares - piece - 1_000, left) in PAGE
    assert row("together", decision.shares, decision.money_kopecks) in PAGE
    alone = even.shares_bought(0, Side.YES, 3_000)
    assert row("on the curve alone", alone, 3_000) in PAGE
    assert [fill.money_kopecks for fill in decision.met] == [400]
    assert "The resting order pays 400 for its 1,000 shares of NO." in PAGE
    prices = [lmsr.probability(0) for lmsr in (decision.after, even.traded(0, Side.YES, alone))]
    assert "price of YES is {:.4f} afterwards, {:.4f} without it".format(*prices) in PAGE
