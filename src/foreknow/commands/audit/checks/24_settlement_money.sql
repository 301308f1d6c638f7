-- every settlement moved from its pool's escrow to its holder, once
-- Finding: position {id} was settled for {settled_kopecks} kopecks, transfers to its holder sum to {paid}

SELECT * FROM (
    SELECT s.id, s.settled_kopecks, COALESCE(m.paid, 0) AS paid
    FROM positions s
    LEFT JOIN (
        SELECT t.position_id, SUM(t.amount_kopecks) AS paid
        FROM transfers t
        JOIN positions s ON s.id = t.position_id
        JOIN users u ON u.id = s.user_id
        JOIN pools p ON p.id = s.pool_id
        WHERE t.kind = 'settlement' AND t.target_account_id = u.account_id
          AND t.source_account_id = p.escrow_account_id
        GROUP BY t.position_id
    ) m ON m.position_id = s.id
) b
WHERE settled_kopecks <> paid
UNION ALL SELECT COALESCE(t.position_id, 0), 0, t.amount_kopecks
FROM transfers t LEFT JOIN positions s ON s.id = t.position_id
LEFT JOIN users u ON u.id = s.user_id
WHERE t.kind = 'settlement' AND (s.id IS NULL OR t.target_account_id <> u.account_id);
