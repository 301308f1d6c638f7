-- no final pool has an open objection, and each other pool counts those to its result
-- Finding: pool {id} ({state}) counts {counted} open objections, of which {held} hold; it has {listed}, of which {holding}

SELECT * FROM (
    SELECT p.id, p.state, p.open_objections AS counted, p.holding_objections AS held,
           COUNT(o.id) AS listed, COALESCE(SUM(CASE WHEN o.holds THEN 1 ELSE 0 END), 0) AS holding
    FROM pools p LEFT JOIN objections o ON o.pool_id = p.id AND o.state = 'open'
    GROUP BY p.id, p.state, p.open_objections, p.holding_objections
) b
WHERE (state = 'resolved' AND listed > 0)
   OR (state <> 'resolved' AND (counted <> listed OR held <> holding));
