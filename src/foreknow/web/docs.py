"""The API page: `/openapi.json` and Swagger UI at `/docs`, which asks no other host for anything.

Swagger UI's files come from the package `offapi`. Their addresses carry its version, so that browsers may keep
them for good.

Without a page of its own, `/` leads to `/docs`.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from foreknow.kernel.errors import MethodNotAllowed
from foreknow.web.endpoint import Endpoint
from foreknow.web.openapi import Socket, document, encoded
from foreknow.web.responses import error_response

_SCRIPT = """\
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
});
"""
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Foreknow API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger_style.css?v={version}">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger_bundle.js?v={version}"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
#: Swagger UI styles elements in place and draws its icons from data addresses; nothing else may come from anywhere.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_KEEP = {"cache-control": "public, max-age=31536000, immutable"}
_ASK_AGAIN = {"cache-control": "no-cache"}
_EVERYWHERE = {"x-content-type-options": "nosniff"}
#: How a client says what it does not take.
_NEVER = re.compile(r"q=0(\.0{0,3})?")


class Docs:
    """Pages beside the interface, as an ASGI application; `serves` tells which paths are its own."""

    def __init__(self, endpoints: Sequence[Endpoint], sockets: Sequence[Socket]) -> None:
        """Serve the document of these endpoints and sockets."""

        def write() -> bytes:
            return encoded(document(endpoints, sockets, version=version("foreknow")))

        def page() -> bytes:
            return _PAGE.format(version=version("offapi")).encode()

        policy = {"content-security-policy": _POLICY}
        self._pages: Mapping[str, ASGIApp] = {
            "/openapi.json": _Page(write, "application/json", {"access-control-allow-origin": "*"}),
            "/docs": _Page(page, "text/html; charset=utf-8", policy),
            "/docs/start.js": _Page(_SCRIPT.encode, "text/javascript; charset=utf-8", {}),
            "/docs/swagger_bundle.js": _asset("swagger_bundle.js"),
            "/docs/swagger_style.css": _asset("swagger_style.css"),
            "/docs/": _answer(308, {"location": "/docs"}),
            # Where a sign-in through a provider ends if nobody said where it should.
            "/": _answer(307, {"location": "/docs", "cache-control": "no-store"}),
            # Browsers ask for it, whatever the page says.
            "/favicon.ico": _answer(204, {"cache-control": "public, max-age=86400"}),
        }

    def serves(self, path: str) -> bool:
        """Tell whether a decoded path is one of these pages."""
        return path in self._pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD of a page."""
        if scope["method"] in {"GET", "HEAD"}:
            await self._pages[scope["path"]](scope, receive, send)
            return
        error = error_response(MethodNotAllowed(), allow="GET, HEAD")
        headers = {name.decode(): value.decode() for name, value in error.headers}
        await Response(error.body, error.status, headers)(scope, receive, send)


class _Page:
    """A page written once, when somebody first asks for it; whoever has it already is told so with a 304.

    It is compressed once, too, and sent so to whoever takes that: Swagger UI is four times smaller then.
    """

    def __init__(self, write: Callable[[], bytes], media_type: str, headers: Mapping[str, str]) -> None:
        self._write = write
        self._headers = {"content-type": media_type, "vary": "Accept-Encoding", **_EVERYWHERE, **_ASK_AGAIN, **headers}
        self._made: _Made | None = None
        self._making = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        made = await self._get()
        asked = Headers(scope=scope)
        gzipped = takes_gzip(", ".join(asked.getlist("accept-encoding")))
        etag = f'"{made.digest}-gzip"' if gzipped else f'"{made.digest}"'
        headers = {**self._headers, "etag": etag}
        if scope["query_string"].startswith(b"v="):
            headers |= _KEEP
        # What is between a browser and us may have made a weak one of it.
        known = {one.strip().removeprefix("W/") for one in asked.get("if-none-match", "").split(",")}
        if etag in known:
            response = Response(b"", 304, headers)
        elif gzipped:
            response = Response(made.gzipped, 200, headers | {"content-encoding": "gzip"})
        else:
            response = Response(made.plain, 200, headers)
        await response(scope, receive, send)

    async def _get(self) -> _Made:
        async with self._making:
            if self._made is None:
                # Beside the event loop: compressing Swagger UI takes a tenth of a second.
                self._made = await asyncio.to_thread(_make, self._write)
        return self._made


@dataclass(frozen=True, slots=True)
class _Made:
    """What a page sends, as it is and compressed."""

    plain: bytes
    gzipped: bytes
    digest: str


def _make(write: Callable[[], bytes]) -> _Made:
    plain = write()
    return _Made(plain, gzip.compress(plain, compresslevel=9, mtime=0), sha256(plain).hexdigest()[:32])


def takes_gzip(accepted: str) -> bool:
    """Tell whether an Accept-Encoding header allows gzip (RFC 9110, 12.5.3)."""
    weights = {name.strip().lower(): rest.replace(" ", "") for name, _, rest in map(_parted, accepted.split(","))}
    weight = weights.get("gzip", weights.get("*"))
    return weight is not None and not _NEVER.fullmatch(weight)


def _parted(coding: str) -> tuple[str, str, str]:
    return coding.partition(";")


def _asset(name: str) -> _Page:
    """Serve a file of Swagger UI, for good where it is asked for with its version."""
    # Found, not imported: the import would read 8 MB of pages that we do not use.
    spec = importlib.util.find_spec("offapi")
    assert spec is not None
    assert spec.origin is not None
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return _Page(Path(spec.origin).with_name(name).read_bytes, f"{kind}; charset=utf-8", {})


def _answer(status: int, headers: Mapping[str, str]) -> ASGIApp:
    """Answer without a body."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(b"", status, {**_EVERYWHERE, **headers})(scope, receive, send)

    return answer
