-- every pool with a result that is not paid has its row in the payments, and no other pool
-- Finding: pool {id} ({state}, paying: {paying}) has {listed} such rows

SELECT * FROM (
    SELECT p.id, p.state, p.paying, COUNT(d.pool_id) AS listed
    FROM pools p LEFT JOIN payments d ON d.pool_id = p.id
    GROUP BY p.id, p.state, p.paying, p.resolution
    HAVING COUNT(d.pool_id) <> CASE WHEN p.paying OR (p.state = 'open' AND p.resolution IS NOT NULL)
                                    THEN 1 ELSE 0 END
) b;
