-- no two orders rest that would meet, and no set of them
-- Finding: in pool {pool_id} best orders meet: {what}, {up} and {down}

-- Those alone that had not expired when the newest order came: what has expired meets no one.
SELECT pool_id, what, up, down FROM (
    SELECT pool_id, 'market ' || market_id AS what, MAX(CASE WHEN is_up THEN level END) AS up,
           MIN(CASE WHEN is_up THEN NULL ELSE level END) AS down
    FROM (
        SELECT pool_id, market_id, is_up, CASE side WHEN 'YES' THEN price_bps ELSE 10000 - price_bps END AS level
        FROM limit_orders
        WHERE status = 'open'
          AND (expires_at_ms IS NULL OR expires_at_ms > (SELECT MAX(created_at_ms) FROM limit_orders))
    ) o GROUP BY pool_id, market_id
) b
WHERE up >= down
UNION ALL SELECT pool_id, 'its sets', ups, downs FROM (
    SELECT b.pool_id, SUM(up) AS ups, CASE WHEN COUNT(down) = MAX(n.markets) THEN SUM(down) END AS downs
    FROM (
        SELECT pool_id, market_id, MAX(CASE WHEN is_up THEN level END) AS up,
               MIN(CASE WHEN is_up THEN NULL ELSE level END) AS down
        FROM (
            SELECT pool_id, market_id, is_up, CASE side WHEN 'YES' THEN price_bps ELSE 10000 - price_bps END AS level
            FROM limit_orders
            WHERE status = 'open'
              AND (expires_at_ms IS NULL OR expires_at_ms > (SELECT MAX(created_at_ms) FROM limit_orders))
        ) o GROUP BY pool_id, market_id
    ) b
    JOIN (SELECT pool_id, COUNT(*) AS markets FROM markets GROUP BY pool_id HAVING COUNT(*) > 1) n
      ON n.pool_id = b.pool_id
    GROUP BY b.pool_id
) s
WHERE ups > 9900 OR downs < 10100;
