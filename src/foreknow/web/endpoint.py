"""Endpoints: one row each in a feature's table of routes, with all that the pipeline and the API page know of them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Required, TypeAlias, TypedDict, TypeVar, Unpack

import msgspec

from foreknow.access.callers import Caller, KeyScope, PartnerCaller, UserCaller
from foreknow.access.cookies import Cookie
from foreknow.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.ledger.idempotency import IdempotencyKey
from foreknow.web.bodies import RawBody
from foreknow.web.downloads import CsvDownload
from foreknow.web.params import PathField, QueryField, path_fields, query_fields
from foreknow.web.responses import Response

PREFIX = "/api/v1"


class RateLimitGroup(str):
    """Endpoints whose requests share one rate limit; the text is its name in headers."""

    __slots__ = ()


READS = RateLimitGroup("reads")
#: Changes without a group of their own.
WRITES = RateLimitGroup("writes")
#: WebSocket handshakes.
SOCKETS = RateLimitGroup("sockets")
#: Never limited: monitoring calls these endpoints.
UNLIMITED = RateLimitGroup("free")

Path_co = TypeVar("Path_co", covariant=True)
Query_co = TypeVar("Query_co", covariant=True)
Body_co = TypeVar("Body_co", covariant=True)


class Request(msgspec.Struct, Generic[Path_co, Query_co, Body_co], frozen=True):
    """One request on its way through a handler; everything in it is parsed and checked.

    The types of a handler's `request` are its declaration: the pipeline reads them and parses accordingly, the API page
    lists them. None stands for a part that the endpoint does not take.
    """

    path: Path_co
    query: Query_co
    body: Body_co
    caller: Caller | None
    idempotency_key: IdempotencyKey | None
    headers: Mapping[bytes, bytes]
    cookies: Mapping[str, str]
    client: str
    #: Begins to receive a raw body; the argument is its largest size in bytes.
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
        """The User-Agent header; "" where there is none."""
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    @property
    def partner(self) -> PartnerCaller:
        """The calling partner of a partner endpoint."""
        assert isinstance(self.caller, PartnerCaller)
        return self.caller


#: A request of which only caller, headers and cookies are looked at.
AnyRequest: TypeAlias = Request[Any, Any, Any]
PlainRequest: TypeAlias = Request[None, None, None]
PathRequest: TypeAlias = Request[Path_co, None, None]
QueryRequest: TypeAlias = Request[None, Query_co, None]
BodyRequest: TypeAlias = Request[None, None, Body_co]

Handler: TypeAlias = Callable[[AnyRequest], Awaitable[Any]]
#: A handler of GET and DELETE, which take no body.
BodylessHandler: TypeAlias = Callable[[Request[Any, Any, None]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class AuthCookie:
    """A cookie that authenticates some endpoints beside the access token (refresh, support chat)."""

    name: str
    #: Its name among the API page's security schemes.
    scheme: str
    description: str
    #: Tells a cookie that may be ours from junk, which is 401 before it is cross-site.
    is_valid: Callable[[str], bool] = lambda _: True


class EndpointOptions(TypedDict, total=False):
    """What a row may say beyond the five things that every row says, and its name, which it must."""

    #: A verb and its object, of this endpoint alone: `operationId` in the API's document, a method in clients.
    operation_id: Required[str]
    status: int
    #: Further statuses of a success, with their descriptions.
    other_statuses: Mapping[int, str]
    #: Errors of the rows and their states; those of the pipeline's steps are derived.
    errors: tuple[type[DomainError], ...]
    idempotent: bool
    #: 403 and 404 carry `error` alone.
    bare: bool
    #: Refuses missing or invalid credentials; completed positions spell the code in upper case.
    unauthorized: type[Unauthorized]
    body_optional: bool
    #: The cross-site rule holds whenever this cookie is sent.
    auth_cookie: AuthCookie
    #: Sets a cookie even for a caller without one: another site's form must not reach it. (Forms send no token header.)
    gives_cookie: bool
    #: Set with a 401 to a request that sent one of them: they clear what was refused.
    cookies_if_unauthorized: tuple[Cookie, ...]
    #: Largest raw body (an image) in bytes; the endpoint takes no JSON then.
    raw_body_bytes: int
    #: Responds with server-sent events; this is an example for the API page, and `answer` is None.
    event_stream: str
    #: Answers with CSV, too, where the Accept header prefers it; this is an example for the API page.
    csv: str
    #: What an API key of the caller must be for; None: no key will do. Unset: "read" for GET, else None.
    key_scope: KeyScope | None
    #: Unset: `READS` for GET, else `WRITES`.
    rate_limit_group: RateLimitGroup
    #: Responds from memory alone: the API page lists neither 500 nor 503.
    cannot_fail: bool
    #: The page of this site that a browser which navigates here is sent to on an error, with `?error=<code>`.
    error_page: str
    description: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path below /api/v1; made by `get`, `post`, `put`, `patch` and `delete`.

    `answer` is the type of the success body; `path_type`, `query_type` and `body` are the types of the handler's
    request. The options are described in `EndpointOptions`.
    """

    method: str
    path: str
    handler: Handler
    level: AuthLevel
    answer: Any
    summary: str
    operation_id: str
    path_type: Any
    query_type: Any
    body: Any
    path_fields: tuple[PathField, ...]
    query_fields: tuple[QueryField, ...]
    query_names: frozenset[str]
    rate_limit_group: RateLimitGroup
    status: int = 200
    other_statuses: Mapping[int, str] = field(default_factory=dict)
    errors: tuple[type[DomainError], ...] = ()
    idempotent: bool = False
    bare: bool = False
    unauthorized: type[Unauthorized] = Unauthorized
    body_optional: bool = False
    auth_cookie: AuthCookie | None = None
    gives_cookie: bool = False
    cookies_if_unauthorized: tuple[Cookie, ...] = ()
    raw_body_bytes: int = 0
    event_stream: str = ""
    csv: str = ""
    cannot_fail: bool = False
    error_page: str = ""
    key_scope: KeyScope | None = None
    description: str = ""


