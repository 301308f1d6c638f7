"""The API page's document: OpenAPI 3.1, written from the same endpoints that the pipeline serves.

Paths, levels, parameters, bodies, statuses and codes are derived from the table, so that the document cannot promise
what the service does not do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError
from foreknow.web.components import Components, error_schemas
from foreknow.web.endpoint import PREFIX, Endpoint
from foreknow.web.params import QueryField
from foreknow.web.steps import steps_of

_INTRODUCTION = """\
A prediction-market service: events hold pools, a pool holds one market an outcome, traders and partners bet on them.

**Units.** Amounts are in kopecks (100 are 1 of the site's `currency`), always a whole number. Shares
are whole numbers too: 100 shares are one token, and one share pays one kopeck if it wins. Prices of orders are in basis
points: 10000 = 1 of it a token. Probabilities go from 0 to 1. Times are UTC, ISO 8601 with `Z` and milliseconds;
times that are sent need an offset.

**Errors** have the body `{"error": code, "message": …, "details": {…}}`; `details` stands only where it helps.

**Lists** take `limit` (1 … 100, by default 20) and `cursor`, and answer with `next_cursor` and `has_more`.

**Idempotency.** What moves money takes an `Idempotency-Key`: sent again with the same request, the first answer comes
again, with `Idempotency-Replayed: true`. Only an accepted request uses its key up. After a 500, a 503 or no answer at
all, send the same key again to find out.

**Signing in** gives an access token (20 minutes) and a refresh token (72 hours), as HttpOnly cookies; the access token
may be sent as `Authorization: Bearer …` instead. Where a header and a cookie are both sent, the header alone counts.
Partners send `X-Partner-Key`.

**Limits.** Requests are counted by account, by partner or, without a sign-in, by address. Once less than half
of a burst is left, answers say so in `RateLimit`; a 429 says in `Retry-After` when to try again. Every answer bears an
`X-Request-ID`: yours if you sent one, else ours. Name it when you ask us about a request.
"""

_SCHEMES: dict[str, dict[str, Any]] = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "The access token."},
    "accessCookie": {"type": "apiKey", "in": "cookie", "name": "access_token", "description": "The access token."},
}
_PARTNER_KEY = {"type": "apiKey", "in": "header", "name": "X-Partner-Key", "description": "A partner's API key."}
_SIGNED_IN: list[dict[str, list[str]]] = [{"bearer": []}, {"accessCookie": []}]
_WHO = {
    AuthLevel.NONE: "Public: credentials are not looked at.",
    AuthLevel.OPTIONAL: "Signed in or not; a bad or expired token is refused.",
    AuthLevel.REQUIRED: "Signed in.",
    AuthLevel.CREATOR: "Signed in, with the role `is_creator`.",
    AuthLevel.STATS_VIEWER: "Signed in, with the role `is_stats_viewer`.",
    AuthLevel.OPERATOR: "Signed in, with the role `is_operator` or `is_admin`.",
    AuthLevel.ADMIN: "Signed in, with the role `is_admin`.",
    AuthLevel.PARTNER: "A partner, by its key.",
}


class SocketPath(NamedTuple):
    """A WebSocket path, which OpenAPI can only hint at."""

    path: str
    operation_id: str
    summary: str
    description: str


class EndpointGroup(NamedTuple):
    """A group of the API page (a tag of OpenAPI), and the endpoints in it.

    `paths` are beginnings of paths, alone or behind a method: `/events`, `POST /events`. An endpoint is in the group
    that names the longest beginning of it.
    """

    name: str
    description: str
    paths: tuple[str, ...]


class UngroupedEndpoint(LookupError):
    """An endpoint that no group names."""


def document(
    endpoints: Sequence[Endpoint], sockets: Sequence[SocketPath], groups: Sequence[EndpointGroup], *, version: str
) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of these endpoints, as JSON values. Raises `UngroupedEndpoint`."""
    components = Components(kind for each in endpoints for kind in (each.body, each.response) if kind)
    names = {path: group.name for group in groups for path in group.paths}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(PREFIX + endpoint.path, {})[endpoint.method.lower()] = {
            "operationId": endpoint.operation_id,
            "tags": [_tag(names, endpoint.method, endpoint.path)],
            **_operation(endpoint, components),
        }
    for socket in sockets:
        paths.setdefault(PREFIX + socket.path, {})["get"] = {
            "operationId": socket.operation_id,
            "tags": [_tag(names, "GET", socket.path)],
            **_socket(socket),
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foreknow",
            "version": version,
            "summary": "Prediction markets: exact prices, a double-entry ledger, live trades.",
            "description": _INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "This service."}],
        "tags": [{"name": group.name, "description": group.description} for group in groups],
        "paths": paths,
        "components": {
            "schemas": components.schemas | error_schemas(),
            "securitySchemes": _security_schemes(endpoints),
        },
    }


