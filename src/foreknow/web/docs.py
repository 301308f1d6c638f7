"""The API page: `/openapi.json` and Swagger UI at `/docs`, which asks no other host for anything.

Swagger UI's files come from the package `offapi`. Their addresses carry its version, so that browsers may keep
them for good.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from foreknow.kernel.errors import MethodNotAllowed
from foreknow.web.answers import refusal_answer
from foreknow.web.endpoint import Endpoint
from foreknow.web.openapi import Socket, document, encoded

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


class Docs:
    """Pages beside the interface, as an ASGI application; `serves` tells which paths are its own."""

    def __init__(self, endpoints: Sequence[Endpoint], sockets: Sequence[Socket]) -> None:
        """Serve the document of these endpoints and sockets."""

        def write() -> bytes:
            return encoded(document(endpoints, sockets, version=version("foreknow")))

        def page() -> bytes:
            return _PAGE.format(version=version("offapi")).encode()

        policy = {"content-security-policy": _POLICY, "x-content-type-options": "nosniff"}
        self._pages: Mapping[str, ASGIApp] = {
            "/openapi.json": _Page(write, "application/json", {"access-control-allow-origin": "*"}),
            "/docs": _Page(page, "text/html; charset=utf-8", policy),
            "/docs/start.js": _Page(_SCRIPT.encode, "text/javascript; charset=utf-8", {}),
            "/docs/swagger_bundle.js": _asset("swagger_bundle.js"),
            "/docs/swagger_style.css": _asset("swagger_style.css"),
        }

    def serves(self, path: str) -> bool:
        """Tell whether a decoded path is one of these pages."""
        return path in self._pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD of a page."""
        if scope["method"] in {"GET", "HEAD"}:
            await self._pages[scope["path"]](scope, receive, send)
            return
        refusal = refusal_answer(MethodNotAllowed(), allow="GET, HEAD")
        headers = {name.decode(): value.decode() for name, value in refusal.headers}
        await Response(refusal.body, refusal.status, headers)(scope, receive, send)


class _Page:
    """A page written once, when somebody first asks for it; whoever has it already is told so with a 304."""

    def __init__(self, write: Callable[[], bytes], media_type: str, headers: Mapping[str, str]) -> None:
        self._write = write
        self._headers = {"content-type": media_type, **_ASK_AGAIN, **headers}

    @functools.cached_property
    def _body(self) -> bytes:
        return self._write()

    @functools.cached_property
    def _etag(self) -> str:
        return f'"{sha256(self._body).hexdigest()[:32]}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fresh = self._etag in Headers(scope=scope).get("if-none-match", "").split(", ")
        headers = {**self._headers, "etag": self._etag}
        response = Response(b"" if fresh else self._body, 304 if fresh else 200, headers)
        await response(scope, receive, send)


def _asset(name: str) -> ASGIApp:
    """Serve a file of Swagger UI, for good where it is asked for with its version."""
    # Found, not imported: the import would read 8 MB of pages that we do not use.
    spec = importlib.util.find_spec("offapi")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).with_name(name)
    kind = "text/css" if name.endswith(".css") else "text/javascript"

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        versioned: Any = scope["query_string"].startswith(b"v=")
        response = FileResponse(path, media_type=kind, headers=_KEEP if versioned else _ASK_AGAIN)
        await response(scope, receive, send)

    return serve
