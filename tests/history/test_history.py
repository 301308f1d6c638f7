"""The histories that benchmarks are run on: what they hold is what the service could have written."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from bench.history.making import make_history
from bench.history.plan import Plan
from foreknow.commands.audit import audit
from foreknow.commands.cli.database import read_snapshot
from foreknow.kernel.clock import DAY_MS
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity import ActivityFollower
from foreknow.site.activity.tables import ACTIVITY_TABLES
from foreknow.site.worth import WorthFollower
from foreknow.site.worth.store import last_kept
from foreknow.site.worth.tables import worth_days
from foreknow.trading.positions.valuation import valued_positions

PLAN = Plan(trades=1_200, markets=48, users=200, end_ms=20_000 * DAY_MS)
TABLES = ("comments", "comment_reactions", "notifications", "chat_messages", "idempotency_keys", "pnl_points")


@pytest.fixture(scope="module")
def history_url(module_database_url: str) -> str:
    """A made history; tests write to it what is counted from it, each its own."""
    make_history(module_database_url, PLAN)
    return module_database_url


def test_a_made_history_is_clean_and_whole(history_url: str) -> None:

    def look(tx: ReadTx) -> tuple[list[str], dict[str, int]]:
        counts = {
            "trades": "SELECT COUNT(*) FROM trades",
            "open": "SELECT COUNT(*) FROM positions WHERE closed_at_ms IS NULL",
            "settled": "SELECT COUNT(*) FROM positions WHERE settled_shares > 0",
            "late": f"SELECT COUNT(*) FROM trades WHERE created_at_ms > {PLAN.end_ms}",
            "backwards": "SELECT COUNT(*) FROM trades a JOIN trades b ON b.id = a.id + 1"
            " WHERE b.created_at_ms < a.created_at_ms",
            **{table: f"SELECT COUNT(*) FROM {table}" for table in TABLES},
        }
        found = {name: int(tx.scalar(sa.text(query)) or 0) for name, query in counts.items()}
        return list(map(str, audit(tx))), found

    findings, counts = read_snapshot(history_url, look)
    assert findings == []
    assert counts["trades"] == pytest.approx(PLAN.trades, rel=0.1)
    assert (counts.pop("late"), counts.pop("backwards")) == (0, 0)
    assert all(counts.values()), counts

    written, renewed, recounted = asyncio.run(count_again(history_url))
    # No list was split.
    assert [name for name in written if not written[name]] == ["counted_splits"], {
        name: len(rows) for name, rows in written.items()
    }
    assert renewed == recounted
    assert without(written, "moved_ppm") == without(recounted, "moved_ppm")


def test_of_a_made_history_each_day_of_worth_leads_to_the_present(
    history_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreknow.site.worth.follower.REST_SHARE", 0)
    kept, present, findings = asyncio.run(keep_worths(history_url))
    assert findings == []
    assert len(kept) == len(present) > PLAN.users // 2
    # Nothing has moved since.
    assert kept == present


async def keep_worths(url: str) -> tuple[dict[int, int], dict[int, int], list[str]]:
    """Keep the days of a history; return what people were worth last, what they are worth now, and what is wrong."""
    now_ms = PLAN.end_ms + 2 * DAY_MS
    db = open_database(url, clock=lambda: now_ms)

    def look(tx: ReadTx) -> tuple[dict[int, int], dict[int, int], list[str]]:
        ids = tx.execute(sa.select(worth_days.c.user_id).distinct()).scalars().all()
        kept = {
            one: row.worth_kopecks for one, row in last_kept(tx, ids, through_day=PLAN.end_ms // DAY_MS + 2).items()
        }
        balances, held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids), held_kopecks(tx, ids)
        values = {one: sum(held.value_kopecks for held in valued_positions(tx, one, now_ms=now_ms)) for one in ids}
        present = {one: balances[one] + held[one] + values[one] for one in ids}
        return kept, present, list(map(str, audit(tx)))

    try:
        follower = WorthFollower(db)
        while await follower.follow():
            pass
        return await db.read(look)
    finally:
        await db.close()


#: Rows by table, each row by column.
Counted = dict[str, list[dict[str, Any]]]


async def count_again(url: str) -> tuple[Counted, Counted, Counted]:
    """Return what is counted as the history was made, after a follower went on, and by one that starts from nothing."""
    db = open_database(url, clock=lambda: PLAN.end_ms)
    try:
        written = await db.read(counted)
        await follow(ActivityFollower(db))
        renewed = await db.read(counted)
        await db.write(forget)
        await follow(ActivityFollower(db))
        return written, renewed, await db.read(counted)
    finally:
        await db.close()


async def follow(follower: ActivityFollower) -> None:
    while await follower.follow():
        pass


def forget(tx: WriteTx) -> None:
    for table in ACTIVITY_TABLES:
        tx.execute(table.delete())


def counted(tx: ReadTx) -> Counted:
    """Return all rows but those that count nothing, without what says when to work next."""
    found: Counted = {}
    for table in ACTIVITY_TABLES:
        columns = [column for column in table.c if column.name != "renew_at_ms"]
        rows = tx.execute(sa.select(*columns).order_by(*table.primary_key)).mappings()
        found[table.name] = [dict(row) for row in rows if row.get("holders") != 0 and row.get("active") != 0]
    return found


def without(rows: Counted, column: str) -> Counted:
    return {
        name: [{key: value for key, value in row.items() if key != column} for row in of_table]
        for name, of_table in rows.items()
    }
