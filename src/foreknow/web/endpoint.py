"""Endpoints: one row each in a room's table of routes, and all that the pipeline and the API page know of them."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from foreknow.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest, DomainError, InvalidCursor, InvalidLimit, Unauthorized
from foreknow.kernel.pagination import LIMIT_DEFAULT, LIMIT_MAX
from foreknow.ledger.idempotency import IdempotencyKey
from foreknow.validation.fields import natural_int, positive_int
from foreknow.web.bodies import RawBody

PREFIX = "/api/v1"


class Group(enum.StrEnum):
    """Endpoints whose requests are counted together against one rate limit; the value is its name in headers."""

    SIGN_IN = "sign-in"
    TRADING = "trading"
    CHAT = "chat"
    #: Calling an operator: each call may alert people.
    OPERATOR_CALLS = "call-operator"
    COMMENTS = "comments"
    READS = "reads"
    #: Whatever else changes something.
    WRITES = "writes"
    #: WebSocket handshakes.
    SOCKETS = "sockets"
    #: Never refused: what watches the service asks here.
    FREE = "free"


class InvalidUserId(DomainError):
    code = "invalid_user_id"
    status = 400
    message = "A user id is a whole number from 1."


class InvalidId(DomainError):
    code = "invalid_id"
    status = 400
    message = "An id is a whole number from 1."


class InvalidEventId(DomainError):
    code = "invalid_event_id"
    status = 400
    message = "An event id is a whole number from 1."


class InvalidPoolId(DomainError):
    code = "invalid_pool_id"
    status = 400
    message = "A pool id is a whole number from 1."


class InvalidMarketId(DomainError):
    code = "invalid_market_id"
    status = 400
    message = "A market id is a whole number from 1."


class InvalidCommentId(DomainError):
    code = "invalid_comment_id"
    status = 400
    message = "A comment id is a whole number from 1."


class InvalidKeyId(DomainError):
    code = "invalid_key_id"
    status = 400
    message = "A key id is a whole number from 1."


class InvalidSessionId(DomainError):
    code = "invalid_session_id"
    status = 400
    message = "A session id is a whole number from 1."


PATH_IDS: Mapping[str, type[DomainError]] = {
    "user_id": InvalidUserId,
    "event_id": InvalidEventId,
    "pool_id": InvalidPoolId,
    "market_id": InvalidMarketId,
    "comment_id": InvalidCommentId,
    "key_id": InvalidKeyId,
    "session_id": InvalidSessionId,
    "id": InvalidId,
}


@dataclass(frozen=True, slots=True)
class Param:
    """A query parameter: how its text is read, and its JSON schema for the API page."""

    name: str
    read: Callable[[str], Any]
    schema: Mapping[str, Any]
    description: str = ""
    default: Any = None
    required: bool = False
    #: How a request without a required parameter is refused.
    missing: type[DomainError] = BadRequest


@dataclass(slots=True)
class Request:
    """One request on its way through a handler; everything in it is parsed and checked."""

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Any
    caller: Caller | None
    idempotency_key: IdempotencyKey | None
    headers: Mapping[bytes, bytes]
    cookies: Mapping[str, str]
    client: str
    #: Begins to receive a raw body of at most so many bytes.
    raw: Callable[[int], RawBody]

    @property
    def user(self) -> UserCaller:
        """The signed-in caller of an endpoint that requires one."""
        assert isinstance(self.caller, UserCaller)
        return self.caller

    @property
    def visitor(self) -> UserCaller | None:
        """The signed-in caller of an Optional endpoint, or None."""
        return self.caller if isinstance(self.caller, UserCaller) else None

    @property
    def user_agent(self) -> str:
        """What the browser calls itself; "" where it does not say."""
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    @property
    def partner(self) -> PartnerCaller:
        """The calling partner of a partner endpoint."""
        assert isinstance(self.caller, PartnerCaller)
        return self.caller


Handler = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path.

    `path` is below /api/v1; a segment `{name}` is a parameter: an integer id where `PATH_IDS` knows the name (or
    `path_errors` overrides its code), else text, checked by `path_readers`. `answer` is the type of the success
    body, `errors` the rows' and states' refusals beyond those every endpoint of its kind has.
    """

    method: str
    path: str
    handler: Handler
    level: AuthLevel
    answer: Any
    summary: str
    status: int = 200
    other_statuses: Mapping[int, str] = field(default_factory=dict)
    body: type | None = None
    query: tuple[Param, ...] = ()
    errors: tuple[type[DomainError], ...] = ()
    path_errors: Mapping[str, type[DomainError]] = field(default_factory=dict)
    path_readers: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    idempotent: bool = False
    bare: bool = False
    #: How a caller without good credentials is refused; completed positions spell the code in upper case.
    unauthorized: type[Unauthorized] = Unauthorized
    body_optional: bool = False
    #: Authenticated by a cookie of its own (refresh, chat): the cross-site rule holds whenever that cookie is sent.
    auth_cookie: str = ""
    #: Where that cookie is a credential: tells one that may be ours from junk, which is 401 before it is cross-site.
    is_auth_cookie_valid: Callable[[str], bool] = lambda _: True
    #: Sets a cookie for whoever has none: another site's form must not bring somebody that cookie, though it rides on
    #: nothing. Whoever sends a token in a header is no form.
    gives_cookie: bool = False
    #: Reads its own raw body of up to this many bytes (images); no JSON then.
    raw_body_bytes: int = 0
    #: Answers with server-sent events, of which this is an example for the API page; `answer` is None then.
    event_stream: str = ""
    #: Which rate limit counts its requests. Unset: reads, or writes if it changes something.
    rate_limit_group: Group | None = None
    description: str = ""

    @property
    def group(self) -> Group:
        """Which rate limit counts its requests."""
        return self.rate_limit_group or (Group.READS if self.method == "GET" else Group.WRITES)


