-- every open pool's escrow covers its worst outcome
-- Finding: pool {id} holds {balance_kopecks} kopecks and may have to pay {worst}

-- If outcome i wins, the pool owes q_no of all, + q_yes_i, − q_no_i. A single market's other outcome owes q_no.
SELECT p.id, a.balance_kopecks, w.worst
FROM pools p
JOIN accounts a ON a.id = p.escrow_account_id
JOIN (
    SELECT pool_id,
           SUM(q_no) + CASE WHEN COUNT(*) > 1 OR MAX(q_yes) > MAX(q_no) THEN MAX(q_yes - q_no) ELSE 0 END
           AS worst
    FROM markets GROUP BY pool_id
) w ON w.pool_id = p.id
WHERE p.state = 'open' AND a.balance_kopecks < w.worst;
