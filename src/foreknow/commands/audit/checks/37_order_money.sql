-- every order holds what was put in and what its sales brought, less what it spent and what was paid out
-- Finding: order {id} holds {held_kopecks} kopecks, {owed_kopecks} of them owed; its transfers say {kept}, its rest
-- {rest}

SELECT * FROM (
    SELECT o.id, o.held_kopecks, o.owed_kopecks, COALESCE(t.held, 0) AS kept,
           CASE WHEN o.status = 'open' AND o.action = 'buy'
                THEN (o.shares - o.filled_shares) / 100 * (o.price_bps / 100) ELSE 0 END AS rest
    FROM limit_orders o
    LEFT JOIN (
        SELECT order_id,
               SUM(CASE WHEN kind IN ('order', 'order_sale') THEN amount_kopecks
                        WHEN kind IN ('order_bet', 'order_return') THEN -amount_kopecks ELSE 0 END) AS held
        FROM transfers WHERE order_id IS NOT NULL GROUP BY order_id
    ) t ON t.order_id = o.id
) b
WHERE held_kopecks <> kept OR held_kopecks - owed_kopecks <> rest
UNION ALL SELECT COALESCE(t.order_id, 0), 0, 0, t.amount_kopecks, 0
FROM transfers t
LEFT JOIN limit_orders o ON o.id = t.order_id
LEFT JOIN users u ON u.id = o.user_id
LEFT JOIN accounts a ON a.kind = 'orders' AND a.owner_id = o.pool_id
WHERE t.kind IN ('order', 'order_return', 'order_bet', 'order_sale') AND (
       o.id IS NULL OR u.id IS NULL OR a.id IS NULL
    OR (t.kind = 'order' AND (t.source_account_id <> u.account_id OR t.target_account_id <> a.id))
    OR (t.kind = 'order_return' AND (t.source_account_id <> a.id OR t.target_account_id <> u.account_id))
);
