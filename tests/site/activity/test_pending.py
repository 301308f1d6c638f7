"""An idle follower looks at one thing alone: whether anything waits. It must see whatever any of its steps would do."""

from __future__ import annotations

import contextlib
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.events.tables import event_changes
from foreknow.market.pools.tables import pools
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.activity.pending import what_is_pending
from foreknow.site.activity.tables import active_events, activity_cursor, event_activity, event_minutes, trader_sums
from tests.site.activity.life import Life
from tests.support.clock import ShiftableClock


class Undo(Exception):
    """Rolls a transaction back."""


def changes(now_ms: int) -> dict[str, Any]:
    """Return what gives each step something to do."""
    cursor, user = activity_cursor.update(), {"user_id": 1}
    return {
        "trades": cursor.values(seq=activity_cursor.c.seq - 1),
        "paid pools": pools.update().where(pools.c.trade_count > 0).values(resolved_at_ms=now_ms, paying=True),
        "resolved long ago": cursor.values(resolved_since_ms=now_ms - OVERLAP_MS - 1),
        "a clock set back": cursor.values(resolved_since_ms=now_ms + OVERLAP_MS + 1),
        "changed events": event_changes.insert().values(event_id=1),
        "ended events": active_events.update().values(ends_at_ms=now_ms),
        "renewals": event_activity.update().values(renew_at_ms=now_ms),
        "past minutes": event_minutes.update().values(minute=now_ms // MINUTE_MS - 24 * 60),
        "past weeks": trader_sums.insert().values(period="week", number=1, **user),
        "past months": trader_sums.insert().values(period="month", number=1, **user),
    }


async def test_whatever_waits_is_seen(db: Database, clock: ShiftableClock) -> None:
    life = Life(db, clock, 3)
    await life.begin()
    while not await db.read(lambda tx: tx.scalar(sa.select(sa.func.count()).select_from(event_minutes))):
        await life.trade()
        await life.catch_up()
    assert not await db.read(lambda tx: any(what_is_pending(tx)))

    for name, change in changes(life.now_ms).items():

        def work(tx: WriteTx, name: str = name, change: Any = change) -> None:
            assert tx.execute(change).rowcount > 0, name
            assert any(what_is_pending(tx)), name
            raise Undo

        with contextlib.suppress(Undo):
            await db.write(work)
    assert not await db.read(lambda tx: any(what_is_pending(tx)))
