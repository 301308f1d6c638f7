-- every paid pool's positions are closed, and no position was settled before its pool's result was final
-- Finding: position {id} of pool {pool_id} ({state}) holds {shares} shares and had {settled_shares} settled

SELECT s.id, s.pool_id, p.state, s.shares, s.settled_shares
FROM positions s JOIN pools p ON p.id = s.pool_id
WHERE (p.state = 'resolved' AND NOT p.paying AND s.shares > 0)
   OR (p.state <> 'resolved' AND (s.settled_shares <> 0 OR s.settled_kopecks <> 0 OR s.won_side IS NOT NULL));
