"""Settlement: what resolutions say is due, and was paid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

import msgspec
import sqlalchemy as sa

from foreknow.commands.audit.liquidity import outcomes_by, read_market_maker
from foreknow.commands.audit.rules import UNREADABLE, Check, rows
from foreknow.money.pricing import Lmsr, Side, exact_fraction, settlement_kopecks
from foreknow.platform.db.transactions import ReadTx


def _settlements(tx: ReadTx) -> Iterator[str]:
    """Compute again what every settled position was due, from its pool's resolution."""
    query = """
        SELECT s.pool_id, s.id, m.outcome_index, s.side, s.settled_shares, s.settled_kopecks, s.won_side
        FROM positions s JOIN markets m ON m.id = s.market_id JOIN pools p ON p.id = s.pool_id
        WHERE p.state = 'resolved' AND s.settled_shares > 0
        ORDER BY s.pool_id, s.id
    """
    for pool_id, positions in groupby(rows(tx, query), key=itemgetter(0)):
        try:
            resolution = _read_resolution(tx, pool_id)
            for _, position_id, outcome, side, shares, paid_kopecks, won_side in positions:
                due_kopecks, due_side = resolution.due(outcome, Side(side), shares)
                if (paid_kopecks, won_side) != (due_kopecks, due_side):
                    yield (
                        f"position {position_id} was paid {paid_kopecks} kopecks with won_side {won_side};"
                        f" due were {due_kopecks} with won_side {due_side}"
                    )
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"


def _owed(tx: ReadTx) -> Iterator[str]:
    """Add up what the open positions of pools that are being paid are due."""
    query = """
        SELECT s.pool_id, a.balance_kopecks, m.outcome_index, s.side, s.shares
        FROM positions s JOIN markets m ON m.id = s.market_id JOIN pools p ON p.id = s.pool_id
        JOIN accounts a ON a.id = p.escrow_account_id
        WHERE p.paying AND s.shares > 0
        ORDER BY s.pool_id
    """
    for (pool_id, balance_kopecks), positions in groupby(rows(tx, query), key=itemgetter(0, 1)):
        try:
            resolution = _read_resolution(tx, pool_id)
            due = sum(resolution.due(outcome, Side(side), shares)[0] for _, _, outcome, side, shares in positions)
            if due > balance_kopecks:
                yield f"pool {pool_id} holds {balance_kopecks} kopecks and still owes {due}"
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"


def _verdicts(tx: ReadTx) -> Iterator[str]:
    """Compare what each pool pays with the last of its results."""
    query = """
        SELECT id, resolution, verdicts, decided_at_ms FROM pools
        WHERE state = 'resolved' AND verdicts IS NOT NULL ORDER BY id
    """
    for pool_id, resolution, verdicts, decided_at_ms in rows(tx, query):
        try:
            last = msgspec.json.decode(verdicts)[-1]
            # One that a release before verdicts gave is in the pool's row alone.
            if last["at_ms"] == decided_at_ms and last["resolution"] != msgspec.json.decode(resolution or "null"):
                yield f"pool {pool_id} pays {resolution}, its last result was {last['resolution']}"
        except UNREADABLE as unreadable:
            yield f"pool {pool_id} cannot be read: {unreadable}"


@dataclass(frozen=True, slots=True)
class _PoolResolution:
    """A pool's resolution, read from its row alone; `payouts` None for a void."""

    has_winner: bool
    payouts: list[Fraction] | None
    market_maker: Lmsr

    def due(self, outcome: int, side: Side, shares: int) -> tuple[int, int | None]:
        """Return the payout due for shares, in kopecks, and the `won_side` of their position."""
        if self.payouts is None:
            return self.market_maker.value_kopecks(outcome, side, shares), None
        payout = self.payouts[outcome]
        due_kopecks = settlement_kopecks(shares=shares, payout=payout if side is Side.YES else 1 - payout)
        return due_kopecks, int(payout != 1) if self.has_winner else None


def _read_resolution(tx: ReadTx, pool_id: int) -> _PoolResolution:
    pool = tx.execute(sa.text("SELECT * FROM pools WHERE id = :id"), {"id": pool_id}).mappings().one()
    until_ms = pool["void_at_ms"]
    sold = sa.text(_SOLD if until_ms is None else _SOLD_BY_THEN)
    markets = tx.execute(sold, {"id": pool_id} | ({} if until_ms is None else {"until_ms": until_ms})).all()
    if until_ms is not None:
        markets = markets[: outcomes_by(pool["splits"], len(markets), at_ms=until_ms)]
    market_maker = read_market_maker(
        b=pool["b"],
        weights=pool["weights"],
        liquidity=pool["liquidity"],
        # PostgreSQL sums 64-bit integers as decimals.
        q_yes=[int(row.q_yes) for row in markets],
        q_no=[int(row.q_no) for row in markets],
        trades=None if until_ms is None else sum(row.trades for row in markets),
    )
    stored = msgspec.json.decode(pool["resolution"] or "{}", type=_StoredResolution)
    payouts: list[Fraction] | None = None
    if stored.won_side is not None:
        payouts = [Fraction(int(index == stored.won_side)) for index in range(len(market_maker.weights))]
    elif stored.payouts is not None:
        payouts = [exact_fraction(payout) for payout in stored.payouts]
    return _PoolResolution(pool["won_side"] is not None and pool["won_side"] >= 0, payouts, market_maker)


_SOLD = "SELECT q_yes, q_no FROM markets WHERE pool_id = :id ORDER BY outcome_index"
#: From the trades themselves: a void at a moment pays the prices after those until then.
_SOLD_BY_THEN = """
    WITH sold AS (
        SELECT market_id, 1 AS trades, side, CASE action WHEN 'buy' THEN shares ELSE -shares END AS shares
        FROM trades WHERE event_id = (SELECT event_id FROM pools WHERE id = :id)
          AND basket_id IS NULL AND created_at_ms <= :until_ms
        UNION ALL SELECT l.market_id, CASE WHEN l.market_id = t.market_id THEN 1 ELSE 0 END, t.side,
               CASE t.action WHEN 'buy' THEN l.shares ELSE -l.shares END
        FROM trades t JOIN trade_legs l ON l.trade_id = t.id
        WHERE t.event_id = (SELECT event_id FROM pools WHERE id = :id)
          AND t.basket_id IS NOT NULL AND t.created_at_ms <= :until_ms
    )
    SELECT m.outcome_index, SUM(COALESCE(s.trades, 0)) AS trades,
           MAX(m.first_q_yes) + SUM(CASE WHEN s.side = 'YES' THEN s.shares ELSE 0 END) AS q_yes,
           SUM(CASE WHEN s.side = 'NO' THEN s.shares ELSE 0 END) AS q_no
    FROM markets m
    LEFT JOIN sold s ON s.market_id = m.id
    WHERE m.pool_id = :id
    GROUP BY m.outcome_index ORDER BY m.outcome_index
"""


class _StoredResolution(msgspec.Struct, frozen=True):
    """The resolution as stored; without both fields it is a void."""

    won_side: int | None = None
    payouts: list[float] | None = None


CHECKS = [
    Check(21, "owed", "every escrow that is being paid out covers what is still due", _owed),
    Check(23, "settlements", "every settled position was paid what its pool's resolution says", _settlements),
    Check(47, "verdicts", "every resolved pool pays the last of its results", _verdicts),
]
