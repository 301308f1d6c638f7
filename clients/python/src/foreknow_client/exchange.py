"""How a call is carried through, without a connection: steps that a client carries out, and what it makes of answers.

`exchange` yields `Send` and `Pause`; the client gives back a `Reply` or `Lost` for the first, nothing for the second.
Both clients are loops around it, so what is sent again, when, and with which key stands here alone.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from foreknow_client.calls import Call, RedirectCall, StreamCall, written
from foreknow_client.credentials import Credentials, header_value
from foreknow_client.errors import BY_CODE
from foreknow_client.failures import AnswerNotUnderstood, ApiError, ConnectionFailed, FateUnknown, redirected
from foreknow_client.meeting import meet
from foreknow_client.steps import (
    ANSWER_BYTES_MAX,
    PREFIX,
    Lost,
    Pause,
    Reply,
    Send,
    Session,
    Steps,
    log_retry,
    outcome,
    pause_s,
)

T = TypeVar("T")

#: Statuses that another attempt may not get.
PASSING = {408, 425, 429}
#: The cookie of an anonymous support chat.
_CHAT_COOKIE = "chat_session"


class _Renewed(msgspec.Struct, frozen=True):
    """What a client reads of the answer to a sign-in."""

    access_token: str


def exchange(call: Call[T], session: Session) -> Steps[T]:
    """Carry a call through.

    Raises an `ApiError`, `ConnectionFailed` or `AnswerNotUnderstood`; `ValueError` for what no header can carry.
    """
    key = _idempotency_key(call)
    yield from meet(session)
    ends_s = session.now_s() + (session.order_retry_s if key else session.retry_s)
    attempts = 0
    may_be_done = False
    while True:
        attempts += 1
        reply = yield from _attempt(call, session, key)
        if isinstance(reply, Reply) and reply.status < 400:
            return _read(call, reply, session, key, is_retry=may_be_done)
        may_be_done = may_be_done or _may_be_done(reply)
        wait_s = pause_s(reply, attempts, session)
        if not _is_worth_repeating(call, reply) or session.now_s() + wait_s > ends_s:
            raise _failure(call, session, reply, attempts, key if may_be_done else None)
        log_retry(call.name, session, reply, attempt=attempts, wait_s=wait_s)
        yield Pause(wait_s)


def stream_request(call: StreamCall, session: Session) -> Steps[Send]:
    """Return the request that begins a stream; its answer is the client's to read."""
    if call.last_event_id:
        header_value("last_event_id", call.last_event_id)
    yield from meet(session)
    if session.credentials.can_renew and not session.credentials.headers():
        failed = yield from _renew(session, refused={})
        if failed is not None:
            raise _failure(call, session, failed, 1, None)
    return _request(call, session, None)


def handshake_headers(session: Session, refused: Mapping[str, str]) -> Steps[Mapping[str, str]]:
    """Return the headers with which a socket opens: after a sign-in where there was none, and after another one where
    `refused` are those that the service no longer takes.

    They are the same as `refused` where there is no other way to be known. Raises an `ApiError` or `ConnectionFailed`.
    """
    credentials = session.credentials
    used = credentials.headers()
    if credentials.can_renew and (not used or used == refused):
        failed = yield from _renew(session, refused=used)
        if isinstance(failed, Lost) or (failed is not None and failed.status in PASSING):
            raise ConnectionFailed(f"{session.url}: {outcome(failed)}")
        if failed is not None:
            raise from_answer(failed)
    # Sockets know users alone: a partner's key stays here.
    return {name: value for name, value in credentials.headers().items() if name == "authorization"}


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


def _idempotency_key(call: Call[Any]) -> str | None:
    if not call.is_idempotent:
        return None
    given = call.idempotency_key
    return secrets.token_hex(16) if given is None else header_value("idempotency_key", given)


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
            if _keep_renewed(credentials, reply):
                return None
            reply = Lost("what was answered is no access token", was_sent=False)
    # The call itself was not sent, so that it may be sent again whatever it is.
    if isinstance(reply, Reply) and reply.status >= 500:
        return Lost(f"signing in was answered with {reply.status}", was_sent=False)
    return Lost(f"signing in: {reply.reason}", was_sent=False) if isinstance(reply, Lost) else reply


def _keep_renewed(credentials: Credentials, reply: Reply) -> bool:
    """Keep what a sign-in was answered with; return whether it can be used."""
    try:
        credentials.renewed(msgspec.json.decode(reply.content, type=_Renewed).access_token, reply.cookies)
    except (msgspec.MsgspecError, ValueError):
        return False
    return True


def _read(call: Call[T], reply: Reply, session: Session, key: str | None, *, is_retry: bool) -> T:
    """Read a success. With a key, what cannot be read leaves the order's fate open."""
    try:
        if reply.status >= 300 and not isinstance(call, RedirectCall):
            raise redirected(f"{call.name} at {session.url}", reply.headers.get("location"))
        if reply.is_cut:
            raise AnswerNotUnderstood(f"{call.name} at {session.url}: the answer is over {ANSWER_BYTES_MAX} bytes")
        try:
            answer = call.read(reply.content, reply.headers)
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
            raise AnswerNotUnderstood(f"{call.name} at {session.url}: {error}") from error
    except AnswerNotUnderstood as error:
        if key is None:
            raise
        raise FateUnknown(str(error), idempotency_key=key) from error
    # After an attempt without an answer, the replayed one may well be this call's own.
    is_replayed = key is not None and not is_retry and reply.headers.get("idempotency-replayed") == "true"
    if is_replayed and isinstance(answer, msgspec.Struct) and "is_replayed" in answer.__struct_fields__:
        return msgspec.structs.replace(answer, is_replayed=True)
    return answer


def _may_be_done(reply: Reply | Lost) -> bool:
    """Whether the request may have been executed although no answer says so."""
    return reply.was_sent if isinstance(reply, Lost) else reply.status >= 500


def _is_worth_repeating(call: Call[Any], reply: Reply | Lost) -> bool:
    if isinstance(reply, Lost):
        return call.may_be_repeated or not reply.was_sent
    # Nothing that exceeds a rate limit was executed.
    return reply.status == 429 or (reply.status >= 500 and call.may_be_repeated)


def _failure(call: Call[Any], session: Session, reply: Reply | Lost, attempts: int, key: str | None) -> Exception:
    """Return what to raise; `key` belongs to an order that may have been executed."""
    # Neither says what became of an attempt before it.
    is_unanswered = isinstance(reply, Lost) or reply.status >= 500 or reply.status in {401, 429}
    if key is not None and is_unanswered:
        said = f"{call.name} at {session.url}: after {attempts} attempts {outcome(reply)}"
        return FateUnknown(said, idempotency_key=key)
    if isinstance(reply, Lost):
        return ConnectionFailed(f"{call.name} at {session.url}: {reply.reason}")
    return from_answer(reply, attempts=attempts)
