-- every pool counts its clarifications
-- Finding: pool {id} counts {counted} clarifications and has {had}

SELECT p.id, p.clarifications AS counted, COALESCE(c.had, 0) AS had
FROM pools p
LEFT JOIN (SELECT pool_id, COUNT(*) AS had FROM clarifications GROUP BY pool_id) c ON c.pool_id = p.id
WHERE p.clarifications <> COALESCE(c.had, 0);
