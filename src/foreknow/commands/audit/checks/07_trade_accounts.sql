-- every transfer of a trade is between its trader's and its pool's accounts
-- Finding: transfer {id} ({kind}) for trade {trade_id} is between accounts {source} and {target}

SELECT m.id, m.kind, COALESCE(m.trade_id, 0) AS trade_id,
       m.source_account_id AS source, m.target_account_id AS target
FROM transfers m
LEFT JOIN trades t ON t.id = m.trade_id
LEFT JOIN pools p ON p.id = t.pool_id
LEFT JOIN users u ON u.id = t.user_id
LEFT JOIN partners r ON r.id = u.partner_id
LEFT JOIN accounts o ON o.kind = 'orders' AND o.owner_id = p.id
WHERE m.kind IN ('bet', 'fee', 'sale', 'funding', 'order_bet', 'order_sale')
  -- What funds a hold belongs to no trade.
  AND NOT (m.kind = 'funding' AND m.trade_id IS NULL AND m.order_id IS NOT NULL) AND (
       t.id IS NULL OR p.id IS NULL OR u.id IS NULL
    OR (m.kind IN ('bet', 'fee') AND m.source_account_id <> u.account_id)
    OR (m.kind IN ('sale', 'funding') AND m.target_account_id <> u.account_id)
    OR (m.kind IN ('order_bet', 'order_sale') AND o.id IS NULL)
    OR (m.kind = 'order_bet' AND (m.source_account_id <> o.id OR m.target_account_id <> p.escrow_account_id))
    OR (m.kind = 'order_sale' AND (m.source_account_id <> p.escrow_account_id OR m.target_account_id <> o.id))
    OR (m.kind = 'bet' AND m.target_account_id <> p.escrow_account_id)
    OR (m.kind = 'fee' AND m.target_account_id <> p.fees_account_id)
    OR (m.kind = 'sale' AND m.source_account_id <> p.escrow_account_id)
    OR (m.kind = 'funding' AND (r.id IS NULL OR m.source_account_id <> r.float_account_id))
);
