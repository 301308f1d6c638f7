"""Pools: escrows cover every outcome, and settlements paid what the resolution says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

import msgspec
import sqlalchemy as sa

from foreknow.audit.liquidity import read_market_maker
from foreknow.audit.rules import UNREADABLE, Check, rows, rule
from foreknow.db.transactions import ReadTx
from foreknow.pricing import Lmsr, Side, exact_fraction, settlement_kopecks


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
    SELECT m.outcome_index, SUM(CASE WHEN t.id IS NULL THEN 0 ELSE 1 END) AS trades,
           SUM(CASE WHEN t.side = 'YES' THEN CASE t.action WHEN 'buy' THEN t.shares ELSE -t.shares END ELSE 0 END)
           AS q_yes,
           SUM(CASE WHEN t.side = 'NO' THEN CASE t.action WHEN 'buy' THEN t.shares ELSE -t.shares END ELSE 0 END)
           AS q_no
    FROM markets m
    LEFT JOIN trades t ON t.event_id = m.event_id AND t.market_id = m.id AND t.created_at_ms <= :until_ms
    WHERE m.pool_id = :id
    GROUP BY m.outcome_index ORDER BY m.outcome_index
"""


class _StoredResolution(msgspec.Struct, frozen=True):
    """The resolution as stored; without both fields it is a void."""

    won_side: int | None = None
    payouts: list[float] | None = None


