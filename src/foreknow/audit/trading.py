"""Trades: their transfers, and the positions, markets, pools and events that add them up."""

from __future__ import annotations

from collections.abc import Iterator

from foreknow.audit.rules import Check, rows, rule
from foreknow.db.transactions import ReadTx


def _costs(tx: ReadTx) -> Iterator[str]:
    """Compute every position's cost again, trade by trade (decisions.md, "A position's cost")."""
    query = "SELECT position_id, id, action, shares, amount_kopecks, pnl_kopecks FROM trades ORDER BY position_id, id"
    position_id, held, cost_kopecks = 0, 0, 0
    for of_position, trade_id, action, shares, amount_kopecks, shown_kopecks in rows(tx, query):
        if of_position != position_id:
            position_id, held, cost_kopecks = of_position, 0, 0
        if action == "buy":
            held += shares
            cost_kopecks += amount_kopecks
            made_kopecks = 0
        elif shares > held:
            yield f"trade {trade_id} sold {shares} shares of position {position_id}, which held {held}"
            continue
        else:
            taken_kopecks = cost_kopecks * shares // held
            held -= shares
            cost_kopecks -= taken_kopecks
            made_kopecks = amount_kopecks - taken_kopecks
        if shown_kopecks != made_kopecks:
            yield f"trade {trade_id} shows a profit of {shown_kopecks} kopecks and made {made_kopecks}"


