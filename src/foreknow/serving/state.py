"""What the connections of a server share."""

from __future__ import annotations

from uvicorn.server import ServerState

from foreknow.web.admission import Admission


class State(ServerState):
    """uvicorn's state, and who is let in."""

    #: Whether each connection is closed once it has been answered.
    closing: bool = False

    def __init__(self, admission: Admission) -> None:
        """Let connections in by `admission`."""
        super().__init__()
        self.admission = admission
