"""The ledger: transfers, balances, and the owners of accounts."""

from __future__ import annotations

from foreknow.audit.rules import Check, rule

# Sums of amounts have two parts, the lower 32 bits and the rest: the turnover of one side of an account can exceed 64
# bits even where its balance is small.
CHECKS: list[Check] = [
    rule(
        "entries",
        "entries sum to 0: every transfer takes from one account what it gives to another",
        "transfer {id} ({kind}) of {amount_kopecks} kopecks goes from account {source} to account {target}",
        """
        SELECT t.id, t.kind, t.amount_kopecks,
               t.source_account_id || COALESCE(' (' || s.kind || ')', ' (missing)') AS source,
               t.target_account_id || COALESCE(' (' || g.kind || ')', ' (missing)') AS target
        FROM transfers t
        LEFT JOIN accounts s ON s.id = t.source_account_id
        LEFT JOIN accounts g ON g.id = t.target_account_id
        WHERE s.id IS NULL OR g.id IS NULL OR s.id = g.id OR t.amount_kopecks <= 0
           OR t.kind || ': ' || s.kind || ' to ' || g.kind NOT IN (
               'bet: user to escrow', 'fee: user to fees', 'sale: escrow to user', 'settlement: escrow to user',
               'subsidy: house to escrow', 'return: escrow to house',
               'credit: house to user', 'debit: user to house',
               'deposit: house to float', 'payout: float to house',
               'funding: float to user', 'withdrawal: user to float',
               'odds_funding: house to user', 'odds_return: user to house'
           )
        """,
    ),
    rule(
        "balances",
        "every balance equals its entries",
        "account {id} ({kind} of {owner_id}) has {balance_kopecks} kopecks, its entries sum to something else",
        """
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
        WHERE balance_kopecks >> 32 <> high + (low >> 32) OR (balance_kopecks & 4294967295) <> (low & 4294967295)
        """,
    ),
    rule(
        "total",
        "all balances sum to 0",
        "they sum to {high} * 2^32 + {low}",
        """
        SELECT * FROM (
            SELECT CAST(COALESCE(SUM(balance_kopecks >> 32), 0) AS BIGINT) AS high,
                   CAST(COALESCE(SUM(balance_kopecks & 4294967295), 0) AS BIGINT) AS low
            FROM accounts
        ) b
        WHERE high + (low >> 32) <> 0 OR (low & 4294967295) <> 0
        """,
    ),
    rule(
        "signs",
        "no balance is below 0 but the house's",
        "account {id} ({kind} of {owner_id}) has {balance_kopecks} kopecks",
        "SELECT id, kind, owner_id, balance_kopecks FROM accounts WHERE balance_kopecks < 0 AND kind <> 'house'",
    ),
    rule(
        "owners",
        "every user, partner and pool has its own account, and every account its owner",
        "{what} {id} and account {account} do not belong together",
        """
        SELECT 'user' AS what, u.id, COALESCE(u.account_id, 0) AS account
        FROM users u LEFT JOIN accounts a ON a.id = u.account_id
        WHERE a.id IS NULL OR a.kind <> 'user' OR a.owner_id <> u.id
        UNION ALL SELECT 'partner', p.id, p.float_account_id
        FROM partners p LEFT JOIN accounts a ON a.id = p.float_account_id
        WHERE a.id IS NULL OR a.kind <> 'float' OR a.owner_id <> p.id
        UNION ALL SELECT 'pool', p.id, p.escrow_account_id
        FROM pools p LEFT JOIN accounts a ON a.id = p.escrow_account_id
        WHERE a.id IS NULL OR a.kind <> 'escrow' OR a.owner_id <> p.id
        UNION ALL SELECT 'pool', p.id, p.fees_account_id
        FROM pools p LEFT JOIN accounts a ON a.id = p.fees_account_id
        WHERE a.id IS NULL OR a.kind <> 'fees' OR a.owner_id <> p.id
        UNION ALL SELECT a.kind, a.owner_id, a.id
        FROM accounts a
        WHERE NOT (
            (a.kind = 'house' AND a.owner_id = 0)
            OR (a.kind = 'user' AND EXISTS (SELECT 1 FROM users u WHERE u.id = a.owner_id))
            OR (a.kind = 'float' AND EXISTS (SELECT 1 FROM partners p WHERE p.id = a.owner_id))
            OR (a.kind IN ('escrow', 'fees') AND EXISTS (SELECT 1 FROM pools p WHERE p.id = a.owner_id))
        )
        """,
    ),
]