CHECKS: list[Check] = [
    rule(
        "trade money",
        "every trade moved its money, and no money moved for a trade otherwise",
        "trade {id} ({action} of {amount_kopecks} kopecks, fee {fee_kopecks}): its transfers do not say so",
        """
        SELECT t.id, t.action, t.amount_kopecks, t.fee_kopecks
        FROM trades t
        LEFT JOIN (
            SELECT trade_id,
                   SUM(CASE WHEN kind = 'bet' THEN amount_kopecks ELSE 0 END) AS bet,
                   SUM(CASE WHEN kind = 'fee' THEN amount_kopecks ELSE 0 END) AS fee,
                   SUM(CASE WHEN kind = 'sale' THEN amount_kopecks ELSE 0 END) AS sale,
                   SUM(CASE WHEN kind = 'funding' THEN amount_kopecks ELSE 0 END) AS funding,
                   SUM(CASE WHEN kind IN ('bet', 'fee', 'sale', 'funding') THEN 0 ELSE 1 END) AS others
            FROM transfers WHERE trade_id IS NOT NULL GROUP BY trade_id
        ) m ON m.trade_id = t.id
        WHERE m.trade_id IS NULL OR m.others > 0 OR m.fee <> t.fee_kopecks OR m.funding > t.amount_kopecks
           OR (t.action = 'buy' AND (m.bet <> t.amount_kopecks - t.fee_kopecks OR m.sale <> 0))
           OR (t.action = 'sell' AND (m.sale <> t.amount_kopecks OR m.bet <> 0 OR m.funding <> 0))
        """,
    ),
    rule(
        "trade accounts",
        "every transfer of a trade is between its trader's and its pool's accounts",
        "transfer {id} ({kind}) for trade {trade_id} is between accounts {source} and {target}",
        """
        SELECT m.id, m.kind, COALESCE(m.trade_id, 0) AS trade_id,
               m.source_account_id AS source, m.target_account_id AS target
        FROM transfers m
        LEFT JOIN trades t ON t.id = m.trade_id
        LEFT JOIN pools p ON p.id = t.pool_id
        LEFT JOIN users u ON u.id = t.user_id
        LEFT JOIN partners r ON r.id = u.partner_id
        WHERE m.kind IN ('bet', 'fee', 'sale', 'funding') AND (
               t.id IS NULL OR p.id IS NULL OR u.id IS NULL
            OR (m.kind IN ('bet', 'fee') AND m.source_account_id <> u.account_id)
            OR (m.kind IN ('sale', 'funding') AND m.target_account_id <> u.account_id)
            OR (m.kind = 'bet' AND m.target_account_id <> p.escrow_account_id)
            OR (m.kind = 'fee' AND m.target_account_id <> p.fees_account_id)
            OR (m.kind = 'sale' AND m.source_account_id <> p.escrow_account_id)
            OR (m.kind = 'funding' AND (r.id IS NULL OR m.source_account_id <> r.float_account_id))
        )
        """,
    ),
    rule(
        "trade places",
        "every trade and its position agree on who, where and which side",
        "trade {id} and position {position_id} do not agree",
        """
        SELECT t.id, t.position_id
        FROM trades t
        LEFT JOIN positions p ON p.id = t.position_id
        LEFT JOIN markets m ON m.id = t.market_id
        WHERE p.id IS NULL OR m.id IS NULL OR p.user_id <> t.user_id OR p.market_id <> t.market_id OR p.side <> t.side
           OR m.pool_id <> t.pool_id OR m.event_id <> t.event_id OR p.pool_id <> t.pool_id OR p.event_id <> t.event_id
        """,
    ),
    rule(
        "positions",
        "every position equals its trades and its settlement",
        "position {id} holds {shares} shares for {cost_kopecks} kopecks with a profit of {pnl_kopecks}; its trades say"
        " otherwise",
        """
        SELECT p.id, p.shares, p.cost_kopecks, p.pnl_kopecks
        FROM positions p
        LEFT JOIN (
            SELECT position_id,
                   SUM(CASE WHEN action = 'buy' THEN shares ELSE 0 END) AS bought,
                   SUM(CASE WHEN action = 'sell' THEN shares ELSE 0 END) AS sold,
                   SUM(CASE WHEN action = 'buy' THEN amount_kopecks ELSE 0 END) AS staked,
                   SUM(CASE WHEN action = 'sell' THEN amount_kopecks ELSE 0 END) AS paid,
                   SUM(CASE WHEN action = 'sell' THEN amount_kopecks - pnl_kopecks ELSE 0 END) AS sold_cost
            FROM trades GROUP BY position_id
        ) t ON t.position_id = p.id
        WHERE t.position_id IS NULL
           OR p.shares <> t.bought - t.sold - p.settled_shares
           OR p.left_shares <> t.sold + p.settled_shares
           OR p.cost_kopecks + p.left_cost_kopecks <> t.staked
           OR p.pnl_kopecks <> t.paid + p.settled_kopecks - p.left_cost_kopecks
           OR (p.settled_shares = 0 AND (p.left_cost_kopecks <> t.sold_cost OR p.settled_kopecks <> 0))
           OR (p.shares = 0 AND p.cost_kopecks <> 0)
           OR (p.shares = 0) <> (p.closed_at_ms IS NOT NULL)
        """,
    ),
    Check("costs", "every sale took its part of what its position had cost", _costs),
    rule(
        "markets",
        "every q and volume equals its market's trades",
        "market {id} has q_yes {q_yes}, q_no {q_no} and volume {volume_kopecks}; its trades sum to {yes}, {no} and"
        " {volume}",
        """
        SELECT * FROM (
            SELECT m.id, m.q_yes, m.q_no, m.volume_kopecks,
                   COALESCE(t.yes, 0) AS yes, COALESCE(t.no, 0) AS no, COALESCE(t.volume, 0) AS volume
            FROM markets m
            LEFT JOIN (
                SELECT market_id,
                       SUM(CASE WHEN side <> 'YES' THEN 0 WHEN action = 'buy' THEN shares ELSE -shares END) AS yes,
                       SUM(CASE WHEN side <> 'NO' THEN 0 WHEN action = 'buy' THEN shares ELSE -shares END) AS no,
                       SUM(amount_kopecks) AS volume
                FROM trades GROUP BY market_id
            ) t ON t.market_id = m.id
        ) b
        WHERE q_yes <> yes OR q_no <> no OR volume_kopecks <> volume
        """,
    ),
    rule(
        "holdings",
        "what positions hold, or held when they were settled, is every market's q",
        "market {id} has q_yes {q_yes} and q_no {q_no}; its positions hold {yes} and {no}",
        """
        SELECT * FROM (
            SELECT m.id, m.q_yes, m.q_no, COALESCE(h.yes, 0) AS yes, COALESCE(h.no, 0) AS no
            FROM markets m
            LEFT JOIN (
                SELECT market_id,
                       SUM(CASE WHEN side = 'YES' THEN shares + settled_shares ELSE 0 END) AS yes,
                       SUM(CASE WHEN side = 'NO' THEN shares + settled_shares ELSE 0 END) AS no
                FROM positions GROUP BY market_id
            ) h ON h.market_id = m.id
        ) b
        WHERE q_yes <> yes OR q_no <> no
        """,
    ),
    rule(
        "volumes",
        "volumes and counts of pools and events are those of their trades",
        "{what} {id} shows {shown}, its trades make {counted}",
        """
        SELECT * FROM (
            SELECT 'the trade count of pool' AS what, p.id, p.trade_count AS shown, COALESCE(t.counted, 0) AS counted
            FROM pools p
            LEFT JOIN (SELECT pool_id, COUNT(*) AS counted FROM trades GROUP BY pool_id) t ON t.pool_id = p.id
            UNION ALL SELECT 'the volume of pool', p.id, p.volume_kopecks, COALESCE(m.volume, 0)
            FROM pools p
            LEFT JOIN (
                SELECT pool_id, SUM(volume_kopecks) AS volume FROM markets GROUP BY pool_id
            ) m ON m.pool_id = p.id
            UNION ALL SELECT 'the volume of event', e.id, e.volume_kopecks, COALESCE(p.volume, 0)
            FROM events e
            LEFT JOIN (
                SELECT event_id, SUM(volume_kopecks) AS volume FROM pools GROUP BY event_id
            ) p ON p.event_id = e.id
        ) b
        WHERE shown <> counted
        """,
    ),
]
