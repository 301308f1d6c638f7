"""Writing and reading statistics by day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.db.bulk import CompiledUpdate, in_array
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import DAY_MS
from foreknow.stats.tables import stats_days, stats_traders

#: Most rows per day on PostgreSQL.
SLOTS = 1024
#: User id → newest UTC day (days since 1970-01-01) on which the trader was counted.
CountedTraders = Mapping[int, int]


class TradeStats(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one executed order adds: its stake or payout, its fee, and the shares it bought (negative: sold)."""

    user_id: int
    at_ms: int
    volume_kopecks: int
    fee_kopecks: int
    shares_change: int


class DayStats(msgspec.Struct, kw_only=True):
    """The statistics of one UTC day. `day` counts from 1970-01-01; a share counts as a kopeck of open interest."""

    day: int
    #: People, not sub-accounts.
    sign_ups: int = 0
    #: Users and sub-accounts that traded that day, and those that traded for the first time.
    traders: int = 0
    new_traders: int = 0
    volume_kopecks: int = 0
    fees_kopecks: int = 0
    open_interest_change_kopecks: int = 0
    #: Of pools settled that day: money returned from escrow less the loss bounds the house had paid in.
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
    tx: WriteTx, trades: Collection[TradeStats], *, counted: CountedTraders | None = None, counts_traders: bool = True
) -> dict[int, int]:
    """Add a batch's executed orders; the caller holds the locks of the traders' accounts.

    Call it once per transaction, after all its other locks. `counted` caches the results of earlier, committed calls,
    to skip traders already counted that day. `counts_traders`: False for trades of the house, which is no trader.
    Returns this batch's traders with their newest day.
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
    counted_days = counted or {}
    uncounted = {user_id: day for user_id, day in newest.items() if counted_days.get(user_id, -1) < day}
    if uncounted and counts_traders:
        _count_traders(tx, uncounted, days)
    _add(tx, days.values())
    return newest


def record_settlement(tx: WriteTx, *, at_ms: int, settled_shares: int, house_result_kopecks: int) -> None:
    """Add a settlement: its shares, and the house's result.

    `house_result_kopecks` is the money returned from escrow less the loss bounds paid in on publication; fees are
    counted with the trades. Call it once, at the end of the transaction.
    """
    change = DayStats(
        day=at_ms // DAY_MS,
        open_interest_change_kopecks=-settled_shares,
        settlement_result_kopecks=house_result_kopecks,
    )
    _add(tx, [change])


def record_sign_up(tx: WriteTx, *, at_ms: int) -> None:
    """Add a new person's account, however created; not for sub-accounts."""
    _add(tx, [DayStats(day=at_ms // DAY_MS, sign_ups=1)])


def daily_stats(tx: ReadTx) -> list[DayStats]:
    """Return the days with any activity, oldest first."""
    columns = stats_days.c
    sums = [sa.func.sum(columns[name]).label(name) for name in _SUMS]
    query = sa.select(columns.day, *sums).group_by(columns.day).order_by(columns.day)
    # PostgreSQL sums 64-bit integers as decimals.
    return [
        DayStats(day=row["day"], **{name: int(row[name]) for name in _SUMS}) for row in tx.execute(query).mappings()
    ]


def _count_traders(tx: WriteTx, newest: Mapping[int, int], days: Mapping[int, DayStats]) -> None:
    # No other transaction counts these traders: this one holds their accounts' locks. A batch over midnight counts a
    # trader on the later day only.
    last: dict[int, int] = {}
    last.update(tx.execute(_LAST_DAYS, {"ids": newest}).all())
    for user_id, day in newest.items():
        days[day].new_traders += user_id not in last
        days[day].traders += last.get(user_id, -1) < day
    new = [{"user_id": user_id, "last_day": day} for user_id, day in newest.items() if user_id not in last]
    returning = [{"row_id": user_id, "day": day} for user_id, day in newest.items() if last.get(user_id, day) < day]
    if new:
        tx.execute(stats_traders.insert(), new)
    if returning:
        tx.execute(_UPDATE_LAST_DAY, returning)


_LAST_DAYS = sa.select(stats_traders.c.user_id, stats_traders.c.last_day).where(in_array(stats_traders.c.user_id))
_UPDATE_LAST_DAY = (
    stats_traders.update().where(stats_traders.c.user_id == sa.bindparam("row_id")).values(last_day=sa.bindparam("day"))
)


def _add(tx: WriteTx, changes: Iterable[DayStats]) -> None:
    _ADD.run(tx, [msgspec.structs.asdict(change) for change in changes])


def _upsert(dialect: str) -> sa.Insert:
    # With one row per day, all trades would wait for each other. A connection runs one transaction at a time, so it
    # never waits for its own row. SQLite has one writer and needs one slot.
    slot: sa.ColumnElement[int]
    if dialect == "sqlite":
        insert: sqlite.Insert | postgresql.Insert = sqlite.insert(stats_days)
        slot = sa.literal(0)
    else:
        insert = postgresql.insert(stats_days)
        slot = sa.func.pg_backend_pid() % SLOTS
    values: dict[str, sa.BindParameter[int]] = {name: sa.bindparam(name) for name in ("day", *_SUMS)}
    sums = {name: stats_days.c[name] + insert.excluded[name] for name in _SUMS}
    upsert = insert.values(slot=slot, **values)
    return upsert.on_conflict_do_update(index_elements=["day", "slot"], set_=sums)


_ADD = CompiledUpdate(_upsert)
