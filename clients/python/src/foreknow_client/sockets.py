"""The feed of trades and live updates: they reconnect by themselves, and the feed says where it missed something.

`follow_trades` and `watch_events` know no connection: they yield `Open`, `Receive`, `Pause` and what is new, wrapped in
`Emit`; `received` and `received_async` carry that out.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection as AsyncConnection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection, reconnect

from foreknow_client.exchange import PASSING, from_answer
from foreknow_client.failures import AnswerNotUnderstood, ConnectionFailed, redirected
from foreknow_client.messages import (
    FeedTrade,
    LiveEvent,
    LiveMessage,
    LivePool,
    LiveTrade,
    NumberedFeedMessage,
    NumberedInitialTrades,
    WatchBody,
    WatchRequest,
)
from foreknow_client.messages import LiveNow as Now
from foreknow_client.messages import LivePrices as Prices
from foreknow_client.messages import LiveState as State
from foreknow_client.steps import LOG, PREFIX, Pause, Reply

#: What users of the client name; the messages are generated.
__all__ = [
    "FeedEvent",
    "FeedTrade",
    "LiveEvent",
    "LiveMessage",
    "LivePool",
    "LiveTrade",
    "Missed",
    "Now",
    "Prices",
    "Started",
    "State",
    "Traded",
    "follow_trades",
    "watch_events",
]

E = TypeVar("E")


def _without_credentials(record: logging.LogRecord) -> bool:
    """Leave who calls out of the log of a handshake."""
    if isinstance(record.args, tuple) and record.args and str(record.args[0]).lower() == "authorization":
        record.args = (record.args[0], "…")
    return True


#: At DEBUG, the library of sockets logs all headers of handshakes.
logging.getLogger("websockets.client").addFilter(_without_credentials)

#: Who calls, as headers of a handshake: given those that were refused, others if there are any.
Headers: TypeAlias = Mapping[str, str]

#: Pauses between attempts to connect grow from the first to the second.
PAUSE_MIN_S, PAUSE_MAX_S = 0.5, 30.0
#: Status of a handshake whose caller the service does not know.
_UNKNOWN = 401
#: Longest message that is read, bytes.
_MESSAGE_MAX = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Started:
    """The feed begins: the last trades before it, oldest first, and the number of the last of them (0 for none)."""

    seq: int
    recent: tuple[FeedTrade, ...]


@dataclass(frozen=True, slots=True)
class Traded:
    """A trade: each comes once, in one order, with a growing number."""

    seq: int
    trade: FeedTrade


@dataclass(frozen=True, slots=True)
class Missed:
    """Trades after number `after_seq` up to `through_seq` did not come, because the connection dropped.

    `recent` holds the last of them, up to 50, oldest first; the first ones of it may have come before.
    """

    after_seq: int
    through_seq: int
    recent: tuple[FeedTrade, ...]


FeedEvent: TypeAlias = Started | Traded | Missed


@dataclass(frozen=True, slots=True)
class Open:
    """Connect to a path below the service's address and send a text, if one is given."""

    path: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Receive:
    """Wait for the next message; None says that the connection is lost."""


@dataclass(frozen=True, slots=True)
class Emit(Generic[E]):
    """Hand this to the caller."""

    event: E


#: The answer to `Open` says whether there is a connection, that to `Receive` what came.
Conversation: TypeAlias = Generator[Open | Receive | Pause | Emit[E], str | bytes | bool | None, None]


def follow_trades(chance: Callable[[], float] = random.random) -> Conversation[FeedEvent]:
    """Follow the feed of all trades without an end."""
    return _converse(Open(f"{PREFIX}/ws/trades?seq=1"), _Feed().received, chance)


def watch_events(
    event_ids: Collection[int], *, tape: bool, chance: Callable[[], float] = random.random
) -> Conversation[LiveMessage]:
    """Follow live updates of some events without an end."""
    watch = msgspec.json.encode(WatchRequest(watch=WatchBody(events=list(event_ids), tape=tape))).decode()
    return _converse(Open(f"{PREFIX}/ws/live", watch), _live_messages, chance)


class _Feed:
    """What was seen of the feed so far."""

    def __init__(self) -> None:
        self._seq: int | None = None

    def received(self, text: str | bytes) -> Iterator[FeedEvent]:
        """Yield what a message says that was not known before."""
        message = msgspec.json.decode(text, type=NumberedFeedMessage)
        last, self._seq = self._seq, message.seq
        if isinstance(message, NumberedInitialTrades):
            if last is None:
                yield Started(message.seq, tuple(message.trades))
            elif message.seq != last:
                yield Missed(last, message.seq, tuple(message.trades))
            return
        if last is not None and message.prev != last:
            yield Missed(last, message.prev, ())
        yield Traded(message.seq, message.trade)


def _live_messages(text: str | bytes) -> Iterator[LiveMessage]:
    yield msgspec.json.decode(text, type=LiveMessage)


