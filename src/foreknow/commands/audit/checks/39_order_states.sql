-- every order is in a state that its row allows, every pool counts its open ones, and none is open once it is paid
-- Finding: {what} {id} is {state}, which its rows deny

SELECT 'order' AS what, o.id, o.status AS state
FROM limit_orders o
JOIN markets m ON m.id = o.market_id
JOIN pools p ON p.id = m.pool_id
WHERE o.status NOT IN ('open', 'filled', 'cancelled', 'expired') OR o.pool_id <> p.id
   OR (o.status = 'filled') <> (o.filled_shares = o.shares)
   OR (o.status = 'cancelled') <> (o.reason IS NOT NULL)
   OR (o.status = 'open' AND o.time_in_force <> 'gtc')
   OR (o.status = 'open' AND p.state = 'resolved' AND NOT p.paying)
UNION ALL SELECT 'the count of open orders of pool', p.id, CAST(p.open_orders AS TEXT)
FROM pools p
LEFT JOIN (
    SELECT pool_id, COUNT(*) AS counted FROM limit_orders WHERE status = 'open' GROUP BY pool_id
) o ON o.pool_id = p.id
WHERE p.open_orders <> COALESCE(o.counted, 0);
