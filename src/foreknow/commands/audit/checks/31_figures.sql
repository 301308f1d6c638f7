-- the statistics of the days add up to the trades, settlements, grants and users there are
-- Finding: {what} add up to {shown} instead of {counted}

SELECT * FROM (
    SELECT 'the volumes' AS what,
           (SELECT COALESCE(SUM(volume_kopecks), 0) FROM stats_days) AS shown,
           (SELECT COALESCE(SUM(amount_kopecks), 0) FROM trades) AS counted
    UNION ALL SELECT 'the fees',
           (SELECT COALESCE(SUM(fees_kopecks), 0) FROM stats_days),
           (SELECT COALESCE(SUM(fee_kopecks), 0) FROM trades)
    UNION ALL SELECT 'the changes of open interest',
           (SELECT COALESCE(SUM(open_interest_change_kopecks), 0) FROM stats_days),
           (SELECT COALESCE(SUM(shares), 0) FROM positions)
    UNION ALL SELECT 'the new traders',
           (SELECT COALESCE(SUM(new_traders), 0) FROM stats_days),
           (SELECT COUNT(DISTINCT t.user_id) FROM trades t JOIN users u ON u.id = t.user_id
            WHERE COALESCE(u.nickname_key, '') <> 'house account'
              AND (t.order_id IS NULL OR NOT EXISTS (SELECT 1 FROM order_dues d WHERE d.trade_id = t.id)))
    UNION ALL SELECT 'the sign-ups',
           (SELECT COALESCE(SUM(sign_ups), 0) FROM stats_days),
           (SELECT COUNT(*) FROM users
            WHERE partner_id IS NULL AND deleted_at_ms IS NULL AND COALESCE(nickname_key, '') <> 'house account')
    UNION ALL SELECT 'the results of settlements',
           (SELECT COALESCE(SUM(settlement_result_kopecks), 0) FROM stats_days),
           (SELECT COALESCE(SUM(CASE t.kind WHEN 'return' THEN t.amount_kopecks ELSE -t.amount_kopecks END), 0)
            FROM transfers t
            JOIN accounts a
              ON a.id = CASE t.kind WHEN 'return' THEN t.source_account_id ELSE t.target_account_id END
            JOIN pools p ON p.escrow_account_id = a.id
            WHERE t.kind IN ('return', 'subsidy') AND p.state = 'resolved' AND NOT p.paying)
           + (SELECT COALESCE(SUM(s.pnl_kopecks), 0)
              FROM positions s JOIN users u ON u.id = s.user_id JOIN pools p ON p.id = s.pool_id
              WHERE u.nickname_key = 'house account' AND p.state = 'resolved' AND NOT p.paying)
    UNION ALL SELECT 'the grants',
           (SELECT COALESCE(SUM(grants_kopecks), 0) FROM stats_days),
           (SELECT COALESCE(SUM(CASE kind WHEN 'grant' THEN amount_kopecks ELSE -amount_kopecks END), 0)
            FROM transfers WHERE kind IN ('grant', 'forfeit'))
) b
WHERE shown <> counted;
