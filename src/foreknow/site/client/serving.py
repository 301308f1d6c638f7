"""The client as an ASGI application: its files, and the page that starts it at every address of its own."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from foreknow.kernel.errors import DomainError, MethodNotAllowed, NotFound, RateLimited
from foreknow.kernel.units import INT64_MAX
from foreknow.market.events.errors import EventNotFound
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.client.files import HTML, BuiltClient, ClientFile, client_file
from foreknow.site.client.negotiation import IDENTITY, accepts_html, choose_coding
from foreknow.site.client.shell import LinkTexts, read_preview
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import READS
from foreknow.web.ingress import Ingress
from foreknow.web.responses import error_response

#: Addresses that begin like this are never the client's page.
RESERVED = ("/api", "/docs", "/openapi.json", "/images", "/metrics", "/assets", "/feeds", "/embed")
_ASSETS = "/assets/"
_EVENT = re.compile(r"/events/([1-9][0-9]{0,18})", re.ASCII)
#: An event, whatever its id is: one that cannot be is as missing as one that is not.
_EVENTS = re.compile(r"/events/[^/]*")
_READING = {"GET", "HEAD"}

#: Names in the built files change with their contents.
_IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}
_REVALIDATE = {"cache-control": "no-cache"}
_NOSNIFF = {"x-content-type-options": "nosniff"}
#: Scripts of this site alone; pictures from any https address, since events name theirs.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; img-src 'self' data: https:; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html service-worker"
)
#: The client's own name for HTML that the service made (web/src/screens/site/SitePage.svelte).
PAGES_POLICY = "site-pages"
_PAGE_HEADERS = {
    **_NOSNIFF,
    **_REVALIDATE,
    "content-security-policy": POLICY,
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    # The same address answers JSON to who wants no page.
    "vary": "Accept, Accept-Encoding",
}
_NOT_BUILT = b"""\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Foreknow</title></head>
<body>
<h1>The web client is not built</h1>
<p>In a checkout, <code>bin/setup</code> builds it (<code>python hatch_build.py</code> in another environment); a wheel
brings it built. Then start the service again. <code>FOREKNOW_WEB=off</code> serves the interface alone.</p>
<p><a href="/docs">The interface</a></p>
</body>
</html>
"""


class WebClient:
    """The client; `serves` returns whether a request is for it."""

    def __init__(
        self,
        built: BuiltClient | None,
        context: RouteContext,
        ingress: Ingress,
        *,
        origin_of: Callable[[Mapping[bytes, bytes]], str],
        shows_events: bool = True,
        shows_pages: bool = False,
    ) -> None:
        """Serve what was built, None where nothing was; `origin_of` returns the service's origin for a request.

        `shows_pages`: the site has pages of its own, whose HTML the client may show.
        `shows_events` False: the page of an event is the same as any other, for a site that only members may read.
        """
        self._built = built
        self._context = context
        self._ingress = ingress
        self._origin_of = origin_of
        self._shows_events = shows_events
        pages = {"content-security-policy": f"{POLICY} {PAGES_POLICY}"} if shows_pages else {}
        self._headers = _PAGE_HEADERS | pages

    def serves(self, scope: Scope) -> bool:
        """Return whether a request is for a built file, or by a browser for an address of the client."""
        path: str = scope["path"]
        if self._built is not None and path in self._built.files:
            return True
        if path.startswith(_ASSETS):
            return True
        if path.startswith(RESERVED) or scope["method"] not in _READING:
            return False
        # Programs that show links take anything: they are given the addresses that people share.
        is_shared = path == "/" or _EVENTS.fullmatch(path) is not None
        accept = ", ".join(Headers(scope=scope).getlist("accept"))
        return accepts_html(accept, wildcards=is_shared)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await (await self._response(scope))(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        path: str = scope["path"]
        if path.startswith(_ASSETS) or (self._built is not None and path in self._built.files):
            return self._file(path, scope)
        if self._built is None:
            return Response(_NOT_BUILT, 503, self._headers | {"cache-control": "no-store", "content-type": HTML})
        if self._shows_events and _EVENTS.fullmatch(path):
            return await self._event(self._built, path, scope)
        return _coded(self._built.index, scope, self._headers)

    def _file(self, path: str, scope: Scope) -> Response:
        file = self._built.files.get(path) if self._built is not None else None
        if file is None:
            return _error(NotFound())
        if scope["method"] not in _READING:
            return _error(MethodNotAllowed())
        age = _IMMUTABLE if path.startswith(_ASSETS) else _REVALIDATE
        return _coded(file, scope, {**_NOSNIFF, **age, "vary": "Accept-Encoding"})

    async def _event(self, built: BuiltClient, path: str, scope: Scope) -> Response:
        """Return the page with the event's preview; a stranger's 404 may be the page of its creator."""
        try:
            preview = await self._preview(path, scope)
            origin = self._origin_of(dict(scope["headers"]))
        except EventNotFound:
            return _coded(built.index, scope, self._headers, status=404)
        except DomainError:
            # The client says by itself what is wrong.
            return _coded(built.index, scope, self._headers)
        page = built.template.page(preview, origin)
        coded = {"gzip": gzip.compress(page, compresslevel=6, mtime=0)}
        return _coded(client_file(HTML, page, coded), scope, self._headers)

    async def _preview(self, path: str, scope: Scope) -> LinkTexts:
        found = _EVENT.fullmatch(path)
        if found is None or int(found[1]) > INT64_MAX:
            raise EventNotFound
        event_id = int(found[1])
        wait_s, _ = self._ingress.limits.take(READS, None, self._ingress.addresses.client(scope))
        if wait_s:
            raise RateLimited(retry_after_s=wait_s)
        at_ms = self._context.clock()

        def lookup(tx: ReadTx) -> Any:
            return read_preview(tx, event_id, now_ms=at_ms)

        cached = await self._context.responses.get(("preview", event_id), lookup)
        return msgspec.json.decode(cached.body, type=LinkTexts)


def _coded(file: ClientFile, scope: Scope, headers: Mapping[str, str], *, status: int = 200) -> Response:
    """Return a file in the coding that the request prefers, or a 304 where the client has it already."""
    request = Headers(scope=scope)
    coding = choose_coding(", ".join(request.getlist("accept-encoding")), file.bodies)
    etag = file.etag(coding)
    headers = {**headers, "content-type": file.media_type, "etag": etag}
    # A proxy may have made it a weak ETag.
    known = {tag.strip().removeprefix("W/") for tag in ", ".join(request.getlist("if-none-match")).split(",")}
    if status == 200 and known & {etag, "*"}:
        return Response(None, 304, headers)
    if coding != IDENTITY:
        headers["content-encoding"] = coding
    return Response(file.bodies[coding], status, headers)


def _error(error: DomainError) -> Response:
    answer = error_response(error, allow="GET, HEAD")
    return Response(answer.body, answer.status, {name.decode(): value.decode() for name, value in answer.headers})
