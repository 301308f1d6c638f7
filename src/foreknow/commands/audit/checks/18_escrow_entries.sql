-- every escrow holds the house's part and what trades left in it, less what was paid, and nothing once all is; every
-- fee is kept
-- Finding: pool {id} ({state}) holds {balance_kopecks} kopecks in escrow and {fees_kopecks} in fees; its trades say
-- {expected} and {charged}

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
WHERE balance_kopecks <> expected OR fees_kopecks <> charged;
