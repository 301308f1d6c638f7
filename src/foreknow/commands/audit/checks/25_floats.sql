-- every partner's statement adds up to its float
-- Finding: the float of partner {id} is {balance_kopecks} kopecks, its statement adds up to {stated}

SELECT * FROM (
    SELECT p.id, a.balance_kopecks, COALESCE(s.stated, 0) AS stated
    FROM partners p JOIN accounts a ON a.id = p.float_account_id
    LEFT JOIN (
        SELECT partner_id, SUM(float_change_kopecks) AS stated FROM partner_transactions GROUP BY partner_id
    ) s ON s.partner_id = p.id
) b
WHERE balance_kopecks <> stated;
