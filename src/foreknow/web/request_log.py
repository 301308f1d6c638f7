"""What is known of a request while it is answered, and what is written down of it afterwards.

A line of the log and the figures hold the method, the route's template, the status and who called: never a path as
it was sent, a query, a header or a body, any of which may hold a secret.
"""

from __future__ import annotations

import itertools
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from foreknow.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.logging import REQUEST_ID, REQUESTS
from foreknow.web.endpoint import PREFIX, Endpoint

log = structlog.get_logger(REQUESTS)

#: What a client may call its request; anything else gets an id of ours.
_SANE = re.compile(rb"[A-Za-z0-9._:/+=@~-]{1,64}")
#: How requests are called that met no endpoint: one name for all, so that nobody can make the figures grow.
UNKNOWN_ROUTE = ("ANY", "unknown")
PAGES_ROUTE = ("GET", "pages")

Send = Callable[[Any], Awaitable[None]]


class RequestRecord:
    """One request on its way."""

    __slots__ = ("began_s", "caller", "endpoint", "extra", "headers", "request_id")

    def __init__(self, headers: dict[bytes, bytes], request_id: bytes, began_s: float) -> None:
        """Begin; `endpoint`, `caller` and `extra` headers of the answer come to be known on the way."""
        self.headers = headers
        self.request_id = request_id
        self.began_s = began_s
        self.endpoint: Endpoint | None = None
        self.caller: Caller | None = None
        self.extra: tuple[tuple[bytes, bytes], ...] = ()


class RouteMetrics:
    """How often an endpoint answered with which status, and how long it took."""

    __slots__ = ("seconds", "statuses")

    def __init__(self) -> None:
        """Start at nothing."""
        self.statuses: dict[int, int] = {}
        self.seconds = Histogram(DURATIONS_S)


class _Marking:
    """Sends what it is given, and puts the visit's headers on the answer."""

    def __init__(self, visits: RequestLog, visit: RequestRecord, send: Send, route: tuple[str, str]) -> None:
        self._visits = visits
        self._visit = visit
        self._send = send
        self._route = route

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            visit = self._visit
            headers = [*message.get("headers", ()), *visit.extra, (b"x-request-id", visit.request_id)]
            message = {**message, "headers": headers}
            self._visits.end(visit, message["status"], route=self._route)
        await self._send(message)


class RequestLog:
    """Begins and ends every visit of this process."""

    def __init__(self, *, log_level: str = "debug", timer: Callable[[], float] = time.perf_counter) -> None:
        """Log each request at `log_level` (off, debug or info)."""
        self._timer = timer
        self._prefix = secrets.token_hex(6).encode() + b"-"
        self._numbers = itertools.count(1)
        self._level = 0 if log_level == "off" else logging.getLevelNamesMapping()[log_level.upper()]
        self._logger = logging.getLogger(REQUESTS)
        #: By method and template of the path.
        self.routes: dict[tuple[str, str], RouteMetrics] = {}
        self._figures: dict[int, RouteMetrics] = {}

    def begin(self, scope: Any) -> RequestRecord:
        """Take a request in: from here on every line that is logged for it bears its id."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = headers.get(b"x-request-id")
        if request_id is None or _SANE.fullmatch(request_id) is None:
            request_id = b"%b%x" % (self._prefix, next(self._numbers))
        REQUEST_ID.set(request_id)
        return RequestRecord(headers, request_id, self._timer())

    def end(self, visit: RequestRecord, status: int, *, route: tuple[str, str] = UNKNOWN_ROUTE) -> None:
        """Write down that the answer is ready (of an event stream: has begun)."""
        took_s = self._timer() - visit.began_s
        endpoint = visit.endpoint
        metrics = self._figures.get(id(endpoint)) if endpoint is not None else self.routes.get(route)
        if metrics is None:
            metrics = self._first(endpoint, route)
        metrics.statuses[status] = metrics.statuses.get(status, 0) + 1
        metrics.seconds.add(took_s)
        # Asked of the standard library, which remembers: a line that nobody wants costs a look into a dictionary.
        if self._level and self._logger.isEnabledFor(self._level):
            self._log(visit, route, status, took_s)

    def marking(self, visit: RequestRecord, send: Send, *, route: tuple[str, str] = UNKNOWN_ROUTE) -> Send:
        """Return a `send` for who answers for itself; it ends the visit as the answer begins."""
        return _Marking(self, visit, send, route)

    def _first(self, endpoint: Endpoint | None, route: tuple[str, str]) -> RouteMetrics:
        if endpoint is None:
            return self.routes.setdefault(route, RouteMetrics())
        metrics = self.routes.setdefault((endpoint.method, endpoint.path), RouteMetrics())
        # By identity: hashing method and path would cost each request more. Endpoints live as long as the process.
        self._figures[id(endpoint)] = metrics
        return metrics

    def _log(self, visit: RequestRecord, route: tuple[str, str], status: int, took_s: float) -> None:
        endpoint = visit.endpoint
        method, template = route if endpoint is None else (endpoint.method, PREFIX + endpoint.path)
        about: dict[str, Any] = {"method": method, "route": template}
        if isinstance(visit.caller, UserCaller):
            about["user_id"] = visit.caller.user_id
        elif isinstance(visit.caller, PartnerCaller):
            about["partner"] = visit.caller.name
        log.log(self._level, "request", **about, status=status, took_ms=round(took_s * 1000, 3))
