-- every turned position became one of as many shares, and is one line of its statement, if it has one
-- Finding: what position {position_id} became in market {market_id} is wrong, or is not in the statement once

SELECT d.position_id, d.market_id
FROM position_splits d
LEFT JOIN positions s ON s.id = d.position_id
LEFT JOIN positions n ON n.id = d.new_position_id
LEFT JOIN users u ON u.id = d.user_id
LEFT JOIN (
    SELECT user_id, market_id, COUNT(*) AS lines FROM partner_transactions WHERE type = 'split'
    GROUP BY user_id, market_id
) l ON l.user_id = d.user_id AND l.market_id = d.market_id
WHERE s.id IS NULL OR n.id IS NULL OR s.side <> 'YES' OR n.side <> 'YES'
   OR s.user_id <> d.user_id OR n.user_id <> d.user_id OR n.market_id <> d.market_id OR s.pool_id <> n.pool_id
   OR d.shares <= 0 OR d.cost_kopecks < 0
   OR COALESCE(l.lines, 0) <> CASE WHEN u.partner_id IS NULL THEN 0 ELSE 1 END;
