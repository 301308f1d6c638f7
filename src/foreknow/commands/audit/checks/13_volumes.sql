-- volumes and counts of pools and events are those of their trades
-- Finding: {what} {id} shows {shown}, its trades make {counted}

SELECT * FROM (
    SELECT 'the trade count of pool' AS what, p.id, p.trade_count AS shown, COALESCE(t.counted, 0) AS counted
    FROM pools p
    LEFT JOIN (SELECT pool_id, COUNT(*) AS counted FROM trades GROUP BY pool_id) t ON t.pool_id = p.id
    UNION ALL SELECT 'the volume of pool', p.id, p.volume_kopecks, COALESCE(m.volume, 0)
    FROM pools p
    LEFT JOIN (
        SELECT pool_id, SUM(volume_kopecks) AS volume FROM markets GROUP BY pool_id
    ) m ON m.pool_id = p.id
    UNION ALL SELECT 'the volume of event', e.id, e.volume_kopecks, COALESCE(p.volume, 0)
    FROM events e
    LEFT JOIN (
        SELECT event_id, SUM(volume_kopecks) AS volume FROM pools GROUP BY event_id
    ) p ON p.event_id = e.id
) b
WHERE shown <> counted;
