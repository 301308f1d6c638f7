"""How many orders may wait: those that are decided in a quarter of a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.kernel.settings import Settings
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import Database
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk.desk import BATCH_MAX, TradeDesk
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.desk.queue_bound import LOOK_S, WAIT_S, WAITING_MAX, WAITING_MIN, QueueBound
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.trading.settlement.world import person

BOUND = "decisions: more orders wait than are decided in a quarter of a second (256 at least, 10,000 at most)."


def after(bound: QueueBound, *, seconds: float, a_second: int, batch_s: float = 0.02, began_s: float = 0.0) -> int:
    """Let batches follow one another while others wait; return how many may wait then."""
    for number in range(round(seconds / batch_s) + 1):
        bound.note(round(a_second * batch_s), is_behind=True, now_s=began_s + number * batch_s)
    return bound.waiting_max


@proves(BOUND)
@pytest.mark.parametrize(
    ("a_second", "waiting_max"), [(100, WAITING_MIN), (4_000, 1_000), (30_000, 7_500), (100_000, WAITING_MAX)]
)
def test_as_many_may_wait_as_are_decided_in_a_quarter_of_a_second(a_second: int, waiting_max: int) -> None:
    assert after(QueueBound(), seconds=4.0, a_second=a_second) == pytest.approx(waiting_max, rel=0.01)


@proves(BOUND)
def test_it_follows_a_desk_that_becomes_faster_at_once_and_a_slower_one_by_halves() -> None:
    bound = QueueBound()
    assert after(bound, seconds=LOOK_S, a_second=400, batch_s=LOOK_S) == WAITING_MAX // 2
    assert after(bound, seconds=1.0, a_second=400, began_s=0.3) == WAITING_MIN
    assert after(bound, seconds=0.2, a_second=8_000, began_s=1.3) == pytest.approx(2_000, rel=0.01)


@proves(BOUND)
def test_half_of_an_odd_bound_is_rounded_down() -> None:
    bound = QueueBound()
    looks: list[int] = []
    for look in range(6):
        bound.note(1, is_behind=True, now_s=look * 0.0625)
        looks.append(bound.waiting_max)
    assert looks == [10_000, 5_000, 2_500, 1_250, 625, 312]


@proves(BOUND)
def test_every_order_since_the_last_look_counts_and_none_before() -> None:
    bound = QueueBound()
    bound.note(7, is_behind=True, now_s=1.0)
    bound.note(1_501, is_behind=True, now_s=1.0625)
    assert bound.waiting_max == 4 * 1_501
    bound.note(1_503, is_behind=True, now_s=1.125)
    assert bound.waiting_max == 4 * 1_503


@proves(BOUND)
def test_a_first_batch_that_takes_long_bounds_nothing() -> None:
    bound = QueueBound()
    bound.note(1, is_behind=True, now_s=3.0)
    assert bound.waiting_max == WAITING_MAX


@proves(BOUND)
def test_batches_that_take_all_that_waits_bound_nothing() -> None:
    bound = QueueBound()
    after(bound, seconds=4.0, a_second=100)
    bound.note(10, is_behind=False, now_s=4.1)
    assert bound.waiting_max == WAITING_MAX
    # The time before counts for nothing.
    bound.note(10, is_behind=True, now_s=60.0)
    assert bound.waiting_max == WAITING_MAX


def desk_of(peak: float, *, offered: float, stall_at_s: float, until_s: float) -> tuple[int, int]:
    """Let a desk of that many orders a second work, the disk of which stalls for 0.4 s; return refused and decided.

    Half of a full batch's time goes by however small it is.
    """
    bound, now_s, waiting, came, refused, decided = QueueBound(), 0.0, 0, 0.0, 0, 0
    full_s = BATCH_MAX / peak
    while now_s < until_s:
        batch = min(waiting, BATCH_MAX)
        stalls = 0.4 if now_s <= stall_at_s < now_s + full_s else 0.0
        passed_s = full_s * (1 + batch / BATCH_MAX) / 2 + stalls
        now_s, waiting, decided = now_s + passed_s, waiting - batch, decided + batch
        came += offered * passed_s
        refused += max(0, waiting + int(came) - bound.waiting_max)
        waiting, came = min(waiting + int(came), bound.waiting_max), came % 1
        bound.note(batch, is_behind=waiting > BATCH_MAX, now_s=now_s)
    return refused, decided


@proves(BOUND)
@pytest.mark.parametrize("peak", [600, 1_500, 3_000, 8_000, 20_000])
def test_a_disk_that_stalls_at_half_the_peak_has_nothing_refused(peak: int) -> None:
    for moment in range(20):
        assert desk_of(peak, offered=peak / 2, stall_at_s=2 + moment / 7, until_s=6)[0] == 0
    # Nor does the bound hold up what the desk can do: at five times the peak it never waits.
    refused, decided = desk_of(peak, offered=5 * peak, stall_at_s=99, until_s=6)
    assert refused > 0
    assert decided == pytest.approx(6 * peak, rel=0.05)


@proves(BOUND)
@ON_SQLITE
async def test_a_desk_that_is_sent_more_than_it_decides_refuses_what_would_wait_longer(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause_s = 0.05
    write_orders: Callable[..., Any] = db.write_orders

    async def slowly(work: Callable[..., Any], **limits: Any) -> Any:
        await asyncio.sleep(pause_s)
        return await write_orders(work, **limits)

    monkeypatch.setattr(db, "write_orders", slowly)
    desk = TradeDesk(db, LiveSettings(Settings()))
    desk.start()
    sent: list[asyncio.Future[Receipt]] = []
    asked = Buy(caller=await db.write(person), market_id=1, side=Side.YES, stake_kopecks=100)

    def fill_up(most: int) -> bool:
        """Let that many orders wait; return whether one was refused before."""
        try:
            while desk.waiting < most:
                sent.append(desk.queue(asked))
        except Unavailable:
            return True
        return False

    assert not fill_up(1_500)
    # The bound falls by halves, each after some batches: however slow the machine, it comes down to the desk's pace.
    while not fill_up(1_500) or desk.waiting > WAIT_S * BATCH_MAX / pause_s:  # noqa: ASYNC110 - the desk has no event for it
        await asyncio.sleep(pause_s)
    assert desk.waiting >= WAITING_MIN

    found = await asyncio.gather(*sent, return_exceptions=True)
    assert {one.code for one in found if isinstance(one, DomainError)} == {"market_not_found"}
    assert not fill_up(1_500)
    await desk.stop()
    await asyncio.gather(*sent, return_exceptions=True)
