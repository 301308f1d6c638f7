-- every trade and its position agree on who, where and which side
-- Finding: trade {id} and position {position_id} do not agree

SELECT t.id, t.position_id
FROM trades t
LEFT JOIN positions p ON p.id = t.position_id
LEFT JOIN markets m ON m.id = t.market_id
WHERE p.id IS NULL OR m.id IS NULL OR p.user_id <> t.user_id OR p.market_id <> t.market_id OR p.side <> t.side
   OR m.pool_id <> t.pool_id OR m.event_id <> t.event_id OR p.pool_id <> t.pool_id OR p.event_id <> t.event_id;
