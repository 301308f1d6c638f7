"""When what counts of a pool: from its publication to what its `finish_at` was then, while it could be traded. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foreknow.site.forecast_scores.score import PoolLife
from foreknow.site.forecasts.crowd import planned_ms


class PoolTimes(NamedTuple):
    """Times of a pool with a result, Unix milliseconds."""

    published_ms: int
    live_ms: int | None
    #: Now, and at publication; None for none.
    finish_ms: int | None
    first_finish_ms: int | None
    #: Of its first verdict: a further one leaves no trace.
    decided_ms: int


def life_of(times: PoolTimes, pauses: Sequence[tuple[int, int | None]], *, enough_ms: int | None = -1) -> PoolLife:
    """Return when what counts; `pauses` are in order, the last one may be without an end. `enough_ms`: `PoolLife`'s.

    An end that has passed cannot be moved: so the last `finish_at` says how long it could be traded, wherever it was
    before.
    """
    end_ms = times.published_ms + planned_ms(times.published_ms, times.first_finish_ms)
    until_ms = min(one for one in (end_ms, times.finish_ms, times.decided_ms) if one is not None)
    at_ms = max(times.published_ms, times.live_ms or 0)
    spans: list[tuple[int, int]] = []
    for from_ms, to_ms in pauses:
        if at_ms < min(from_ms, until_ms):
            spans.append((at_ms, min(from_ms, until_ms)))
        at_ms = max(at_ms, until_ms if to_ms is None else to_ms)
    if at_ms < until_ms:
        spans.append((at_ms, until_ms))
    return PoolLife(times.published_ms, end_ms, spans, enough_ms)
