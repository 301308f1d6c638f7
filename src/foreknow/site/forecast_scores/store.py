"""Scores as they are read and forgotten."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecast_scores import boards
from foreknow.site.forecast_scores.tables import forecast_scores
from foreknow.site.forecasts.reading import Earned
from foreknow.site.record import sources

_C = forecast_scores.c


def scores_of(tx: ReadTx, user_id: int, pool_ids: Collection[int]) -> dict[int, Earned]:
    """Return what a person earned in those of these pools that are scored, by pool."""
    rows = _SCORES.fetch(tx, {"ids": pool_ids, "user_id": user_id}) if pool_ids else ()
    return {pool_id: Earned(*earned) for pool_id, *earned in rows}


def forget(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete some of what a person earned, their places on boards and their records; return how many rows."""
    some = sa.select(_C.pool_id).where(_C.user_id == user_id).order_by(_C.pool_id).limit(most)
    deleted = tx.execute(forecast_scores.delete().where(_C.user_id == user_id, _C.pool_id.in_(some))).rowcount
    return deleted + boards.forget(tx, user_id) + sources.forget(tx, user_id, most=most)


_SCORES = CompiledQuery(
    sa.select(_C.pool_id, _C.score, _C.coverage).where(
        _C.user_id == sa.bindparam("user_id", type_=Int64), in_array(_C.pool_id)
    )
)
