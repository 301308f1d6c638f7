"""GET /ws/live: the handshake, and what clients send."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from starlette.types import Receive, Send

from foreknow.kernel.access.callers import Authenticator
from foreknow.kernel.errors import BadRequest, CrossSite, DomainError
from foreknow.kernel.validation.fields import to_type
from foreknow.site.live.batches import Watch
from foreknow.site.live.hub import LiveHub
from foreknow.site.live.messages import WatchRequest
from foreknow.web.cookies import access_tokens, cookies_of, first_caller
from foreknow.web.decoding import parse_json, parse_query
from foreknow.web.members import OfMember
from foreknow.web.origins import is_cross_site
from foreknow.web.socket_limits import refuse_handshake
from foreknow.web.sockets import direct


class LiveSocket:
    """An ASGI application for `websocket` scopes."""

    def __init__(
        self, hub: LiveHub, authenticator: Authenticator, of_member: OfMember, *, own_origin: str | None
    ) -> None:
        """Serve sockets with what `hub` reads; `own_origin` is this site's, None where it is not set."""
        self._hub = hub
        self._authenticator = authenticator
        self._of_member = of_member
        self._own_origin = own_origin

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Accept one WebSocket and serve it."""
        try:
            parse_query(scope["query_string"], frozenset())
            if is_cross_site(dict(scope["headers"]), self._own_origin):
                raise CrossSite("Only pages of this site may connect.")
            # A session that ended refuses nothing, as strangers may watch, too.
            caller = await first_caller(access_tokens(cookies_of(scope["headers"])), self._authenticator)
        except DomainError as error:
            await refuse_handshake(scope, receive, send, error)
            return
        await receive()
        await send({"type": "websocket.accept"})
        with nullcontext() if caller is None else self._of_member(scope, caller):
            await self._hub.serve(direct(scope), receive, send, parse=read_watch, caller=caller)


def read_watch(text: str) -> Watch:
    """Return what a client wants to watch; `BadRequest` for any other message."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as lone:
        raise BadRequest("A string holds half of a surrogate pair.") from lone
    watched = to_type(parse_json(raw), WatchRequest).watch
    return Watch(tuple(dict.fromkeys(watched.events)), watched.tape, watched.more, watched.last_trades)
