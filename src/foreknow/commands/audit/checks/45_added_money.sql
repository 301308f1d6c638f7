-- the last day that is kept of a person has all that was added to their account until then
-- Finding: day {day} of user {user_id} has {added_kopecks} kopecks added, their entries until then sum to {entries}

-- Days beyond the cursor are of a clock that was set back: they will be written again.
SELECT * FROM (
    SELECT w.user_id, w.day, w.added_kopecks, COALESCE(SUM(t.kopecks), 0) AS entries
    FROM worth_days w
    JOIN (
        SELECT user_id, MAX(day) AS day FROM worth_days
        WHERE day <= COALESCE((SELECT MAX(day) FROM worth_cursor), 0) GROUP BY user_id
    ) l ON l.user_id = w.user_id AND l.day = w.day
    JOIN accounts a ON a.kind = 'user' AND a.owner_id = w.user_id
    LEFT JOIN (
        SELECT target_account_id AS account_id, amount_kopecks AS kopecks, created_at_ms
        FROM transfers WHERE kind IN ('credit', 'grant')
        UNION ALL SELECT source_account_id, -amount_kopecks, created_at_ms FROM transfers WHERE kind = 'debit'
    ) t ON t.account_id = a.id AND t.created_at_ms <= w.day * 86400000
    GROUP BY w.user_id, w.day, w.added_kopecks
) b
WHERE added_kopecks <> entries;
