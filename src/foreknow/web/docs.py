"""The API page: `/openapi.json` and Swagger UI at `/docs`, without resources from other hosts.

Swagger UI's files stand compressed in `swagger/` (bin/write_swagger.py); their URLs contain a digest, so that browsers
may cache them for ever. Where there is no web client, `/` redirects to `/docs`.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from foreknow.kernel.errors import MethodNotAllowed
from foreknow.web.codings import accepts_gzip
from foreknow.web.endpoint import Endpoint
from foreknow.web.openapi import EndpointGroup, SocketPath, document, encoded
from foreknow.web.responses import error_response

_FOLDER = Path(__file__).parent
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Foreknow API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css?v={style}">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js?v={script}"></script>
<script src="/docs/start.js?v={start}"></script>
</body>
</html>
"""
#: Swagger UI needs inline styles and data: URLs for its icons.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}
_REVALIDATE = {"cache-control": "no-cache"}
_NOSNIFF = {"x-content-type-options": "nosniff"}


class Docs:
    """The pages outside of the API, as an ASGI application; `serves` returns whether a path is one of them."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        sockets: Sequence[SocketPath],
        groups: Sequence[EndpointGroup],
        *,
        is_home: bool,
    ) -> None:
        """Serve the OpenAPI document of these endpoints and sockets; `is_home`: `/` leads to it."""

        def write() -> _Rendered:
            return _render(encoded(document(endpoints, sockets, groups, version=version("foreknow"))))

        script, style = _Asset("swagger/swagger-ui-bundle.js.gz"), _Asset("swagger/swagger-ui.css.gz")
        start = _Asset("start.js")

        def page() -> _Rendered:
            digests = {"script": script.read().digest, "style": style.read().digest, "start": start.read().digest}
            return _render(_PAGE.format(**digests).encode())

        policy = {"content-security-policy": _POLICY}
        self._pages: dict[str, ASGIApp] = {
            "/openapi.json": _Page(write, "application/json", {"access-control-allow-origin": "*"}),
            "/docs": _Page(page, "text/html; charset=utf-8", policy),
            "/docs/start.js": _Page(start.read, "text/javascript; charset=utf-8", {}),
            "/docs/swagger-ui-bundle.js": _Page(script.read, "text/javascript; charset=utf-8", {}),
            "/docs/swagger-ui.css": _Page(style.read, "text/css; charset=utf-8", {}),
            "/docs/": _empty_response(308, {"location": "/docs"}),
            # Browsers request it despite the page's own icon.
            "/favicon.ico": _empty_response(204, {"cache-control": "public, max-age=86400"}),
        }
        if is_home:
            # Also the default page after a sign-in through a provider.
            self._pages["/"] = _empty_response(307, {"location": "/docs", "cache-control": "no-store"})

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is one of these pages."""
        return path in self._pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve GET and HEAD."""
        if scope["method"] in {"GET", "HEAD"}:
            await self._pages[scope["path"]](scope, receive, send)
            return
        error = error_response(MethodNotAllowed(), allow="GET, HEAD")
        headers = {name.decode(): value.decode() for name, value in error.headers}
        await Response(error.body, error.status, headers)(scope, receive, send)


class _Page:
    """A page rendered and compressed once, on the first request; an unchanged one is a 304."""

    def __init__(self, write: Callable[[], _Rendered], media_type: str, headers: Mapping[str, str]) -> None:
        self._write = write
        self._headers = {"content-type": media_type, "vary": "Accept-Encoding", **_NOSNIFF, **_REVALIDATE, **headers}
        self._rendered: _Rendered | None = None
        self._rendering = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = await self._get()
        request_headers = Headers(scope=scope)
        gzipped = accepts_gzip(", ".join(request_headers.getlist("accept-encoding")).encode("latin-1"))
        etag = f'"{page.digest}-gzip"' if gzipped else f'"{page.digest}"'
        headers = {**self._headers, "etag": etag}
        # Another digest belongs to another release, whose page may lead here during an upgrade.
        if scope["query_string"] == f"v={page.digest}".encode():
            headers |= _IMMUTABLE
        # A proxy may have made it a weak ETag.
        known = {value.strip().removeprefix("W/") for value in request_headers.get("if-none-match", "").split(",")}
        if etag in known:
            response = Response(b"", 304, headers)
        elif gzipped:
            response = Response(page.gzipped, 200, headers | {"content-encoding": "gzip"})
        else:
            response = Response(page.plain, 200, headers)
        await response(scope, receive, send)

    async def _get(self) -> _Rendered:
        async with self._rendering:
            if self._rendered is None:
                # In a thread: writing the document takes longer than other requests should wait.
                self._rendered = await asyncio.to_thread(self._write)
        return self._rendered


@dataclass(frozen=True, slots=True)
class _Rendered:
    """A page's content, plain and compressed."""

    plain: bytes
    gzipped: bytes
    digest: str


def _render(plain: bytes, gzipped: bytes | None = None) -> _Rendered:
    return _Rendered(plain, gzipped or gzip.compress(plain, compresslevel=9, mtime=0), sha256(plain).hexdigest()[:32])


class _Asset:
    """A file beside this module, read once; one that is compressed is served as it is."""

    def __init__(self, name: str) -> None:
        self._path = _FOLDER / name
        self._lock = Lock()
        self._read: _Rendered | None = None

    def read(self) -> _Rendered:
        """Return the file. Called from threads."""
        with self._lock:
            if self._read is None:
                content = self._path.read_bytes()
                is_compressed = self._path.suffix == ".gz"
                self._read = _render(gzip.decompress(content), content) if is_compressed else _render(content)
        return self._read


def _empty_response(status: int, headers: Mapping[str, str]) -> ASGIApp:
    return Response(b"", status, {**_NOSNIFF, **headers})
