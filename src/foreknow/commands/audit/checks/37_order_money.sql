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
WHERE held_kopecks <> kept OR held_kopecks - owed_kopecks <> rest;
