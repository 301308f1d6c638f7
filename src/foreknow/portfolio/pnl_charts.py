"""PnL charts, and who may see whose."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import msgspec
import sqlalchemy as sa

from foreknow import charts
from foreknow.access.callers import UserCaller
from foreknow.db.engine import Database
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import iso
from foreknow.portfolio.schemas import PnlChart, PnlChartPoint
from foreknow.users.errors import UserNotFound
from foreknow.users.tables import users
from foreknow.web.responses import Response

#: So many bytes of charts are kept; then those go that nobody has asked for for longest.
KEPT_BYTES_MAX = 16 * 1024 * 1024
#: What a kept chart costs beside its body.
_ENTRY_BYTES = 500
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class _Kept:
    #: How many points the chart had had when it was made.
    points_ever: int
    answer: Response

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory."""
        return len(self.answer.body) + _ENTRY_BYTES


class PnlCharts:
    """Answers PnL charts.

    A thousand points take a few times as long to fetch and encode as all the rest of a request. So a chart is kept as
    it was answered, and given again while its trader has made no other point: the database is asked for that each
    time, so that no server ever shows an old one.
    """

    def __init__(self, db: Database, *, kept_bytes_max: int = KEPT_BYTES_MAX) -> None:
        """Read from `db`."""
        self._db = db
        self._kept_bytes_max = kept_bytes_max
        self._kept: OrderedDict[int, _Kept] = OrderedDict()
        self._kept_bytes = 0

    async def own(self, user_id: int) -> Response:
        """Return the chart of a trader to that trader."""
        return self._keep(user_id, await self._db.lookup(lambda tx: self._read(tx, user_id)))

    async def shown(self, user_id: int, visitor: UserCaller | None) -> Response:
        """Return the chart of a trader to anybody; `UserNotFound` where they may not see it."""

        def read(tx: ReadTx) -> _Kept:
            _check_shown(tx, user_id, visitor)
            return self._read(tx, user_id)

        return self._keep(user_id, await self._db.lookup(read))

    def _read(self, tx: ReadTx, user_id: int) -> _Kept:
        """Return what is kept where it is still so, else a chart made now."""
        points_ever = charts.pnl_point_count(tx, user_id)
        kept = self._kept.get(user_id)
        if kept is not None and kept.points_ever == points_ever:
            return kept
        points = [PnlChartPoint(iso(at_ms), kopecks / 100) for at_ms, kopecks in charts.pnl_chart(tx, user_id)]
        return _Kept(points_ever, Response(_encode(PnlChart(points))))

    def _keep(self, user_id: int, found: _Kept) -> Response:
        before = self._kept.pop(user_id, None)
        self._kept_bytes += found.size_bytes - (before.size_bytes if before else 0)
        self._kept[user_id] = found
        while self._kept_bytes > self._kept_bytes_max:
            _, gone = self._kept.popitem(last=False)
            self._kept_bytes -= gone.size_bytes
        return found.answer


def _check_shown(tx: ReadTx, user_id: int, visitor: UserCaller | None) -> None:
    """Raise `UserNotFound` for a hidden profile, but to its owner and admins, and for a sub-account to everybody."""
    hidden = tx.execute(_HIDDEN, {"user_id": user_id}).scalar()
    if hidden is None:
        raise UserNotFound
    if hidden and (visitor is None or (visitor.user_id != user_id and not visitor.is_admin)):
        raise UserNotFound


_HIDDEN = sa.select(users.c.profile_hidden).where(users.c.id == sa.bindparam("user_id"), users.c.partner_id.is_(None))
