-- every level of a queue has what its open orders have left
-- Finding: in market {market_id} {shares} shares rest at rank {rank} (up: {is_up}), its orders have {rest} left

SELECT * FROM (
    SELECT market_id, is_up, rank, SUM(shares) AS shares, SUM(rest) AS rest
    FROM (
        SELECT market_id, is_up, rank, shares, 0 AS rest FROM order_levels
        UNION ALL
        SELECT market_id, is_up, rank, 0, shares - filled_shares FROM limit_orders WHERE status = 'open'
    ) o GROUP BY market_id, is_up, rank
) b
WHERE shares <> rest;
