-- every balance equals its entries
-- Finding: account {id} ({kind} of {owner_id}) has {balance_kopecks} kopecks, its entries sum to something else

-- Sums of amounts have two parts, the lower 32 bits and the rest: the turnover of one side of an account can exceed 64
-- bits even where its balance is small.
SELECT * FROM (
    SELECT a.id, a.kind, a.owner_id, a.balance_kopecks,
           COALESCE(i.high, 0) - COALESCE(o.high, 0) AS high, COALESCE(i.low, 0) - COALESCE(o.low, 0) AS low
    FROM accounts a
    LEFT JOIN (
        SELECT target_account_id AS id,
               CAST(SUM(amount_kopecks >> 32) AS BIGINT) AS high,
               CAST(SUM(amount_kopecks & 4294967295) AS BIGINT) AS low
        FROM transfers GROUP BY target_account_id
    ) i ON i.id = a.id
    LEFT JOIN (
        SELECT source_account_id AS id,
               CAST(SUM(amount_kopecks >> 32) AS BIGINT) AS high,
               CAST(SUM(amount_kopecks & 4294967295) AS BIGINT) AS low
        FROM transfers GROUP BY source_account_id
    ) o ON o.id = a.id
) b
WHERE balance_kopecks >> 32 <> high + (low >> 32) OR (balance_kopecks & 4294967295) <> (low & 4294967295);
