"""A site that only members may read (`FOREKNOW_READ=members`): endpoints, sockets and pages that want a session or key.

Everything is closed but what says that strangers may have it: an endpoint by `for_strangers`, a page by standing in the
list of open ones (`foreknow.service.front`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from foreknow.kernel.access.callers import Authenticator, UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import CrossSite, DomainError, EmailNotVerified, MethodNotAllowed, Unauthorized
from foreknow.kernel.terms import Terms
from foreknow.web.cookies import access_tokens, cookies_of, first_caller
from foreknow.web.endpoint import Endpoint
from foreknow.web.origins import is_cross_site
from foreknow.web.responses import NOSNIFF, Response, error_response, private_headers
from foreknow.web.routing import SocketApplication
from foreknow.web.socket_limits import FollowSession, SocketLimits, refuse_handshake

#: Lets a WebSocket's scope count as this member's, while the block runs.
OfMember = Callable[[Scope, UserCaller], AbstractContextManager[None]]

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


def for_members(endpoint: Endpoint, error_class: type[DomainError] | None = None) -> Endpoint:
    """Return the endpoint as a site for members has it: the same where strangers may have it, or partners alone.

    `error_class`: what strangers get instead of the 401.
    """
    if endpoint.for_strangers or endpoint.level is AuthLevel.PARTNER:
        return endpoint
    level = AuthLevel.REQUIRED if endpoint.level in _OF_STRANGERS else endpoint.level
    return replace(endpoint, level=level, is_private=True, unauthorized=error_class or endpoint.unauthorized)


class MembersPage:
    """A page for members: 401 to others, and cached by none but the member's own browser."""

    def __init__(
        self, page: Page, authenticator: Authenticator, terms: Terms, error_class: type[DomainError] = Unauthorized
    ) -> None:
        """Serve `page`; `terms` tell who must have verified their address, `error_class` is what strangers get."""
        self._error_class = error_class
        self._page = page
        self._authenticator = authenticator
        self._terms = terms

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is the page's."""
        return self._page.serves(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await _member(scope["headers"], self._authenticator, self._terms, self._error_class)
        except DomainError as error:
            await _send(scope, send, error_response(error))
            return

        async def send_privately(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": private_headers(message["headers"])}
            await send(message)

        await self._page(scope, receive, send_privately)


def member_sockets(sockets: SocketLimits, follow: FollowSession, terms: Terms) -> OfMember:
    """Return what lets a member's WebSocket go on where strangers' end; who must verify first by `terms` is none."""

    def of_member(scope: Scope, caller: UserCaller) -> AbstractContextManager[None]:
        if not terms.counts_as_verified(email_verified=caller.email_verified):
            return nullcontext()
        return sockets.of_member(scope, caller.session_id, follow)

    return of_member


class MembersSocket:
    """A WebSocket for members: 401 to others, and closed with 1008 soon after its session has ended."""

    def __init__(
        self,
        socket: SocketApplication,
        authenticator: Authenticator,
        of_member: OfMember,
        terms: Terms,
        *,
        own_origin: str | None,
        error_class: type[DomainError] = Unauthorized,
    ) -> None:
        """Serve `socket`; `own_origin` is this site's, None where it is not set, `error_class` what strangers get."""
        self._error_class = error_class
        self._terms = terms
        self._socket = socket
        self._authenticator = authenticator
        self._of_member = of_member
        self._own_origin = own_origin

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one WebSocket."""
        headers = dict(scope["headers"])
        try:
            # A browser sends the cookie along for pages of other sites of the same domain, too.
            if b"authorization" not in headers and is_cross_site(headers, self._own_origin):
                raise CrossSite("Only pages of this site may connect.")
            caller = await _member(scope["headers"], self._authenticator, self._terms, self._error_class)
        except DomainError as error:
            await refuse_handshake(scope, receive, send, error)
            return
        with self._of_member(scope, caller):
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


async def _member(
    fields: Sequence[tuple[bytes, bytes]], authenticator: Authenticator, terms: Terms, error_class: type[DomainError]
) -> UserCaller:
    """Return who calls, by the header or the cookie; `error_class` of strangers, `EmailNotVerified`."""
    header = dict(fields).get(b"authorization")
    if header is None:
        tokens = access_tokens(cookies_of(fields))
    else:
        scheme, _, token = header.decode("latin-1").partition(" ")
        tokens = [token.strip()] if scheme.lower() == "bearer" else []
    caller = await first_caller(tokens, authenticator)
    if caller is None:
        raise error_class
    if not terms.counts_as_verified(email_verified=caller.email_verified):
        raise EmailNotVerified
    return caller


async def _send(scope: Scope, send: Send, response: Response) -> None:
    headers = [*response.headers, (b"content-length", b"%d" % len(response.body))]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})
