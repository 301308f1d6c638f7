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
from foreknow.money.pricing import Addition, Lmsr, filled_in, log_bound_kopecks, loss_bound_kopecks
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


class _Split(msgspec.Struct, frozen=True):
    """An outcome taken out of a list's Other, as stored."""

    at_ms: int
    outcome_index: int
    share_percent: int
    b: int
    subsidy_kopecks: int
    q_yes: int
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
    """Return a pool's market maker with these shares sold, from the columns' texts; as after `trades` where given.

    Outcomes that were taken out of a list's Other later have no shares of their own then.
    """
    steps = [step for step in _steps(liquidity) if trades is None or step.trades <= trades]
    return _market_maker(b, _weights(weights), steps, q_yes, q_no)


def outcomes_by(splits: str | None, outcomes: int, *, at_ms: int) -> int:
    """Return how many of a pool's outcomes it had at a moment, from the column's text."""
    return outcomes - sum(split.at_ms > at_ms for split in _splits(splits))


def _market_maker(
    b: int, weights: tuple[int, ...], steps: Sequence[_Step], q_yes: Sequence[int], q_no: Sequence[int]
) -> Lmsr:
    markets = len(weights) if len(q_yes) > 1 else 1
    other = len(steps[0].q_yes if steps else q_yes) - 1

    def whole(sold: Sequence[int]) -> tuple[int, ...]:
        return filled_in(sold, other=other, outcomes=markets)

    additions = tuple(Addition(step.b, whole(step.q_yes), whole(step.q_no)) for step in steps[1:])
    first_b = steps[0].b if steps else b
    return Lmsr.of(b=first_b, weights=weights, q_yes=whole(q_yes), q_no=whole(q_no), additions=additions)


def _steps(text: str | None) -> tuple[_Step, ...]:
    return () if text is None else msgspec.json.decode(text, type=tuple[_Step, ...])


def _splits(text: str | None) -> tuple[_Split, ...]:
    return () if text is None else msgspec.json.decode(text, type=tuple[_Split, ...])


def _weights(text: str) -> tuple[int, ...]:
    return tuple(map(int, msgspec.json.decode(text, type=list[str])))


def _weights_then(weights: tuple[int, ...], outcomes: int, other: int) -> tuple[int, ...]:
    """Return the weights of a list's first outcomes: what was taken out of Other since was part of it."""
    if outcomes == len(weights):
        return weights
    then = list(weights[:outcomes])
    then[other] += sum(weights[outcomes:])
    return tuple(then)


def _loss_bounds(tx: ReadTx) -> Iterator[str]:
    """Compute again what the house pays for each pool's liquidity and splits."""
    # Cached: most pools share a few values of b and the priors.
    bound = functools.lru_cache(maxsize=1024)(lambda b, weights: loss_bound_kopecks(b=b, weights=_weights(weights)))
    query = "SELECT id, b, weights, loss_bound_kopecks, liquidity, splits FROM pools"
    for pool_id, b, weights, stored_kopecks, liquidity, splits in rows(tx, query):
        try:
            steps = _steps(liquidity)
            if splits is not None:
                yield from _list_bounds(pool_id, _weights(weights), steps, _splits(splits), stored_kopecks)
                continue
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


def _list_bounds(
    pool_id: int, weights: tuple[int, ...], steps: Sequence[_Step], splits: Sequence[_Split], stored_kopecks: int
) -> Iterator[str]:
    """Compute again, step by step and split by split, what the house paid for a list."""
    first = len(weights) - len(splits)
    other = first - 1
    priors = _weights_then(weights, first, other)
    paid_kopecks = loss_bound_kopecks(b=steps[0].b, weights=priors)
    if steps[0].subsidy_kopecks != paid_kopecks:
        yield f"pool {pool_id} began with {steps[0].subsidy_kopecks} kopecks instead of {paid_kopecks}"
    of_other = log_bound_kopecks(steps[0].b, sum(priors), priors[other])
    made = 0
    for index in range(1, len(steps) + 1):
        # The splits before the next step, or after the last.
        outcomes = len(steps[index].q_yes) if index < len(steps) else len(weights)
        for split in splits[made : outcomes - first]:
            least = min(split.share_percent, 100 - split.share_percent)
            due = max(0, of_other + log_bound_kopecks(split.b, 100, least) - paid_kopecks)
            if split.subsidy_kopecks != due:
                yield f"pool {pool_id} shows {split.subsidy_kopecks} kopecks for a split that cost {due}"
            paid_kopecks += due
            of_other += log_bound_kopecks(split.b, 100, 100 - split.share_percent)
        made = outcomes - first
        if index < len(steps):
            then, last = _weights_then(weights, outcomes, other), steps[index]
            before = _market_maker(0, then, steps[:index], last.q_yes, last.q_no)
            due = before.subsidy_kopecks(last.b)
            if last.subsidy_kopecks != due:
                yield f"pool {pool_id} shows {last.subsidy_kopecks} kopecks for liquidity that cost {due}"
            paid_kopecks += due
            of_other += before.subsidy_kopecks(last.b, outcome=other)
    if stored_kopecks != paid_kopecks:
        yield f"pool {pool_id} has a loss bound of {stored_kopecks} kopecks, not {paid_kopecks}"


