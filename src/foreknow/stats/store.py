"""Adding to the day's figures, and reading them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.db.bulk import CompiledUpdate, in_array
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import DAY_MS
from foreknow.stats.tables import stats_days, stats_traders

#: How many rows a day has at most on PostgreSQL.
SLOTS = 1024
#: Newest UTC day (days since 1970-01-01) on which a trader was counted, by user id.
CountedTraders = Mapping[int, int]


class TradeStats(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one accepted order adds: its stake or payout, its fee, and the shares it bought (negative: sold)."""

    user_id: int
    at_ms: int
    volume_kopecks: int
    fee_kopecks: int
    shares_change: int


class DayStats(msgspec.Struct, kw_only=True):
    """What one UTC day added. `day` counts from 1970-01-01; a share counts as a kopeck of open interest."""

    day: int
    #: People, not sub-accounts.
    sign_ups: int = 0
    #: Users and sub-accounts that traded that day, and those of them that never had before.
    traders: int = 0
    new_traders: int = 0
    volume_kopecks: int = 0
    fees_kopecks: int = 0
    open_interest_change_kopecks: int = 0
    #: Of pools settled that day: what came back from escrow less what the house had paid in.
    settlement_result_kopecks: int = 0


_SUMS = (
    "sign_ups",
    "traders",
    "new_traders",
    "volume_kopecks",
    "fees_kopecks",
    "open_interest_change_kopecks",
    "settlement_result_kopecks",
)


def record_trades(
    tx: WriteTx, trades: Collection[TradeStats], *, counted: CountedTraders | None = None
) -> dict[int, int]:
    """Add a batch's accepted orders, whose traders' accounts this transaction has locked.

    Call it once a transaction, after all its other locks. `counted` may repeat what earlier calls returned, once their
    transactions have committed: it saves asking for traders that were counted that day already. Returns the traders
    of this batch as now counted.
    """
    days: dict[int, DayStats] = {}
    newest: dict[int, int] = {}
    for trade in trades:
        day = trade.at_ms // DAY_MS
        figures = days.setdefault(day, DayStats(day=day))
        figures.volume_kopecks += trade.volume_kopecks
        figures.fees_kopecks += trade.fee_kopecks
        figures.open_interest_change_kopecks += trade.shares_change
        newest[trade.user_id] = max(newest.get(trade.user_id, day), day)
    known = counted or {}
    uncounted = {user_id: day for user_id, day in newest.items() if known.get(user_id, -1) < day}
    if uncounted:
        _count_traders(tx, uncounted, days)
    _add(tx, days.values())
    return newest


def record_settlement(tx: WriteTx, *, at_ms: int, settled_shares: int, house_result_kopecks: int) -> None:
    """Add a settled or voided pool: the shares that were held in it, and what the house made of it.

    `house_result_kopecks` is what came back from escrow less what the house had paid in on publication; fees are not
    in it, the trades told them. Call it at the end of the transaction, once a pool.
    """
    change = DayStats(
        day=at_ms // DAY_MS,
        open_interest_change_kopecks=-settled_shares,
        settlement_result_kopecks=house_result_kopecks,
    )
    _add(tx, [change])


def record_sign_up(tx: WriteTx, *, at_ms: int) -> None:
    """Add a person who now has an account, however it was made; not for sub-accounts."""
    _add(tx, [DayStats(day=at_ms // DAY_MS, sign_ups=1)])


def daily_stats(tx: ReadTx) -> list[DayStats]:
    """Return the days on which anything happened, oldest first."""
    columns = stats_days.c
    sums = [sa.func.sum(columns[name]).label(name) for name in _SUMS]
    query = sa.select(columns.day, *sums).group_by(columns.day).order_by(columns.day)
    # PostgreSQL adds 64-bit integers up to a decimal.
    return [
        DayStats(day=row["day"], **{name: int(row[name]) for name in _SUMS}) for row in tx.execute(query).mappings()
    ]


def _count_traders(tx: WriteTx, newest: Mapping[int, int], days: Mapping[int, DayStats]) -> None:
    # Nobody else counts these traders meanwhile, since whoever trades for them holds their accounts. A batch over
    # midnight counts a trader on its later day only.
    last: dict[int, int] = {}
    last.update(tx.execute(_LAST_DAYS, {"ids": newest}).all())
    for user_id, day in newest.items():
        days[day].new_traders += user_id not in last
        days[day].traders += last.get(user_id, -1) < day
    new = [{"user_id": user_id, "last_day": day} for user_id, day in newest.items() if user_id not in last]
    back = [{"row_id": user_id, "day": day} for user_id, day in newest.items() if last.get(user_id, day) < day]
    if new:
        tx.execute(stats_traders.insert(), new)
    if back:
        tx.execute(_COME_BACK, back)


_LAST_DAYS = sa.select(stats_traders.c.user_id, stats_traders.c.last_day).where(in_array(stats_traders.c.user_id))
_COME_BACK = (
    stats_traders.update().where(stats_traders.c.user_id == sa.bindparam("row_id")).values(last_day=sa.bindparam("day"))
)


def _add(tx: WriteTx, changes: Iterable[DayStats]) -> None:
    _ADD.run(tx, [msgspec.structs.asdict(change) for change in changes])


def _adding(dialect: str) -> sa.Insert:
    # One row a day would make every trade of every process wait for the others. A connection runs one transaction at
    # a time, so a row of its own is one it never waits for. SQLite has one writer and needs one slot.
    slot: sa.ColumnElement[int]
    if dialect == "sqlite":
        insert: sqlite.Insert | postgresql.Insert = sqlite.insert(stats_days)
        slot = sa.literal(0)
    else:
        insert = postgresql.insert(stats_days)
        slot = sa.func.pg_backend_pid() % SLOTS
    values: dict[str, sa.BindParameter[int]] = {name: sa.bindparam(name) for name in ("day", *_SUMS)}
    grown = {name: stats_days.c[name] + insert.excluded[name] for name in _SUMS}
    upsert = insert.values(slot=slot, **values)
    return upsert.on_conflict_do_update(index_elements=["day", "slot"], set_=grown)


_ADD = CompiledUpdate(_adding)
