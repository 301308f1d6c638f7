"""Readers that do not read."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed

from foreknow.service import server
from foreknow.site.feed import peer
from foreknow.site.feed.backlog import WAITING_MAX
from tests.site.feed.flood import Flood, stalled
from tests.site.feed.listening import Listener, listening
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.support.service import Service
from tests.support.waiting import wait_until

pytestmark = ON_SQLITE

#: Number of trades that make more bytes than all buffers between a server and a client hold.
FLOOD = 6_000


@pytest.fixture
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does not take the end of it is cut at once, not in five seconds."""
    assert peer.ABORT_AFTER_S == 5
    monkeypatch.setattr(peer, "ABORT_AFTER_S", 0.1)


@pytest.mark.usefixtures("soon_cut")
@proves(
    "decisions: A reader for whom 256 messages wait in the server's own queue is closed with 1013, or cut where that "
    "cannot be sent within 5 s"
)
def test_stalled_readers_are_cut_and_harm_no_other(unpaid_service: Service) -> None:
    flood, hub = Flood(unpaid_service), unpaid_service.app.services.feed
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(stalled(unpaid_service))
        subscriber = stack.enter_context(listening(unpaid_service))
        subscriber.message()
        wait_until(lambda: hub.sockets == 6)

        for start in range(1, FLOOD + 1, 1_000):
            amounts = range(start, start + 1_000)
            flood.pour(amounts)
            assert subscriber.amounts(1_000) == list(amounts)
        # They are cut a while after too much waits for them.
        wait_until(lambda: hub.sockets == 1)

        flood.pour(range(1, 2))
        assert subscriber.amounts(1) == [1]


def test_a_reader_that_reads_again_in_time_is_closed_with_1013(
    unpaid_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In time, however busy the machine.
    monkeypatch.setattr(peer, "ABORT_AFTER_S", 60)
    flood, hub = Flood(unpaid_service), unpaid_service.app.services.feed
    with listening(unpaid_service) as subscriber:
        subscriber.message()
        # The client's library reads ahead only a little: now it takes nothing for a while.
        flood.pour(range(1, FLOOD + 1))
        wait_until(lambda: any(one._is_ending for one in hub._subscribers))
        taken: list[int] = []
        with pytest.raises(ConnectionClosed) as closed:
            take_all(subscriber, taken)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1013
    # What it was sent before is whole.
    assert taken == list(range(1, len(taken) + 1))
    wait_until(lambda: hub.sockets == 0)


def take_all(subscriber: Listener, taken: list[int]) -> None:
    """Take messages until the connection ends."""
    while True:
        taken += subscriber.amounts(1)


def test_a_reader_that_pauses_for_less_loses_nothing(unpaid_service: Service) -> None:
    """Many times as many messages as may wait, to one who reads slowly, but reads."""
    flood = Flood(unpaid_service)
    with listening(unpaid_service) as subscriber:
        subscriber.message()
        for start in range(1, 10 * WAITING_MAX, 200):
            flood.pour(range(start, start + 200))
            time.sleep(0.05)
            assert subscriber.amounts(200) == list(range(start, start + 200))


@pytest.fixture
def endless_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server waits for its connections for as long as it takes."""
    monkeypatch.setattr(server, "DRAIN_S", 3_600)
    monkeypatch.setattr(server, "STOP_S", 3_600)


@pytest.mark.usefixtures("soon_cut", "endless_shutdown")
def test_a_shutdown_is_not_held_up_by_a_stalled_reader(unpaid_service: Service) -> None:
    service = unpaid_service
    flood, hub = Flood(service), service.app.services.feed
    with stalled(service), listening(service) as subscriber:
        wait_until(lambda: hub.sockets == 2)
        subscriber.message()
        for start in range(1, FLOOD, 100):
            flood.pour(range(start, start + 100))
            subscriber.amounts(100)
            time.sleep(0.01)
            if any(one.unwritten_bytes for one in hub._subscribers):
                break
        else:
            pytest.fail("the buffers never filled up")
        service.server.stop()
    assert hub.sockets == 0
