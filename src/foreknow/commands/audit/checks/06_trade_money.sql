-- every trade moved its money, and no money moved for a trade otherwise
-- Finding: trade {id} ({action} of {amount_kopecks} kopecks, fee {fee_kopecks}): its transfers do not say so

SELECT t.id, t.action, t.amount_kopecks, t.fee_kopecks
FROM trades t
LEFT JOIN (
    SELECT trade_id,
           SUM(CASE WHEN kind IN ('bet', 'order_bet') THEN amount_kopecks ELSE 0 END) AS bet,
           SUM(CASE WHEN kind = 'fee' THEN amount_kopecks ELSE 0 END) AS fee,
           SUM(CASE WHEN kind IN ('sale', 'order_sale') THEN amount_kopecks ELSE 0 END) AS sale,
           SUM(CASE WHEN kind = 'funding' THEN amount_kopecks ELSE 0 END) AS funding,
           SUM(CASE WHEN kind IN ('bet', 'fee', 'sale', 'funding', 'order_bet', 'order_sale') THEN 0 ELSE 1 END)
               AS others
    FROM transfers WHERE trade_id IS NOT NULL GROUP BY trade_id
) m ON m.trade_id = t.id
WHERE m.trade_id IS NULL OR m.others > 0 OR m.fee <> t.fee_kopecks OR m.funding > t.amount_kopecks
   OR (t.action = 'buy' AND (m.bet <> t.amount_kopecks - t.fee_kopecks OR m.sale <> 0))
   OR (t.action = 'sell' AND (m.sale <> t.amount_kopecks OR m.bet <> 0 OR m.funding <> 0));
