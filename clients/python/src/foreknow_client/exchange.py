"""How a call is carried through, without a connection: steps that a client carries out, and what it makes of answers.

`exchange` yields `Send` and `Pause`; the client gives back a `Reply` or `Lost` for the first, nothing for the second.
Both clients are loops around it, so what is sent again, when, and with which key stands here alone.
"""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import msgspec

from foreknow_client.calls import Call, StreamCall, written
from foreknow_client.credentials import Credentials
from foreknow_client.errors import BY_CODE
from foreknow_client.failures import AnswerNotUnderstood, ApiError, ConnectionFailed, FateUnknown

T = TypeVar("T")

PREFIX = "/api/v1"
#: Pauses between attempts grow from the first to the second, each shortened by chance so that clients do not meet.
PAUSE_MIN_S, PAUSE_MAX_S = 0.2, 10.0
#: The cookie of an anonymous support chat.
_CHAT_COOKIE = "chat_session"


@dataclass(frozen=True, slots=True)
class Send:
    """Send this request."""

    method: str
    #: Below the service's address.
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    #: Values of Set-Cookie by the cookies' names.
    cookies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer came. `was_sent` False: the connection could not even be made."""

    reason: str
    was_sent: bool


Step: TypeAlias = Send | Pause
Steps: TypeAlias = Generator[Step, Reply | Lost | None, T]


@dataclass(slots=True)
class Session:
    """What calls of one client share."""

    credentials: Credentials
    #: How long a call may be sent again, in seconds; for calls with an Idempotency-Key the second.
    retry_s: float
    order_retry_s: float
    #: The time, in seconds since any moment.
    now_s: Callable[[], float]
    user_agent: str
    chat_cookie: str = ""
    #: A number of 0 … 1 by chance.
    chance: Callable[[], float] = random.random


def exchange(call: Call[T], session: Session) -> Steps[T]:
    """Carry a call through; raises an `ApiError`, `ConnectionFailed` or `AnswerNotUnderstood`."""
    key = (call.idempotency_key or secrets.token_hex(16)) if call.is_idempotent else None
    ends_s = session.now_s() + (session.order_retry_s if key else session.retry_s)
    attempts = 0
    may_be_done = False
    while True:
        attempts += 1
        reply = yield from _attempt(call, session, key)
        if isinstance(reply, Reply) and reply.status < 400:
            return _read(call, reply)
        may_be_done = may_be_done or _may_be_done(reply)
        pause_s = _pause_s(reply, attempts, session)
        if not _is_worth_repeating(call, reply) or session.now_s() + pause_s > ends_s:
            raise _failure(call, reply, attempts, key if may_be_done else None)
        yield Pause(pause_s)


def stream_request(call: StreamCall, session: Session) -> Steps[Send]:
    """Return the request that begins a stream; its answer is the client's to read."""
    if session.credentials.can_renew and not session.credentials.headers():
        failed = yield from _renew(session, refused={})
        if failed is not None:
            raise _failure(call, failed, 1, None)
    return _request(call, session, None)


def from_answer(reply: Reply, *, attempts: int = 1) -> ApiError:
    """Return the error that the service answered with; its class follows from its code."""
    try:
        body: Any = json.loads(reply.content)
        code = str(body["error"])
    except (ValueError, KeyError, TypeError):
        body, code = {}, f"http_{reply.status}"
    retry_after = reply.headers.get("retry-after", "")
    return BY_CODE.get(code.lower(), ApiError)(
        str(body.get("message", "")),
        status=reply.status,
        error=code,
        details=body.get("details"),
        request_id=reply.headers.get("x-request-id", ""),
        retry_after_s=float(retry_after) if retry_after.isdigit() else None,
        attempts=attempts,
    )


def _request(call: Call[Any], session: Session, key: str | None) -> Send:
    headers = {"user-agent": session.user_agent, "accept": "application/json", **session.credentials.headers()}
    content = call.content
    if key is not None:
        headers["idempotency-key"] = key
    if call.body is not None:
        headers["content-type"] = "application/json"
        content = msgspec.json.encode(call.body)
    elif content is not None:
        headers["content-type"] = "application/octet-stream"
    if isinstance(call, StreamCall):
        headers["accept"] = "text/event-stream"
        if call.last_event_id:
            headers["last-event-id"] = call.last_event_id
    if session.chat_cookie and call.path.startswith("/chat/"):
        headers["cookie"] = f"{_CHAT_COOKIE}={session.chat_cookie}"
    query = {name: written(value) for name, value in call.query.items()}
    return Send(call.method, PREFIX + call.path, query, headers, content)


