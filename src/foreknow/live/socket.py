"""GET /ws/live: the handshake, and what clients send."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.feed.peer import Receive, Send
from foreknow.kernel.errors import BadRequest, CrossSite, DomainError
from foreknow.live.batches import Watch
from foreknow.live.hub import LiveHub
from foreknow.validation.fields import to_type
from foreknow.web.decoding import parse_json, parse_query
from foreknow.web.origins import is_cross_site
from foreknow.web.socket_limits import refuse_handshake
from foreknow.web.sockets import direct

#: Number of events that a socket may watch.
EVENTS_MAX = 50


class _Watched(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    events: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(max_length=EVENTS_MAX)] = ()
    tape: bool = False


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    watch: _Watched


class LiveSocket:
    """An ASGI application for `websocket` scopes."""

    def __init__(self, hub: LiveHub, *, own_origin: str | None) -> None:
        """Serve sockets with what `hub` reads; `own_origin` is this site's behind a proxy that rewrites Host."""
        self._hub = hub
        self._own_origin = own_origin

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Accept one WebSocket and serve it."""
        try:
            parse_query(scope["query_string"], frozenset())
            if is_cross_site(dict(scope["headers"]), self._own_origin):
                raise CrossSite("Only pages of this site may connect.")
        except DomainError as error:
            await refuse_handshake(scope, receive, send, error)
            return
        await receive()
        await send({"type": "websocket.accept"})
        await self._hub.serve(direct(scope), receive, send, parse=read_watch)


def read_watch(text: str) -> Watch:
    """Return what a client wants to watch; `BadRequest` for any other message."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as lone:
        raise BadRequest("A string holds half of a surrogate pair.") from lone
    watched = to_type(parse_json(raw), _Message).watch
    return Watch(tuple(dict.fromkeys(watched.events)), watched.tape)
