"""From a function that makes a call to a method that sends it: with the same arguments, types and documentation."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from foreknow_client.calls import Call, PageCall, StreamCall, StreamEvent

A = ParamSpec("A")
T = TypeVar("T")
P = TypeVar("P")
I = TypeVar("I")  # noqa: E741 - an item


class SyncSender(Protocol):
    """What the methods that wait need."""

    def send(self, call: Call[T], /) -> T:
        """Send a call and return its answer."""
        ...

    def stream(self, call: StreamCall, /) -> Iterator[StreamEvent]:
        """Yield a stream's events."""
        ...


class AsyncSender(Protocol):
    """What the methods to be awaited need."""

    def send(self, call: Call[T], /) -> Awaitable[T]:
        """Send a call and return its answer."""
        ...

    def stream(self, call: StreamCall, /) -> AsyncIterator[StreamEvent]:
        """Yield a stream's events."""
        ...


def sync_method(make: Callable[A, Call[T]]) -> Callable[Concatenate[SyncSender, A], T]:
    """Return a method that sends the call and waits."""

    @functools.wraps(make)
    def method(self: SyncSender, /, *args: A.args, **kwargs: A.kwargs) -> T:
        return self.send(make(*args, **kwargs))

    return method


def async_method(make: Callable[A, Call[T]]) -> Callable[Concatenate[AsyncSender, A], Awaitable[T]]:
    """Return a method that sends the call, to be awaited."""

    @functools.wraps(make)
    async def method(self: AsyncSender, /, *args: A.args, **kwargs: A.kwargs) -> T:
        return await self.send(make(*args, **kwargs))

    return method


def sync_items(make: Callable[A, PageCall[P, I]]) -> Callable[Concatenate[SyncSender, A], Iterator[I]]:
    """Return a method that iterates over all items of a list; `limit` is the size of a page."""

    @functools.wraps(make)
    def method(self: SyncSender, /, *args: A.args, **kwargs: A.kwargs) -> Iterator[I]:
        call: PageCall[P, I] | None = make(*args, **kwargs)
        while call is not None:
            page = self.send(call)
            yield from call.items(page)
            call = call.following(page)

    return method


def async_items(make: Callable[A, PageCall[P, I]]) -> Callable[Concatenate[AsyncSender, A], AsyncIterator[I]]:
    """Return a method that iterates over all items of a list; `limit` is the size of a page."""

    @functools.wraps(make)
    async def method(self: AsyncSender, /, *args: A.args, **kwargs: A.kwargs) -> AsyncIterator[I]:
        call: PageCall[P, I] | None = make(*args, **kwargs)
        while call is not None:
            page = await self.send(call)
            for item in call.items(page):
                yield item
            call = call.following(page)

    return method


def sync_stream(make: Callable[A, StreamCall]) -> Callable[Concatenate[SyncSender, A], Iterator[StreamEvent]]:
    """Return a method that iterates over a stream's events."""

    @functools.wraps(make)
    def method(self: SyncSender, /, *args: A.args, **kwargs: A.kwargs) -> Iterator[StreamEvent]:
        return self.stream(make(*args, **kwargs))

    return method


def async_stream(make: Callable[A, StreamCall]) -> Callable[Concatenate[AsyncSender, A], AsyncIterator[StreamEvent]]:
    """Return a method that iterates over a stream's events."""

    @functools.wraps(make)
    def method(self: AsyncSender, /, *args: A.args, **kwargs: A.kwargs) -> AsyncIterator[StreamEvent]:
        return self.stream(make(*args, **kwargs))

    return method