def get(path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **rest: Any) -> Endpoint:
    """Describe a GET endpoint."""
    return Endpoint("GET", path, handler, level, answer, summary, **rest)


def post(path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **rest: Any) -> Endpoint:
    """Describe a POST endpoint."""
    return Endpoint("POST", path, handler, level, answer, summary, **rest)


def put(path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **rest: Any) -> Endpoint:
    """Describe a PUT endpoint."""
    return Endpoint("PUT", path, handler, level, answer, summary, **rest)


def patch(path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **rest: Any) -> Endpoint:
    """Describe a PATCH endpoint."""
    return Endpoint("PATCH", path, handler, level, answer, summary, **rest)


def delete(path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **rest: Any) -> Endpoint:
    """Describe a DELETE endpoint."""
    return Endpoint("DELETE", path, handler, level, answer, summary, **rest)


def _read_limit(text: str) -> int:
    limit = positive_int(text)
    if limit is None or limit > LIMIT_MAX:
        raise InvalidLimit
    return limit


def _read_cursor(text: str) -> str:
    if not text:
        raise InvalidCursor
    return text


LIMIT = Param(
    "limit",
    _read_limit,
    {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT},
    "How many rows a page has at most.",
    default=LIMIT_DEFAULT,
)
CURSOR = Param("cursor", _read_cursor, {"type": "string"}, "The next_cursor of the page before.")


def choice(
    name: str, allowed: tuple[str, ...], description: str, *, default: str | None = None, required: bool = False
) -> Param:
    """Describe a parameter with a closed set of values."""

    def read(text: str) -> str:
        if text not in allowed:
            raise BadRequest(f"{name} is one of {', '.join(allowed)}.")
        return text

    schema: dict[str, Any] = {"type": "string", "enum": list(allowed)}
    if default is not None:
        schema["default"] = default
    return Param(name, read, schema, description, default=default, required=required)


def whole_number(
    name: str,
    description: str,
    *,
    most: int,
    least: int = 1,
    required: bool = False,
    error: type[DomainError] = BadRequest,
) -> Param:
    """Describe an integer parameter of `least` … `most`."""

    def read(text: str) -> int:
        number = natural_int(text)
        if number is None or not least <= number <= most:
            raise error(f"{name} is a whole number from {least} to {most}.")
        return number

    return Param(name, read, {"type": "integer", "minimum": least, "maximum": most}, description, required=required)
