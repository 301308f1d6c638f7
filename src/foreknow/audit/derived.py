"""Derived rows: statements, PnL, statistics, and idempotency records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.audit.rules import Check, rows, rule
from foreknow.db.transactions import ReadTx

#: Statuses that an idempotency record may hold.
ACCEPTED = {200, 201}
#: Keys looked up by one query.
KEYS_AT_ONCE = 500


class _Answer(msgspec.Struct, frozen=True):
    """The stored response to an order of a user or partner; other responses have no shares."""

    id: int | None = None
    bet_id: int | None = None
    sale_id: int | None = None
    market_id: int | None = None
    shares: int | None = None
    amount_kopecks: int | None = None
    stake_kopecks: int | None = None
    payout_kopecks: int | None = None

    @property
    def trade_id(self) -> int | None:
        """The trade's id; None for a response that is not about a trade."""
        return None if self.shares is None else self.id or self.bet_id or self.sale_id

    @property
    def money_kopecks(self) -> int | None:
        """The stake or the payout."""
        return self.amount_kopecks or self.stake_kopecks or self.payout_kopecks


def _keys(tx: ReadTx) -> Iterator[str]:
    """Look up the trade of every stored response."""
    stored = rows(tx, "SELECT scope, key, status, body FROM idempotency_keys")
    while chunk := list(islice(stored, KEYS_AT_ONCE)):
        yield from _keys_of(tx, chunk)


def _keys_of(tx: ReadTx, stored: Sequence[Any]) -> Iterator[str]:
    orders: list[tuple[str, str, _Answer]] = []
    for scope, key, status, body in stored:
        if status not in ACCEPTED:
            yield f"key {key!r} of {scope} is spent on an error, {status}"
            continue
        try:
            answer = _read_answer(body)
        except msgspec.DecodeError:
            yield f"key {key!r} of {scope} holds no readable answer"
            continue
        if answer.trade_id is not None:
            orders.append((scope, key, answer))
    trades = _trades(tx, [answer.trade_id for _, _, answer in orders])
    for scope, key, answer in orders:
        if trades.get(answer.trade_id) != (scope, answer.market_id, answer.shares, answer.money_kopecks):
            yield f"key {key!r} of {scope} answers with trade {answer.trade_id}, which is not there or says otherwise"


_read_answer = msgspec.json.Decoder(_Answer).decode


def _trades(tx: ReadTx, trade_ids: Sequence[int | None]) -> dict[int | None, tuple[object, ...]]:
    """Return (scope of its keys, market, shares, money) of those of the trades that exist."""
    query = sa.text("""
        SELECT t.id, t.user_id, u.partner_id, t.market_id, t.shares, t.amount_kopecks
        FROM trades t JOIN users u ON u.id = t.user_id WHERE t.id IN :ids
    """).bindparams(sa.bindparam("ids", expanding=True))
    found = tx.execute(query, {"ids": trade_ids}).all()
    return {
        trade_id: (f"user:{user_id}" if partner_id is None else f"partner:{partner_id}", *rest)
        for trade_id, user_id, partner_id, *rest in found
    }


