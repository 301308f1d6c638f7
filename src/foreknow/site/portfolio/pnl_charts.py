"""PnL charts, and who may see whose."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.cache import BoundedCache, in_bytes
from foreknow.kernel.clock import iso
from foreknow.market import charts
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.portfolio.schemas import PnlChart, PnlChartPoint

#: Bounds the memory of cached charts.
CACHE_BYTES_MAX = 16 * 1024 * 1024
#: Memory of a cached chart beside its body.
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class _CachedChart:
    #: The number of points the chart ever had when it was made.
    points_ever: int
    body: bytes

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.body) + _ENTRY_BYTES


class PnlCharts:
    """PnL charts as JSON.

    A thousand points take a few times as long to read and encode as all the rest of a request. So a response is cached
    until its trader has another point: each request reads their number, so that no server ever shows an old chart.
    """

    def __init__(self, db: Database, *, cache_bytes_max: int = CACHE_BYTES_MAX) -> None:
        """Read from `db`."""
        self._db = db
        self._cache: BoundedCache[int, _CachedChart] = BoundedCache(cache_bytes_max, in_bytes)

    async def own(self, user_id: int) -> bytes:
        """Return the chart of a trader to that trader, as JSON."""
        return self._keep(user_id, await self._db.lookup(lambda tx: self._read(tx, user_id)))

    async def shown(self, user_id: int, visitor: UserCaller | None) -> bytes:
        """Return the public chart of a trader; `UserNotFound` where it is hidden."""

        def read(tx: ReadTx) -> _CachedChart:
            check_shown(tx, user_id, visitor)
            return self._read(tx, user_id)

        return self._keep(user_id, await self._db.lookup(read))

    def _read(self, tx: ReadTx, user_id: int) -> _CachedChart:
        """Return the cached chart if it has all points, else one made now."""
        points_ever = charts.pnl_point_count(tx, user_id)
        cached = self._cache.get(user_id)
        if cached is not None and cached.points_ever == points_ever:
            return cached
        points = [PnlChartPoint(iso(at_ms), kopecks / 100) for at_ms, kopecks in charts.pnl_chart(tx, user_id)]
        return _CachedChart(points_ever, _encode(PnlChart(points)))

    def _keep(self, user_id: int, chart: _CachedChart) -> bytes:
        # Put again at each use, so that the charts used least recently are dropped first.
        self._cache.put(user_id, chart)
        return chart.body
