-- every order of a sub-account has its one line in the statement, and every line its order
-- Finding: {what} {id} of the statement and its trade do not agree

SELECT 'the line of trade' AS what, t.id
FROM trades t JOIN users u ON u.id = t.user_id
LEFT JOIN (
    SELECT trade_id, COUNT(*) AS lines FROM partner_transactions WHERE trade_id IS NOT NULL GROUP BY trade_id
) l ON l.trade_id = t.id
WHERE u.partner_id IS NOT NULL AND COALESCE(l.lines, 0) <> CASE WHEN t.basket_id IS NULL THEN 1 ELSE 0 END
UNION ALL SELECT 'line', l.id
FROM partner_transactions l
LEFT JOIN trades t ON t.id = l.trade_id
LEFT JOIN users u ON u.id = t.user_id
WHERE (l.trade_id IS NOT NULL) <> (l.type IN ('bet', 'sale')) OR (
    l.trade_id IS NOT NULL AND (
        t.id IS NULL OR u.partner_id IS NULL OR u.partner_id <> l.partner_id OR u.id <> l.user_id
        OR t.market_id <> l.market_id OR l.type <> CASE t.action WHEN 'buy' THEN 'bet' ELSE 'sale' END
        OR l.float_change_kopecks + l.balance_change_kopecks
           <> CASE WHEN t.role = 'maker' THEN 0 WHEN t.action = 'buy' THEN -t.amount_kopecks ELSE t.amount_kopecks END
    )
)
UNION ALL SELECT 'the line of basket', b.id
FROM baskets b JOIN users u ON u.id = b.user_id
LEFT JOIN (
    SELECT basket_id, COUNT(*) AS lines FROM partner_transactions WHERE basket_id IS NOT NULL GROUP BY basket_id
) l ON l.basket_id = b.id
WHERE u.partner_id IS NOT NULL AND COALESCE(l.lines, 0) <> 1
UNION ALL SELECT 'line', l.id
FROM partner_transactions l
LEFT JOIN baskets b ON b.id = l.basket_id
LEFT JOIN users u ON u.id = b.user_id
WHERE (l.basket_id IS NOT NULL) <> (l.type = 'basket') OR (
    l.basket_id IS NOT NULL AND (
        b.id IS NULL OR u.partner_id IS NULL OR u.partner_id <> l.partner_id OR u.id <> l.user_id
        OR l.market_id IS NOT NULL OR l.float_change_kopecks + l.balance_change_kopecks <> b.net_kopecks
    )
);
