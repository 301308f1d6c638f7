-- the house's own trader holds only payouts under way, and has spent on each pool what its trades there cost
-- Finding: {what} {id}: {stored} kopecks instead of {counted}

SELECT * FROM (
    SELECT 'pool' AS what, h.pool_id AS id, h.spent_kopecks AS stored, COALESCE(t.spent, 0) AS counted
    FROM house_pools h
    LEFT JOIN (
        SELECT t.pool_id,
               SUM(CASE t.action WHEN 'buy' THEN t.amount_kopecks ELSE -t.amount_kopecks END) AS spent
        FROM trades t JOIN users u ON u.id = t.user_id
        WHERE u.nickname_key = 'house account' GROUP BY t.pool_id
    ) t ON t.pool_id = h.pool_id
    UNION ALL SELECT 'account', a.id, a.balance_kopecks, COALESCE(s.paid, 0)
    FROM accounts a JOIN users u ON u.account_id = a.id
    LEFT JOIN (
        SELECT user_id, SUM(settled_kopecks) AS paid
        FROM positions WHERE pool_id IN (SELECT id FROM pools WHERE paying) GROUP BY user_id
    ) s ON s.user_id = u.id
    WHERE u.nickname_key = 'house account'
) b
WHERE stored <> counted;
