"""The clients: `Client` waits, `AsyncClient` is awaited. Both carry out the steps of `exchange` and of `sockets`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Generator, Iterator, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from http.cookies import SimpleCookie
from importlib.metadata import version
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

import httpx2

from foreknow_client import sockets
from foreknow_client.calls import Call, StreamCall, StreamEvent
from foreknow_client.credentials import Credentials, PartnerKey, SignIn, Token
from foreknow_client.endpoints import AsyncMethods, SyncMethods
from foreknow_client.exchange import exchange, from_answer, handshake_headers, stream_request
from foreknow_client.failures import ConnectionFailed, redirected
from foreknow_client.meeting import meet
from foreknow_client.steps import ANSWER_BYTES_MAX, Lost, Pause, Reply, Send, Session, Step, Steps

T = TypeVar("T")
E = TypeVar("E")

#: What `Options` are where nothing is said.
TIMEOUT_S, RETRY_S, ORDER_RETRY_S = 30.0, 60.0, 600.0
#: Nothing was sent where one of these happened.
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


def _without_cookies(record: logging.LogRecord) -> bool:
    """Leave the headers of an answer out of the log where they hold the cookies of a session."""
    if "set-cookie" in str(record.msg).lower():
        record.msg = "receive_response_headers.complete, with cookies that are not shown"
    return True


#: At DEBUG, the HTTP library logs all headers of answers.
logging.getLogger("httpcore2.http11").addFilter(_without_cookies)


class Who(TypedDict, total=False):
    """Who calls: a user by an API key, a partner, or a user who signs in. Give one of them, or none."""

    #: `fku_…`, which `POST /users/me/keys` makes; or an access token, which ends after 20 minutes.
    key: str
    partner_key: str
    #: The e-mail address or nickname: the first call signs in, and later ones keep the session alive.
    login: str
    password: str


class Options(Who, total=False):
    """How a client behaves."""

    #: Longest wait for a connection, and for the next piece of an answer.
    timeout_s: float
    #: How long a call is sent again where no answer comes or the service is busy.
    retry_s: float
    #: The same for calls with an Idempotency-Key, such as orders, whose fate must be known.
    order_retry_s: float


class _Base:
    """What both clients are made of."""

    def __init__(self, url: str, **options: Unpack[Options]) -> None:
        """Speak to the service at `url`, such as https://markets.example, as its options say, or as a visitor.

        Raises `ValueError`, which shows none of them, for an address that is none, and for a key that no header can
        carry: one with a line break, or beyond ASCII.
        """
        self._url = _address(url)
        self._timeout = httpx2.Timeout(options.get("timeout_s", TIMEOUT_S))
        self._session = Session(
            self._url,
            _credentials(options),
            retry_s=options.get("retry_s", RETRY_S),
            order_retry_s=options.get("order_retry_s", ORDER_RETRY_S),
            now_s=time.monotonic,
            user_agent=f"foreknow-client/{version('foreknow-client')}",
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._url}, {self._session.credentials.shown_as}>"

    def use(self, **who: Unpack[Who]) -> None:
        """Call as another user or partner from now on, or as a visitor.

        After a sign-up: `client.use(key=signed_up.access_token)`. Raises `ValueError` as the client itself does.
        """
        self._session.credentials = _credentials(who)

    def _arguments(self, send: Send) -> dict[str, Any]:
        url = self._url + send.path
        return {
            "method": send.method,
            "url": url,
            "params": send.query,
            "headers": send.headers,
            "content": send.content,
            "timeout": self._timeout if send.timeout_s is None else httpx2.Timeout(send.timeout_s),
        }

    def _socket_url(self, path: str) -> str:
        return "ws" + self._url.removeprefix("http") + path


class Client(_Base, SyncMethods):
    """A client whose methods wait for the answer. Threads may share it; close it, or use it in a `with` statement."""

    def __init__(self, url: str, **options: Unpack[Options]) -> None:
        """Speak to the service at `url`, such as https://markets.example, as its options say, or as a visitor."""
        super().__init__(url, **options)
        self._http = httpx2.Client(cookies=_no_cookies(), timeout=self._timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def send(self, call: Call[T], /) -> T:
        """Send a call of `foreknow_client.endpoints`; each method does it for one endpoint."""
        return self._run(exchange(call, self._session))

    def stream(self, call: StreamCall, /) -> Iterator[StreamEvent]:
        """Yield a stream's events until it ends; where it breaks off, go on with the last id as `last_event_id`."""
        send = self._run(stream_request(call, self._session))
        with (
            _stream_failures(call, self._url),
            self._http.stream(**self._arguments(send) | {"timeout": _endless(self._timeout)}) as response,
        ):
            if response.status_code >= 300:
                raise _no_stream(call, self._url, _read(response))
            for event in httpx2.EventSource(response):
                yield StreamEvent(event.id, json.loads(event.data))

    def follow_trades(self) -> Generator[sockets.FeedEvent, None, None]:
        """Yield every trade of the service until you `close` it; see `foreknow_client.sockets`."""
        return self._received(sockets.follow_trades())

    def watch_events(
        self, event_ids: Collection[int], *, tape: bool = False
    ) -> Generator[sockets.LiveMessage, None, None]:
        """Yield new prices, states and trades of up to 50 events; with `tape`, the trades of all others, too."""
        return self._received(sockets.watch_events(event_ids, tape=tape))

    def _received(self, conversation: sockets.Conversation[E]) -> Generator[E, None, None]:
        self._run(meet(self._session))
        yield from sockets.received(conversation, self._socket_url, self._handshake_headers)

    def _handshake_headers(self, refused: Mapping[str, str]) -> Mapping[str, str]:
        return self._run(handshake_headers(self._session, refused))

    def _run(self, steps: Steps[T]) -> T:
        reply: Reply | Lost | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as ended:
                result: T = ended.value
                return result
            reply = self._carry_out(step)

    def _carry_out(self, step: Step) -> Reply | Lost | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            with self._http.stream(**self._arguments(step)) as response:
                return _read(response)
        except httpx2.RequestError as error:
            return _lost(error)


class AsyncClient(_Base, AsyncMethods):
    """A client whose methods are awaited. Tasks may share it; close it, or use it in an `async with` statement."""

    def __init__(self, url: str, **options: Unpack[Options]) -> None:
        """Speak to the service at `url`, such as https://markets.example, as its options say, or as a visitor."""
        super().__init__(url, **options)
        self._http = httpx2.AsyncClient(cookies=_no_cookies(), timeout=self._timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def send(self, call: Call[T], /) -> T:
        """Send a call of `foreknow_client.endpoints`; each method does it for one endpoint."""
        return await self._run(exchange(call, self._session))

    async def stream(self, call: StreamCall, /) -> AsyncIterator[StreamEvent]:
        """Yield a stream's events until it ends; where it breaks off, go on with the last id as `last_event_id`."""
        send = await self._run(stream_request(call, self._session))
        with _stream_failures(call, self._url):
            async with self._http.stream(**self._arguments(send) | {"timeout": _endless(self._timeout)}) as response:
                if response.status_code >= 300:
                    raise _no_stream(call, self._url, await _read_async(response))
                async for event in httpx2.EventSource(response):
                    yield StreamEvent(event.id, json.loads(event.data))

    def follow_trades(self) -> AsyncGenerator[sockets.FeedEvent, None]:
        """Yield every trade of the service until you `aclose` it; see `foreknow_client.sockets`."""
        return self._received(sockets.follow_trades())

    def watch_events(
        self, event_ids: Collection[int], *, tape: bool = False
    ) -> AsyncGenerator[sockets.LiveMessage, None]:
        """Yield new prices, states and trades of up to 50 events; with `tape`, the trades of all others, too."""
        return self._received(sockets.watch_events(event_ids, tape=tape))

    async def _received(self, conversation: sockets.Conversation[E]) -> AsyncGenerator[E, None]:
        await self._run(meet(self._session))
        received = sockets.received_async(conversation, self._socket_url, self._handshake_headers)
        async with contextlib.aclosing(received) as events:
            async for event in events:
                yield event

    async def _handshake_headers(self, refused: Mapping[str, str]) -> Mapping[str, str]:
        return await self._run(handshake_headers(self._session, refused))

    async def _run(self, steps: Steps[T]) -> T:
        reply: Reply | Lost | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as ended:
                result: T = ended.value
                return result
            reply = await self._carry_out(step)

    async def _carry_out(self, step: Step) -> Reply | Lost | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            async with self._http.stream(**self._arguments(step)) as response:
                return await _read_async(response)
        except httpx2.RequestError as error:
            return _lost(error)


def _address(url: str) -> str:
    """Return a service's address without a slash at its end.

    `ValueError` for any other text, which it does not show: a key may stand in the wrong place.
    """
    try:
        parts, _ = urlsplit(url), httpx2.URL(url)
        host, _ = parts.hostname, parts.port
    except (ValueError, httpx2.InvalidURL):
        parts, host = urlsplit(""), None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("the url is no address of a service: it begins with http:// or https://")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("the url of a service holds no user name, password, query or fragment")
    # The scheme in lower case.
    return parts.geturl().rstrip("/")


def _credentials(who: Who) -> Credentials:
    key, partner_key, login = who.get("key", ""), who.get("partner_key", ""), who.get("login", "")
    if sum(map(bool, (key, partner_key, login))) > 1:
        raise ValueError("give one of key, partner_key and login")
    if who.get("password") and not login:
        raise ValueError("a password needs a login: the e-mail address or nickname")
    if login:
        return SignIn(login, who.get("password", ""))
    return Token(key) if key else PartnerKey(partner_key) if partner_key else Credentials()


def _no_cookies() -> CookieJar:
    """Return a jar that keeps nothing: what signs in stands in headers, and no request rides on a cookie unawares."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


def _endless(timeout: httpx2.Timeout) -> httpx2.Timeout:
    """Return the timeout of a stream, on which nothing may happen for long."""
    return httpx2.Timeout(timeout.connect, read=None)


@contextlib.contextmanager
def _stream_failures(call: StreamCall, url: str) -> Iterator[None]:
    """Say of a stream that broke off what the client says of any connection."""
    try:
        yield
    except httpx2.RequestError as error:
        raise ConnectionFailed(f"{call.name} at {url}: {_lost(error).reason}") from error


def _no_stream(call: StreamCall, url: str, reply: Reply) -> Exception:
    """Return the error of a stream that was refused or redirected."""
    if reply.status < 400:
        return redirected(f"{call.name} at {url}", reply.headers.get("location"))
    return from_answer(reply)


def _read(response: httpx2.Response) -> Reply:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > ANSWER_BYTES_MAX:
            break
    return _reply(response, content)


async def _read_async(response: httpx2.Response) -> Reply:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > ANSWER_BYTES_MAX:
            break
    return _reply(response, content)


def _reply(response: httpx2.Response, content: bytearray) -> Reply:
    cookies: Mapping[str, Any] = SimpleCookie("\n".join(response.headers.get_list("set-cookie")))
    return Reply(
        response.status_code,
        {name.lower(): value for name, value in response.headers.items()},
        bytes(content),
        {name: morsel.value for name, morsel in cookies.items()},
        is_cut=len(content) > ANSWER_BYTES_MAX,
    )


def _lost(error: httpx2.RequestError) -> Lost:
    # A request that cannot be written is shown with what it holds.
    said = "" if isinstance(error, httpx2.LocalProtocolError) else str(error)
    return Lost(f"{type(error).__name__}: {said}".removesuffix(": "), not isinstance(error, _UNSENT))
