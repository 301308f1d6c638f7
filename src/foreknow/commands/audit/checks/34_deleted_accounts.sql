-- a deleted account holds no money and opens no session
-- Finding: user {id} was deleted and has {balance_kopecks} kopecks, {sessions} sessions

SELECT * FROM (
    SELECT u.id, a.balance_kopecks, COUNT(s.id) AS sessions
    FROM users u
    JOIN accounts a ON a.id = u.account_id
    LEFT JOIN sessions s ON s.user_id = u.id
    WHERE u.deleted_at_ms IS NOT NULL
    GROUP BY u.id, a.balance_kopecks
) b
WHERE balance_kopecks <> 0 OR sessions > 0;
