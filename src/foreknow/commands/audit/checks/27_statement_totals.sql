-- every partner's totals are what its sub-accounts have together, and what their orders hold
-- Finding: the totals of partner {id} are {total} and {ordered} kopecks, its sub-accounts have {held}, their orders
-- {in_orders}

SELECT * FROM (
    SELECT p.id, COALESCE(t.users_balance_kopecks, 0) AS total, COALESCE(h.held, 0) AS held,
           COALESCE(t.held_kopecks, 0) AS ordered, COALESCE(o.held, 0) AS in_orders
    FROM partners p
    LEFT JOIN statement_totals t ON t.partner_id = p.id
    LEFT JOIN (
        SELECT u.partner_id, SUM(a.balance_kopecks) AS held
        FROM users u JOIN accounts a ON a.id = u.account_id
        WHERE u.partner_id IS NOT NULL GROUP BY u.partner_id
    ) h ON h.partner_id = p.id
    LEFT JOIN (
        SELECT partner_id, SUM(held_kopecks) AS held FROM limit_orders WHERE partner_id IS NOT NULL GROUP BY partner_id
    ) o ON o.partner_id = p.id
) b
WHERE total <> held OR ordered <> in_orders;
