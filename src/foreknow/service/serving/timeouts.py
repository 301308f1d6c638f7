"""Timeouts of a connection.

Each connection is polled once a second for what it waits for; a wait ages while it is the same from poll to poll. That
costs a request nothing, unlike a timer of its own.
"""

from __future__ import annotations

from enum import Enum

#: Time for a request's head, from the start of the connection or from its first byte.
HEAD_S = 15.0
#: Longest pause within a body.
BODY_S = 30.0
#: Least average rate of a body after `BODY_S`.
BODY_BYTES_PER_S_MIN = 1024
#: Time in which a peer must read this many bytes of a response, or all of it.
READER_S = 60.0
READER_BYTES_MIN = 16 * 1024
#: Time for the next request. Longer than proxies keep idle connections (usually 60 s), so that we never close one that
#: a proxy is about to use.
KEEP_ALIVE_S = 75.0
#: Time to read an error response before the connection closes; closing at once would discard it while the peer sends.
CLOSING_S = 5.0


class Wait(Enum):
    """What a connection waits for."""

    #: For the application, not for the peer.
    NOTHING = 0
    HEAD = 1
    BODY = 2
    READER = 3
    NEXT_REQUEST = 4
    CLOSING = 5


class ConnectionTimer:
    """The current wait of one connection."""

    __slots__ = ("_amount", "_began_amount", "_began_s", "_of", "_since_s", "wait")

    def __init__(self) -> None:
        """Start without a wait."""
        self.wait = Wait.NOTHING
        self._of: object = None
        #: Start of this wait, and of the time without progress.
        self._began_s = self._since_s = 0.0
        self._amount = self._began_amount = 0

    def is_over(self, now_s: float, wait: Wait, *, of: object, amount: int = 0) -> bool:
        """Return whether `wait` has timed out; a wait `of` another request than before starts again.

        `amount`: bytes of the body so far, or bytes that the peer has still to read.
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
        # Bytes that we write meanwhile neither count as the peer's progress nor hide it.
        self._began_amount += max(0, amount - self._amount)
        self._amount = amount
        if self._began_amount - amount >= READER_BYTES_MIN:
            self._began_amount = amount
            self._since_s = now_s
        return now_s - self._since_s >= READER_S


def _limit_s(wait: Wait) -> float:
    if wait is Wait.HEAD:
        return HEAD_S
    return KEEP_ALIVE_S if wait is Wait.NEXT_REQUEST else CLOSING_S
