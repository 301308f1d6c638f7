"""How long a connection is waited for, by the numbers."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.service.serving.timeouts import BODY_BYTES_PER_S_MIN, READER_BYTES_MIN, ConnectionTimer, Wait


def lasts(wait: Wait, amounts: Callable[[int], int]) -> int | None:
    """Return after how many looks, one a second, a wait is over; None where an hour is not enough."""
    one, of = ConnectionTimer(), object()
    looks = (second for second in range(3_600) if one.is_over(float(second), wait, of=of, amount=amounts(second)))
    return next(looks, None)


def test_the_times_are_those_promised() -> None:
    assert lasts(Wait.NOTHING, lambda _: 0) is None
    assert lasts(Wait.HEAD, lambda _: 0) == 15
    assert lasts(Wait.NEXT_REQUEST, lambda _: 0) == 75
    assert lasts(Wait.CLOSING, lambda _: 0) == 5


def test_a_body_must_bring_something_and_enough() -> None:
    assert lasts(Wait.BODY, lambda _: 1_000) == 30
    # A byte every 29 seconds.
    assert lasts(Wait.BODY, lambda second: second // 29) == 31
    assert lasts(Wait.BODY, lambda second: second * BODY_BYTES_PER_S_MIN) is None
    # A megabyte at once is no credit for silence.
    assert lasts(Wait.BODY, lambda second: 10**6 if second else 0) == 31


def test_a_reader_must_take_enough_whatever_is_written_meanwhile() -> None:
    assert lasts(Wait.READER, lambda _: 10**6) == 60
    assert lasts(Wait.READER, lambda second: 10**6 + second * 100) == 60
    assert lasts(Wait.READER, lambda second: 10**8 - second) == 60
    assert lasts(Wait.READER, lambda second: 10**8 - second * (READER_BYTES_MIN // 30)) is None
    # It takes what is written again every ten seconds.
    assert lasts(Wait.READER, lambda second: 20_000 - (second % 10) * 1_000) is None


def test_another_request_is_another_wait() -> None:
    one = ConnectionTimer()
    assert not any(one.is_over(float(second), Wait.HEAD, of=second // 10) for second in range(100))
