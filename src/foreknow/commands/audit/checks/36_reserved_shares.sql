-- the shares that a position reserves are those that open orders offer of it
-- Finding: {side} of market {market_id} of user {user_id}: {reserved} of {shares} shares are reserved, orders offer
-- {offered}

SELECT * FROM (
    SELECT user_id, market_id, side, SUM(reserved) AS reserved, SUM(shares) AS shares, SUM(offered) AS offered
    FROM (
        SELECT user_id, market_id, side, reserved_shares AS reserved, shares, 0 AS offered
        FROM positions WHERE reserved_shares <> 0
        UNION ALL SELECT user_id, market_id, side, 0, 0, shares - filled_shares
        FROM limit_orders WHERE status = 'open' AND action = 'sell'
    ) s GROUP BY user_id, market_id, side
) b
WHERE reserved <> offered OR reserved > shares;
