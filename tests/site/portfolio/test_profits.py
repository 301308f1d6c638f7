"""Cached PnL charts: never stale, and bounded."""

from __future__ import annotations

import msgspec

from foreknow.market import charts
from foreknow.market.charts import PnlChange
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.portfolio.routes import PnlCharts
from tests.support.rows import insert_user


def earn(tx: WriteTx, user_id: int, *amounts_kopecks: int) -> None:
    charts.record_pnl(tx, [PnlChange(user_id=user_id, pnl_kopecks=amount, at_ms=60_001) for amount in amounts_kopecks])


def shown(body: bytes) -> list[float]:
    """Return the profits of an answered chart, in roubles."""
    return [point["pnl"] for point in msgspec.json.decode(body)["points"]]


async def test_a_chart_is_kept_until_its_trader_earns_again_on_whatever_server(db: Database) -> None:
    ada = await db.write(insert_user)
    await db.write(lambda tx: earn(tx, ada, 150, -50))
    kept = PnlCharts(db)
    first = await kept.own(ada)
    assert first == (
        b'{"points":[{"timestamp":"1970-01-01T00:01:00.001Z","pnl":1.5},'
        b'{"timestamp":"1970-01-01T00:01:00.001Z","pnl":1.0}]}'
    )
    assert await kept.own(ada) is await kept.shown(ada, None) is first

    elsewhere = open_database(db.url)
    await elsewhere.write(lambda tx: earn(tx, ada, 1_000))
    await elsewhere.close()

    assert shown(await kept.own(ada)) == shown(await kept.shown(ada, None)) == [1.5, 1.0, 11.0]


async def test_each_trader_is_shown_their_own_however_few_charts_are_kept(db: Database) -> None:
    def make(tx: WriteTx) -> list[int]:
        people = [insert_user(tx, name) for name in ("Ada", "Bob", "Cid")]
        for number, user_id in enumerate(people, 1):
            earn(tx, user_id, *range(100, 100 * number + 1, 100))
        return people

    people = await db.write(make)
    whole = [shown(await PnlCharts(db).own(user_id)) for user_id in people]
    assert whole == [[1.0], [1.0, 3.0], [1.0, 3.0, 6.0]]
    few = PnlCharts(db, cache_bytes_max=1_200)

    for _ in range(2):
        assert [shown(await few.own(user_id)) for user_id in people] == whole
        assert len(few._cache) == 1
    charts = [chart for chart in map(few._cache.get, people) if chart is not None]
    assert few._cache.size == sum(chart.size_bytes for chart in charts) <= 1_200
