"""Responses: bodies, headers and cookies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from foreknow.kernel.access.cookies import Cookie
from foreknow.kernel.errors import DomainError, MethodNotAllowed, RateLimited, Unavailable

_encode = msgspec.json.Encoder().encode
#: On every response: browsers must not guess another content type.
NOSNIFF = (b"x-content-type-options", b"nosniff")
JSON_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    NOSNIFF,
)
#: What no header's value may hold: it might begin another header.
_UNSAFE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
#: Of a 503 where it holds.
_WITH_KEY = " Send the same Idempotency-Key with it."


def header_lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return headers as lines of HTTP/1.1. Raises `ValueError` for a value with a line break or control character."""
    if headers is JSON_HEADERS:
        return _JSON_LINES
    if any(_UNSAFE.search(value) for _, value in headers):
        raise ValueError("a header's value holds a control character")
    return _lines(headers)


def _lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])


_JSON_LINES = _lines(JSON_HEADERS)


class Response(msgspec.Struct, frozen=True, gc=False):
    """A finished response. Handlers return plain structs where the endpoint's default status is enough."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = JSON_HEADERS
    #: The headers as lines, where they are made already.
    lines: bytes = b""


class LaterResponse(msgspec.Struct, frozen=True):
    """A response made of what a future brings. The handler has returned: no task waits for it."""

    result: asyncio.Future[Any]
    #: Makes the response of the result; a `DomainError` that the future brings is the request's.
    respond: Callable[[Any], Response]


def json_response(
    content: Any, *, status: int = 200, headers: tuple[tuple[bytes, bytes], ...] = (), cookies: Iterable[Cookie] = ()
) -> Response:
    """Encode `content` with additional headers and cookies to set."""
    return Response(_encode(content), status, (*JSON_HEADERS, *headers, *map(cookie_header, cookies)))


def stored_response(body: bytes, status: int, *, replayed: bool) -> Response:
    """Return a body stored with its idempotency key; `replayed` marks a repetition of the first response."""
    headers = (*JSON_HEADERS, (b"idempotency-replayed", b"true")) if replayed else JSON_HEADERS
    return Response(body, status, headers)


def private_headers(headers: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """Return a response's headers with a `Cache-Control` that keeps it out of caches that people share."""
    return tuple((name, _private(value) if name == b"cache-control" else value) for name, value in headers)


def _private(caching: bytes) -> bytes:
    return caching if caching == b"no-store" else b"private, " + caching.removeprefix(b"public, ")


def error_response(
    error: DomainError,
    *,
    upper: bool = False,
    bare: bool = False,
    takes_key: bool = False,
    allow: str = "",
    cookies: Iterable[Cookie] = (),
) -> Response:
    """Return an error as the contract's body.

    `upper`: upper-case code, on partner endpoints; `bare`: only `error`; `takes_key`: the endpoint takes an
    Idempotency-Key, which makes it safe to send a request again whose outcome is unknown.
    """
    code = error.code.upper() if upper else error.code
    body: dict[str, Any] = {"error": code}
    if not bare:
        body["message"] = error.text + _WITH_KEY * (takes_key and isinstance(error, Unavailable))
        if error.details:
            body["details"] = error.details
    extra: list[tuple[bytes, bytes]] = []
    if isinstance(error, MethodNotAllowed):
        extra.append((b"allow", allow.encode()))
    if isinstance(error, (RateLimited, Unavailable)):
        extra.append((b"retry-after", str(error.retry_after_s).encode()))
    return json_response(body, status=error.status, headers=tuple(extra), cookies=cookies)


def cookie_header(cookie: Cookie) -> tuple[bytes, bytes]:
    """Return the Set-Cookie header of a cookie."""
    parts = [f"{cookie.name}={cookie.value}", f"Max-Age={cookie.max_age_s}", "Path=/", "SameSite=Lax"]
    if not cookie.readable:
        parts.append("HttpOnly")
    if cookie.secure:
        parts.append("Secure")
    return (b"set-cookie", "; ".join(parts).encode("ascii"))


def redirect(url: str, *, cookies: Iterable[Cookie] = ()) -> Response:
    """Redirect to an ASCII URL with a GET (303)."""
    headers = (b"location", url.encode("ascii")), (b"cache-control", b"no-store"), NOSNIFF
    return Response(b"", 303, (*headers, *map(cookie_header, cookies)))


class Empty(msgspec.Struct, frozen=True):
    """An empty JSON object."""