def _converse(
    opening: Open, received: Callable[[str | bytes], Iterator[E]], chance: Callable[[], float]
) -> Conversation[E]:
    """Connect, read and connect again, after ever longer pauses while nothing comes."""
    failures = 0
    while True:
        is_open = yield opening
        while is_open:
            message = yield Receive()
            if not isinstance(message, str | bytes):
                break
            failures = 0
            try:
                events = list(received(message))
            except msgspec.MsgspecError as error:
                raise AnswerNotUnderstood(f"{opening.path}: {error}") from error
            for event in events:
                yield Emit(event)
        longest_s = min(PAUSE_MAX_S, PAUSE_MIN_S * 2.0 ** min(failures, 16))
        failures += 1
        yield Pause(longest_s * (0.5 + 0.5 * chance()))


def received(
    conversation: Conversation[E], url_of: Callable[[str], str], headers_for: Callable[[Headers], Headers]
) -> Generator[E, None, None]:
    """Carry a conversation out, and yield what it emits."""
    connection: ClientConnection | None = None
    answer: str | bytes | bool | None = None
    url = why = ""
    with contextlib.ExitStack() as opened:
        while True:
            step, answer = conversation.send(answer), None
            if isinstance(step, Emit):
                yield step.event
            elif isinstance(step, Pause):
                LOG.warning("%s: %s; the next attempt follows in %.1f s", url, why, step.seconds)
                time.sleep(step.seconds)
            elif isinstance(step, Open):
                url = url_of(step.path)
                opened.close()
                try:
                    connection = opened.enter_context(_connected(url, headers_for))
                    if step.text:
                        connection.send(step.text)
                    answer, why = True, "the connection was lost"
                except _FAILURES as failure:
                    _raise_if_refused(failure, url)
                    why = f"{type(failure).__name__}: {failure}"
            elif connection is not None:
                with contextlib.suppress(ConnectionClosed):
                    answer = connection.recv()


async def received_async(
    conversation: Conversation[E], url_of: Callable[[str], str], headers_for: Callable[[Headers], Awaitable[Headers]]
) -> AsyncGenerator[E, None]:
    """Carry a conversation out, and yield what it emits."""
    connection: AsyncConnection | None = None
    answer: str | bytes | bool | None = None
    url = why = ""
    async with contextlib.AsyncExitStack() as opened:
        while True:
            step, answer = conversation.send(answer), None
            if isinstance(step, Emit):
                yield step.event
            elif isinstance(step, Pause):
                LOG.warning("%s: %s; the next attempt follows in %.1f s", url, why, step.seconds)
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Open):
                url = url_of(step.path)
                await opened.aclose()
                try:
                    connection = await opened.enter_async_context(await _connected_async(url, headers_for))
                    if step.text:
                        await connection.send(step.text)
                    answer, why = True, "the connection was lost"
                except _FAILURES as failure:
                    _raise_if_refused(failure, url)
                    why = f"{type(failure).__name__}: {failure}"
            elif connection is not None:
                with contextlib.suppress(ConnectionClosed):
                    answer = await connection.recv()


#: How a connection may fail to come about.
_FAILURES = (OSError, TimeoutError, InvalidHandshake, ConnectionClosed, ConnectionFailed)
_OPTIONS: dict[str, Any] = {"max_size": _MESSAGE_MAX, "close_timeout": 2}


class _Connect(reconnect):
    """A handshake whose headers go to no other address: an answer that redirects is a failure."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow none."""
        return exc


class _ConnectAsync(connect_async):
    """The same for tasks."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow none."""
        return exc


def _connected(url: str, headers_for: Callable[[Headers], Headers]) -> ClientConnection:
    """Connect, once more as a renewed caller where the service no longer knows this one."""
    headers = headers_for({})
    connection: ClientConnection
    try:
        connection = _Connect(url, additional_headers=headers, **_OPTIONS).connect()
    except InvalidStatus as refused:
        renewed = headers_for(headers) if refused.response.status_code == _UNKNOWN else headers
        if renewed == headers:
            raise
        connection = _Connect(url, additional_headers=renewed, **_OPTIONS).connect()
    return connection


async def _connected_async(url: str, headers_for: Callable[[Headers], Awaitable[Headers]]) -> AsyncConnection:
    """Connect, once more as a renewed caller where the service no longer knows this one."""
    headers = await headers_for({})
    try:
        return await _ConnectAsync(url, additional_headers=headers, **_OPTIONS)
    except InvalidStatus as refused:
        renewed = await headers_for(headers) if refused.response.status_code == _UNKNOWN else headers
        if renewed == headers:
            raise
        return await _ConnectAsync(url, additional_headers=renewed, **_OPTIONS)


def _raise_if_refused(failure: Exception, url: str) -> None:
    """Raise the error of a handshake that would be refused or redirected again."""
    if isinstance(failure, InvalidStatus):
        response = failure.response
        if 300 <= response.status_code < 400:
            raise redirected(url, response.headers.get("Location")) from failure
        if 400 <= response.status_code < 500 and response.status_code not in PASSING:
            headers = {name.lower(): value for name, value in response.headers.raw_items()}
            raise from_answer(Reply(response.status_code, headers, bytes(response.body or b""))) from failure
