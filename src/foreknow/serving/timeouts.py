"""How long a connection is waited for.

Each connection is looked at once a second and says what it waits for; only what stays the same from look to look ages.
That costs a request nothing, where a timer would be made and cancelled for each.
"""

from __future__ import annotations

from enum import Enum

#: How long a request's head may take, from the connection's beginning or from its first byte.
HEAD_S = 15.0
#: How long a body may bring nothing at all.
BODY_S = 30.0
#: What a body has to bring a second, on average, once `BODY_S` have passed.
BODY_BYTES_PER_S_MIN = 1024
#: How long a reader may take next to nothing of its answer: less than this much, and not all of it.
READER_S = 60.0
READER_BYTES_MIN = 16 * 1024
#: How long a connection may be kept for its next request. Longer than proxies keep idle connections (60 s is usual), so
#: that it is never us who closes one that is being used.
KEEP_ALIVE_S = 75.0
#: How long one that was refused may take to read why: closed at once, it would lose the answer by what it still sends.
FAREWELL_S = 5.0


class Wait(Enum):
    """What a connection waits for."""

    #: Ourselves: no peer is to blame.
    NOTHING = 0
    HEAD = 1
    BODY = 2
    READER = 3
    NEXT_REQUEST = 4
    FAREWELL = 5


class Timeouts:
    """What one connection waits for, and since when."""

    __slots__ = ("_amount", "_began_amount", "_began_s", "_of", "_since_s", "wait")

    def __init__(self) -> None:
        """Begin without waiting."""
        self.wait = Wait.NOTHING
        self._of: object = None
        #: When this wait began, and when there was progress last.
        self._began_s = self._since_s = 0.0
        self._amount = self._began_amount = 0

    def is_over(self, now_s: float, wait: Wait, *, of: object, amount: int = 0) -> bool:
        """Tell whether `wait` has lasted too long; it is a new one where it is `of` another request than before.

        `amount`: bytes of the body so far, or bytes that the reader has still to take.
        """
        if wait is not self.wait or of is not self._of:
            self.wait = wait
            self._of = of
            self._began_s = self._since_s = now_s
            self._amount = self._began_amount = amount
            return False
        if wait is Wait.BODY:
            return self._is_body_over(now_s, amount)
        if wait is Wait.READER:
            return self._is_reader_over(now_s, amount)
        return wait is not Wait.NOTHING and now_s - self._began_s >= _limit_s(wait)

    def _is_body_over(self, now_s: float, amount: int) -> bool:
        if amount != self._amount:
            self._amount = amount
            self._since_s = now_s
        due = (now_s - self._began_s - BODY_S) * BODY_BYTES_PER_S_MIN
        return now_s - self._since_s >= BODY_S or amount - self._began_amount < due

    def _is_reader_over(self, now_s: float, amount: int) -> bool:
        # What we write meanwhile is no progress of theirs, and does not hide it.
        self._began_amount += max(0, amount - self._amount)
        self._amount = amount
        if self._began_amount - amount >= READER_BYTES_MIN:
            self._began_amount = amount
            self._since_s = now_s
        return now_s - self._since_s >= READER_S


def _limit_s(wait: Wait) -> float:
    if wait is Wait.HEAD:
        return HEAD_S
    return KEEP_ALIVE_S if wait is Wait.NEXT_REQUEST else FAREWELL_S
