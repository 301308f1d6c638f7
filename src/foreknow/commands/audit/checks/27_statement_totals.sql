-- every partner's total is what its sub-accounts hold together
-- Finding: the total of partner {id} is {total} kopecks, its sub-accounts hold {held}

SELECT * FROM (
    SELECT p.id, COALESCE(t.users_balance_kopecks, 0) AS total, COALESCE(h.held, 0) AS held
    FROM partners p
    LEFT JOIN statement_totals t ON t.partner_id = p.id
    LEFT JOIN (
        SELECT u.partner_id, SUM(a.balance_kopecks) AS held
        FROM users u JOIN accounts a ON a.id = u.account_id
        WHERE u.partner_id IS NOT NULL GROUP BY u.partner_id
    ) h ON h.partner_id = p.id
) b
WHERE total <> held;
