-- every partner's statement adds up to the balance of each of its sub-accounts
-- Finding: sub-account {id} of partner {partner_id} has {balance_kopecks} kopecks, the statement adds up to {stated}

SELECT * FROM (
    SELECT u.id, u.partner_id, a.balance_kopecks, COALESCE(s.stated, 0) AS stated
    FROM users u JOIN accounts a ON a.id = u.account_id
    LEFT JOIN (
        SELECT partner_id, user_id, SUM(balance_change_kopecks) AS stated
        FROM partner_transactions WHERE user_id IS NOT NULL GROUP BY partner_id, user_id
    ) s ON s.user_id = u.id AND s.partner_id = u.partner_id
    WHERE u.partner_id IS NOT NULL
) b
WHERE balance_kopecks <> stated;
