-- every pool's order account holds what its orders hold
-- Finding: the order account of pool {id} has {balance_kopecks} kopecks, its orders hold {held}

SELECT * FROM (
    SELECT p.id, COALESCE(a.balance_kopecks, 0) AS balance_kopecks, COALESCE(o.held, 0) AS held
    FROM pools p
    LEFT JOIN accounts a ON a.kind = 'orders' AND a.owner_id = p.id
    LEFT JOIN (SELECT pool_id, SUM(held_kopecks) AS held FROM limit_orders GROUP BY pool_id) o ON o.pool_id = p.id
) b
WHERE balance_kopecks <> held;
