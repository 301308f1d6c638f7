-- every trader's count of closed positions is the number of them, but for those still to be noted
-- Finding: user {id} is said to have closed {counted} positions instead of {closed}

SELECT * FROM (
    SELECT t.user_id AS id, t.closed_positions AS counted, COALESCE(p.closed, 0) - COALESCE(d.due, 0) AS closed
    FROM pnl_totals t
    LEFT JOIN (
        SELECT user_id, COUNT(*) AS closed FROM positions WHERE closed_at_ms IS NOT NULL GROUP BY user_id
    ) p ON p.user_id = t.user_id
    LEFT JOIN (
        SELECT user_id, SUM(CASE WHEN closes THEN 1 ELSE 0 END) AS due FROM order_dues GROUP BY user_id
    ) d ON d.user_id = t.user_id
    WHERE t.closed_ordinal = t.ordinal
) b
WHERE counted <> closed;
