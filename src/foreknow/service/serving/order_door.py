"""Turns orders away before they are parsed, while as many wait as may.

A surge brings many times what is decided. Where each of its orders is read and its caller looked up before it is
refused, the event loop does nothing else, and the desk decides no order any more (ADR 0030). For the same reason a turn
of the loop turns away only some: each step of a batch takes a turn.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from foreknow.service.serving.head_buffer import HEAD_END
from foreknow.service.serving.responses import origin_in
from foreknow.trading.desk.errors import DeskFull
from foreknow.web.cross_origin import CrossOrigin
from foreknow.web.endpoint import PREFIX
from foreknow.web.responses import error_response

#: Paths of orders below the prefix, and whether codes are in capitals there.
ORDERS = {
    "/market/bets": False,
    "/market/positions/sell": False,
    "/market/orders": False,
    "/market/baskets": False,
    "/partner/bets": True,
    "/partner/positions/sell": True,
    "/partner/orders": True,
    "/partner/baskets": True,
}
#: Orders that are turned away in one turn of the event loop, in a millisecond or less.
A_TURN_MAX = 32
_START = b"POST "
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,5})[ \t]*\r\n")
#: A connection that ends with its answer, a body that comes later or in pieces: read as ever.
_UNUSUAL = re.compile(rb"\r\n(?:connection:[^\r\n]*close|expect:|transfer-encoding:|upgrade:)")


class OrderDoor:
    """Knows whether orders are let in, and what those hear that are not."""

    def __init__(
        self,
        is_shut: Callable[[], bool],
        count: Callable[[tuple[str, str], int], None],
        cross_origin: Callable[[], CrossOrigin | None],
    ) -> None:
        """`is_shut` is asked at each request; `count` counts an answer, by method and path, and status."""
        self.is_shut = is_shut
        self._count, self._cross_origin = count, cross_origin
        self._answers = {
            f"{PREFIX}{path}".encode(): (("POST", path), *_answer(upper=upper)) for path, upper in ORDERS.items()
        }
        #: How many more this turn of the loop turns away, and who waits for a later one.
        self._left = A_TURN_MAX
        self._later: deque[Callable[[], None]] = deque()
        self._is_awaited = False

    def puts_off(self, request: bytes, again: Callable[[], None]) -> bool:
        """Return whether an order is to be looked at in a later turn of the loop, which then calls `again`."""
        if self._left or not request.startswith(_START):
            return False
        if request[len(_START) : request.find(b" ", len(_START))] not in self._answers:
            return False
        self._later.append(again)
        self._await_turn()
        return True

    def turn_away(self, request: bytes, default_lines: bytes) -> bytes | None:
        """Return the response to what was received, if that is one whole order; else None."""
        if not request.startswith(_START):
            return None
        answer = self._answers.get(request[len(_START) : request.find(b" ", len(_START))])
        if answer is None:
            return None
        end = request.find(HEAD_END)
        head = request[: end + 2].lower()
        length = _LENGTH.search(head)
        if (
            length is None
            or head.count(b"\r\ncontent-length") > 1
            or end + len(HEAD_END) + int(length[1]) != len(request)
            or not head.startswith(b" http/1.1\r\n", request.find(b" ", len(_START)))
            or _UNUSUAL.search(head)
        ):
            return None
        self._left -= 1
        self._await_turn()
        route, start, rest = answer
        self._count(route, DeskFull.status)
        cross_origin = self._cross_origin()
        extra = b""
        if cross_origin is not None:
            headers = cross_origin.headers_of_last(origin_in(request))
            extra = b"".join(b"%b: %b\r\n" % header for header in headers)
        return start + default_lines + extra + rest

    def _await_turn(self) -> None:
        if not self._is_awaited:
            self._is_awaited = True
            asyncio.get_running_loop().call_soon(self._next_turn)

    def _next_turn(self) -> None:
        self._left, self._is_awaited = A_TURN_MAX, False
        try:
            for _ in range(min(A_TURN_MAX, len(self._later))):
                self._later.popleft()()
        finally:
            if self._later:
                self._await_turn()


def _answer(*, upper: bool) -> tuple[bytes, bytes]:
    """Return the bytes of the response before and behind what changes with the time and the caller."""
    response = error_response(DeskFull(), upper=upper, takes_key=True)
    headers = (*response.headers, (b"content-length", b"%d" % len(response.body)))
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    return STATUS_LINE[response.status], lines + b"\r\n" + response.body
