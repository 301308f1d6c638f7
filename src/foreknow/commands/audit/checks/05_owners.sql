-- every user, partner and pool has its own account, and every account its owner
-- Finding: {what} {id} and account {account} do not belong together

SELECT 'user' AS what, u.id, COALESCE(u.account_id, 0) AS account
FROM users u LEFT JOIN accounts a ON a.id = u.account_id
WHERE a.id IS NULL OR a.kind <> 'user' OR a.owner_id <> u.id
UNION ALL SELECT 'partner', p.id, p.float_account_id
FROM partners p LEFT JOIN accounts a ON a.id = p.float_account_id
WHERE a.id IS NULL OR a.kind <> 'float' OR a.owner_id <> p.id
UNION ALL SELECT 'pool', p.id, p.escrow_account_id
FROM pools p LEFT JOIN accounts a ON a.id = p.escrow_account_id
WHERE a.id IS NULL OR a.kind <> 'escrow' OR a.owner_id <> p.id
UNION ALL SELECT 'pool', p.id, p.fees_account_id
FROM pools p LEFT JOIN accounts a ON a.id = p.fees_account_id
WHERE a.id IS NULL OR a.kind <> 'fees' OR a.owner_id <> p.id
UNION ALL SELECT a.kind, a.owner_id, a.id
FROM accounts a
WHERE NOT (
    (a.kind = 'house' AND a.owner_id = 0)
    OR (a.kind = 'user' AND EXISTS (SELECT 1 FROM users u WHERE u.id = a.owner_id))
    OR (a.kind = 'float' AND EXISTS (SELECT 1 FROM partners p WHERE p.id = a.owner_id))
    OR (a.kind IN ('escrow', 'fees', 'orders') AND EXISTS (SELECT 1 FROM pools p WHERE p.id = a.owner_id))
);
