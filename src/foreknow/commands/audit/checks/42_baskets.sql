-- every basket is one purchase, one sale or both, and the legs of each add up to it
-- Finding: {what} {id} does not agree with its rows

SELECT 'trade' AS what, t.id
FROM trades t
LEFT JOIN baskets b ON b.id = t.basket_id
LEFT JOIN trade_legs m ON m.trade_id = t.id AND m.market_id = t.market_id
LEFT JOIN (
    SELECT trade_id, SUM(amount_kopecks) AS amount, SUM(pnl_kopecks) AS pnl, COUNT(*) AS legs,
           SUM(CASE kind WHEN 'change' THEN 1 ELSE 0 END) AS changes,
           SUM(CASE kind WHEN 'stake' THEN 1 ELSE 0 END) AS stakes,
           SUM(CASE kind WHEN 'back' THEN 1 ELSE 0 END) AS backs,
           COUNT(DISTINCT CASE kind WHEN 'change' THEN NULL WHEN 'stake' THEN shares ELSE -shares END) AS sizes
    FROM trade_legs GROUP BY trade_id
) l ON l.trade_id = t.id
WHERE (t.basket_id IS NULL AND l.trade_id IS NOT NULL) OR (
    t.basket_id IS NOT NULL AND (
        b.id IS NULL OR b.user_id <> t.user_id OR b.pool_id <> t.pool_id OR t.side <> 'YES' OR t.order_id IS NOT NULL
        OR m.trade_id IS NULL OR m.position_id <> t.position_id OR m.shares <> t.shares
        OR l.amount <> t.amount_kopecks OR l.pnl <> t.pnl_kopecks
        -- All as named, or a stake: as many of each outcome bet on, and of each where it comes back.
        OR (l.changes <> l.legs AND (
            t.action <> 'buy' OR l.changes > 0 OR l.stakes = 0 OR l.stakes + l.backs <> l.legs
            OR l.sizes <> CASE WHEN l.backs > 0 THEN 2 ELSE 1 END
        ))
    )
)
UNION ALL SELECT 'the leg of trade', l.trade_id
FROM trade_legs l
LEFT JOIN trades t ON t.id = l.trade_id
LEFT JOIN markets m ON m.id = l.market_id
LEFT JOIN positions p ON p.id = l.position_id
WHERE t.id IS NULL OR m.id IS NULL OR p.id IS NULL OR m.pool_id <> t.pool_id
   OR p.user_id <> t.user_id OR p.market_id <> l.market_id OR p.side <> 'YES'
UNION ALL SELECT 'basket', b.id
FROM baskets b
LEFT JOIN (
    SELECT basket_id, SUM(CASE action WHEN 'buy' THEN 1 ELSE 0 END) AS purchases,
           SUM(CASE action WHEN 'buy' THEN 0 ELSE 1 END) AS sales,
           SUM(CASE action WHEN 'buy' THEN -amount_kopecks ELSE amount_kopecks END) AS net
    FROM trades WHERE basket_id IS NOT NULL GROUP BY basket_id
) t ON t.basket_id = b.id
WHERE t.basket_id IS NULL OR t.purchases > 1 OR t.sales > 1 OR t.net <> b.net_kopecks;
