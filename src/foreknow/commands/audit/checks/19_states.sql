-- pools and events are in states that agree
-- Finding: {what} {id} is {state}, which its rows deny

SELECT 'pool' AS what, p.id, p.state FROM pools p
WHERE p.state NOT IN ('new', 'open', 'resolved')
   OR (p.state = 'new' AND (p.published_at_ms IS NOT NULL OR p.trade_count > 0))
   OR (p.state = 'open' AND p.published_at_ms IS NULL)
   OR (p.state = 'resolved') <> (p.won_side IS NOT NULL)
   OR (p.resolution IS NULL AND p.state = 'resolved') OR (p.resolution IS NOT NULL AND p.state = 'new')
   OR (p.resolution IS NOT NULL AND p.state = 'open' AND p.disputable_until_ms IS NULL)
   OR (p.resolution IS NULL AND p.disputable_until_ms IS NOT NULL)
   OR (p.paying AND p.state <> 'resolved')
UNION ALL SELECT 'event', e.id, e.status FROM events e
LEFT JOIN (
    SELECT event_id, SUM(CASE WHEN state = 'resolved' THEN 0 ELSE 1 END) AS unresolved,
           SUM(CASE WHEN resolution IS NULL THEN 1 ELSE 0 END) AS undecided,
           MAX(CASE WHEN state = 'open' THEN disputable_until_ms END) AS last_window_ends_ms,
           SUM(CASE WHEN state = 'new' THEN 1 ELSE 0 END) AS unpublished, COUNT(*) AS pools
    FROM pools GROUP BY event_id
) p ON p.event_id = e.id
WHERE p.event_id IS NULL
   OR (e.status = 'new' AND p.unpublished < p.pools)
   OR (e.status = 'active' AND (p.unresolved = 0 OR p.unpublished > 0))
   OR (e.status = 'resolved' AND p.unresolved > 0)
   OR (e.status = 'cancelled' AND p.undecided > 0)
   OR COALESCE(e.resolves_at_ms, 0) <> CASE
        WHEN e.status = 'active' AND p.undecided = 0 THEN COALESCE(p.last_window_ends_ms, 0) ELSE 0 END;