def _subsidy_kopecks(weights: tuple[int, ...], steps: Sequence[_Step]) -> int:
    """Return the subsidy of the last step, at the prices of the steps before it."""
    last = steps[-1]
    return _market_maker(0, weights, steps[:-1], last.q_yes, last.q_no).subsidy_kopecks(last.b)


def _sold_by_then(tx: ReadTx) -> Iterator[str]:
    """Add up the trades before each addition and each split."""
    traded = groupby(rows(tx, _TRADES), key=itemgetter(0))
    for (pool_id, liquidity, of_list), trades in _beside(rows(tx, _POOLS), traded):
        try:
            yield from _sold_in(pool_id, _steps(liquidity), _splits(of_list), trades)
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"


def _sold_in(pool_id: int, steps: Sequence[_Step], splits: Sequence[_Split], trades: Iterator[Any]) -> Iterator[str]:
    sold: Counter[tuple[int, str]] = Counter()
    done = made = 0
    first = len(steps[0].q_yes)
    # A basket's trade has several rows.
    by_trade = groupby(trades, key=itemgetter(1))

    def sell_until(count: int) -> None:
        nonlocal done
        for _, legs in islice(by_trade, count - done):
            for _, _, outcome, side, shares in legs:
                sold[outcome, side] += shares
        done = count

    for step in (*steps, None):
        for split in splits[made : len(splits) if step is None else len(step.q_yes) - first]:
            sell_until(split.trades)
            sold[split.outcome_index, "YES"] = sold[first - 1, "YES"]
            made += 1
            if split.q_yes != sold[first - 1, "YES"]:
                yield f"pool {pool_id} had sold {sold[first - 1, 'YES']} of Other at a split that says otherwise"
        if step is None:
            return
        sell_until(step.trades)
        found = [[sold[outcome, side] for outcome in range(len(step.q_yes))] for side in ("YES", "NO")]
        if found != [list(step.q_yes), list(step.q_no)]:
            yield f"pool {pool_id} had sold {found} after {done} trades, and its b of {step.b} says otherwise"


def _payments(tx: ReadTx) -> Iterator[str]:
    """Find the house's transfer for each addition and each split."""
    paid = groupby(rows(tx, _SUBSIDIES), key=itemgetter(0))
    for (pool_id, liquidity, splits), transfers in _beside(rows(tx, _POOLS), paid):
        try:
            due = Counter((step.subsidy_kopecks, step.at_ms) for step in _steps(liquidity)[1:])
            due.update((split.subsidy_kopecks, split.at_ms) for split in _splits(splits) if split.subsidy_kopecks)
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"
            continue
        due.subtract((amount_kopecks, at_ms) for _, amount_kopecks, at_ms in transfers)
        for amount_kopecks, at_ms in +due:
            yield f"pool {pool_id} shows a subsidy of {amount_kopecks} kopecks at {at_ms} ms that was not transferred"


def _beside(
    pools: Iterator[Any], groups: Iterator[tuple[int, Iterator[Any]]]
) -> Iterator[tuple[tuple[int, str, str | None], Iterator[Any]]]:
    """Yield each pool with its group, or with nothing; both are in the order of the pools' ids."""
    group = next(groups, None)
    for pool in pools:
        if group is not None and group[0] == pool[0]:
            yield tuple(pool), group[1]
            group = next(groups, None)
        else:
            yield tuple(pool), iter(())


_POOLS = "SELECT id, liquidity, splits FROM pools WHERE liquidity IS NOT NULL ORDER BY id"
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
    Check(
        14,
        "loss bounds",
        "every pool's loss bound follows from its b, its priors, its additions and its splits",
        _loss_bounds,
    ),
    Check(
        15,
        "added liquidity",
        "every addition of liquidity and every split shows the shares that were sold before it",
        _sold_by_then,
    ),
    Check(16, "subsidies", "every addition of liquidity and every split was paid for by the house", _payments),
]
