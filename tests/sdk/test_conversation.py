"""What the feed makes of messages and drops: the steps that both clients carry out, without a connection."""

from __future__ import annotations

import json

import pytest

from foreknow_client import AnswerNotUnderstood
from foreknow_client.sockets import Emit, FeedEvent, Missed, Open, Started, Traded, follow_trades
from foreknow_client.steps import Pause

TRADE = {"amount": 100, "name": "Ann", "token": "YES", "event": "Which?", "market": "Red", "avatar": ""}


def initial(seq: int) -> str:
    return json.dumps({"type": "initial", "trades": [TRADE], "seq": seq})


def trade(seq: int, *, prev: int) -> str:
    return json.dumps({"type": "trade", "trade": TRADE, "seq": seq, "prev": prev})


def followed(*happens: str | bool | None) -> tuple[list[FeedEvent], list[float]]:
    """Let this happen: whether each connection comes about, and what it brings (None: it is lost).

    Returns what the feed says of it, and how long it waited before each further connection.
    """
    conversation, given = follow_trades(chance=lambda: 1.0), iter(happens)
    events: list[FeedEvent] = []
    pauses_s: list[float] = []
    step = next(conversation)
    while True:
        if isinstance(step, Emit):
            events.append(step.event)
            step = next(conversation)
        elif isinstance(step, Pause):
            pauses_s.append(step.seconds)
            step = next(conversation)
        else:
            answer = next(given, "end")
            if answer == "end":
                return events, pauses_s
            assert isinstance(answer, bool) == isinstance(step, Open)
            step = conversation.send(answer)


def test_trades_come_in_order_and_a_number_that_was_left_out_is_said() -> None:
    events, _ = followed(True, initial(7), trade(8, prev=7), trade(12, prev=10))

    assert isinstance(events[0], Started)
    assert isinstance(events[1], Traded)
    assert events[2] == Missed(after_seq=8, through_seq=10, recent=())
    assert isinstance(events[3], Traded)
    assert [events[0].seq, events[1].seq, events[3].seq] == [7, 8, 12]


def test_after_a_drop_only_what_was_missed_is_said() -> None:
    events, _ = followed(True, initial(7), None, True, initial(7), None, True, initial(9), trade(10, prev=9))

    assert [type(event) for event in events] == [Started, Missed, Traded]
    missed = events[1]
    assert isinstance(missed, Missed)
    assert (missed.after_seq, missed.through_seq, len(missed.recent)) == (7, 9, 1)


def test_pauses_grow_while_no_message_comes_and_begin_again_after_one() -> None:
    _, pauses_s = followed(False, False, True, None, False, True, initial(1), None, False, *[False] * 8)

    assert pauses_s == [0.5, 1, 2, 4, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]


def test_another_programs_messages_are_an_error() -> None:
    with pytest.raises(AnswerNotUnderstood, match="ws/trades"):
        followed(True, '{"type": "hello"}')
