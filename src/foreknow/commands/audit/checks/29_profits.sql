-- every trader's profit is what their positions made, but for fills of resting orders that are still to be noted
-- Finding: the chart of user {id} ends at {shown} kopecks, the positions made {made}

SELECT * FROM (
    SELECT u.id, COALESCE(t.pnl_kopecks, 0) AS shown, COALESCE(p.made, 0) - COALESCE(d.due, 0) AS made
    FROM users u
    LEFT JOIN pnl_totals t ON t.user_id = u.id
    LEFT JOIN (SELECT user_id, SUM(pnl_kopecks) AS made FROM positions GROUP BY user_id) p ON p.user_id = u.id
    LEFT JOIN (SELECT user_id, SUM(pnl_kopecks) AS due FROM order_dues GROUP BY user_id) d ON d.user_id = u.id
) b
WHERE shown <> made;
