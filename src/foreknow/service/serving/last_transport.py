"""The transport of a connection as its last request sees it."""

from __future__ import annotations

from asyncio import Transport
from collections.abc import Callable


class LastTransport:
    """Leaves it to the connection how to close after the response.

    A connection that is closed while its peer still sends is reset, and a reset may discard the response.
    """

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: Transport, close: Callable[[], None]) -> None:
        """Write to `transport`; `close` is called instead of its own."""
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close