def _attempt(call: Call[Any], session: Session, key: str | None) -> Steps[Reply | Lost]:
    """Send a call once: after a sign-in where there was none, and again where the access token has ended."""
    credentials = session.credentials
    used = credentials.headers()
    if credentials.can_renew and not used:
        failed = yield from _renew(session, refused=used)
        if failed is not None:
            return failed
        used = credentials.headers()
    reply = yield _request(call, session, key)
    if isinstance(reply, Reply) and reply.status == 401 and credentials.can_renew:
        failed = yield from _renew(session, refused=used)
        if failed is not None:
            return failed
        reply = yield _request(call, session, key)
    assert reply is not None
    if isinstance(reply, Reply) and _CHAT_COOKIE in reply.cookies:
        session.chat_cookie = reply.cookies[_CHAT_COOKIE]
    return reply


def _renew(session: Session, *, refused: Mapping[str, str]) -> Steps[Reply | Lost | None]:
    """Get another access token, unless another call of this client just did; return what failed, None for nothing."""
    credentials = session.credentials
    if credentials.headers() != refused:
        return None
    reply: Reply | Lost | None = None
    for path, cookie, body in credentials.renewals():
        headers = {"user-agent": session.user_agent, "accept": "application/json"}
        if cookie:
            headers["cookie"] = cookie
        if body is not None:
            headers["content-type"] = "application/json"
        reply = yield Send("POST", PREFIX + path, {}, headers, None if body is None else msgspec.json.encode(body))
        if isinstance(reply, Reply) and reply.status < 400:
            credentials.renewed(json.loads(reply.content), reply.cookies)
            return None
    # The call itself was not sent, so that it may be sent again whatever it is.
    if isinstance(reply, Reply) and reply.status >= 500:
        return Lost(f"signing in was answered with {reply.status}", was_sent=False)
    return Lost(f"signing in: {reply.reason}", was_sent=False) if isinstance(reply, Lost) else reply


def _read(call: Call[T], reply: Reply) -> T:
    try:
        return call.read(reply.content, reply.headers)
    except (msgspec.MsgspecError, KeyError) as error:
        raise AnswerNotUnderstood(f"{call.name}: {error}") from error


def _may_be_done(reply: Reply | Lost) -> bool:
    """Whether the request may have been executed although no answer says so."""
    return reply.was_sent if isinstance(reply, Lost) else reply.status >= 500


def _is_worth_repeating(call: Call[Any], reply: Reply | Lost) -> bool:
    if isinstance(reply, Lost):
        return call.may_be_repeated or not reply.was_sent
    # Nothing that exceeds a rate limit was executed.
    return reply.status == 429 or (reply.status >= 500 and call.may_be_repeated)


def _pause_s(reply: Reply | Lost, attempts: int, session: Session) -> float:
    """Return how long to wait before the next attempt: as the answer says, or ever longer up to a bound."""
    longest_s = min(PAUSE_MAX_S, PAUSE_MIN_S * 2.0 ** min(attempts, 16))
    by_chance_s = longest_s * (0.5 + 0.5 * session.chance())
    if isinstance(reply, Reply):
        said = reply.headers.get("retry-after", "")
        if said.isdigit():
            # All clients that got this answer would come back at the same moment.
            return float(said) + PAUSE_MIN_S * session.chance()
    return by_chance_s


def _failure(call: Call[Any], reply: Reply | Lost, attempts: int, key: str | None) -> Exception:
    """Return what to raise; `key` belongs to an order that may have been executed."""
    # Neither says what became of an attempt before it.
    is_unanswered = isinstance(reply, Lost) or reply.status >= 500 or reply.status in {401, 429}
    if key is not None and is_unanswered:
        said = reply.reason if isinstance(reply, Lost) else f"the service answered {reply.status}"
        return FateUnknown(f"{call.name}: after {attempts} attempts {said}", idempotency_key=key)
    if isinstance(reply, Lost):
        return ConnectionFailed(f"{call.name}: {reply.reason}")
    return from_answer(reply, attempts=attempts)
