-- whatever is owed for an order waits to be paid out, and nothing in a paid pool
-- Finding: order {id} owes {owed_kopecks} kopecks, and {dues} entries wait

SELECT * FROM (
    SELECT o.id, o.owed_kopecks, COUNT(d.id) AS dues, MAX(CASE WHEN p.state = 'resolved' AND NOT p.paying THEN 1 ELSE 0 END) AS paid
    FROM limit_orders o
    JOIN pools p ON p.id = o.pool_id
    LEFT JOIN order_dues d ON d.order_id = o.id
    WHERE o.held_kopecks > 0 OR d.id IS NOT NULL
    GROUP BY o.id, o.owed_kopecks
) b
WHERE (owed_kopecks > 0 AND dues = 0) OR paid = 1;
