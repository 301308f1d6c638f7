"""The points of a chart: every day, or as many as may be shown."""

from __future__ import annotations

import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.worth.points import WorthPoint, WorthRange, worth_points
from foreknow.site.worth.store import PersonDay, add
from foreknow.site.worth.tables import worth_cursor
from tests.support.proofs import proves
from tests.trading.settlement import world

FIRST_DAY = 20_000


async def points(db: Database, *, days: int, range_: WorthRange = "all") -> list[WorthPoint]:
    """Return the chart at noon after `days` days, of which each third differs from the one before."""

    def work(tx: WriteTx) -> int:
        person = world.person(tx).user_id
        add(tx, [PersonDay(person, FIRST_DAY + day, 1_000 + day, 1_000) for day in range(0, days, 3)])
        tx.execute(worth_cursor.insert().values(id=1, day=FIRST_DAY + days - 1))
        return person

    person = await db.write(work)
    now_ms = (FIRST_DAY + days - 1) * DAY_MS + DAY_MS // 2
    return await db.read(lambda tx: worth_points(tx, person, range_, worth_kopecks=7, now_ms=now_ms))


@proves(
    "client: at the end of each UTC day since the first movement (≤ 1,000, thinned as charts are), the last one now: "
    "balance, `held_kopecks` and value of positions at the prices then"
)
@pytest.mark.parametrize(("days", "step"), [(1, 1), (998, 1), (999, 2), (1_500, 2), (1_996, 2), (1_997, 4), (7_000, 8)])
async def test_of_many_days_every_second_or_fourth_is_shown_and_the_last(db: Database, days: int, step: int) -> None:
    shown = await points(db, days=days)
    assert len(shown) <= 1_000
    ends = sorted({*range(0, days, step), days - 1})
    assert shown[:-1] == [WorthPoint((FIRST_DAY + day) * DAY_MS, 1_000 + day // 3 * 3, 1_000) for day in ends]
    assert shown[-1] == WorthPoint((FIRST_DAY + days - 1) * DAY_MS + DAY_MS // 2, 7, 1_000)


async def test_the_last_month_of_many_years_has_every_day(db: Database) -> None:
    shown = await points(db, days=3_000, range_="1m")
    assert [point.worth_kopecks for point in shown] == [1_000 + day // 3 * 3 for day in range(2_970, 3_000)] + [7]
