"""A request on its way through the pipeline's steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
from starlette.types import Receive

from foreknow.kernel.access.callers import Authenticator, Caller
from foreknow.kernel.access.cookies import Cookies
from foreknow.kernel.terms import Terms
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.web.cookies import cookies_of
from foreknow.web.endpoint import Endpoint
from foreknow.web.pacing import Pacer
from foreknow.web.rate_limits import Limits
from foreknow.web.repeated_reads import RepeatedReads
from foreknow.web.request_log import RequestRecord
from foreknow.web.responses import LaterResponse, Response
from foreknow.web.socket_limits import Application, SocketLimits

#: What a request comes to: a response or an ASGI application; or a response that a future brings.
Finished: TypeAlias = Response | Application
Outcome: TypeAlias = Finished | LaterResponse
#: The `run` of a step (`foreknow.web.steps`).
RunStep: TypeAlias = "Callable[[Exchange], Awaitable[None] | None]"

#: Stands for the JSON of a request without a body.
NO_BODY: Any = msgspec.UNSET


@dataclass(frozen=True, slots=True)
class StepServices:
    """What the steps work with."""

    authenticator: Authenticator
    limits: Limits
    sockets: SocketLimits
    #: None where callers never wait for the sake of others.
    pacer: Pacer | None
    #: This site's own origin behind a proxy that rewrites Host.
    own_origin: str | None
    terms: Terms
    repeated: RepeatedReads


class Exchange:
    """One request and what the steps have found out about it so far."""

    __slots__ = (
        "authentication_error",
        "body",
        "by_cookie",
        "caller",
        "client",
        "cookies",
        "endpoint",
        "headers",
        "idempotency_key",
        "json",
        "path",
        "path_values",
        "query",
        "receive",
        "record",
        "response",
        "scope",
        "segments",
        "services",
        "steps",
        "whole_body",
    )

    def __init__(
        self,
        services: StepServices,
        endpoint: Endpoint,
        *,
        steps: Iterable[RunStep],
        segments: Mapping[str, str | None],
        record: RequestRecord,
        scope: Any,
        receive: Receive,
        client: str,
        whole_body: bytes | None = None,
    ) -> None:
        """Begin with the endpoint that the route leads to; `segments` are its parameters as text.

        `whole_body` is the body where all of it is here; None: `receive` waits for it.
        """
        self.services = services
        self.endpoint = endpoint
        #: Those still to be taken.
        self.steps = iter(steps)
        self.segments = segments
        self.record = record
        self.headers = record.headers
        self.scope = scope
        self.receive = receive
        self.whole_body = whole_body
        self.client = client
        self.cookies: Cookies = cookies_of(scope["headers"]) if b"cookie" in self.headers else {}
        self.caller: Caller | None = None
        self.by_cookie = False
        self.authentication_error: Exception | None = None
        self.path_values: dict[str, Any] = {}
        self.path: Any = None
        self.json: Any = NO_BODY
        self.idempotency_key: IdempotencyKey | None = None
        self.query: Any = None
        self.body: Any = None
        #: Set by the last step.
        self.response: Outcome | None = None

    def pop_authentication_error(self) -> Exception:
        """Return it to be raised. Raised while still referenced here, it would make a cycle for the collector."""
        error, self.authentication_error = self.authentication_error, None
        assert error is not None
        return error
