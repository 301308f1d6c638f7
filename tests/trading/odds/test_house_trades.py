"""The house account moves prices as far as the formula says, and never spends more than it may."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.money.pricing import Lmsr, Side, fee_kopecks, prior_weights
from foreknow.trading.odds.house_orders import NOTHING, HousePlan, _money_for, plan_trades
from tests.support.proofs import proves


class House:
    """The house account in one pool."""

    def __init__(self, *probabilities: float, b: int = 100_000, margin: float = 0.0) -> None:
        markets = (0,) * len(probabilities)
        self.lmsr = Lmsr.of(b=b, weights=prior_weights(probabilities), q_yes=markets, q_no=markets)
        self.margin = margin
        self.holdings = [0] * max(2, len(probabilities))
        self.spent_kopecks = 0

    @property
    def prices(self) -> list[float]:
        prices = list(self.lmsr.probabilities())
        return prices if len(prices) > 1 else [prices[0], 1 - prices[0]]

    def plan(self, targets: Sequence[float], limit_kopecks: int) -> HousePlan:
        return plan_trades(
            self.lmsr, targets=targets, holdings=self.holdings, limit_kopecks=limit_kopecks, margin=self.margin
        )

    def follow(self, targets: Sequence[float], limit_kopecks: int) -> HousePlan:
        """Execute a plan as the desk would, and check that it costs what it says."""
        plan, before = self.plan(targets, limit_kopecks), self.spent_kopecks
        for trade in plan.trades:
            outcome = 1 if trade.side is Side.NO else trade.outcome_index
            if trade.shares:
                assert trade.stake_kopecks == 0
                payout = self.lmsr.sale_payout_kopecks(trade.outcome_index, trade.side, trade.shares)
                assert payout >= 1
                self._move(trade.outcome_index, trade.side, outcome, -trade.shares)
                self.spent_kopecks -= payout
            else:
                fee = fee_kopecks(stake_kopecks=trade.stake_kopecks, margin=self.margin)
                shares = self.lmsr.shares_bought(trade.outcome_index, trade.side, trade.stake_kopecks - fee)
                assert shares >= 1
                self._move(trade.outcome_index, trade.side, outcome, shares)
                self.spent_kopecks += trade.stake_kopecks
        assert self.spent_kopecks - before == plan.cost_kopecks
        return plan

    def trade(self, outcome: int, side: Side, shares: int) -> None:
        """Another trader buys."""
        self.lmsr = self.lmsr.traded(outcome, side, shares)

    def _move(self, index: int, side: Side, outcome: int, shares: int) -> None:
        self.lmsr = self.lmsr.traded(index, side, shares)
        self.holdings[outcome] += shares
        assert self.holdings[outcome] >= 0


def mixed(prices: Sequence[float], targets: Sequence[float], part: float) -> list[float]:
    """Return p^(1−λ)·t^λ, normalised."""
    powers = [p ** (1 - part) * t**part for p, t in zip(prices, targets, strict=True)]
    return [power / sum(powers) for power in powers]


def test_prices_within_a_hundredth_are_left() -> None:
    assert House(0.5).plan([0.51, 0.49], 10_000) == NOTHING
    assert House(0.5).plan([0.5101, 0.4899], 10_000) != NOTHING
    assert House(0.5, 0.3, 0.2).plan([0.505, 0.295, 0.2], 10_000) == NOTHING


def test_with_enough_money_prices_become_the_targets() -> None:
    for start, targets in (
        ([0.5], [0.9, 0.1]),
        ([0.9], [0.2, 0.8]),
        ([0.5, 0.3, 0.2], [0.1, 0.1, 0.8]),
        ([0.25] * 4, [0.7, 0.1, 0.1, 0.1]),
    ):
        house = House(*start)
        house.follow(targets, 10**7)
        assert all(abs(p - t) < 0.001 for p, t in zip(house.prices, targets, strict=True))


def test_with_a_step_prices_become_the_weighted_geometric_mean() -> None:
    house, targets = House(0.5, 0.3, 0.2), [0.2, 0.3, 0.5]
    before = house.prices
    plan = house.follow(targets, 10_000)
    # The only price above its target is the first: λ = step / (b·ln(0.5/0.2)).
    part = 10_000 / (100_000 * math.log(2.5))
    assert all(abs(p - e) < 0.0001 for p, e in zip(house.prices, mixed(before, targets, part), strict=True))
    assert 0 < plan.cost_kopecks <= 10_000


@pytest.mark.parametrize("limit_kopecks", [3_000, 9_999, 30_000, 54_321])
def test_where_fees_pass_the_limit_a_step_is_as_long_as_it_allows(limit_kopecks: int) -> None:
    plan = House(0.9, margin=0.3).follow([0.999, 0.001], limit_kopecks)
    assert 0.99 * limit_kopecks < plan.cost_kopecks <= limit_kopecks


@given(st.sampled_from([1, 1_000]), st.integers(2, 98), st.integers(1, 50), st.sampled_from(Side))
def test_shares_are_bought_for_the_most_kopecks_that_buy_no_more(b: int, price: int, shares: int, side: Side) -> None:
    lmsr = House(price / 100, b=b).lmsr
    money = _money_for(lmsr, 0, side, shares)
    assert money == max(kopecks for kopecks in range(shares + 2) if lmsr.shares_bought(0, side, kopecks) <= shares)


def test_round_by_round_prices_reach_the_targets() -> None:
    house, targets = House(0.5), [0.8, 0.2]
    for _ in range(20):
        house.follow(targets, 10_000)
    assert abs(house.prices[0] - 0.8) <= 0.011


@proves("lifecycle: Sales first,")
def test_what_is_held_is_sold_before_anything_is_bought() -> None:
    house = House(0.5, 0.3, 0.2)
    house.follow([0.8, 0.1, 0.1], 10**6)
    plan = house.follow([0.2, 0.4, 0.4], 10**6)
    sales = [bool(trade.shares) for trade in plan.trades]
    assert sales == sorted(sales, reverse=True)
    assert any(sales)
    # It holds no whole set of outcomes, which would only bind its money.
    assert min(house.holdings) <= 1


def test_going_back_costs_nothing_but_roundings() -> None:
    house = House(0.5)
    house.follow([0.8, 0.2], 10**6)
    house.follow([0.5, 0.5], 10**6)
    assert 0 <= house.spent_kopecks <= 10


def test_without_money_only_what_sales_bring_is_spent() -> None:
    house = House(0.5)
    assert house.plan([0.9, 0.1], 0) == NOTHING
    house.follow([0.7, 0.3], 10**6)
    plan = house.follow([0.4, 0.6], 0)
    assert (plan.trades[0].side, plan.trades[0].shares) == (Side.YES, house.holdings[0] + plan.trades[0].shares)
    assert plan.cost_kopecks <= 0
    assert house.prices[0] < 0.5


@proves("lifecycle: (NO of a single market: its other outcome)")
def test_the_implicit_outcome_of_a_single_market_is_bought_as_no() -> None:
    (trade,) = House(0.5).plan([0.3, 0.7], 10_000).trades
    assert (trade.outcome_index, trade.side) == (0, Side.NO)


_PRICES = st.lists(st.integers(1, 999), min_size=2, max_size=6).map(lambda parts: [p / sum(parts) for p in parts])


@given(
    st.data(),
    st.sampled_from([100, 1_000, 100_000, 10**9]),
    st.sampled_from([0.0, 0.02, 0.5]),
    st.integers(0, 50_000),
    st.integers(0, 20_000),
)
def test_the_budget_is_never_passed_whatever_sources_and_traders_do(
    data: st.DataObject, b: int, margin: float, budget_kopecks: int, step_kopecks: int
) -> None:
    start = [max(0.0001, p) for p in data.draw(_PRICES)]
    is_single = len(start) == 2 and data.draw(st.booleans())
    house = House(*([start[0]] if is_single else start), b=b, margin=margin)
    outcomes = len(house.holdings)
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            market = data.draw(st.integers(0, len(house.lmsr.q_yes) - 1))
            house.trade(market, data.draw(st.sampled_from(Side)), data.draw(st.integers(1, 3 * b)))
        parts = [data.draw(st.integers(1, 999)) for _ in range(outcomes)]
        targets = [part / sum(parts) for part in parts]
        limit = min(step_kopecks, budget_kopecks - house.spent_kopecks)
        assert limit >= 0
        before, spent = house.prices, house.spent_kopecks
        house.follow(targets, limit)
        assert house.spent_kopecks - spent <= step_kopecks
        assert house.spent_kopecks <= budget_kopecks
        after = house.prices
        # Each price moves towards its target, or not at all but for whole shares and the others' moves.
        assert _distance(after, targets) <= _distance(before, targets) + 4 * outcomes / (b * min(targets))


def _distance(prices: Sequence[float], targets: Sequence[float]) -> float:
    """Return Σ t·ln(t/p), which never grows on the way from p to t."""
    return sum(t * math.log(t / p) for p, t in zip(prices, targets, strict=True))


@proves("lifecycle: leads to p^(1−λ)·t^λ, normalised; λ = min(1, (step + h_j)/(b·ln(p_j/t_j)) over p_j > t_j).")
@given(st.data(), st.integers(200, 1_000_000))
def test_prices_move_along_the_geometric_mean(data: st.DataObject, step_kopecks: int) -> None:
    start, parts = data.draw(_PRICES), data.draw(_PRICES)
    size = min(len(start), len(parts))
    start = [max(0.01, p) for p in start[:size]]
    start = [p / sum(start) for p in start]
    targets = [t / sum(parts[:size]) for t in parts[:size]]
    house = House(*start, b=1_000_000)
    before = house.prices
    house.follow(targets, step_kopecks)
    moves = [1_000_000 * math.log(t / p) for p, t in zip(before, targets, strict=True)]
    falls = [(step_kopecks - 2 * size) / -move for move in moves if move < 0]
    part = min([1.0, *falls]) if max(abs(p - t) for p, t in zip(before, targets, strict=True)) > 0.01 else 0.0
    assert all(abs(p - e) < 1e-4 for p, e in zip(house.prices, mixed(before, targets, part), strict=True))


@proves(
    "lifecycle: With prices p, targets t, holdings h (NO of a single market: its other outcome) it trades "
    "Δ_i = λ·b·ln(t_i/p_i) + c, c = max_j(−h_j − λ·b·ln(t_j/p_j)), which costs at most c and",
    "lifecycle: whole shares.",
)
@given(st.data(), st.integers(1_000, 1_000_000), st.booleans())
def test_it_trades_what_the_formula_says(data: st.DataObject, step_kopecks: int, is_single: bool) -> None:
    b = 1_000_000
    size = 2 if is_single else data.draw(st.integers(2, 5))
    start, first, second = ([one / sum(parts) for one in parts] for parts in data.draw(_parts(size)))
    house = House(*([start[0]] if is_single else start), b=b)
    # It holds some shares from an earlier round.
    house.follow(first, 10**8)
    prices, held = house.prices, list(house.holdings)
    plan = house.follow(second, step_kopecks)
    moves = [b * math.log(t / p) for p, t in zip(prices, second, strict=True)]
    part = min([1.0, *((step_kopecks + h) / -move for h, move in zip(held, moves, strict=True) if move < 0)])
    constant = max(-h - part * move for h, move in zip(held, moves, strict=True))
    traded = [now - before for now, before in zip(house.holdings, held, strict=True)]
    if max(abs(p - t) for p, t in zip(prices, second, strict=True)) <= 0.01:
        assert traded == [0] * size
        return
    assert all(isinstance(shares, int) for shares in traded)
    # It leaves some kopecks of the step for roundings, each of which moves all outcomes by a few shares.
    # What bounds the step may be an outcome that moves little.
    least = min((-move for move in moves if move < 0), default=1.0)
    slack = 4 * size * (1 + max(abs(move) for move in moves) / max(1.0, least))
    for shares, move in zip(traded, moves, strict=True):
        assert abs(shares - (part * move + constant)) <= slack
    assert plan.cost_kopecks <= constant + 2 * size


def _parts(size: int) -> st.SearchStrategy[list[list[int]]]:
    """Draw the parts of a start and two targets."""
    one = st.lists(st.integers(10, 100), min_size=size, max_size=size)
    return st.lists(one, min_size=3, max_size=3)


def test_prices_that_no_double_can_hold_are_left() -> None:
    house = House(0.5, b=100)
    house.trade(0, Side.NO, 10**6)
    assert house.plan([0.5, 0.5], 10_000) == NOTHING


def test_a_market_at_its_limit_is_left() -> None:
    house = House(0.5, b=10**12)
    house.lmsr = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(10**15,), q_no=(10**15,))
    assert house.plan([0.9, 0.1], 10**12) == NOTHING


def test_the_examples_of_the_page_on_prices_are_true() -> None:
    house = House(0.5)
    (trade,) = house.follow([0.7, 0.3], 10_000).trades
    assert (trade.stake_kopecks, house.holdings[0]) == (8_633, 16_579)
    assert round(house.prices[0], 6) == 0.541353
    house = House(0.5, 0.3, 0.2, b=1_000)
    plan = house.follow([0.2, 0.3, 0.5], 10_000)
    assert [(trade.outcome_index, trade.stake_kopecks) for trade in plan.trades] == [(1, 371), (2, 545)]
    assert house.holdings == [0, 915, 1_832]
    assert [round(price, 4) for price in house.prices] == [0.2001, 0.2998, 0.5]
    assert house.follow([0.5, 0.3, 0.2], 10_000).cost_kopecks == -915
    assert house.spent_kopecks == 1


def test_with_added_liquidity_prices_become_the_targets_too() -> None:
    house = House(0.5, 0.3, 0.2, b=10_000)
    house.follow([0.3, 0.3, 0.4], 10**6)
    house.lmsr = house.lmsr.with_liquidity(35_000)
    house.follow([0.6, 0.2, 0.2], 10**6)
    assert all(abs(p - t) < 0.001 for p, t in zip(house.prices, [0.6, 0.2, 0.2], strict=True))
