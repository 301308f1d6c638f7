"""State shared by a server's connections."""

from __future__ import annotations

from collections.abc import Callable

from uvicorn.server import ServerState

from foreknow.service.serving.order_door import OrderDoor
from foreknow.web.connection_limits import ConnectionLimiter
from foreknow.web.cross_origin import CrossOrigin


class ServingState(ServerState):
    """uvicorn's state and the connection limits."""

    #: Whether each connection is closed after its next response.
    closing: bool = False
    #: None until orders are taken.
    door: OrderDoor | None = None

    def __init__(
        self, connection_limits: ConnectionLimiter, cross_origin: Callable[[], CrossOrigin | None] = lambda: None
    ) -> None:
        """Apply `connection_limits` to new connections; `cross_origin` tells whose pages may read errors now."""
        super().__init__()
        self.cross_origin = cross_origin
        self.connection_limits = connection_limits
        self._lines, self._lines_of = b"", self.default_headers

    def default_lines(self) -> bytes:
        """Return the headers of every response as lines; uvicorn makes new ones each second, for the date."""
        if self._lines_of is not self.default_headers:
            self._lines_of = self.default_headers
            self._lines = b"".join([b"%b: %b\r\n" % header for header in self._lines_of])
        return self._lines
