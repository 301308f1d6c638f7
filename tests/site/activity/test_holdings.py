"""Following positions in sets leaves what going through them one by one would leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.holdings import follow
from foreknow.site.activity.tables import holdings, market_holders
from foreknow.trading.positions.tables import positions
from tests.site.activity.life import Life
from tests.support.clock import ShiftableClock
from tests.support.kinds import FIRST_ON_POSTGRES

Rows = dict[int, tuple[Any, ...]]
Holders = Counter[tuple[int, str]]


def kept(tx: ReadTx) -> tuple[Rows, Holders]:
    """Return the holdings by position, and how many hold each side of a market."""
    rows = {row.position_id: tuple(row[1:]) for row in tx.execute(sa.select(holdings))}
    return rows, Counter({(row.market_id, row.side): row.holders for row in tx.execute(sa.select(market_holders))})


def one_by_one(tx: ReadTx, sold: Mapping[int, int]) -> tuple[Rows, Holders]:
    """Return what following these positions must leave."""
    rows, holders = kept(tx)
    for one in tx.execute(sa.select(positions).where(positions.c.id.in_(sold))):
        *_, shares, sold_before = rows.get(one.id, (0, 0))
        holders[one.market_id, one.side] += (one.shares > 0) - (shares > 0)
        rows[one.id] = (one.pool_id, one.market_id, one.side, one.user_id, one.shares, sold_before + sold[one.id])
        if one.closed_at_ms is not None and not one.settled_shares:
            del rows[one.id]
    return rows, holders


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", range(3))
async def test_any_positions_are_followed_as_if_one_by_one(db: Database, clock: ShiftableClock, seed: int) -> None:
    life = Life(db, clock, seed)
    await life.begin()
    for _ in range(3):
        await life.make_event()
    random = Random(seed)
    seen: Counter[str] = Counter()

    def work(tx: WriteTx) -> None:
        found = tx.execute(sa.select(positions.c.id, positions.c.closed_at_ms)).all()
        for one in found:
            if one.closed_at_ms is None and random.random() < 0.3:
                # Sold, paid, or paid in part after some of it was sold.
                settled = random.choice([0, 0, 50])
                change = positions.update().where(positions.c.id == one.id)
                tx.execute(change.values(shares=0, closed_at_ms=1, settled_shares=settled))
                seen["paid" if settled else "sold"] += 1
        ids = [one.id for one in found if random.random() < 0.5]
        sold = {position_id: random.choice([0, 7, -3, 2**53 + 1]) for position_id in ids}
        before = kept(tx)[0]
        expected = one_by_one(tx, sold)
        follow(tx, sold)
        assert kept(tx) == expected
        seen["made"] += len(expected[0].keys() - before.keys())
        seen["gone"] += len(before.keys() - expected[0].keys())

    for _ in range(10):
        for _ in range(8):
            await life.trade()
        await db.write(work)
    assert min(seen[what] for what in ("paid", "sold", "made", "gone")) > 1


async def test_nothing_traded_is_nothing_to_follow(db: Database) -> None:
    await db.write(lambda tx: follow(tx, {}))
    assert await db.read(kept) == ({}, Counter())
