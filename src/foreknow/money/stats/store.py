"""Writing and reading statistics by day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from operator import attrgetter

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.money.stats.tables import stats_days, stats_traders
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Insert, Sink, Update, apply, insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

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
    #: Granted to users, less what deleted ones forfeited.
    grants_kopecks: int = 0


_SUMS = (
    "sign_ups",
    "traders",
    "new_traders",
    "volume_kopecks",
    "fees_kopecks",
    "open_interest_change_kopecks",
    "settlement_result_kopecks",
    "grants_kopecks",
)


def record_trades(
    tx: WriteTx, trades: Collection[TradeStats], *, counted: CountedTraders | None = None, counts_traders: bool = True
) -> dict[int, int]:
    """Add a batch's executed orders; the caller holds the locks of the traders' accounts.

    Call it once per transaction, after all its other locks. `counted` caches the results of earlier, committed calls,
    to skip traders already counted that day. `counts_traders`: False for trades of the house, which is no trader.
    Returns this batch's traders with their newest day.
    """
    newest = newest_days(trades)
    uncounted = not_counted(newest, counted or {}) if counts_traders else {}
    last_days = last_days_fetch(uncounted).fetch(tx)
    write_trades(tx, trades, uncounted=uncounted, last_days=last_days)
    return newest


def newest_days(trades: Iterable[TradeStats]) -> dict[int, int]:
    """Return each trader's newest day."""
    newest: dict[int, int] = {}
    for trade in trades:
        day = trade.at_ms // DAY_MS
        newest[trade.user_id] = max(newest.get(trade.user_id, day), day)
    return newest


def not_counted(newest: CountedTraders, counted: CountedTraders) -> dict[int, int]:
    """Return the traders of `newest` that no committed call has counted on that day."""
    return {user_id: day for user_id, day in newest.items() if counted.get(user_id, -1) < day}


def last_days_fetch(user_ids: Collection[int]) -> Fetch[dict[int, int]]:
    """Return the query of the newest day on which each trader was counted, for `write_trades`.

    No other transaction counts these traders: the caller holds the locks of their accounts.
    """
    return Fetch(_LAST_DAYS, {"ids": user_ids}, lambda rows: dict(map(tuple, rows)), is_empty=not user_ids)


def write_trades(
    into: Sink, trades: Iterable[TradeStats], *, uncounted: CountedTraders, last_days: CountedTraders
) -> None:
    """Do what `record_trades` does, once it is known who is `uncounted` and when they were counted last."""
    days: dict[int, DayStats] = {}
    for trade in trades:
        day = trade.at_ms // DAY_MS
        figures = days.setdefault(day, DayStats(day=day))
        figures.volume_kopecks += trade.volume_kopecks
        figures.fees_kopecks += trade.fee_kopecks
        figures.open_interest_change_kopecks += trade.shares_change
    if uncounted:
        _count_traders(into, uncounted, days, last_days)
    _add(into, days.values())


def record_traders(tx: WriteTx, newest: CountedTraders) -> None:
    """Count who traded, each by the newest day, for trades that were added without; see `record_trades`."""
    days = {day: DayStats(day=day) for day in newest.values()}
    if newest:
        _count_traders(tx, newest, days, last_days_fetch(newest).fetch(tx))
        _add(tx, days.values())


def record_settlement(into: Sink, *, at_ms: int, settled_shares: int, house_result_kopecks: int) -> None:
    """Add a settlement: its shares, and the house's result.

    `house_result_kopecks` is the money returned from escrow less the loss bounds paid in on publication; fees are
    counted with the trades. Call it once, at the end of the transaction.
    """
    change = DayStats(
        day=at_ms // DAY_MS,
        open_interest_change_kopecks=-settled_shares,
        settlement_result_kopecks=house_result_kopecks,
    )
    _add(into, [change])


def record_sign_up(tx: WriteTx, *, at_ms: int) -> None:
    """Add a new person's account, however created; not for sub-accounts."""
    _add(tx, [DayStats(day=at_ms // DAY_MS, sign_ups=1)])


def record_deletion(tx: WriteTx, *, signed_up_at_ms: int) -> None:
    """Take a deleted account back out of the day of its sign-up."""
    _add(tx, [DayStats(day=signed_up_at_ms // DAY_MS, sign_ups=-1)])


def record_grants(tx: WriteTx, *, at_ms: int, amount_kopecks: int) -> None:
    """Add what was granted to users; below 0 for what a deleted one forfeits. Call it at the end of the transaction."""
    _add(tx, [DayStats(day=at_ms // DAY_MS, grants_kopecks=amount_kopecks)])


def daily_stats(tx: ReadTx, *, since_day: int | None = None) -> list[DayStats]:
    """Return the days with any activity, oldest first; with `since_day`, from that day on."""
    columns = stats_days.c
    query = sa.select(columns.day, *_sums()).group_by(columns.day).order_by(columns.day)
    if since_day is not None:
        query = query.where(columns.day >= since_day)
    return [_day_stats(row) for row in tx.execute(query).mappings()]


def stats_before(tx: ReadTx, day: int) -> DayStats | None:
    """Return the sums of all days before one, as those of the first of them; None if there were none."""
    columns = stats_days.c
    query = sa.select(sa.func.min(columns.day).label("day"), *_sums()).where(columns.day < day)
    row = tx.execute(query).mappings().one()
    return None if row["day"] is None else _day_stats(row)


def newest_day(tx: ReadTx) -> int | None:
    """Return the last day with any activity."""
    return tx.execute(sa.select(sa.func.max(stats_days.c.day))).scalar()


def _sums() -> list[sa.Label[int]]:
    return [sa.func.sum(stats_days.c[name]).label(name) for name in _SUMS]


def _day_stats(row: sa.RowMapping) -> DayStats:
    # PostgreSQL sums 64-bit integers as decimals.
    return DayStats(day=row["day"], **{name: int(row[name]) for name in _SUMS})


def _count_traders(into: Sink, newest: CountedTraders, days: Mapping[int, DayStats], last_days: CountedTraders) -> None:
    # A batch over midnight counts a trader on the later day only.
    for user_id, day in newest.items():
        days[day].new_traders += user_id not in last_days
        days[day].traders += last_days.get(user_id, -1) < day
    new = [(user_id, day) for user_id, day in newest.items() if user_id not in last_days]
    returning = [(day, user_id) for user_id, day in newest.items() if last_days.get(user_id, day) < day]
    insert_rows(into, stats_traders, ("user_id", "last_day"), new)
    apply(into, _SET_LAST_DAY, returning)


_LAST_DAYS = CompiledQuery(
    sa.select(stats_traders.c.user_id, stats_traders.c.last_day).where(in_array(stats_traders.c.user_id))
)
_SET_LAST_DAY = Update(stats_traders, ("last_day",), key="user_id")
#: With one row per day, all trades would wait for each other. A connection runs one transaction at a time, so it never
#: waits for its own row. SQLite has one writer and needs one slot.
_ADD = Insert(
    stats_days,
    ("day", *_SUMS),
    computed=("slot", {"sqlite": "0", "postgresql": f"pg_backend_pid() % {SLOTS}"}),
    conflict=f"""ON CONFLICT (day, slot) DO UPDATE SET
        {", ".join(f"{name} = stats_days.{name} + excluded.{name}" for name in _SUMS)}
    """,
)
_values = attrgetter("day", *_SUMS)


def _add(into: Sink, changes: Iterable[DayStats]) -> None:
    apply(into, _ADD, list(map(_values, changes)))
