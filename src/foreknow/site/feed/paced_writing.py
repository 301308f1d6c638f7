"""Writing to thousands of sockets without keeping requests waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import TypeVar

import structlog

from foreknow.kernel.chunks import chunks
from foreknow.site.feed.peer import Peer

log = structlog.get_logger("foreknow.feed")

#: Time for which sockets are written to before requests have their turn.
TURN_S = 0.002
#: Number of sockets between two looks at the clock.
CLOCK_EVERY = 16

AnyPeer = TypeVar("AnyPeer", bound=Peer)


async def each(peers: Collection[AnyPeer], do: Callable[[AnyPeer], None]) -> None:
    """Do something to socket after socket, some at a time, so that a request need not wait for all of them."""
    turn_ends_s = time.perf_counter() + TURN_S
    for group in chunks(peers, CLOCK_EVERY):
        for peer in group:
            try:
                do(peer)
            except Exception:  # whatever is wrong with one socket, the others get their messages
                log.exception("feed socket failed")
                peer.abort()
        if time.perf_counter() >= turn_ends_s:
            await asyncio.sleep(0)
            turn_ends_s = time.perf_counter() + TURN_S