CHECKS: list[Check] = [
    rule(
        "floats",
        "every partner's statement adds up to its float",
        "the float of partner {id} is {balance_kopecks} kopecks, its statement adds up to {stated}",
        """
        SELECT * FROM (
            SELECT p.id, a.balance_kopecks, COALESCE(s.stated, 0) AS stated
            FROM partners p JOIN accounts a ON a.id = p.float_account_id
            LEFT JOIN (
                SELECT partner_id, SUM(float_change_kopecks) AS stated FROM partner_transactions GROUP BY partner_id
            ) s ON s.partner_id = p.id
        ) b
        WHERE balance_kopecks <> stated
        """,
    ),
    rule(
        "sub-accounts",
        "every partner's statement adds up to the balance of each of its sub-accounts",
        "sub-account {id} of partner {partner_id} has {balance_kopecks} kopecks, the statement adds up to {stated}",
        """
        SELECT * FROM (
            SELECT u.id, u.partner_id, a.balance_kopecks, COALESCE(s.stated, 0) AS stated
            FROM users u JOIN accounts a ON a.id = u.account_id
            LEFT JOIN (
                SELECT partner_id, user_id, SUM(balance_change_kopecks) AS stated
                FROM partner_transactions WHERE user_id IS NOT NULL GROUP BY partner_id, user_id
            ) s ON s.user_id = u.id AND s.partner_id = u.partner_id
            WHERE u.partner_id IS NOT NULL
        ) b
        WHERE balance_kopecks <> stated
        """,
    ),
    rule(
        "statement totals",
        "every partner's total is what its sub-accounts hold together",
        "the total of partner {id} is {total} kopecks, its sub-accounts hold {held}",
        """
        SELECT * FROM (
            SELECT p.id, COALESCE(t.users_balance_kopecks, 0) AS total, COALESCE(h.held, 0) AS held
            FROM partners p
            LEFT JOIN statement_totals t ON t.partner_id = p.id
            LEFT JOIN (
                SELECT u.partner_id, SUM(a.balance_kopecks) AS held
                FROM users u JOIN accounts a ON a.id = u.account_id
                WHERE u.partner_id IS NOT NULL GROUP BY u.partner_id
            ) h ON h.partner_id = p.id
        ) b
        WHERE total <> held
        """,
    ),
    rule(
        "statement lines",
        "every order of a sub-account has its one line in the statement, and every line its order",
        "{what} {id} of the statement and its trade do not agree",
        """
        SELECT 'the line of trade' AS what, t.id
        FROM trades t JOIN users u ON u.id = t.user_id
        LEFT JOIN (
            SELECT trade_id, COUNT(*) AS lines FROM partner_transactions WHERE trade_id IS NOT NULL GROUP BY trade_id
        ) l ON l.trade_id = t.id
        WHERE u.partner_id IS NOT NULL AND COALESCE(l.lines, 0) <> 1
        UNION ALL SELECT 'line', l.id
        FROM partner_transactions l
        LEFT JOIN trades t ON t.id = l.trade_id
        LEFT JOIN users u ON u.id = t.user_id
        WHERE (l.trade_id IS NOT NULL) <> (l.type IN ('bet', 'sale')) OR (
            l.trade_id IS NOT NULL AND (
                t.id IS NULL OR u.partner_id IS NULL OR u.partner_id <> l.partner_id OR u.id <> l.user_id
                OR t.market_id <> l.market_id OR l.type <> CASE t.action WHEN 'buy' THEN 'bet' ELSE 'sale' END
                OR l.float_change_kopecks + l.balance_change_kopecks
                   <> CASE t.action WHEN 'buy' THEN -t.amount_kopecks ELSE t.amount_kopecks END
            )
        )
        """,
    ),
    rule(
        "profits",
        "every trader's profit is what their positions made",
        "the chart of user {id} ends at {shown} kopecks, the positions made {made}",
        """
        SELECT * FROM (
            SELECT u.id, COALESCE(t.pnl_kopecks, 0) AS shown, COALESCE(p.made, 0) AS made
            FROM users u
            LEFT JOIN pnl_totals t ON t.user_id = u.id
            LEFT JOIN (SELECT user_id, SUM(pnl_kopecks) AS made FROM positions GROUP BY user_id) p ON p.user_id = u.id
        ) b
        WHERE shown <> made
        """,
    ),
    rule(
        "closed positions",
        "every trader's count of closed positions is the number of them",
        "user {id} is said to have closed {counted} positions instead of {closed}",
        """
        SELECT * FROM (
            SELECT t.user_id AS id, t.closed_positions AS counted, COALESCE(p.closed, 0) AS closed
            FROM pnl_totals t
            LEFT JOIN (
                SELECT user_id, COUNT(*) AS closed FROM positions WHERE closed_at_ms IS NOT NULL GROUP BY user_id
            ) p ON p.user_id = t.user_id
            WHERE t.closed_ordinal = t.ordinal
        ) b
        WHERE counted <> closed
        """,
    ),
    rule(
        "figures",
        "the statistics of the days add up to the trades, settlements and users there are",
        "{what} add up to {shown} instead of {counted}",
        """
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
                    WHERE COALESCE(u.nickname_key, '') <> 'house account')
            UNION ALL SELECT 'the sign-ups',
                   (SELECT COALESCE(SUM(sign_ups), 0) FROM stats_days),
                   (SELECT COUNT(*) FROM users
                    WHERE partner_id IS NULL AND COALESCE(nickname_key, '') <> 'house account')
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
        ) b
        WHERE shown <> counted
        """,
    ),
    rule(
        "house account",
        "the house's own trader holds only payouts under way, and has spent on each pool what its trades there cost",
        "{what} {id}: {stored} kopecks instead of {counted}",
        """
        SELECT * FROM (
            SELECT 'pool' AS what, h.pool_id AS id, h.spent_kopecks AS stored, COALESCE(t.spent, 0) AS counted
            FROM house_pools h
            LEFT JOIN (
                SELECT t.pool_id,
                       SUM(CASE t.action WHEN 'buy' THEN t.amount_kopecks ELSE -t.amount_kopecks END) AS spent
                FROM trades t JOIN users u ON u.id = t.user_id
                WHERE u.nickname_key = 'house account' GROUP BY t.pool_id
            ) t ON t.pool_id = h.pool_id
            UNION ALL SELECT 'account', a.id, a.balance_kopecks, COALESCE(s.paid, 0)
            FROM accounts a JOIN users u ON u.account_id = a.id
            LEFT JOIN (
                SELECT user_id, SUM(settled_kopecks) AS paid
                FROM positions WHERE pool_id IN (SELECT id FROM pools WHERE paying) GROUP BY user_id
            ) s ON s.user_id = u.id
            WHERE u.nickname_key = 'house account'
        ) b
        WHERE stored <> counted
        """,
    ),
    Check("keys", "every Idempotency-Key of an order answers with the trade it stands for", _keys),
]
