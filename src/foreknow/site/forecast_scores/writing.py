"""Writing what a scored pool gives: scores, sums, records and notices, some people at a time, and last its crowd."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.people import notifications
from foreknow.people.notifications.kinds.forecasts import ForecastScored
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.forecast_scores import boards
from foreknow.site.forecast_scores.scoring import Scoring
from foreknow.site.forecast_scores.tables import forecast_scores
from foreknow.site.forecasts.past import crowd_at
from foreknow.site.forecasts.reading import Earned
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
    moments = scoring.moments
    crowds = crowd_at(tx, scoring.pool.id, [moment.at_ms for moment in moments])
    found = [
        Compared(_as_then(scoring, crowd, moment), scoring.market_at(moment), moment)
        for moment, crowd in zip(moments, crowds, strict=True)
        if crowd is not None
    ]
    sources.add(tx, {CROWD: found}, scoring.event.tags)


def _compared(scoring: Scoring, user_id: int) -> list[Compared]:
    found = [(moment, scoring.thought_at(moment, user_id)) for moment in scoring.moments]
    return [Compared(said, scoring.market_at(moment), moment) for moment, said in found if said is not None]


def _as_then(scoring: Scoring, crowd: Sequence[float], moment: RecordMoment) -> Sequence[float]:
    """Return what a crowd was at a moment, one probability a market of then."""
    splits = [split.charted for split in scoring.pool.splits]
    return charts.as_then(crowd, splits, at_ms=moment.at_ms)[: len(moment.won)]


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
