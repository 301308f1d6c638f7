-- what positions hold, or held when they were settled, is every market's q
-- Finding: market {id} has q_yes {q_yes} and q_no {q_no}; its positions hold {yes} and {no}

SELECT * FROM (
    SELECT m.id, m.q_yes, m.q_no, COALESCE(h.yes, 0) AS yes, COALESCE(h.no, 0) AS no
    FROM markets m
    LEFT JOIN (
        SELECT market_id,
               SUM(CASE WHEN side = 'YES' THEN shares + settled_shares ELSE 0 END) AS yes,
               SUM(CASE WHEN side = 'NO' THEN shares + settled_shares ELSE 0 END) AS no
        FROM positions GROUP BY market_id
    ) h ON h.market_id = m.id
) b
WHERE q_yes <> yes OR q_no <> no;
