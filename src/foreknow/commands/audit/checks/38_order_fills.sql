-- every order's fills are its trades, at its price or better
-- Finding: order {id} has {filled_shares} shares filled for {amount_kopecks} kopecks, fee {fee_kopecks}; its trades
-- say {traded}, {amount} and {fee}

SELECT * FROM (
    SELECT o.id, o.filled_shares, o.amount_kopecks, o.fee_kopecks, o.action, o.price_bps,
           COALESCE(t.traded, 0) AS traded, COALESCE(t.amount, 0) AS amount, COALESCE(t.fee, 0) AS fee,
           COALESCE(t.strangers, 0) AS strangers
    FROM limit_orders o
    LEFT JOIN (
        SELECT t.order_id, SUM(t.shares) AS traded, SUM(t.amount_kopecks) AS amount, SUM(t.fee_kopecks) AS fee,
               SUM(CASE WHEN t.user_id = o.user_id AND t.market_id = o.market_id AND t.side = o.side
                         AND t.action = o.action AND t.role IN ('taker', 'maker') AND t.shares % 100 = 0
                         AND (t.role = 'taker' OR t.fee_kopecks = 0)
                        THEN 0 ELSE 1 END) AS strangers
        FROM trades t JOIN limit_orders o ON o.id = t.order_id GROUP BY t.order_id
    ) t ON t.order_id = o.id
) b
WHERE filled_shares <> traded OR amount_kopecks <> amount OR fee_kopecks <> fee OR strangers > 0
   OR (action = 'buy' AND amount_kopecks - fee_kopecks > filled_shares / 100 * (price_bps / 100))
   OR (action = 'sell' AND amount_kopecks < filled_shares / 100 * (price_bps / 100));
