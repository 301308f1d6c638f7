"""One look a second at every connection of a server."""

from __future__ import annotations

import asyncio

from foreknow.kernel.chunks import chunks
from foreknow.serving.http_protocol import HttpProtocol
from foreknow.serving.state import State

#: So many connections are looked at before requests have their turn: a millisecond's work.
GROUP = 500


async def sweep(state: State) -> None:
    """Look at memory, then at all connections but WebSockets, which uvicorn pings and the feed watches."""
    now_s = asyncio.get_running_loop().time()
    state.connection_limits.look(now_s)
    for group in chunks(list(state.connections), GROUP):
        for connection in group:
            if isinstance(connection, HttpProtocol) and connection in state.connections:
                connection.look(now_s)
        await asyncio.sleep(0)
