"""WebSockets past ASGI: for whoever sends the same bytes to thousands of them.

ASGI's `send` encodes each message for each socket anew and awaits each; that takes several times as long as the
kernel takes to send it. The server (`foreknow.server`) therefore offers more, under a key of the scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from struct import Struct
from typing import Any, Protocol

#: Under this key of its scope a WebSocket finds its `DirectSocket`.
DIRECT = "foreknow.direct"

#: The first byte of a text message in one frame.
_TEXT = 0x81
_SHORT_MAX, _MEDIUM_MAX = 125, 2**16 - 1
_short_head, _medium_head, _long_head = Struct(">BB").pack, Struct(">BBH").pack, Struct(">BBQ").pack


class DirectSocket(Protocol):
    """A WebSocket without extensions, to whose transport whole frames may be written once it was accepted.

    Not any more when the transport is closing: then a closing frame has been written.
    """

    transport: asyncio.Transport
    #: What to call when more is unwritten than the transport's limit, and when there is room again.
    on_full: Callable[[], None] | None
    on_room: Callable[[], None] | None


def direct(scope: Any) -> DirectSocket:
    """Return a WebSocket's direct access; it may be used once the handshake was accepted."""
    socket: DirectSocket = scope["extensions"][DIRECT]
    return socket


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message as a server sends it (RFC 6455, section 5.2): one frame, not masked."""
    length = len(payload)
    if length <= _SHORT_MAX:
        return _short_head(_TEXT, length) + payload
    if length <= _MEDIUM_MAX:
        return _medium_head(_TEXT, 126, length) + payload
    return _long_head(_TEXT, 127, length) + payload
