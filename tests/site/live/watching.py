"""A client of live updates, over a real socket."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from foreknow.site.live.messages import LiveMessage
from tests.site.feed.listening import Listener
from tests.support.service import Person, Service, expect

Message = dict[str, Any]


class Viewer(Listener):
    """An open connection to /ws/live."""

    said = LiveMessage

    def __init__(self, connection: ClientConnection) -> None:
        """Speak over `connection`."""
        super().__init__(connection)
        #: All messages but answers to watches, in order.
        self.heard: list[Message] = []
        self._left: list[Message] = []

    def ask(self, *event_ids: int, **asked: bool | int) -> None:
        """Watch events."""
        self.connection.send(json.dumps({"watch": {"events": event_ids} | asked}))

    def watch(self, *event_ids: int, **asked: bool | int) -> list[Message]:
        """Watch events; return how they are now."""
        self.ask(*event_ids, **asked)
        return self.now()

    def now(self) -> list[Message]:
        """Return the events of the next answer to a watch."""
        while (message := self.message())["type"] != "now":
            self._left.append(message)
            self.heard.append(message)
        assert message.keys() == {"type", "events"}
        events: list[Message] = message["events"]
        return events

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Return the first wanted message that was not returned before: messages of two kinds come in either order."""
        for place, message in enumerate(self._left):
            if wanted(message):
                return self._left.pop(place)
        while not wanted(message := self.message()):
            self._left.append(message)
            self.heard.append(message)
        self.heard.append(message)
        return message

    def state(self, wanted: Callable[[Message], bool] = lambda _event: True) -> Message:
        """Return the event of the next wanted `state`."""
        message = self.until(lambda one: one["type"] == "state" and wanted(one["event"]))
        assert message.keys() == {"type", "event"}
        event: Message = message["event"]
        return event

    def prices(self, wanted: Callable[[Message], bool] = lambda _pool: True) -> Message:
        """Return the pool of the next wanted `prices`."""
        message = self.until(lambda one: one["type"] == "prices" and wanted(one["pool"]))
        assert message.keys() == {"type", "pool"}
        pool: Message = message["pool"]
        return pool

    def traders(self, wanted: int) -> Message:
        """Return the next message with that number of traders of its only event."""
        return self.until(
            lambda one: one["type"] == "traders" and [event["traders"] for event in one["events"]] == [wanted]
        )

    def own(self, balance_kopecks: int) -> int:
        """Return the profit that the next message with that balance shows."""
        message = self.until(lambda one: one["type"] == "own" and one["balance_kopecks"] == balance_kopecks)
        return int(message["realized_kopecks"])

    def trade(self) -> Message:
        """Return the next trade."""
        message = self.until(lambda one: one["type"] == "trade")
        assert message.keys() == {"type", "trade"}
        trade: Message = message["trade"]
        return trade


@contextmanager
def viewing(service: Service, query: str = "", **headers: str) -> Iterator[Viewer]:
    """Connect to a service's live updates."""
    url = f"{service.api_url.replace('http', 'ws', 1)}/ws/live{query}"
    with connect(url, proxy=None, max_size=None, compression=None, additional_headers=headers) as connection:
        yield Viewer(connection)


def market_of(event: Message, pool: int = 0) -> int:
    """Return the id of the first market of an event's pool."""
    return int(event["pools"][pool]["markets"][0]["id"])


def bet(person: Person, market_id: int, amount_kopecks: int) -> Message:
    """Place a bet that is accepted."""
    body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": amount_kopecks}
    answer: Message = expect(person.client.post("/market/bets", json=body), 201)
    return answer
