"""The first look at a service: whether a Foreknow answers at the address, before it gets anything secret.

A wrong address is known within seconds; only a service that was there once is waited for.
"""

from __future__ import annotations

import msgspec

from foreknow_client import models
from foreknow_client.failures import AnswerNotUnderstood, ConnectionFailed
from foreknow_client.steps import PREFIX, Lost, Pause, Reply, Send, Session, Steps, log_retry, outcome, pause_s

#: How long the first look goes on, and how long one attempt of it waits for each step of an answer, in seconds.
MEET_S = 5.0
_PATH = f"{PREFIX}/health"


def meet(session: Session) -> Steps[None]:
    """Make sure, once for a client, that a Foreknow answers.

    Raises `ConnectionFailed` where nothing does, and `AnswerNotUnderstood` where another server does.
    """
    ends_s = session.now_s() + min(session.retry_s, MEET_S)
    attempts = 0
    while not session.is_met:
        attempts += 1
        headers = {"user-agent": session.user_agent, "accept": "application/json"}
        reply = yield Send("GET", _PATH, {}, headers, timeout_s=MEET_S)
        assert reply is not None
        if isinstance(reply, Reply) and reply.status < 500 and reply.status != 429:
            _check(session.url, reply)
            session.is_met = True
            return
        wait_s = pause_s(reply, attempts, session)
        if session.now_s() + wait_s > ends_s:
            raise ConnectionFailed(f"no service at {session.url}: {outcome(reply)}{_hint(session.url, reply)}")
        log_retry("the first look", session, reply, attempt=attempts, wait_s=wait_s)
        yield Pause(wait_s)


def _check(url: str, reply: Reply) -> None:
    """Raise `AnswerNotUnderstood` unless a Foreknow gave this answer."""
    if 300 <= reply.status < 400:
        raise AnswerNotUnderstood(f"{url} redirects to {reply.headers.get('location', 'nowhere')!r}: is it there?")
    try:
        is_ours = reply.status == 200 and bool(msgspec.json.decode(reply.content, type=models.Health))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        is_ours = False
    if not is_ours:
        kind = reply.headers.get("content-type", "no type")
        raise AnswerNotUnderstood(f"no Foreknow at {url}: GET {_PATH} is answered with {reply.status}, {kind}")


def _hint(url: str, reply: Reply | Lost) -> str:
    """Return what to try where TLS is spoken to a server without it."""
    is_tls = isinstance(reply, Lost) and "ssl" in reply.reason.lower() and url.startswith("https:")
    return " (or is it http://?)" if is_tls else ""
