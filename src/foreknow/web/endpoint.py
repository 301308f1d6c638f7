"""Endpoints, each declared at its handler by a decorator: all that the pipeline and the API page know of them.

The handler's name is the endpoint's `operationId`, a verb with its object; the first paragraph of its docstring is the
summary, the others the description; its annotations say path, query, body and response.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack

import msgspec

from foreknow.kernel.access.callers import Caller, KeyScope, PartnerCaller, UserCaller
from foreknow.kernel.access.cookies import Cookie, Cookies
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError, Unauthorized
from foreknow.kernel.languages import SiteLanguage, preferred_language
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.web.bodies import BODY_BYTES_MAX, RawBody
from foreknow.web.downloads import CsvDownload, Download
from foreknow.web.params import PathField, QueryField, path_fields, query_fields
from foreknow.web.responses import LaterResponse, Response

PREFIX = "/api/v1"
#: The attribute of a handler that holds its `Declaration`.
_DECLARATION = "endpoint_declaration"
#: What a handler returns that has no JSON body, or has written it already.
_FINISHED = (Response, LaterResponse, Download, CsvDownload)


_LEVELS_OF_STRANGERS = {AuthLevel.NONE, AuthLevel.OPTIONAL, AuthLevel.REQUIRED}


class RateLimitGroup(str):
    """Endpoints whose requests share one rate limit; the text is its name in headers."""

    __slots__ = ()


class CostlyGroup(RateLimitGroup):
    """A group whose requests count by address, too, when an account sends them: one client may have many accounts."""

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
    cookies: Cookies
    client: str
    #: Begins to receive a raw body; the argument is its largest size in bytes.
    raw: Callable[[int], RawBody]
    #: Whether the answer is sent without its body: a GET that counts what it sends asks.
    is_head: bool

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
    def language(self) -> SiteLanguage | None:
        """The site's language that the Accept-Language header prefers; None where it names none."""
        return preferred_language(self.headers.get(b"accept-language", b"").decode("latin-1"))

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

Handler: TypeAlias = Callable[[AnyRequest], Awaitable[Any] | LaterResponse]
#: Raises a `DomainError`, or does nothing.
CheckCaller: TypeAlias = Callable[[UserCaller], None]
#: A method of a routes class.
HandlerMethod = TypeVar("HandlerMethod", bound=Callable[[Any, AnyRequest], Awaitable[Any] | LaterResponse])
#: A handler of GET and DELETE, which take no body.
BodylessMethod = TypeVar("BodylessMethod", bound=Callable[[Any, Request[Any, Any, None]], Awaitable[Any]])


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
    """What an endpoint may say beside its method, path and auth level."""

    #: The type of the success body where the handler's annotation says only `Response`; None: there is no JSON.
    response: Any
    status: int
    #: Further statuses of a success, with their descriptions.
    other_statuses: Mapping[int, str]
    #: Errors of the rows and their states; those of the pipeline's steps are derived.
    errors: tuple[type[DomainError], ...]
    idempotent: bool
    #: Errors whose body is `error` alone (interface section 7).
    bare: tuple[type[DomainError], ...]
    #: Refuses missing or invalid credentials; completed positions spell the code in upper case.
    unauthorized: type[DomainError]
    body_optional: bool
    #: The cross-site rule holds whenever this cookie is sent.
    auth_cookie: AuthCookie
    #: Sets a cookie even for a caller without one: another site's form must not reach it. (Forms send no token header.)
    gives_cookie: bool
    #: Set with a 401 to a request that sent one of them: they clear what was refused.
    cookies_if_unauthorized: tuple[Cookie, ...]
    #: Largest raw body (an image) in bytes; the endpoint takes no JSON then.
    raw_body_bytes: int
    #: Limit of a JSON body in bytes, where it is another than `BODY_BYTES_MAX`.
    body_bytes: int
    #: Responds with server-sent events; this is an example for the API page.
    event_stream: str
    #: Answers with CSV, too, where the Accept header prefers it; this is an example for the API page.
    csv: str
    #: What an API key of the caller must be for; None: no key will do. Unset: "read" for GET, else None.
    key_scope: KeyScope | None
    #: A user whose e-mail address is not verified may call it too, though it changes something, or reads for members.
    unverified: bool
    #: Takes or quotes an order: refused where no one trades.
    takes_order: bool
    #: Refuses a signed-in caller for what they are, beside their role; its errors stand in `errors`.
    check_caller: CheckCaller
    #: Unset: `READS` for GET, else `WRITES`.
    rate_limit_group: RateLimitGroup
    #: Responds from memory alone: the API page lists neither 500 nor 503.
    cannot_fail: bool
    #: Answers strangers from `ResponseCache`, and awaits nothing else for them: such a request needs no task.
    cached: bool
    #: The page of this site that a browser which navigates here is sent to on an error, with `?error=<code>`.
    error_page: str
    #: Open to strangers also where only members may read (`foreknow.web.members`).
    for_strangers: bool
    #: For the API page, where it is computed; else it stands in the docstring.
    description: str
    #: Further options, which depend on the object whose method the handler is.
    bound_options: Callable[[Any], EndpointOptions]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a decorator says of the handler below it."""

    method: str
    path: str
    level: AuthLevel
    options: EndpointOptions


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path below /api/v1, and the bound method that handles its requests.

    `response` is the type of the success body, None without one; `path_type`, `query_type` and `body` are the types of
    the handler's request. The options are described in `EndpointOptions`.
    """

    method: str
    path: str
    handler: Handler
    level: AuthLevel
    response: Any
    operation_id: str
    summary: str
    description: str
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
    bare: tuple[type[DomainError], ...] = ()
    unauthorized: type[DomainError] = Unauthorized
    body_optional: bool = False
    auth_cookie: AuthCookie | None = None
    gives_cookie: bool = False
    cookies_if_unauthorized: tuple[Cookie, ...] = ()
    raw_body_bytes: int = 0
    body_bytes: int = BODY_BYTES_MAX
    event_stream: str = ""
    csv: str = ""
    cannot_fail: bool = False
    cached: bool = False
    error_page: str = ""
    for_strangers: bool = False
    #: Of a site that only members may read: no cache but the member's own browser's keeps a response.
    is_private: bool = False
    key_scope: KeyScope | None = None
    unverified: bool = False
    takes_order: bool = False
    check_caller: CheckCaller | None = None

    @property
    def is_paced(self) -> bool:
        """Whether a caller who may be a stranger waits once their budget of work is spent (`foreknow.web.pacing`)."""
        return self.rate_limit_group in {READS, WRITES} and self.level in _LEVELS_OF_STRANGERS


