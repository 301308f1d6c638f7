"""What the connections of a server share."""

from __future__ import annotations

from uvicorn.server import ServerState

from foreknow.web.connection_limits import ConnectionLimiter


class State(ServerState):
    """uvicorn's state, and who is let in."""

    #: Whether each connection is closed once it has been answered.
    closing: bool = False

    def __init__(self, connection_limits: ConnectionLimiter) -> None:
        """Let connections in by `connection_limits`."""
        super().__init__()
        self.connection_limits = connection_limits
