"""GET /ws/trades: the handshake, and the one place where the feed meets `web`."""

from __future__ import annotations

from typing import Any

from starlette.types import Receive, Send

from foreknow.kernel.errors import BadRequest
from foreknow.site.feed.hub import FeedHub
from foreknow.web.decoding import parse_query
from foreknow.web.socket_limits import refuse_handshake
from foreknow.web.sockets import direct


class FeedSocket:
    """An ASGI application for `websocket` scopes."""

    def __init__(self, hub: FeedHub) -> None:
        """Serve sockets with the trades of `hub`."""
        self._hub = hub

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Accept one WebSocket and serve it; `?seq=1` asks for seq and prev."""
        try:
            numbered = parse_query(scope["query_string"], frozenset({"seq"})).get("seq") == "1"
        except BadRequest as error:
            await refuse_handshake(scope, receive, send, error)
            return
        await receive()
        await send({"type": "websocket.accept"})
        await self._hub.serve(direct(scope), receive, send, numbered=numbered)