def get(
    path: str,
    handler: BodylessHandler,
    level: AuthLevel,
    answer: Any,
    summary: str,
    **options: Unpack[EndpointOptions],
) -> Endpoint:
    """Describe a GET endpoint."""
    return _endpoint(path, handler, level, answer, summary, method="GET", options=options)


def post(
    path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **options: Unpack[EndpointOptions]
) -> Endpoint:
    """Describe a POST endpoint."""
    return _endpoint(path, handler, level, answer, summary, method="POST", options=options)


def put(
    path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **options: Unpack[EndpointOptions]
) -> Endpoint:
    """Describe a PUT endpoint."""
    return _endpoint(path, handler, level, answer, summary, method="PUT", options=options)


def patch(
    path: str, handler: Handler, level: AuthLevel, answer: Any, summary: str, **options: Unpack[EndpointOptions]
) -> Endpoint:
    """Describe a PATCH endpoint."""
    return _endpoint(path, handler, level, answer, summary, method="PATCH", options=options)


def delete(
    path: str,
    handler: BodylessHandler,
    level: AuthLevel,
    answer: Any,
    summary: str,
    **options: Unpack[EndpointOptions],
) -> Endpoint:
    """Describe a DELETE endpoint."""
    return _endpoint(path, handler, level, answer, summary, method="DELETE", options=options)


def _endpoint(
    path: str,
    handler: Callable[[Any], Awaitable[Any]],
    level: AuthLevel,
    answer: Any,
    summary: str,
    *,
    method: str,
    options: EndpointOptions,
) -> Endpoint:
    path_type, query_type, body = _request_types(handler, answer)
    in_path, in_query = path_fields(path_type), query_fields(query_type)
    names = re.findall(r"\{(\w+)\}", path)
    assert names == [each.field for each in in_path], f"{method} {path}: {path_type} does not have its parameters"
    reads: Any = {"rate_limit_group": READS, "key_scope": "read"}
    rest = {**(reads if method == "GET" else {"rate_limit_group": WRITES}), **options}
    return Endpoint(
        method=method,
        path=path,
        handler=handler,
        level=level,
        answer=answer,
        summary=summary,
        path_type=path_type,
        query_type=query_type,
        body=body,
        path_fields=in_path,
        query_fields=in_query,
        query_names=frozenset(each.param.name for each in in_query),
        **rest,
    )


def _request_types(handler: Callable[..., Any], answer: Any) -> tuple[Any, Any, Any]:
    """Return the types of path, query and body (None: not taken) from a handler's signature."""
    hints = typing.get_type_hints(handler, include_extras=True)
    name = next(iter(inspect.signature(handler).parameters))
    request = hints[name]
    assert typing.get_origin(request) is Request, f"{handler}: `{name}` is a Request[path, query, body]"
    returned = hints["return"]
    union = typing.get_origin(returned) in {typing.Union, types.UnionType}
    for kind in typing.get_args(returned) if union else (returned,):
        finished = isinstance(kind, type) and issubclass(kind, (Response, CsvDownload))
        assert finished or answer in {None, kind}, f"{handler} returns {kind}, its row says {answer}"
    path, query, body = (None if kind is types.NoneType else kind for kind in typing.get_args(request))
    return path, query, body
