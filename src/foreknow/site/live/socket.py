"""GET /ws/live: the handshake, and what clients send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import cookie_parser
from starlette.types import Receive, Send

from foreknow.kernel.access.api_keys import USER_KEY
from foreknow.kernel.access.callers import Authenticator, UserCaller
from foreknow.kernel.access.cookies import ACCESS_COOKIE
from foreknow.kernel.errors import BadRequest, CrossSite, DomainError
from foreknow.kernel.validation.fields import to_type
from foreknow.site.live.batches import Watch
from foreknow.site.live.hub import LiveHub
from foreknow.site.live.messages import WatchRequest
from foreknow.web.decoding import parse_json, parse_query
from foreknow.web.origins import is_cross_site
from foreknow.web.socket_limits import refuse_handshake
from foreknow.web.sockets import direct


class LiveSocket:
    """An ASGI application for `websocket` scopes."""

    def __init__(self, hub: LiveHub, authenticator: Authenticator, *, own_origin: str | None) -> None:
        """Serve sockets with what `hub` reads; `own_origin` is this site's, None where it is not set."""
        self._hub = hub
        self._authenticator = authenticator
        self._own_origin = own_origin

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Accept one WebSocket and serve it."""
        try:
            parse_query(scope["query_string"], frozenset())
            if is_cross_site(dict(scope["headers"]), self._own_origin):
                raise CrossSite("Only pages of this site may connect.")
            caller = await self._caller(dict(scope["headers"]))
        except DomainError as error:
            await refuse_handshake(scope, receive, send, error)
            return
        await receive()
        await send({"type": "websocket.accept"})
        await self._hub.serve(direct(scope), receive, send, parse=read_watch, caller=caller)

    async def _caller(self, headers: Mapping[bytes, bytes]) -> UserCaller | None:
        """Return whose page it is: a session that ended refuses nothing, as strangers may watch, too."""
        token = cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(ACCESS_COOKIE, "").strip()
        if not token or USER_KEY.fits(token):
            # A key is for programs: as a cookie it would ride on every page's requests.
            return None
        return await self._authenticator.user(token)


def read_watch(text: str) -> Watch:
    """Return what a client wants to watch; `BadRequest` for any other message."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as lone:
        raise BadRequest("A string holds half of a surrogate pair.") from lone
    watched = to_type(parse_json(raw), WatchRequest).watch
    return Watch(tuple(dict.fromkeys(watched.events)), watched.tape, watched.more, watched.last_trades)
