-- every transfer of a trade is between its trader's and its pool's accounts, or those of the pool for a resting order
-- Finding: transfer {id} ({kind}) for trade {trade_id} is between accounts {source} and {target}

SELECT m.id, m.kind, COALESCE(m.trade_id, 0) AS trade_id,
       m.source_account_id AS source, m.target_account_id AS target
FROM transfers m
LEFT JOIN trades t ON t.id = m.trade_id
LEFT JOIN limit_orders o ON o.id = m.order_id
LEFT JOIN pools p ON p.id = COALESCE(t.pool_id, o.pool_id)
LEFT JOIN users u ON u.id = COALESCE(t.user_id, o.user_id)
LEFT JOIN partners r ON r.id = u.partner_id
LEFT JOIN accounts a ON a.kind = 'orders' AND a.owner_id = p.id
WHERE m.kind IN ('bet', 'fee', 'sale', 'funding', 'order', 'order_return', 'order_bet', 'order_sale') AND (
       p.id IS NULL OR u.id IS NULL
    OR (m.kind IN ('bet', 'fee', 'sale', 'order_bet', 'order_sale') AND t.id IS NULL)
    OR (m.kind IN ('bet', 'fee', 'sale') AND COALESCE(t.role, 'taker') <> 'taker')
    OR (m.kind IN ('order', 'order_return') AND o.id IS NULL)
    OR (m.kind IN ('order_bet', 'order_sale') AND (COALESCE(t.role, '') <> 'maker' OR t.order_id <> m.order_id))
    OR (m.kind IN ('bet', 'fee', 'order') AND m.source_account_id <> u.account_id)
    OR (m.kind IN ('sale', 'funding', 'order_return') AND m.target_account_id <> u.account_id)
    OR (m.kind IN ('bet', 'order_bet') AND m.target_account_id <> p.escrow_account_id)
    OR (m.kind = 'fee' AND m.target_account_id <> p.fees_account_id)
    OR (m.kind IN ('sale', 'order_sale') AND m.source_account_id <> p.escrow_account_id)
    OR (m.kind IN ('order', 'order_sale') AND m.target_account_id <> COALESCE(a.id, 0))
    OR (m.kind IN ('order_return', 'order_bet') AND m.source_account_id <> COALESCE(a.id, 0))
    OR (m.kind = 'funding' AND (r.id IS NULL OR m.source_account_id <> r.float_account_id))
);