def _security_schemes(endpoints: Sequence[Endpoint]) -> dict[str, dict[str, Any]]:
    cookies = dict.fromkeys(endpoint.auth_cookie for endpoint in endpoints)
    own = {
        cookie.scheme: {"type": "apiKey", "in": "cookie", "name": cookie.name, "description": cookie.description}
        for cookie in cookies
        if cookie is not None
    }
    return {**_SCHEMES, **own, "partnerKey": _PARTNER_KEY}


def _operation(endpoint: Endpoint, components: Components) -> dict[str, Any]:
    about = [endpoint.description, f"**Who:** {_WHO[endpoint.level]}"]
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "description": "\n\n".join(filter(None, about)),
        "x-auth-level": endpoint.level.value,
        "security": _security(endpoint),
    }
    parameters = [*_path_parameters(endpoint), *map(_query_parameter, endpoint.query_fields)]
    if endpoint.idempotent:
        parameters.append(_IDEMPOTENCY_KEY)
    if endpoint.event_stream:
        parameters.append(_LAST_EVENT_ID)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        content = {"application/json": components.media(endpoint.body)}
        operation["requestBody"] = {"required": not endpoint.body_optional, "content": content}
    elif endpoint.raw_body_bytes:
        schema = {"type": "string", "format": "binary", "maxLength": endpoint.raw_body_bytes}
        limit = f"The bytes themselves, at most {endpoint.raw_body_bytes}; the Content-Type is not looked at."
        content = {"application/octet-stream": {"schema": schema}}
        operation["requestBody"] = {"required": True, "description": limit, "content": content}
    operation["responses"] = {**_successes(endpoint, components), **_error_responses(endpoint)}
    return operation


def _security(endpoint: Endpoint) -> list[dict[str, list[str]]]:
    if endpoint.level is AuthLevel.PARTNER:
        return [{"partnerKey": []}]
    ways: list[dict[str, list[str]]] = [{}] if endpoint.level is AuthLevel.OPTIONAL else []
    if endpoint.auth_cookie is not None:
        ways.append({endpoint.auth_cookie.scheme: []})
    return ways if endpoint.level is AuthLevel.NONE else ways + _SIGNED_IN


def _path_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {
            "name": each.field,
            "in": "path",
            "required": True,
            "description": each.param.description or _id_description(each.field),
            "schema": each.param.schema,
        }
        for each in endpoint.path_fields
    ]


def _id_description(name: str) -> str:
    return "Its id." if name == "id" else f"{name.removesuffix('_id').capitalize()} id."


def _query_parameter(each: QueryField) -> dict[str, Any]:
    param = each.param
    parameter = {"name": param.name, "in": "query", "required": each.is_required, "schema": param.schema}
    return parameter | ({"description": param.description} if param.description else {})


_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes it safe to send the request again: 1–255 visible ASCII characters, never used before.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
#: One event of a stream.
_EVENT = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "data": {"type": "string", "description": "A JSON value."}},
    "required": ["data"],
}
_LAST_EVENT_ID = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The id of the last event that came before the connection dropped. Browsers send it by themselves.",
    "schema": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,17})?$"},
    "example": "12",
}


_RATE_LIMIT_HEADERS = {
    "RateLimit": {
        "description": "What is left (`r`) and in how many seconds all of it is there again (`t`).",
        "schema": {"type": "string"},
        "example": '"trading";r=1999;t=1',
    },
    "RateLimit-Policy": {
        "description": "How many requests (`q`) may come in how many seconds (`w`).",
        "schema": {"type": "string"},
        "example": '"trading";q=2000;w=2',
    },
}


