-- what positions hold, or held when they were settled, is every market's q, with those of Other that are to be turned
-- Finding: market {id} has q_yes {q_yes} and q_no {q_no}; its positions hold {yes} and {no}

SELECT * FROM (
    SELECT m.id, m.q_yes, m.q_no, COALESCE(h.yes, 0) + COALESCE(w.waiting, 0) AS yes, COALESCE(h.no, 0) AS no
    FROM markets m
    LEFT JOIN (
        SELECT market_id,
               SUM(CASE WHEN side = 'YES' THEN shares + settled_shares ELSE 0 END) AS yes,
               SUM(CASE WHEN side = 'NO' THEN shares + settled_shares ELSE 0 END) AS no
        FROM positions GROUP BY market_id
    ) h ON h.market_id = m.id
    LEFT JOIN (
        SELECT n.id AS market_id, SUM(s.shares) AS waiting
        FROM pools p
        JOIN split_turns t ON t.pool_id = p.id
        JOIN markets n ON n.pool_id = p.id
            AND n.outcome_index = (SELECT MAX(l.outcome_index) FROM markets l WHERE l.pool_id = p.id)
        JOIN markets o ON o.pool_id = p.id AND o.outcome_index = p.other_index
        JOIN positions s ON s.market_id = o.id AND s.closed_at_ms IS NULL AND s.id <= t.last_position_id
        WHERE p.turning
            AND NOT EXISTS (SELECT 1 FROM position_splits d WHERE d.market_id = n.id AND d.position_id = s.id)
        GROUP BY n.id
    ) w ON w.market_id = m.id
) b
WHERE q_yes <> yes OR q_no <> no;
