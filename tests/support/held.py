"""What must never be of what resting orders hold and reserve, as counts of rows."""

from __future__ import annotations

#: Each query counts what must not be, in the pools and of the partner of a crowd: others left what they like.
WRONG = {
    "order accounts": """
        SELECT COUNT(*) FROM accounts a
        LEFT JOIN (SELECT pool_id, SUM(held_kopecks) AS held FROM limit_orders GROUP BY pool_id) o
          ON o.pool_id = a.owner_id
        WHERE a.kind = 'orders' AND a.owner_id IN :pools AND a.balance_kopecks <> COALESCE(o.held, 0)""",
    "holds": """
        SELECT COUNT(*) FROM limit_orders WHERE pool_id IN :pools AND held_kopecks - owed_kopecks <> CASE
            WHEN status = 'open' AND action = 'buy'
            THEN CAST(price_bps AS NUMERIC) * (shares - filled_shares) / 10000 ELSE 0 END""",
    "reserved shares": """
        SELECT COUNT(*) FROM (
            SELECT p.id, p.reserved_shares, COALESCE(SUM(o.shares - o.filled_shares), 0) AS offered
            FROM positions p LEFT JOIN limit_orders o
              ON o.user_id = p.user_id AND o.market_id = p.market_id AND o.side = p.side
             AND o.status = 'open' AND o.action = 'sell'
            WHERE p.closed_at_ms IS NULL AND p.pool_id IN :pools GROUP BY p.id, p.reserved_shares
        ) b WHERE reserved_shares <> offered""",
    "counts of open orders": """
        SELECT COUNT(*) FROM pools p WHERE p.id IN :pools AND open_orders <>
            (SELECT COUNT(*) FROM limit_orders o WHERE o.pool_id = p.id AND o.status = 'open')""",
    "fills": """
        SELECT COUNT(*) FROM (
            SELECT o.id, o.filled_shares, o.amount_kopecks, COALESCE(SUM(t.shares), 0) AS shares,
                   COALESCE(SUM(t.amount_kopecks), 0) AS amount
            FROM limit_orders o LEFT JOIN trades t ON t.order_id = o.id
            WHERE o.pool_id IN :pools GROUP BY o.id, o.filled_shares, o.amount_kopecks
        ) b WHERE filled_shares <> shares OR amount_kopecks <> amount""",
    "crossed markets": """
        SELECT COUNT(*) FROM limit_orders up JOIN limit_orders down
          ON down.market_id = up.market_id AND down.status = 'open' AND up.status = 'open'
        WHERE up.pool_id IN :pools AND up.is_up AND NOT down.is_up AND 100 - up.rank >= down.rank""",
    "totals of partners": """
        SELECT COUNT(*) FROM statement_totals s JOIN partners p ON p.id = s.partner_id
        WHERE p.name = :partner AND held_kopecks <> (
            SELECT COALESCE(SUM(held_kopecks), 0) FROM limit_orders o WHERE o.partner_id = s.partner_id)""",
}
