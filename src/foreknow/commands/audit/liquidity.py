"""Liquidity: what the house paid for it at first and with each addition, and the shares sold by then."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import msgspec

from foreknow.commands.audit.rules import UNREADABLE, Check, rows
from foreknow.money.pricing import Addition, Lmsr, loss_bound_kopecks
from foreknow.platform.db.transactions import ReadTx


class _Step(msgspec.Struct, frozen=True):
    """The publication or an addition, as stored."""

    at_ms: int
    b: int
    subsidy_kopecks: int
    probabilities: tuple[float, ...]
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    trades: int


def read_market_maker(
    *,
    b: int,
    weights: str,
    liquidity: str | None,
    q_yes: Sequence[int],
    q_no: Sequence[int],
    trades: int | None = None,
) -> Lmsr:
    """Return a pool's market maker with these shares sold, from the columns' texts; as after `trades` where given."""
    steps = [step for step in _steps(liquidity) if trades is None or step.trades <= trades]
    return _market_maker(b, _weights(weights), steps, q_yes, q_no)


def _market_maker(
    b: int, weights: tuple[int, ...], steps: Sequence[_Step], q_yes: Sequence[int], q_no: Sequence[int]
) -> Lmsr:
    additions = tuple(Addition(step.b, step.q_yes, step.q_no) for step in steps[1:])
    return Lmsr.of(b=steps[0].b if steps else b, weights=weights, q_yes=q_yes, q_no=q_no, additions=additions)


def _steps(text: str | None) -> tuple[_Step, ...]:
    return () if text is None else msgspec.json.decode(text, type=tuple[_Step, ...])


def _weights(text: str) -> tuple[int, ...]:
    return tuple(map(int, msgspec.json.decode(text, type=list[str])))


def _loss_bounds(tx: ReadTx) -> Iterator[str]:
    """Compute again what the house pays for each pool's liquidity."""
    # Cached: most pools share a few values of b and the priors.
    bound = functools.lru_cache(maxsize=1024)(lambda b, weights: loss_bound_kopecks(b=b, weights=_weights(weights)))
    query = "SELECT id, b, weights, loss_bound_kopecks, liquidity FROM pools"
    for pool_id, b, weights, stored_kopecks, liquidity in rows(tx, query):
        try:
            steps = _steps(liquidity)
            paid_kopecks = [bound(steps[0].b if steps else b, weights)]
            paid_kopecks += [_subsidy_kopecks(_weights(weights), steps[: k + 1]) for k in range(1, len(steps))]
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"
            continue
        if stored_kopecks != sum(paid_kopecks):
            yield f"pool {pool_id} has a loss bound of {stored_kopecks} kopecks, not {sum(paid_kopecks)}"
        if steps and [step.subsidy_kopecks for step in steps] != paid_kopecks:
            yield f"pool {pool_id} shows other subsidies than {paid_kopecks}"
        if steps and steps[-1].b != b:
            yield f"pool {pool_id} has b = {b}, its last addition has {steps[-1].b}"


def _subsidy_kopecks(weights: tuple[int, ...], steps: Sequence[_Step]) -> int:
    """Return the subsidy of the last step, at the prices of the steps before it."""
    last = steps[-1]
    return _market_maker(0, weights, steps[:-1], last.q_yes, last.q_no).subsidy_kopecks(last.b)


def _sold_by_then(tx: ReadTx) -> Iterator[str]:
    """Add up the trades before each addition."""
    traded = groupby(rows(tx, _TRADES), key=itemgetter(0))
    for pool_id, liquidity, trades in _beside(rows(tx, _POOLS), traded):
        try:
            steps = _steps(liquidity)
            sold: Counter[tuple[int, str]] = Counter()
            done = 0
            # A basket's trade has several rows.
            by_trade = groupby(trades, key=itemgetter(1))
            for step in steps:
                for _, legs in islice(by_trade, step.trades - done):
                    for _, _, outcome, side, shares in legs:
                        sold[outcome, side] += shares
                done = step.trades
                found = [[sold[outcome, side] for outcome in range(len(step.q_yes))] for side in ("YES", "NO")]
                if found != [list(step.q_yes), list(step.q_no)]:
                    yield f"pool {pool_id} had sold {found} after {done} trades, and its b of {step.b} says otherwise"
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"


def _payments(tx: ReadTx) -> Iterator[str]:
    """Find the house's transfer for each addition."""
    paid = groupby(rows(tx, _SUBSIDIES), key=itemgetter(0))
    for pool_id, liquidity, transfers in _beside(rows(tx, _POOLS), paid):
        try:
            due = Counter((step.subsidy_kopecks, step.at_ms) for step in _steps(liquidity)[1:])
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"
            continue
        due.subtract((amount_kopecks, at_ms) for _, amount_kopecks, at_ms in transfers)
        for amount_kopecks, at_ms in +due:
            yield f"pool {pool_id} shows a subsidy of {amount_kopecks} kopecks at {at_ms} ms that was not transferred"


def _beside(
    pools: Iterator[Any], groups: Iterator[tuple[int, Iterator[Any]]]
) -> Iterator[tuple[int, str, Iterator[Any]]]:
    """Yield each pool with its group, or with nothing; both are in the order of the pools' ids."""
    group = next(groups, None)
    for pool_id, liquidity in pools:
        if group is not None and group[0] == pool_id:
            yield pool_id, liquidity, group[1]
            group = next(groups, None)
        else:
            yield pool_id, liquidity, iter(())


_POOLS = "SELECT id, liquidity FROM pools WHERE liquidity IS NOT NULL ORDER BY id"
_TRADES = """
    SELECT t.pool_id, t.id, m.outcome_index, t.side,
           CASE WHEN t.action = 'buy' THEN t.shares ELSE -t.shares END AS shares
    FROM trades t JOIN markets m ON m.id = t.market_id JOIN pools p ON p.id = t.pool_id
    WHERE p.liquidity IS NOT NULL AND t.basket_id IS NULL
    UNION ALL SELECT t.pool_id, t.id, m.outcome_index, t.side,
           CASE WHEN t.action = 'buy' THEN l.shares ELSE -l.shares END AS shares
    FROM trade_legs l JOIN trades t ON t.id = l.trade_id
    JOIN markets m ON m.id = l.market_id JOIN pools p ON p.id = t.pool_id
    WHERE p.liquidity IS NOT NULL
    ORDER BY 1, 2
"""
_SUBSIDIES = """
    SELECT p.id, t.amount_kopecks, t.created_at_ms
    FROM transfers t JOIN pools p ON p.escrow_account_id = t.target_account_id
    WHERE t.kind = 'subsidy' AND p.liquidity IS NOT NULL
    ORDER BY p.id, t.id
"""

CHECKS = [
    Check(14, "loss bounds", "every pool's loss bound follows from its b, its priors and its additions", _loss_bounds),
    Check(
        15, "added liquidity", "every addition of liquidity shows the shares that were sold before it", _sold_by_then
    ),
    Check(16, "subsidies", "every addition of liquidity was paid for by the house", _payments),
]
