"""A client of the feed, over a real socket."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec
from websockets.sync.client import ClientConnection, connect

from foreknow.site.feed.messages import FeedMessage, NumberedFeedMessage
from foreknow.site.feed.sequencer import newest_unnumbered
from tests.support.service import Service
from tests.support.waiting import wait_until

RECEIVE_S = 60.0


class Listener:
    """An open connection to /ws/trades."""

    #: Types of the messages that may come.
    said: Any = FeedMessage

    def __init__(self, connection: ClientConnection) -> None:
        """Speak over `connection`."""
        self.connection = connection

    def message(self, *, timeout_s: float = RECEIVE_S) -> dict[str, Any]:
        """Return the next message; fails where none comes, or one that its type does not describe to the byte."""
        text = self.connection.recv(timeout=timeout_s)
        assert isinstance(text, str), "a text message, not a binary one"
        message: dict[str, Any] = json.loads(text)
        assert msgspec.json.encode(msgspec.json.decode(text, type=self.said)).decode() == text
        return message

    def messages(self, count: int) -> list[dict[str, Any]]:
        """Return the next `count` messages."""
        return [self.message() for _ in range(count)]

    def amounts(self, count: int) -> list[int]:
        """Return the amounts of the next `count` trades."""
        return [message["trade"]["amount"] for message in self.messages(count)]

    def silent_for(self, seconds: float) -> bool:
        """Tell whether nothing comes for `seconds`."""
        try:
            self.connection.recv(timeout=seconds)
        except TimeoutError:
            return True
        return False


class NumberedListener(Listener):
    """An open connection to /ws/trades?seq=1."""

    said = NumberedFeedMessage


def listening(
    service: Service, query: str = "", *, settled: bool = True
) -> contextlib.AbstractContextManager[Listener]:
    """Connect to a service's feed; where it is to be `settled`, once every trade before has its place in it.

    On a service that tests share, a trade of the test before may still be on its way to its number.
    """
    if settled and not service.app.db.is_sqlite:
        wait_until(lambda: not service.look(newest_unnumbered))
    return listening_at(service.api_url, query)


@contextlib.contextmanager
def listening_at(api_url: str, query: str = "") -> Iterator[Listener]:
    """Connect to the feed of the process that answers there."""
    url = f"{api_url.replace('http', 'ws', 1)}/ws/trades{query}"
    with connect(url, proxy=None, max_size=None, compression=None) as connection:
        yield NumberedListener(connection) if query == "?seq=1" else Listener(connection)
