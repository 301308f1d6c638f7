"""How many orders are turned away in one turn of the event loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from typing import Any

from foreknow.service.serving.order_door import A_TURN_MAX, OrderDoor


async def test_a_turn_of_the_loop_turns_few_away_and_the_next_ones_the_others_in_their_order() -> None:
    counted: Counter[Any] = Counter()
    door = OrderDoor(lambda: True, lambda route, status: counted.update([(route, status)]), lambda: None)
    sent = b"POST /api/v1/market/bets HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
    answered: list[int] = []

    def ask(number: int) -> None:
        if not door.puts_off(sent, partial(ask, number)):
            assert door.turn_away(sent, b"") is not None
            answered.append(number)

    for number in range(3 * A_TURN_MAX - 1):
        ask(number)
    # What is no order waits for none.
    assert not door.puts_off(sent.replace(b"/market/bets", b"/auth/sign-in"), answered.clear)
    for turn in (1, 2, 3):
        assert answered == list(range(min(turn * A_TURN_MAX, 3 * A_TURN_MAX - 1)))
        await asyncio.sleep(0)
    assert counted == {(("POST", "/market/bets"), 503): 3 * A_TURN_MAX - 1}
