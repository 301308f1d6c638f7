"""CORS: which answers of the API browsers show to pages of other sites (Fetch Standard, 3.2, "CORS protocol")."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from foreknow.web.ingress import Ingress
from foreknow.web.responses import NOSNIFF

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_SENT = ("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-Partner-Key")
_SHOWN = ("ETag", "Retry-After", "Idempotency-Replayed")
_NO_SNIFFING = {name.decode(): value.decode() for name, value in (NOSNIFF,)}


class CrossOrigin(CORSMiddleware):
    """Starlette's, without credentials, and with 204 for every preflight: the browser reads what is allowed."""

    def __init__(self, app: ASGIApp, ingress: Ingress, origins: Collection[str]) -> None:
        """Allow pages of `origins` what `app` answers; `*` allows those of all."""
        super().__init__(app, allow_origins=origins, allow_methods=_METHODS, allow_headers=_SENT, expose_headers=_SHOWN)
        self._ingress = ingress

    def preflight_response(self, request_headers: Headers) -> Any:
        """Answer a preflight, as an ASGI application."""
        found = super().preflight_response(request_headers).headers
        allowed = {name: value for name, value in found.items() if not name.startswith("content-")}
        return partial(self._ingress.page, Response(status_code=204, headers={**allowed, **_NO_SNIFFING}))

    def headers_of_last(self, request_headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Return what the last response of a connection needs; of its request perhaps not all has come."""
        origin = Headers(raw=list(request_headers)).get("origin")
        headers = MutableHeaders()
        if origin is not None and self.allow_all_origins:
            headers.update(self.simple_headers)
        if origin is not None and not self.allow_all_origins and self.is_allowed_origin(origin):
            headers.update(self.simple_headers)
            self.allow_explicit_origin(headers, origin)
        else:
            headers["Vary"] = "Origin"
        return headers.raw
