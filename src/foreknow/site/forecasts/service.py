"""Rules of forecasts: what may be said when, and what of it is shown to whom."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.validation.fields import optional_text, wrong_field
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.rows import PoolRow
from foreknow.market.pools.store import load_pools_at_once
from foreknow.money.pricing import exact_fraction
from foreknow.people.users.sessions import lock_live_person
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.forecasts import store
from foreknow.site.forecasts.errors import OutcomesDiffer
from foreknow.site.forecasts.probabilities import raised
from foreknow.site.forecasts.schemas import NOTE_MAX, Forecast, ForecastBody, as_now, forecast_view
from foreknow.site.forecasts.store import ForecastRow

SUM_TOLERANCE = Fraction(1, 10**6)
#: Forecasts of a person that a pool takes within `ACCEPTED_WITHIN_MS`.
ACCEPTED_MAX = 60
ACCEPTED_WITHIN_MS = 60 * MINUTE_MS


def check(body: ForecastBody) -> ForecastBody:
    """Return a body with its note as stored; `BadRequest` for what no pool takes."""
    if (
        len(body.probabilities) > 1
        and abs(sum(map(exact_fraction, body.probabilities), start=Fraction(0)) - 1) > SUM_TOLERANCE
    ):
        raise wrong_field("probabilities", "must sum to 1")
    note = None if body.note is None else optional_text("note", body.note, most=NOTE_MAX)
    return ForecastBody(body.probabilities, note, body.outcomes)


def put(tx: WriteTx, pool_id: int, body: ForecastBody, caller: UserCaller) -> Forecast:
    """Keep what the caller thinks of a pool; `body` has passed `check`.

    Raises `PoolNotFound`, `MarketResolved`, `MarketClosed`, `OutcomesDiffer` or `BadRequest` for another number of
    outcomes than the pool's, `RateLimited`.
    """
    pool, last, at_ms = _locked(tx, pool_id, caller)
    outcomes = len(pool.markets)
    if body.outcomes is not None and body.outcomes != outcomes:
        raise OutcomesDiffer(outcomes=outcomes)
    if len(body.probabilities) != outcomes:
        raise wrong_field("probabilities", f"must have {outcomes} entries, one for each market")
    lately = [] if last is None else [said_ms for said_ms in last.accepted if said_ms > at_ms - ACCEPTED_WITHIN_MS]
    if len(lately) >= ACCEPTED_MAX:
        wait_ms = min(lately[0] + ACCEPTED_WITHIN_MS - at_ms, ACCEPTED_WITHIN_MS)
        raise RateLimited(retry_after_s=-(-wait_ms // SECOND_MS))
    accepted = [*lately, at_ms]
    if last is not None and last.ended_at_ms is None and _is_same(body.probabilities, last, pool):
        note = last.note if body.note is None else body.note
        last = last._replace(created_at_ms=at_ms, note=note, accepted=accepted)
        store.renew(tx, last)
        return forecast_view(last, pool)
    new = ForecastRow(
        id=0,
        pool_id=pool.id,
        user_id=caller.user_id,
        sent=body.probabilities,
        probabilities=raised(body.probabilities),
        market=pool.lmsr().probabilities(),
        note=body.note or "",
        since_ms=at_ms,
        created_at_ms=at_ms,
        ended_at_ms=None,
        accepted=accepted,
    )
    return forecast_view(store.add(tx, new, after=last), pool)


def delete(tx: WriteTx, pool_id: int, caller: UserCaller) -> None:
    """Let nothing of the caller's stand in a pool; twice changes nothing. Raises as `put` does of the pool's state."""
    _, last, at_ms = _locked(tx, pool_id, caller)
    if last is not None and last.ended_at_ms is None:
        store.end(tx, last, at_ms=at_ms)


def _locked(tx: WriteTx, pool_id: int, caller: UserCaller) -> tuple[PoolRow, ForecastRow | None, int]:
    """Return a pool of which something may be said, what the caller said last of it, and the time, with them locked.

    The pool is not: orders would wait for it. What is said in the moment of its end counts for nothing after it.
    """
    lock_live_person(tx, caller)
    last, now = store.last_fetch(pool_id, caller.user_id), now_fetch(tx)
    pool = load_pools_at_once(tx, [pool_id], last, now).get(pool_id)
    if pool is None or not is_visible_to(caller, pool):
        raise PoolNotFound
    at_ms = now.result
    over = pool.over_error(at_ms)
    if over is not None:
        raise over
    return pool, last.result, at_ms


def _is_same(probabilities: Sequence[float], last: ForecastRow, pool: PoolRow) -> bool:
    return list(probabilities) == list(last.sent) or tuple(probabilities) == as_now(last, pool)
