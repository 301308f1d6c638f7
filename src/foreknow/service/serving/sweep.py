"""Checks the timeouts of all connections of a server, once a second."""

from __future__ import annotations

import asyncio

from foreknow.kernel.chunks import chunks
from foreknow.service.serving.http_protocol import HttpProtocol
from foreknow.service.serving.state import ServingState

#: Connections checked before other tasks run: some 1 ms.
BATCH = 500


async def sweep(state: ServingState) -> None:
    """Update the connection limits, then check all connections but WebSockets, which uvicorn pings."""
    now_s = asyncio.get_running_loop().time()
    state.connection_limits.update(now_s)
    for batch in chunks(list(state.connections), BATCH):
        for connection in batch:
            if isinstance(connection, HttpProtocol) and connection in state.connections:
                connection.check_timeouts(now_s)
        await asyncio.sleep(0)
