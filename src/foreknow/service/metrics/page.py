"""GET /metrics and its access rules.

With a token set: requests with `Authorization: Bearer …`. Without one: clients on this machine that use its loopback
name; not requests that a proxy forwards, nor those of a local browser under another name (DNS rebinding). Without one
and with a public URL: none.
"""

from __future__ import annotations

import hmac
import re
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_LATEST

from foreknow.kernel.errors import DomainError, Forbidden, MethodNotAllowed, NotFound, Unauthorized
from foreknow.service.metrics.scrape import Scraper
from foreknow.web.client_ip import is_loopback
from foreknow.web.responses import NOSNIFF, Response, error_response

METRICS_PATH = "/metrics"
#: Headers that proxies add.
_PROXY_HEADERS = {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"}
#: The port of a Host header.
_PORT = re.compile(r":[0-9]{1,5}$")


class MetricsPage:
    """GET /metrics as an ASGI application."""

    def __init__(self, scraper: Scraper, *, token: str, is_public: bool) -> None:
        """Show what `scraper` collects to requests with the `token`.

        "": to this machine only, or to none if the service `is_public`.
        """
        self._scraper = scraper
        self._token = token.encode()
        self._is_public = is_public

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is this page."""
        return path == METRICS_PATH

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve GET and HEAD."""
        try:
            response = await self._respond(scope)
        except DomainError as error:
            response = error_response(error, allow="GET, HEAD")
            if error.status == Unauthorized.status:
                challenge = (b"www-authenticate", b"Bearer")
                response = Response(response.body, response.status, (*response.headers, challenge))
        headers = [*response.headers, (b"content-length", str(len(response.body)).encode())]
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})

    async def _respond(self, scope: Any) -> Response:
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed
        self._check(scope)
        headers = ((b"content-type", CONTENT_TYPE_LATEST.encode()), (b"cache-control", b"no-store"), NOSNIFF)
        return Response(await self._scraper.text(), headers=headers)

    def _check(self, scope: Any) -> None:
        headers = dict(scope["headers"])
        if self._token:
            scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
                raise Unauthorized("The metrics need their token.")
            return
        if self._is_public:
            raise NotFound("Where FOREKNOW_PUBLIC_URL is set, the metrics need FOREKNOW_METRICS_TOKEN.")
        client = scope.get("client")
        if (
            not client
            or not is_loopback(client[0])
            or not _names_this_machine(headers.get(b"host", b""))
            or _PROXY_HEADERS & headers.keys()
        ):
            raise Forbidden("Metrics are for this machine alone, unless FOREKNOW_METRICS_TOKEN is set.")


def _names_this_machine(host: bytes) -> bool:
    """Return whether a Host header is a loopback address or localhost, with or without a port."""
    name = _PORT.sub("", host.decode("latin-1").lower())
    return name == "localhost" or is_loopback(name.strip("[]"))