CHECKS: list[Check] = [
    rule(
        "escrows",
        "every open pool's escrow covers its worst outcome",
        "pool {id} holds {balance_kopecks} kopecks and may have to pay {worst}",
        # If outcome i wins, the pool owes q_no of all, + q_yes_i, − q_no_i. A single market's other outcome owes q_no.
        """
        SELECT p.id, a.balance_kopecks, w.worst
        FROM pools p
        JOIN accounts a ON a.id = p.escrow_account_id
        JOIN (
            SELECT pool_id,
                   SUM(q_no) + CASE WHEN COUNT(*) > 1 OR MAX(q_yes) > MAX(q_no) THEN MAX(q_yes - q_no) ELSE 0 END
                   AS worst
            FROM markets GROUP BY pool_id
        ) w ON w.pool_id = p.id
        WHERE p.state = 'open' AND a.balance_kopecks < w.worst
        """,
    ),
    rule(
        "escrow entries",
        "every escrow holds the house's part and what trades left in it, less what was paid, and nothing once all is;"
        " every fee is kept",
        "pool {id} ({state}) holds {balance_kopecks} kopecks in escrow and {fees_kopecks} in fees; its trades say"
        " {expected} and {charged}",
        """
        SELECT * FROM (
            SELECT p.id, p.state, a.balance_kopecks, f.balance_kopecks AS fees_kopecks,
                   CASE WHEN p.state = 'open' OR p.paying
                        THEN p.loss_bound_kopecks + COALESCE(t.kept, 0) - COALESCE(s.paid, 0) ELSE 0 END AS expected,
                   COALESCE(t.charged, 0) AS charged
            FROM pools p
            JOIN accounts a ON a.id = p.escrow_account_id
            JOIN accounts f ON f.id = p.fees_account_id
            LEFT JOIN (
                SELECT pool_id, SUM(fee_kopecks) AS charged,
                       SUM(CASE WHEN action = 'buy' THEN amount_kopecks - fee_kopecks ELSE -amount_kopecks END) AS kept
                FROM trades GROUP BY pool_id
            ) t ON t.pool_id = p.id
            LEFT JOIN (
                SELECT pool_id, SUM(settled_kopecks) AS paid
                FROM positions WHERE pool_id IN (SELECT id FROM pools WHERE paying) GROUP BY pool_id
            ) s ON s.pool_id = p.id
        ) b
        WHERE balance_kopecks <> expected OR fees_kopecks <> charged
        """,
    ),
    rule(
        "states",
        "pools and events are in states that agree",
        "{what} {id} is {state}, which its rows deny",
        """
        SELECT 'pool' AS what, p.id, p.state FROM pools p
        WHERE p.state NOT IN ('new', 'open', 'resolved')
           OR (p.state = 'new' AND (p.published_at_ms IS NOT NULL OR p.trade_count > 0))
           OR (p.state = 'open' AND p.published_at_ms IS NULL)
           OR (p.state = 'resolved') <> (p.won_side IS NOT NULL)
           OR (p.resolution IS NULL AND p.state = 'resolved') OR (p.resolution IS NOT NULL AND p.state = 'new')
           OR (p.resolution IS NOT NULL AND p.state = 'open' AND p.disputable_until_ms IS NULL)
           OR (p.resolution IS NULL AND p.disputable_until_ms IS NOT NULL)
           OR (p.paying AND p.state <> 'resolved')
        UNION ALL SELECT 'event', e.id, e.status FROM events e
        LEFT JOIN (
            SELECT event_id, SUM(CASE WHEN state = 'resolved' THEN 0 ELSE 1 END) AS unresolved,
                   SUM(CASE WHEN resolution IS NULL THEN 1 ELSE 0 END) AS undecided,
                   MAX(CASE WHEN state = 'open' THEN disputable_until_ms END) AS last_window_ends_ms,
                   SUM(CASE WHEN state = 'new' THEN 1 ELSE 0 END) AS unpublished, COUNT(*) AS pools
            FROM pools GROUP BY event_id
        ) p ON p.event_id = e.id
        WHERE p.event_id IS NULL
           OR (e.status = 'new' AND p.unpublished < p.pools)
           OR (e.status = 'active' AND (p.unresolved = 0 OR p.unpublished > 0))
           OR (e.status = 'resolved' AND p.unresolved > 0)
           OR (e.status = 'cancelled' AND p.undecided > 0)
           OR COALESCE(e.resolves_at_ms, 0) <> CASE
                WHEN e.status = 'active' AND p.undecided = 0 THEN COALESCE(p.last_window_ends_ms, 0) ELSE 0 END
        """,
    ),
    rule(
        "payments",
        "every pool with a result that is not paid has its row in the payments, and no other pool",
        "pool {id} ({state}, paying: {paying}) has {listed} such rows",
        """
        SELECT * FROM (
            SELECT p.id, p.state, p.paying, COUNT(d.pool_id) AS listed
            FROM pools p LEFT JOIN payments d ON d.pool_id = p.id
            GROUP BY p.id, p.state, p.paying, p.resolution
            HAVING COUNT(d.pool_id) <> CASE WHEN p.paying OR (p.state = 'open' AND p.resolution IS NOT NULL)
                                            THEN 1 ELSE 0 END
        ) b
        """,
    ),
    Check("owed", "every escrow that is being paid out covers what is still due", _owed),
    rule(
        "settled pools",
        "every paid pool's positions are closed, and no position was settled before its pool's result was final",
        "position {id} of pool {pool_id} ({state}) holds {shares} shares and had {settled_shares} settled",
        """
        SELECT s.id, s.pool_id, p.state, s.shares, s.settled_shares
        FROM positions s JOIN pools p ON p.id = s.pool_id
        WHERE (p.state = 'resolved' AND NOT p.paying AND s.shares > 0)
           OR (p.state <> 'resolved' AND (s.settled_shares <> 0 OR s.settled_kopecks <> 0 OR s.won_side IS NOT NULL))
        """,
    ),
    Check("settlements", "every settled position was paid what its pool's resolution says", _settlements),
    rule(
        "settlement money",
        "every settlement moved from its pool's escrow to its holder, once",
        "position {id} was settled for {settled_kopecks} kopecks, transfers to its holder sum to {paid}",
        """
        SELECT * FROM (
            SELECT s.id, s.settled_kopecks, COALESCE(m.paid, 0) AS paid
            FROM positions s
            LEFT JOIN (
                SELECT t.position_id, SUM(t.amount_kopecks) AS paid
                FROM transfers t
                JOIN positions s ON s.id = t.position_id
                JOIN users u ON u.id = s.user_id
                JOIN pools p ON p.id = s.pool_id
                WHERE t.kind = 'settlement' AND t.target_account_id = u.account_id
                  AND t.source_account_id = p.escrow_account_id
                GROUP BY t.position_id
            ) m ON m.position_id = s.id
        ) b
        WHERE settled_kopecks <> paid
        UNION ALL SELECT COALESCE(t.position_id, 0), 0, t.amount_kopecks
        FROM transfers t LEFT JOIN positions s ON s.id = t.position_id
        LEFT JOIN users u ON u.id = s.user_id
        WHERE t.kind = 'settlement' AND (s.id IS NULL OR t.target_account_id <> u.account_id)
        """,
    ),
]
