"""Answers: bodies, headers and cookies on their way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from foreknow.kernel.errors import MethodNotAllowed, RateLimited, Refusal, Unavailable

_encode = msgspec.json.Encoder().encode
#: On every answer: a browser takes it for what its Content-Type says, and for nothing else.
NOSNIFF = (b"x-content-type-options", b"nosniff")
JSON_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    NOSNIFF,
)


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A finished answer. Handlers return plain structs where the endpoint's status is enough."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = JSON_HEADERS


def json_answer(content: Any, *, status: int = 200, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Answer:
    """Encode `content` with additional headers."""
    return Answer(_encode(content), status, JSON_HEADERS + headers)


def replayed(body: bytes, status: int) -> Answer:
    """Give a stored answer again, marked as a replay."""
    return Answer(body, status, (*JSON_HEADERS, (b"idempotency-replayed", b"true")))


def refusal_answer(refusal: Refusal, *, upper: bool = False, bare: bool = False, allow: str = "") -> Answer:
    """Turn a refusal into the contract's error body; `upper` on partner endpoints, `bare` where only `error` goes."""
    code = refusal.code.upper() if upper else refusal.code
    body: dict[str, Any] = {"error": code}
    if not (bare and refusal.status in {403, 404}):
        body["message"] = refusal.text
        if refusal.details:
            body["details"] = refusal.details
    extra: list[tuple[bytes, bytes]] = []
    if isinstance(refusal, MethodNotAllowed):
        extra.append((b"allow", allow.encode()))
    if isinstance(refusal, (RateLimited, Unavailable)):
        extra.append((b"retry-after", str(refusal.retry_after_s).encode()))
    return json_answer(body, status=refusal.status, headers=tuple(extra))


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie to set, HttpOnly unless scripts of the page should read it; `max_age_s` 0 clears it."""

    name: str
    value: str
    max_age_s: int
    secure: bool
    readable: bool = False

    def header(self) -> tuple[bytes, bytes]:
        """Return the Set-Cookie header."""
        parts = [f"{self.name}={self.value}", f"Max-Age={self.max_age_s}", "Path=/", "SameSite=Lax"]
        if not self.readable:
            parts.append("HttpOnly")
        if self.secure:
            parts.append("Secure")
        return (b"set-cookie", "; ".join(parts).encode("ascii"))


def redirect(url: str, *, cookies: Iterable[Cookie] = ()) -> Answer:
    """Send a browser to another address, in ASCII, with a GET."""
    headers = (b"location", url.encode("ascii")), (b"cache-control", b"no-store"), NOSNIFF
    return Answer(b"", 303, (*headers, *(cookie.header() for cookie in cookies)))


class Empty(msgspec.Struct, frozen=True):
    """An empty JSON object."""
