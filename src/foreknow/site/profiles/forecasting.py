"""What a profile says of forecasts."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts.hidden import hidden_pools
from foreknow.site.forecasts.tables import forecasts

_F, _P = forecasts.c, pools.c


def pools_seen(tx: ReadTx, user_id: int, caller_id: int | None, *, now_ms: int) -> int:
    """Return of how many pools a person has said something, of those whose forecasts the caller may see."""
    last = sa.and_(_F.user_id == user_id, _F.next_id.is_(None))
    said = tx.execute(sa.select(sa.func.count()).select_from(forecasts).where(last)).scalar_one()
    if caller_id == user_id:
        return int(said)
    # Nothing else hides one. The column is JSON, and what is compared with it would be written as that, quotes and all.
    says_so = sa.type_coerce(_P.metadata, Text).like('%"hidden"%')
    hiding = sa.and_(_P.state != "resolved", _P.decided_at_ms.is_(None), says_so)
    maybe = tx.execute(sa.select(_P.id).join_from(forecasts, pools, _P.id == _F.pool_id).where(last, hiding))
    rows = load_pools(tx, maybe.scalars().all())
    return int(said) - len(hidden_pools(tx, list(rows.values()), caller_id, now_ms=now_ms))
