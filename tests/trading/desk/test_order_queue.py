"""Whose orders leave the desk's queue where too many wait: those of who holds over half of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.prompt_future import PromptFuture
from foreknow.kernel.settings import Settings
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import Database
from foreknow.platform.settings import LiveSettings
from foreknow.trading.desk import desk as desk_module
from foreknow.trading.desk.batch import QueuedOrder
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.desk.order_queue import OrderQueue
from foreknow.trading.desk.queue_bound import WAITING_MAX, WAITING_MIN
from tests.support.kinds import ON_SQLITE


def member(user_id: int) -> UserCaller:
    return UserCaller(
        user_id=user_id, session_id=1, is_creator=False, is_admin=False, is_stats_viewer=False, is_operator=False
    )


def bet(caller: UserCaller | PartnerCaller) -> Buy:
    return Buy(caller=caller, market_id=1, side=Side.YES, stake_kopecks=100)


ANN, BEN = bet(member(1)), bet(member(2))
PARTNER = bet(PartnerCaller(partner_id=1, name="p", key_id=1))


@pytest.fixture
def desk(db: Database) -> TradeDesk:
    """One that has not begun: what it is sent waits."""
    return TradeDesk(db, LiveSettings(Settings()))


def refused(sent: Sequence[asyncio.Future[Any]]) -> list[int]:
    return [place for place, one in enumerate(sent) if one.done() and isinstance(one.exception(), Unavailable)]


@ON_SQLITE
async def test_who_floods_a_full_queue_leaves_space_to_others_up_to_half_of_it(desk: TradeDesk) -> None:
    flood = [desk.queue(ANN) for _ in range(WAITING_MAX)]
    with pytest.raises(Unavailable):
        await desk.queue(ANN)

    others = [desk.queue(BEN) for _ in range(WAITING_MAX // 4)] + [desk.queue(PARTNER) for _ in range(WAITING_MAX // 4)]
    # The newest of them have left, one for each that came.
    assert refused(flood) == list(range(WAITING_MAX // 2, WAITING_MAX))
    assert refused(others) == []
    for order in (ANN, BEN, PARTNER):
        with pytest.raises(Unavailable):
            await desk.queue(order)
    assert desk.waiting == WAITING_MAX


@ON_SQLITE
async def test_a_caller_alone_may_fill_the_queue(desk: TradeDesk) -> None:
    sent = [desk.queue(PARTNER) for _ in range(WAITING_MAX)]
    assert refused(sent) == []


@ON_SQLITE
async def test_orders_that_are_held_count_among_those_that_wait(
    desk: TradeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "WAITING_MAX", 3)
    held = QueuedOrder(ANN, PromptFuture(loop=asyncio.get_running_loop()), "ann")
    desk._hold(held)
    waiting = [desk.queue(BEN) for _ in range(2)]

    with pytest.raises(Unavailable):
        _ = desk.queue(BEN)

    assert desk.waiting == 3
    assert refused([held.answer, *waiting]) == []


@ON_SQLITE
async def test_an_order_that_cannot_be_held_besides_is_refused(
    desk: TradeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "HELD_MAX", 0)
    order = QueuedOrder(ANN, PromptFuture(loop=asyncio.get_running_loop()), "ann")
    desk._hold(order)
    assert refused([order.answer]) == [0]
    assert desk.waiting == 0


def put_all(queue: OrderQueue, *scopes: str) -> list[QueuedOrder]:
    loop = asyncio.get_running_loop()
    orders = [QueuedOrder(ANN, PromptFuture(loop=loop), scope) for scope in scopes]
    for order in orders:
        queue.put(order)
    return orders


async def test_a_second_with_over_a_third_hides_no_one_with_over_half() -> None:
    queue = OrderQueue()
    assert not queue.has_largest
    orders = put_all(queue, "ann", "ann", "ann", "ben", "ben")
    assert queue.displace_for("cid") is orders[2]
    # Half is not over half.
    assert not queue.has_largest
    assert queue.displace_for("cid") is None


async def test_a_second_with_half_hides_no_one_who_has_over_half_once_others_have_left() -> None:
    queue = OrderQueue()
    orders = put_all(queue, "ben", "ann", "ann", "ben")
    queue.take()
    assert queue.displace_for("cid") is orders[2]
    # What was taken is held by no one.
    queue.take()
    queue.take()
    assert not queue.has_largest


@given(st.lists(st.sampled_from(["put", "put ann", "take", "put back"]), max_size=400), st.integers(0, 3))
def test_who_holds_over_half_is_known_whatever_came_and_went(steps: list[str], begun: int) -> None:
    loop = asyncio.new_event_loop()
    queue, number = OrderQueue(), 0
    model: list[QueuedOrder] = []
    taken: list[QueuedOrder] = []
    # As slow as the desk may become: 256 may wait.
    for step in range(40):
        queue.put(QueuedOrder(ANN, PromptFuture(loop=loop), "one"))
        queue.note(0, batch_max=0, now_s=step * 0.3)
        queue.take()
    for step_name in ["put ann"] * (WAITING_MIN - begun * 64) + ["put"] * (begun * 64) + steps:
        if step_name.startswith("put") and step_name != "put back":
            number += 1
            scope = "ann" if step_name == "put ann" else f"user {number % 3}"
            order = QueuedOrder(ANN, PromptFuture(loop=loop), scope)
            if queue.is_full:
                of = Counter(one.scope for one in model)
                largest, count = of.most_common(1)[0]
                displaced = queue.displace_for(scope)
                if largest == scope or 2 * count <= len(model):
                    assert displaced is None
                    continue
                assert displaced is [one for one in model if one.scope == largest][-1]
                model.remove(displaced)
            queue.put(order)
            model.append(order)
        elif step_name == "take" and model:
            taken.append(queue.take())
            assert taken[-1] is model.pop(0)
        elif step_name == "put back" and len(taken) > 1:
            queue.put_back(taken[-1:-3:-1])
            model[:0] = taken[-2:]
            del taken[-2:]
        assert len(queue) == len(model) <= WAITING_MIN + 2
    loop.close()
