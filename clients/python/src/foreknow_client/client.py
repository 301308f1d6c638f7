"""The clients: `Client` waits, `AsyncClient` is awaited. Both carry out the steps of `exchange` and of `sockets`."""

from __future__ import annotations

import asyncio
import contextlib
import json
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
from foreknow_client.endpoint_methods import AsyncMethods, SyncMethods
from foreknow_client.exchange import (
    Lost,
    Pause,
    Reply,
    Send,
    Session,
    Step,
    Steps,
    exchange,
    from_answer,
    stream_request,
)
from foreknow_client.failures import ConnectionFailed

T = TypeVar("T")

#: What `Options` are where nothing is said.
TIMEOUT_S, RETRY_S, ORDER_RETRY_S = 30.0, 60.0, 600.0
#: Nothing was sent where one of these happened.
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


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

        Raises `ValueError` for an address that is none.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError(f"{url} is no address of a service: it begins with http:// or https://")
        self._url = url.rstrip("/")
        self._timeout = httpx2.Timeout(options.get("timeout_s", TIMEOUT_S))
        self._session = Session(
            _credentials(options),
            retry_s=options.get("retry_s", RETRY_S),
            order_retry_s=options.get("order_retry_s", ORDER_RETRY_S),
            now_s=time.monotonic,
            user_agent=f"foreknow-client/{version('foreknow-client')}",
        )

    def use(self, **who: Unpack[Who]) -> None:
        """Call as another user or partner from now on, or as a visitor.

        After a sign-up: `client.use(key=signed_up.access_token)`.
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
            _stream_failures(call),
            self._http.stream(**self._arguments(send), timeout=_endless(self._timeout)) as response,
        ):
            if response.status_code >= 400:
                response.read()
                raise from_answer(_reply(response))
            for event in httpx2.EventSource(response):
                yield StreamEvent(event.id, json.loads(event.data))

    def follow_trades(self) -> Generator[sockets.FeedEvent, None, None]:
        """Yield every trade of the service until you `close` it; see `foreknow_client.sockets`."""
        return sockets.received(sockets.follow_trades(), self._socket_url)

    def watch_events(
        self, event_ids: Collection[int], *, tape: bool = False
    ) -> Generator[sockets.LiveMessage, None, None]:
        """Yield new prices, states and trades of up to 50 events; with `tape`, the trades of all others, too."""
        return sockets.received(sockets.watch_events(event_ids, tape=tape), self._socket_url)

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
            return _reply(self._http.request(**self._arguments(step)))
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
        with _stream_failures(call):
            async with self._http.stream(**self._arguments(send), timeout=_endless(self._timeout)) as response:
                if response.status_code >= 400:
                    await response.aread()
                    raise from_answer(_reply(response))
                async for event in httpx2.EventSource(response):
                    yield StreamEvent(event.id, json.loads(event.data))

    def follow_trades(self) -> AsyncGenerator[sockets.FeedEvent, None]:
        """Yield every trade of the service until you `aclose` it; see `foreknow_client.sockets`."""
        return sockets.received_async(sockets.follow_trades(), self._socket_url)

    def watch_events(
        self, event_ids: Collection[int], *, tape: bool = False
    ) -> AsyncGenerator[sockets.LiveMessage, None]:
        """Yield new prices, states and trades of up to 50 events; with `tape`, the trades of all others, too."""
        return sockets.received_async(sockets.watch_events(event_ids, tape=tape), self._socket_url)

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
            return _reply(await self._http.request(**self._arguments(step)))
        except httpx2.RequestError as error:
            return _lost(error)


def _credentials(who: Who) -> Credentials:
    key, partner_key, login = who.get("key", ""), who.get("partner_key", ""), who.get("login", "")
    if sum(map(bool, (key, partner_key, login))) > 1:
        raise ValueError("give one of key, partner_key and login")
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
def _stream_failures(call: StreamCall) -> Iterator[None]:
    """Say of a stream that broke off what the client says of any connection."""
    try:
        yield
    except httpx2.RequestError as error:
        raise ConnectionFailed(f"{call.name}: {_lost(error).reason}") from error


def _reply(response: httpx2.Response) -> Reply:
    cookies: Mapping[str, Any] = SimpleCookie("\n".join(response.headers.get_list("set-cookie")))
    return Reply(
        response.status_code,
        {name.lower(): value for name, value in response.headers.items()},
        response.content,
        {name: morsel.value for name, morsel in cookies.items()},
    )


def _lost(error: httpx2.RequestError) -> Lost:
    return Lost(
        f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, not isinstance(error, _UNSENT)
    )
