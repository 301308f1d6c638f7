-- all balances sum to 0
-- Finding: they sum to {high} * 2^32 + {low}

-- Two parts, as in 02_balances.sql.
SELECT * FROM (
    SELECT CAST(COALESCE(SUM(balance_kopecks >> 32), 0) AS BIGINT) AS high,
           CAST(COALESCE(SUM(balance_kopecks & 4294967295), 0) AS BIGINT) AS low
    FROM accounts
) b
WHERE high + (low >> 32) <> 0 OR (low & 4294967295) <> 0;
