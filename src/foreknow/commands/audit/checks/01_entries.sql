-- entries sum to 0: every transfer takes from one account what it gives to another
-- Finding: transfer {id} ({kind}) of {amount_kopecks} kopecks goes from account {source} to account {target}

SELECT t.id, t.kind, t.amount_kopecks,
       t.source_account_id || COALESCE(' (' || s.kind || ')', ' (missing)') AS source,
       t.target_account_id || COALESCE(' (' || g.kind || ')', ' (missing)') AS target
FROM transfers t
LEFT JOIN accounts s ON s.id = t.source_account_id
LEFT JOIN accounts g ON g.id = t.target_account_id
WHERE s.id IS NULL OR g.id IS NULL OR s.id = g.id OR t.amount_kopecks <= 0
   OR t.kind || ': ' || s.kind || ' to ' || g.kind NOT IN (
       'bet: user to escrow', 'fee: user to fees', 'sale: escrow to user', 'settlement: escrow to user',
       'subsidy: house to escrow', 'return: escrow to house',
       'credit: house to user', 'debit: user to house', 'grant: house to user', 'forfeit: user to house',
       'deposit: house to float', 'payout: float to house',
       'funding: float to user', 'withdrawal: user to float',
       'odds_funding: house to user', 'odds_return: user to house',
       'order: user to orders', 'order_return: orders to user',
       'order_bet: orders to escrow', 'order_sale: escrow to orders'
   );
