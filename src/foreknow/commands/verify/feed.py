"""The feed of trades, followed while the lists are read: each message names the one before it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError, WebSocketException

from foreknow.commands.replay.client import PREFIX
from foreknow.commands.replay.errors import ReplayFailed

#: How long the first message may take.
_FIRST_S: Final = 10.0


class Feed:
    """What the feed has given so far, and what of it does not agree."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        """Begin with its first message: the last trades, the oldest first, and the number of the last."""
        self._seq: int = first["seq"]
        self._first_trades = Counter((one["token"], one["amount"]) for one in first["trades"])
        #: Trades that it gave first, and those that came since.
        self.trades = len(first["trades"])
        self.wrong: list[str] = []
        #: Whether it ended meanwhile: what came since is not known.
        self.has_ended = False

    def take(self, message: Mapping[str, Any]) -> None:
        """Take a further message: its number is above, and it names the one before."""
        self.trades += 1
        if message["prev"] != self._seq or message["seq"] <= self._seq:
            self.wrong.append(f"the feed gives {message['seq']} after {message['prev']}, the last was {self._seq}")
        self._seq = message["seq"]

    def find(self, trades: Iterable[tuple[str, int]]) -> None:
        """Take those that it gave first off by a list: (YES or NO, kopecks)."""
        self._first_trades.subtract(trade for trade in trades if trade in self._first_trades)

    def missing(self) -> list[str]:
        """Return the trades that it gave first and that were in no list."""
        return [
            f"the feed has a trade of {kopecks} kopecks on {side}, which no list has"
            for (side, kopecks), left in self._first_trades.items()
            if left > 0
        ]


@asynccontextmanager
async def following(url: str, token: str | None) -> AsyncIterator[Feed]:
    """Follow the feed while the block runs. Raises `ReplayFailed` where it cannot be followed."""
    address = f"{url.rstrip('/').removesuffix(PREFIX)}{PREFIX}/ws/trades?seq=1".replace("http", "ws", 1)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with AsyncExitStack() as stack:
        try:
            socket = await stack.enter_async_context(connect(address, proxy=None, additional_headers=headers))
            async with asyncio.timeout(_FIRST_S):
                feed = Feed(json.loads(await socket.recv()))
        except (WebSocketException, OSError) as failure:
            raise ReplayFailed(f"the feed {address} cannot be followed: {str(failure) or 'no answer'}") from failure
        reading = asyncio.create_task(_follow(socket, feed))
        try:
            yield feed
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _follow(socket: ClientConnection, feed: Feed) -> None:
    try:
        async for message in socket:
            given = json.loads(message)
            if given["type"] == "trade":
                feed.take(given)
    except ConnectionClosedError:
        # Cut off, which is an end like any.
        pass
    feed.has_ended = True
