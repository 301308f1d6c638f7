"""Request ids, metrics and log lines of requests.

Log lines and metrics contain the method, the route's template, the status and the caller; never the path as sent, a
query, a header or a body, any of which may hold a secret.
"""

from __future__ import annotations

import itertools
import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

import structlog
from starlette.types import Send

from foreknow.kernel.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.kernel.logging import REQUEST_ID, REQUESTS
from foreknow.web.endpoint import PREFIX, Endpoint

log = structlog.get_logger(REQUESTS)

#: A request id accepted from the client; any other is replaced by one of ours.
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@~-]{1,64}")
#: The route of requests without an endpoint: one for all, so that clients cannot make the metrics grow.
UNKNOWN_ROUTE = ("ANY", "unknown")
PAGES_ROUTE = ("GET", "pages")


class RequestRecord:
    """One request being served."""

    __slots__ = ("began_s", "caller", "endpoint", "extra", "headers", "request_id")

    def __init__(self, headers: dict[bytes, bytes], request_id: bytes, began_s: float) -> None:
        """Start; the pipeline sets `endpoint`, `caller` and the response's `extra` headers."""
        self.headers = headers
        self.request_id = request_id
        self.began_s = began_s
        self.endpoint: Endpoint | None = None
        self.caller: Caller | None = None
        self.extra: tuple[tuple[bytes, bytes], ...] = ()


class RouteMetrics:
    """An endpoint's responses by status, and their durations."""

    __slots__ = ("seconds", "statuses")

    def __init__(self) -> None:
        """Start empty."""
        self.statuses: dict[int, int] = {}
        self.seconds = Histogram(DURATIONS_S)


class _LoggingSend:
    """An ASGI `send` that adds the request's headers to the response and ends its record."""

    def __init__(self, request_log: RequestLog, record: RequestRecord, send: Send, route: tuple[str, str]) -> None:
        self._request_log = request_log
        self._record = record
        self._send = send
        self._route = route

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            record = self._record
            headers = [*message.get("headers", ()), *record.extra, (b"x-request-id", record.request_id)]
            message = {**message, "headers": headers}
            self._request_log.end(record, message["status"], route=self._route)
        await self._send(message)


class RequestLog:
    """Starts and ends the records of this process's requests."""

    def __init__(self, *, log_level: str = "debug", timer: Callable[[], float] = time.perf_counter) -> None:
        """Log each request at `log_level` (off, debug or info)."""
        self._timer = timer
        self._prefix = secrets.token_hex(6).encode() + b"-"
        self._numbers = itertools.count(1)
        self._level = 0 if log_level == "off" else logging.getLevelNamesMapping()[log_level.upper()]
        self._logger = logging.getLogger(REQUESTS)
        #: By method and template of the path.
        self.routes: dict[tuple[str, str], RouteMetrics] = {}
        self._by_endpoint: dict[int, RouteMetrics] = {}

    def begin(self, scope: Any) -> RequestRecord:
        """Start a request's record; log lines have its id from now on."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = headers.get(b"x-request-id")
        if request_id is None or _REQUEST_ID.fullmatch(request_id) is None:
            request_id = b"%b%x" % (self._prefix, next(self._numbers))
        REQUEST_ID.set(request_id)
        return RequestRecord(headers, request_id, self._timer())

    def end(self, record: RequestRecord, status: int, *, route: tuple[str, str] = UNKNOWN_ROUTE) -> None:
        """Count and log a request whose response is ready (of an event stream: has started)."""
        took_s = self._timer() - record.began_s
        endpoint = record.endpoint
        metrics = self._by_endpoint.get(id(endpoint)) if endpoint is not None else self.routes.get(route)
        if metrics is None:
            metrics = self._add_metrics(endpoint, route)
        metrics.statuses[status] = metrics.statuses.get(status, 0) + 1
        metrics.seconds.add(took_s)
        # The standard library caches levels: a disabled line costs one dictionary look-up.
        if self._level and self._logger.isEnabledFor(self._level):
            self._log(record, route, status, took_s)

    def count_unread(self, route: tuple[str, str], status: int) -> None:
        """Count a request that was answered unread; it has no time and no line of its own."""
        statuses = self._add_metrics(None, route).statuses
        statuses[status] = statuses.get(status, 0) + 1

    def logging_send(self, record: RequestRecord, send: Send, *, route: tuple[str, str] = UNKNOWN_ROUTE) -> Send:
        """Return a `send` for an ASGI application; it ends the record when the response starts."""
        return _LoggingSend(self, record, send, route)

    def _add_metrics(self, endpoint: Endpoint | None, route: tuple[str, str]) -> RouteMetrics:
        if endpoint is None:
            return self.routes.setdefault(route, RouteMetrics())
        metrics = self.routes.setdefault((endpoint.method, endpoint.path), RouteMetrics())
        # By identity, which is cheaper than hashing method and path. Endpoints live as long as the process.
        self._by_endpoint[id(endpoint)] = metrics
        return metrics

    def _log(self, record: RequestRecord, route: tuple[str, str], status: int, took_s: float) -> None:
        endpoint = record.endpoint
        method, template = route if endpoint is None else (endpoint.method, PREFIX + endpoint.path)
        fields: dict[str, Any] = {"method": method, "route": template}
        if isinstance(record.caller, UserCaller):
            fields["user_id"] = record.caller.user_id
        elif isinstance(record.caller, PartnerCaller):
            fields["partner"] = record.caller.name
        log.log(self._level, "request", **fields, status=status, took_ms=round(took_s * 1000, 3))