def get(path: str, level: AuthLevel, **options: Unpack[EndpointOptions]) -> Callable[[BodylessMethod], BodylessMethod]:
    """Declare that a method handles GET of a path."""
    return _declare(Declaration("GET", path, level, options))


def post(path: str, level: AuthLevel, **options: Unpack[EndpointOptions]) -> Callable[[HandlerMethod], HandlerMethod]:
    """Declare that a method handles POST to a path."""
    return _declare(Declaration("POST", path, level, options))


def put(path: str, level: AuthLevel, **options: Unpack[EndpointOptions]) -> Callable[[HandlerMethod], HandlerMethod]:
    """Declare that a method handles PUT of a path."""
    return _declare(Declaration("PUT", path, level, options))


def patch(path: str, level: AuthLevel, **options: Unpack[EndpointOptions]) -> Callable[[HandlerMethod], HandlerMethod]:
    """Declare that a method handles PATCH of a path."""
    return _declare(Declaration("PATCH", path, level, options))


def delete(
    path: str, level: AuthLevel, **options: Unpack[EndpointOptions]
) -> Callable[[BodylessMethod], BodylessMethod]:
    """Declare that a method handles DELETE of a path."""
    return _declare(Declaration("DELETE", path, level, options))


def endpoints_of(routes: object) -> list[Endpoint]:
    """Return the endpoints that the methods of a routes object handle, in the order in which its class defines them."""
    declared = [(name, getattr(method, _DECLARATION, None)) for name, method in vars(type(routes)).items()]
    endpoints = [_endpoint(routes, name, each) for name, each in declared if each is not None]
    assert endpoints, f"{type(routes)} handles nothing"
    return endpoints


def _declare(declaration: Declaration) -> Callable[[HandlerMethod], HandlerMethod]:
    def note(handler: HandlerMethod) -> HandlerMethod:
        setattr(handler, _DECLARATION, declaration)
        return handler

    return note


def _endpoint(routes: object, name: str, declaration: Declaration) -> Endpoint:
    handler, method, path = getattr(routes, name), declaration.method, declaration.path
    reads: EndpointOptions = {"rate_limit_group": READS, "key_scope": "read"}
    options: Any = {**(reads if method == "GET" else {"rate_limit_group": WRITES}), **declaration.options}
    if "bound_options" in options:
        options |= options.pop("bound_options")(routes)
    signature = _signature_of(getattr(type(routes), name))
    path_type, query_type, body = signature.types
    in_path, in_query = path_fields(path_type), query_fields(query_type)
    names = re.findall(r"\{(\w+)\}", path)
    assert names == [each.field for each in in_path], f"{method} {path}: {path_type} does not have its parameters"
    summary, *description = signature.paragraphs
    response = _response_type(handler, signature.returned, options)
    assert not (description and "description" in options), f"{method} {path}: two descriptions"
    return Endpoint(
        method=method,
        path=path,
        handler=handler,
        level=declaration.level,
        operation_id=name,
        summary=summary.removesuffix("."),
        path_type=path_type,
        query_type=query_type,
        body=body,
        path_fields=in_path,
        query_fields=in_query,
        query_names=frozenset(each.param.name for each in in_query),
        **{"description": "\n\n".join(description), **options, "response": response},
    )


class _Signature(NamedTuple):
    """What a handler says of itself: its docstring's paragraphs, each in one line, and its annotations."""

    paragraphs: list[str]
    #: Of path, query and body; None: there is none.
    types: list[Any]
    returned: Any


@functools.cache
def _signature_of(method: Callable[..., Any]) -> _Signature:
    """Read a handler as its class defines it; once, however many services a process runs."""
    text = inspect.getdoc(method)
    assert text, f"{method}: its docstring is the summary of the endpoint"
    hints = typing.get_type_hints(method, include_extras=True)
    _self, parameter, *_ = inspect.signature(method).parameters
    request = hints[parameter]
    assert typing.get_origin(request) is Request, f"{method}: it takes a Request[path, query, body]"
    kinds = [None if kind is types.NoneType else kind for kind in typing.get_args(request)]
    return _Signature([" ".join(paragraph.split()) for paragraph in text.split("\n\n")], kinds, hints["return"])


def _response_type(handler: Handler, returned: Any, options: EndpointOptions) -> Any:
    if "event_stream" in options:
        return None
    is_union = typing.get_origin(returned) in {typing.Union, types.UnionType}
    kinds = [kind for kind in (typing.get_args(returned) if is_union else (returned,)) if kind not in _FINISHED]
    assert len(kinds) + ("response" in options) == 1, f"{handler}: one response, by its annotation or by `response=`"
    return kinds[0] if kinds else options["response"]
