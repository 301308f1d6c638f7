"""When instances take place: whole intervals of UTC, and the lowest index that still ends ahead."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.clock import MINUTE_MS, millis
from foreknow.market.events.series_plans import LAST_MS, PoolPlan, Recurrence, SeriesPlan
from tests.support.proofs import proves

TIMES = st.integers(0, millis(datetime(2100, 1, 1, tzinfo=UTC)))
FINISHES = st.lists(st.none() | TIMES, min_size=1, max_size=4)
INTERVALS = st.integers(1, 60 * 24 * 400)
INDICES = st.integers(0, 40_000)


def recurrence(finishes_ms: list[int | None], interval_minutes: int, *, plan_index: int = 0) -> Recurrence:
    pools = [
        PoolPlan(
            name="Pool",
            name_ru="",
            rules="",
            margin=0.0,
            metadata={},
            market_names=["Pool"],
            live_at_ms=None if finish_ms is None else finish_ms - 1,
            finish_at_ms=finish_ms,
        )
        for finish_ms in finishes_ms
    ]
    plan = SeriesPlan(
        name="Event",
        name_ru="",
        tags=[],
        versus_names=[],
        versus_images=[],
        has_draw=False,
        external_event_url="",
        main_pool_index=0,
        pools=pools,
    )
    return Recurrence(plan=plan, plan_index=plan_index, interval_minutes=interval_minutes)


def times(repeated: Recurrence, index: int) -> list[tuple[int | None, int | None]]:
    return [(pool.live_at_ms, pool.finish_at_ms) for pool in repeated.draft_of(index).pools]


def ends_ahead(repeated: Recurrence, index: int, at_ms: int) -> bool:
    finishes_ms = [pool.finish_at_ms for pool in repeated.at(index).plan.pools]
    return all(finish_ms is None or finish_ms > at_ms for finish_ms in finishes_ms)


@given(FINISHES, INTERVALS, INDICES, st.integers(0, 5))
@proves(
    "lifecycle: Instance j has the times of instance 0 plus exactly j intervals of UTC minutes, whatever "
    "daylight saving does."
)
def test_an_instance_is_whole_intervals_after_that_of_the_plan(
    finishes_ms: list[int | None], minutes: int, index: int, plan_index: int
) -> None:
    repeated = recurrence(finishes_ms, minutes, plan_index=plan_index)
    if not repeated.can_take_place(index):
        return
    later_ms = (index - plan_index) * minutes * MINUTE_MS
    assert times(repeated, index) == [
        (None, None) if finish_ms is None else (finish_ms - 1 + later_ms, finish_ms + later_ms)
        for finish_ms in finishes_ms
    ]


@given(FINISHES, INTERVALS, INDICES, TIMES)
@proves(
    "lifecycle: the lowest above the newest whose `finish_at` are all still ahead.",
)
def test_the_next_index_is_the_lowest_that_ends_ahead(
    finishes_ms: list[int | None], minutes: int, after: int, at_ms: int
) -> None:
    repeated = recurrence(finishes_ms, minutes)
    index = repeated.next_index(after=after, at_ms=at_ms)
    assert index > after
    assert ends_ahead(repeated, index, at_ms)
    assert index == after + 1 or not ends_ahead(repeated, index - 1, at_ms)


@given(FINISHES, INTERVALS, INDICES, INDICES, TIMES)
def test_a_plan_with_the_times_of_another_instance_repeats_the_same(
    finishes_ms: list[int | None], minutes: int, index: int, other: int, at_ms: int
) -> None:
    repeated = recurrence(finishes_ms, minutes)
    moved = repeated.at(other)
    assert moved.can_take_place(index) == repeated.can_take_place(index)
    if repeated.can_take_place(index):
        assert times(moved, index) == times(repeated, index)
    after = max(index, other)
    assert moved.next_index(after=after, at_ms=at_ms) == repeated.next_index(after=after, at_ms=at_ms)


@given(FINISHES, st.integers(1, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_an_instance_takes_place_up_to_the_end_of_the_year_9999(
    finishes_ms: list[int | None], minutes: int, index: int
) -> None:
    repeated = recurrence(finishes_ms, minutes)
    latest_ms = max((finish_ms for finish_ms in finishes_ms if finish_ms is not None), default=None)
    fits = latest_ms is None or latest_ms + index * minutes * MINUTE_MS <= LAST_MS
    assert repeated.can_take_place(index) == fits


@proves(
    "lifecycle: Instance j has the times of instance 0 plus exactly j intervals of UTC minutes, whatever "
    "daylight saving does."
)
def test_summer_time_and_29_february_change_nothing() -> None:
    first = datetime(2027, 10, 30, 18, tzinfo=UTC)
    repeated = recurrence([millis(first)], 24 * 60)
    for index, moment in (
        (1, datetime(2027, 10, 31, 18, tzinfo=UTC)),
        (122, datetime(2028, 2, 29, 18, tzinfo=UTC)),
        (123, datetime(2028, 3, 1, 18, tzinfo=UTC)),
        (149, datetime(2028, 3, 27, 18, tzinfo=UTC)),
    ):
        assert times(repeated, index)[0][1] == millis(moment)
        assert repeated.next_index(after=0, at_ms=millis(moment) - 1) == index
