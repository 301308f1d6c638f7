"""The figures of each day."""

from __future__ import annotations

import asyncio

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.money import stats
from foreknow.money.stats import DayStats, TradeStats
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.rows import insert_user


def trade(user_id: int, *, at_ms: int, volume: int = 100, fee: int = 2, shares: int = 150) -> TradeStats:
    return TradeStats(user_id=user_id, at_ms=at_ms, volume_kopecks=volume, fee_kopecks=fee, shares_change=shares)


async def test_each_day_adds_up_its_trades_sign_ups_and_settlements(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ada = insert_user(tx)
        stats.record_sign_up(tx, at_ms=3 * DAY_MS)
        stats.record_trades(tx, [trade(ada, at_ms=4 * DAY_MS - 1), trade(ada, at_ms=4 * DAY_MS - 1, volume=10)])
        stats.record_trades(tx, [trade(ada, at_ms=5 * DAY_MS, volume=60, fee=0, shares=-100)])
        stats.record_settlement(tx, at_ms=5 * DAY_MS + HOUR_MS, settled_shares=200, house_result_kopecks=-77)
        stats.record_grants(tx, at_ms=5 * DAY_MS, amount_kopecks=500)
        stats.record_grants(tx, at_ms=5 * DAY_MS, amount_kopecks=-40)
        assert stats.daily_stats(tx) == [
            DayStats(
                day=3,
                sign_ups=1,
                traders=1,
                new_traders=1,
                volume_kopecks=110,
                fees_kopecks=4,
                open_interest_change_kopecks=300,
            ),
            DayStats(
                day=5,
                traders=1,
                volume_kopecks=60,
                open_interest_change_kopecks=-300,
                settlement_result_kopecks=-77,
                grants_kopecks=460,
            ),
        ]

    await db.write(work)


async def test_a_trader_counts_once_a_day_and_is_new_once(db: Database) -> None:
    def work(tx: WriteTx) -> list[tuple[int, int, int]]:
        ada, bob = insert_user(tx, "Ada"), insert_user(tx, "Bob")
        for day in (1, 1, 2, 2, 4):
            stats.record_trades(tx, [trade(ada, at_ms=day * DAY_MS), trade(ada, at_ms=day * DAY_MS)])
        stats.record_trades(tx, [trade(bob, at_ms=2 * DAY_MS), trade(ada, at_ms=2 * DAY_MS)])
        return [(figures.day, figures.traders, figures.new_traders) for figures in stats.daily_stats(tx)]

    assert await db.write(work) == [(1, 1, 1), (2, 2, 1), (4, 1, 0)]


async def test_traders_known_as_counted_are_not_counted_again(db: Database) -> None:
    def first(tx: WriteTx) -> dict[int, int]:
        ada, bob = insert_user(tx, "Ada"), insert_user(tx, "Bob")
        return stats.record_trades(tx, [trade(ada, at_ms=DAY_MS), trade(bob, at_ms=DAY_MS)])

    counted = await db.write(first)
    ada, bob = counted
    assert counted == {ada: 1, bob: 1}

    def later(tx: WriteTx) -> list[tuple[int, int, int]]:
        stats.record_trades(tx, [trade(ada, at_ms=DAY_MS), trade(bob, at_ms=2 * DAY_MS)], counted=counted)
        stats.record_trades(tx, [trade(ada, at_ms=2 * DAY_MS)], counted=counted)
        return [(figures.day, figures.traders, figures.new_traders) for figures in stats.daily_stats(tx)]

    assert await db.write(later) == [(1, 2, 2), (2, 2, 0)]


async def test_transactions_at_the_same_moment_lose_nothing(db: Database) -> None:
    people = await db.write(lambda tx: [insert_user(tx, f"Trader {number}") for number in range(20)])

    async def record(user_id: int) -> None:
        await db.write(lambda tx: stats.record_trades(tx, [trade(user_id, at_ms=DAY_MS)]))

    await asyncio.gather(*map(record, people))

    (figures,) = await db.read(stats.daily_stats)
    assert (figures.traders, figures.new_traders, figures.volume_kopecks) == (20, 20, 2_000)


async def test_nothing_happened_at_first(db: Database) -> None:
    assert await db.read(stats.daily_stats) == []
