-- every position equals its trades and its settlement
-- Finding: position {id} holds {shares} shares for {cost_kopecks} kopecks with a profit of {pnl_kopecks}; its trades
-- say otherwise

-- What each trade did in each market: a basket's trade has a leg for each of its own.
WITH legs AS (
    SELECT position_id, action, shares, amount_kopecks, pnl_kopecks FROM trades WHERE basket_id IS NULL
    UNION ALL SELECT l.position_id, t.action, l.shares, l.amount_kopecks, l.pnl_kopecks
    FROM trade_legs l JOIN trades t ON t.id = l.trade_id
)
SELECT p.id, p.shares, p.cost_kopecks, p.pnl_kopecks
FROM positions p
LEFT JOIN (
    SELECT position_id,
           SUM(CASE WHEN action = 'buy' THEN shares ELSE 0 END) AS bought,
           SUM(CASE WHEN action = 'sell' THEN shares ELSE 0 END) AS sold,
           SUM(CASE WHEN action = 'buy' THEN amount_kopecks ELSE 0 END) AS staked,
           SUM(CASE WHEN action = 'sell' THEN amount_kopecks ELSE 0 END) AS paid,
           SUM(CASE WHEN action = 'sell' THEN amount_kopecks - pnl_kopecks ELSE 0 END) AS sold_cost
    FROM legs GROUP BY position_id
) t ON t.position_id = p.id
WHERE t.position_id IS NULL
   OR p.shares <> t.bought - t.sold - p.settled_shares
   OR p.left_shares <> t.sold + p.settled_shares
   OR p.cost_kopecks + p.left_cost_kopecks <> t.staked
   OR p.pnl_kopecks <> t.paid + p.settled_kopecks - p.left_cost_kopecks
   OR (p.settled_shares = 0 AND (p.left_cost_kopecks <> t.sold_cost OR p.settled_kopecks <> 0))
   OR (p.shares = 0 AND p.cost_kopecks <> 0)
   OR (p.shares = 0) <> (p.closed_at_ms IS NOT NULL);
