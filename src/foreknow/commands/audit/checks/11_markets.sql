-- every q and volume equals its market's trades
-- Finding: market {id} has q_yes {q_yes}, q_no {q_no} and volume {volume_kopecks}; its trades sum to {yes}, {no} and
-- {volume}

-- What each trade did in each market: a basket's trade has a leg for each of its own.
WITH legs AS (
    SELECT market_id, side, action, shares, amount_kopecks FROM trades WHERE basket_id IS NULL
    UNION ALL SELECT l.market_id, t.side, t.action, l.shares, l.amount_kopecks
    FROM trade_legs l JOIN trades t ON t.id = l.trade_id
)
SELECT * FROM (
    SELECT m.id, m.q_yes, m.q_no, m.volume_kopecks,
           COALESCE(t.yes, 0) AS yes, COALESCE(t.no, 0) AS no, COALESCE(t.volume, 0) AS volume
    FROM markets m
    LEFT JOIN (
        SELECT market_id,
               SUM(CASE WHEN side <> 'YES' THEN 0 WHEN action = 'buy' THEN shares ELSE -shares END) AS yes,
               SUM(CASE WHEN side <> 'NO' THEN 0 WHEN action = 'buy' THEN shares ELSE -shares END) AS no,
               SUM(amount_kopecks) AS volume
        FROM legs GROUP BY market_id
    ) t ON t.market_id = m.id
) b
WHERE q_yes <> yes OR q_no <> no OR volume_kopecks <> volume;
