"""State shared by a server's connections."""

from __future__ import annotations

from uvicorn.server import ServerState

from foreknow.web.connection_limits import ConnectionLimiter


class ServingState(ServerState):
    """uvicorn's state and the connection limits."""

    #: Whether each connection is closed after its next response.
    closing: bool = False

    def __init__(self, connection_limits: ConnectionLimiter) -> None:
        """Apply `connection_limits` to new connections."""
        super().__init__()
        self.connection_limits = connection_limits
