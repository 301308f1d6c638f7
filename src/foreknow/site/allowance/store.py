"""Who gets an allowance: people, whether they were active in the period before, and what they are worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.stats.tables import stats_traders
from foreknow.people.users.active_days import active_between
from foreknow.people.users.tables import IS_PERSON, sessions, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.allowance.periods import PeriodBounds
from foreknow.trading.history.trader_trades import traded_between
from foreknow.trading.positions.tables import positions
from foreknow.trading.positions.valuation import HeldShares, values_kopecks


def next_people(tx: ReadTx, *, after_id: int, limit: int) -> list[int]:
    """Return the ids of the next people, whatever their state."""
    query = sa.select(users.c.id).where(IS_PERSON, users.c.id > after_id).order_by(users.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def accounts_of(tx: ReadTx, user_ids: Collection[int], *, verified_only: bool) -> dict[int, int]:
    """Return the ledger accounts of those whose account is active, and whose address is verified if that is asked."""
    rows = _ACCOUNTS.fetch(tx, {"ids": user_ids})
    return {user_id: account_id for user_id, account_id, is_verified in rows if is_verified or not verified_only}


def were_active(tx: ReadTx, user_ids: Collection[int], period: PeriodBounds) -> set[int]:
    """Return who traded, commented, or began or refreshed a session in a period."""
    first_day, end_day = period.start_ms // DAY_MS, period.end_ms // DAY_MS
    found = active_between(tx, user_ids, first_day=first_day, end_day=end_day)
    bounds = {"start_ms": period.start_ms, "end_ms": period.end_ms}
    # A process of the release before `active_days` wrote sessions alone.
    rest = set(user_ids) - found
    found |= _ids(_SESSIONS.fetch(tx, {"ids": rest, **bounds})) if rest else set()
    rest -= found
    traders = _ids(_TRADERS.fetch(tx, {"ids": rest, "first_day": first_day})) if rest else set()
    return found | (traded_between(tx, traders, **bounds) if traders else set())


def worths_kopecks(tx: ReadTx, user_ids: Collection[int], *, below: int, now_ms: int) -> dict[int, int]:
    """Return the balance, what orders hold and the value of positions of those who have less than `below`, by id."""
    balances, held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=user_ids), held_kopecks(tx, user_ids)
    money = {user_id: balance + held[user_id] for user_id, balance in balances.items()}
    poor = {user_id: kopecks for user_id, kopecks in money.items() if kopecks < below}
    values = _values_kopecks(tx, poor, now_ms=now_ms) if poor else {}
    worths = {user_id: kopecks + values.get(user_id, 0) for user_id, kopecks in poor.items()}
    return {user_id: worth for user_id, worth in worths.items() if worth < below}


def _values_kopecks(tx: ReadTx, user_ids: Collection[int], *, now_ms: int) -> Mapping[int, int]:
    rows = _OPEN.fetch(tx, {"ids": user_ids})
    values = values_kopecks(tx, [HeldShares(*row[1:]) for row in rows], now_ms=now_ms)
    totals: dict[int, int] = defaultdict(int)
    for row, value in zip(rows, values, strict=True):
        totals[row[0]] += value
    return totals


def _ids(rows: Sequence[Sequence[int]]) -> set[int]:
    return {row[0] for row in rows}


_ACCOUNTS = CompiledQuery(
    sa.select(users.c.id, users.c.account_id, users.c.email_verified).where(
        in_array(users.c.id), IS_PERSON, users.c.is_active
    )
)
_START: sa.BindParameter[int] = sa.bindparam("start_ms")
_END: sa.BindParameter[int] = sa.bindparam("end_ms")
_SESSIONS = CompiledQuery(
    sa.select(sessions.c.user_id)
    .distinct()
    .where(
        in_array(sessions.c.user_id),
        sessions.c.key_scope.is_(None),
        sa.or_(
            sa.and_(sessions.c.created_at_ms >= _START, sessions.c.created_at_ms < _END),
            sa.and_(sessions.c.rotated_at_ms >= _START, sessions.c.rotated_at_ms < _END),
        ),
    )
)
_TRADERS = CompiledQuery(
    sa.select(stats_traders.c.user_id).where(
        in_array(stats_traders.c.user_id), stats_traders.c.last_day >= sa.bindparam("first_day")
    )
)
_OPEN = CompiledQuery(
    sa.select(
        positions.c.user_id,
        positions.c.market_id,
        positions.c.pool_id,
        positions.c.side,
        positions.c.shares,
        positions.c.id,
    ).where(in_array(positions.c.user_id), positions.c.closed_at_ms.is_(None))
)
