"""A site that only members may read (`FOREKNOW_READ=members`): endpoints, sockets and pages that want a session or key.

Everything is closed but what says that strangers may have it: an endpoint by `for_strangers`, a page by standing in the
list of open ones (`foreknow.service.front`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from starlette.requests import cookie_parser
from starlette.types import Receive, Scope, Send

from foreknow.kernel.access.api_keys import USER_KEY
from foreknow.kernel.access.callers import Authenticator, UserCaller
from foreknow.kernel.access.cookies import ACCESS_COOKIE
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import CrossSite, DomainError, EmailNotVerified, MethodNotAllowed, Unauthorized
from foreknow.kernel.terms import Terms
from foreknow.web.endpoint import Endpoint
from foreknow.web.origins import is_cross_site
from foreknow.web.responses import NOSNIFF, Response, error_response, private_headers
from foreknow.web.routing import SocketApplication
from foreknow.web.socket_limits import refuse_handshake
from foreknow.web.sockets import POLICY_VIOLATION, direct

#: Calls the function once the session with this id has ended, while the block runs.
FollowSession = Callable[[int, Callable[[], None]], AbstractContextManager[None]]

_OF_STRANGERS = {AuthLevel.NONE, AuthLevel.OPTIONAL}
_ROBOTS = b"User-agent: *\nDisallow: /\n"
_ROBOTS_HEADERS = ((b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-cache"), NOSNIFF)


class Page(Protocol):
    """An ASGI application for some paths outside of the API."""

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is its own."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send, /) -> None:
        """Answer one request."""
        ...


def for_members(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint as a site for members has it: the same where strangers may have it, or partners alone."""
    if endpoint.for_strangers or endpoint.level is AuthLevel.PARTNER:
        return endpoint
    level = AuthLevel.REQUIRED if endpoint.level in _OF_STRANGERS else endpoint.level
    return replace(endpoint, level=level, is_private=True)


class MembersPage:
    """A page for members: 401 to others, and cached by none but the member's own browser."""

    def __init__(self, page: Page, authenticator: Authenticator, terms: Terms) -> None:
        """Serve `page`; `terms` tell who must have verified their address."""
        self._page = page
        self._authenticator = authenticator
        self._terms = terms

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is the page's."""
        return self._page.serves(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await _member(dict(scope["headers"]), self._authenticator, self._terms)
        except DomainError as error:
            await _send(scope, send, error_response(error))
            return

        async def send_privately(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": private_headers(message["headers"])}
            await send(message)

        await self._page(scope, receive, send_privately)


class MembersSocket:
    """A WebSocket for members: 401 to others, and closed with 1008 soon after its session has ended."""

    def __init__(
        self,
        socket: SocketApplication,
        authenticator: Authenticator,
        follow: FollowSession,
        terms: Terms,
        *,
        own_origin: str | None,
    ) -> None:
        """Serve `socket`; `own_origin` is this site's, None where it is not set."""
        self._terms = terms
        self._socket = socket
        self._authenticator = authenticator
        self._follow = follow
        self._own_origin = own_origin

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one WebSocket."""
        headers = dict(scope["headers"])
        try:
            # A browser sends the cookie along for pages of other sites of the same domain, too.
            if b"authorization" not in headers and is_cross_site(headers, self._own_origin):
                raise CrossSite("Only pages of this site may connect.")
            caller = await _member(headers, self._authenticator, self._terms)
        except DomainError as error:
            await refuse_handshake(scope, receive, send, error)
            return
        socket = direct(scope)
        with self._follow(caller.session_id, lambda: socket.end(POLICY_VIOLATION, "the session has ended")):
            await self._socket(scope, receive, send)


class Robots:
    """GET and HEAD /robots.txt: nothing here is for search engines."""

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is this file."""
        return path == "/robots.txt"

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_read = scope["method"] in {"GET", "HEAD"}
        wrong_method = error_response(MethodNotAllowed(), allow="GET, HEAD")
        await _send(scope, send, Response(_ROBOTS, 200, _ROBOTS_HEADERS) if is_read else wrong_method)


async def _member(headers: Mapping[bytes, bytes], authenticator: Authenticator, terms: Terms) -> UserCaller:
    """Return who calls, by the header or the cookie; `Unauthorized`, `EmailNotVerified`."""
    header = headers.get(b"authorization")
    if header is None:
        token = cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(ACCESS_COOKIE, "").strip()
        # A key is for programs: as a cookie it would ride on every page's requests.
        is_usable = bool(token) and not USER_KEY.fits(token)
    else:
        scheme, _, token = header.decode("latin-1").partition(" ")
        token, is_usable = token.strip(), scheme.lower() == "bearer"
    caller = await authenticator.user(token) if is_usable else None
    if caller is None:
        raise Unauthorized
    if not terms.counts_as_verified(email_verified=caller.email_verified):
        raise EmailNotVerified
    return caller


async def _send(scope: Scope, send: Send, response: Response) -> None:
    headers = [*response.headers, (b"content-length", b"%d" % len(response.body))]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})