def _successes(endpoint: Endpoint, components: Components) -> dict[str, Any]:
    headers = {}
    if endpoint.idempotent:
        text = "`true` where this is the first answer to the same request, given again."
        headers["Idempotency-Replayed"] = {"description": text, "schema": {"const": "true"}}
    content: dict[str, Any]
    if endpoint.event_stream:
        content = {"text/event-stream": {"schema": _EVENT, "example": endpoint.event_stream}}
    elif endpoint.response is not None:
        content = {"application/json": components.media(endpoint.response)}
        if endpoint.csv:
            content["text/csv"] = {"schema": {"type": "string"}, "example": endpoint.csv}
    else:
        # A redirect.
        content = {}
        headers["Location"] = {"description": "Where to go on.", "schema": {"type": "string", "format": "uri"}}
    texts = {endpoint.status: f"{endpoint.summary}: done.", **endpoint.other_statuses}
    answers = {}
    for status, text in texts.items():
        answers[str(status)] = {"description": text, "content": content} | ({"headers": headers} if headers else {})
    return answers


def _error_responses(endpoint: Endpoint) -> dict[str, Any]:
    by_status: dict[int, list[type[DomainError]]] = {}
    for error in endpoint_errors(endpoint):
        by_status.setdefault(error.status, []).append(error)
    return {str(status): _error_response(endpoint, status, by_status[status]) for status in sorted(by_status)}


def _error_response(endpoint: Endpoint, status: int, errors: Sequence[type[DomainError]]) -> dict[str, Any]:
    codes = {shown_code(endpoint, error): error for error in errors}
    schema = {
        "$ref": "#/components/schemas/" + ("BareError" if any(error in endpoint.bare for error in errors) else "Error"),
        "properties": {"error": {"enum": list(codes)}},
    }
    examples = {
        code: {"value": {"error": code} | ({} if error in endpoint.bare else {"message": error.message})}
        for code, error in codes.items()
    }
    answer: dict[str, Any] = {
        "description": "\n".join(f"- `{code}`: {error.message}" for code, error in codes.items()),
        "content": {"application/json": {"schema": schema, "examples": examples}},
    }
    if status in {429, 503}:
        text = "Seconds to wait before the next attempt."
        answer["headers"] = {"Retry-After": {"description": text, "schema": {"type": "integer", "minimum": 0}}}
    if status == 429:
        answer["headers"] |= _RATE_LIMIT_HEADERS
    return answer


def _socket(socket: SocketPath) -> dict[str, Any]:
    return {
        "summary": socket.summary,
        "description": f"{socket.description}\n\n**Who:** {_WHO[AuthLevel.NONE]}",
        "x-auth-level": AuthLevel.NONE.value,
        "security": [],
        "responses": {
            "101": {"description": "The WebSocket is open."},
            "400": {
                "description": "- `bad_request`: A plain GET; send an upgrade request.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }


def _tag(names: Mapping[str, str], method: str, path: str) -> str:
    """Return the group of an endpoint, by the longest beginning of its path, then the one with its method."""
    steps = path.split("/")
    for end in range(len(steps), 1, -1):
        beginning = "/".join(steps[:end])
        for key in (f"{method} {beginning}", beginning):
            if key in names:
                return names[key]
    raise UngroupedEndpoint(f"{method} {path}: name it in foreknow.service.api_groups")


def encoded(content: Mapping[str, Any]) -> bytes:
    """Write the document as it is served and committed: indented, ending in a line break."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def endpoint_errors(endpoint: Endpoint) -> list[type[DomainError]]:
    """Return them in the order of checks, each once."""
    return list(dict.fromkeys(error for step in steps_of(endpoint) for error in step.errors(endpoint)))


def shown_code(endpoint: Endpoint, error: type[DomainError]) -> str:
    """Return the code as this endpoint writes it: in upper case on partner endpoints."""
    return error.code.upper() if endpoint.level is AuthLevel.PARTNER else error.code
