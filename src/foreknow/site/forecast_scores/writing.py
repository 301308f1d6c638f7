"""Writing what a scored pool gives: scores, sums, records and notices, some people at a time, and last its crowd."""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.people import notifications
from foreknow.people.notifications.kinds.forecasts import ForecastScored
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecast_scores import boards
from foreknow.site.forecast_scores.scoring import Scoring
from foreknow.site.forecast_scores.tables import forecast_scores
from foreknow.site.forecasts.reading import Earned
from foreknow.site.forecasts.tables import forecast_crowd_points
from foreknow.site.record import sources
from foreknow.site.record.moments import RecordMoment
from foreknow.site.record.sources import CROWD, Compared


def write(tx: WriteTx, scoring: Scoring, earned: Mapping[int, Earned], user_ids: Collection[int]) -> None:
    """Write what some people earned who have no row yet, under the lock of the pool's job."""
    pool_id = scoring.pool.id
    written = sa.select(forecast_scores.c.user_id).where(
        forecast_scores.c.pool_id == pool_id, forecast_scores.c.user_id.in_(user_ids)
    )
    without = {*tx.execute(written).scalars(), *deleted_among(tx, user_ids)}
    new = [user_id for user_id in sorted(user_ids) if user_id not in without]
    columns = ("user_id", "pool_id", "score", "coverage")
    insert_rows(tx, forecast_scores, columns, [(user_id, pool_id, *earned[user_id]) for user_id in new])
    scores = [(user_id, score) for user_id in new if (score := earned[user_id].score) is not None]
    assert scoring.pool.resolved_at_ms is not None
    boards.add(tx, scores, event_pools=scoring.event_pools, final_ms=scoring.pool.resolved_at_ms)
    if scoring.is_enough:
        thought = {user_id: _compared(scoring, user_id) for user_id in new}
        sources.add(tx, thought, scoring.event.tags)
    _notify(tx, scoring, {user_id: earned[user_id] for user_id, _ in scores})


def write_crowd(tx: WriteTx, scoring: Scoring) -> None:
    """Count what the crowd thought at the moments of a pool; once, under the lock of the pool's job."""
    if not scoring.is_enough:
        return
    found: list[Compared] = []
    for moment in scoring.moments:
        crowd = _crowd_at(tx, scoring, moment)
        if crowd is not None:
            found.append(Compared(crowd, scoring.market_at(moment), moment))
    sources.add(tx, {CROWD: found}, scoring.event.tags)


def _compared(scoring: Scoring, user_id: int) -> list[Compared]:
    found = [(moment, scoring.thought_at(moment, user_id)) for moment in scoring.moments]
    return [Compared(said, scoring.market_at(moment), moment) for moment, said in found if said is not None]


def _crowd_at(tx: ReadTx, scoring: Scoring, moment: RecordMoment) -> Sequence[float] | None:
    """Return what the crowd was at a moment, one probability a market of then; None where there was none."""
    columns = forecast_crowd_points.c
    query = (
        sa.select(columns.probabilities)
        .where(columns.pool_id == scoring.pool.id, columns.at_ms <= moment.at_ms)
        .order_by(columns.at_ms.desc())
        .limit(1)
    )
    packed = tx.execute(query).scalar()
    if packed is None:
        return None
    splits = [split.charted for split in scoring.pool.splits]
    values = struct.unpack(f"<{len(packed) // 8}d", packed)
    return charts.as_then(values, splits, at_ms=moment.at_ms)[: len(moment.won)]


def _notify(tx: WriteTx, scoring: Scoring, earned: Mapping[int, Earned]) -> None:
    pool = scoring.pool
    assert pool.decision is not None
    new = notifications.NewNotifications(scoring.event, at_ms=now_ms(tx))
    for user_id, one in earned.items():
        assert one.score is not None
        assert one.coverage is not None
        content = ForecastScored(
            pool_name=pool.name,
            pool_name_ru=pool.name_ru,
            result=pool.winner_name(pool.decision.resolution),
            score=one.score,
            coverage=one.coverage,
        )
        new.add(user_id, content)
    notifications.record(tx, new)
