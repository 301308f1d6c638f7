"""How messages are written to sockets: together, shared, and with pauses for others."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import ExitStack

import pytest

from foreknow.site.feed import peer
from foreknow.site.feed.backlog import WAITING_MAX, WRITE_BYTES_MAX, Backlog
from foreknow.site.feed.frames import text_frame
from foreknow.site.feed.messages import Frame
from foreknow.site.feed.peer import UNWRITTEN_MAX
from tests.site.feed.flood import Flood, stalled
from tests.site.feed.listening import listening
from tests.support.kinds import ONCE
from tests.support.service import Service
from tests.support.waiting import wait_until


@ONCE
def test_trades_that_wait_together_are_one_write_to_each_socket(unpaid_service: Service) -> None:
    flood, hub = Flood(unpaid_service, long_names=False), unpaid_service.app.services.feed
    with ExitStack() as stack:
        subscribers = [stack.enter_context(listening(unpaid_service, query)) for query in ("", "?seq=1", "", "?seq=1")]
        for subscriber in subscribers:
            subscriber.message()
        before = hub.metrics.writes
        # One commit: a client that reads its first trade can read its last.
        flood.pour(range(1, 41))
        for subscriber in subscribers:
            assert subscriber.amounts(40) == list(range(1, 41))

    assert hub.metrics.writes - before == len(subscribers)
    assert hub.metrics.trades == 40


def test_a_stalled_reader_holds_little_however_much_there_is_for_it(unpaid_sqlite_service: Service) -> None:
    flood, hub = Flood(unpaid_sqlite_service), unpaid_sqlite_service.app.services.feed
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(stalled(unpaid_sqlite_service))
        subscriber = stack.enter_context(listening(unpaid_sqlite_service))
        subscriber.message()
        wait_until(lambda: hub.sockets == 6)
        for start in range(1, 10_000, 200):
            amounts = range(start, start + 200)
            flood.pour(amounts)
            assert subscriber.amounts(200) == list(amounts)
            if unwritten := [held for one in list(hub._subscribers) if (held := one.unwritten_bytes)]:
                break
        else:
            pytest.fail("the kernel's buffers never filled up")

    # What does not go into the kernel's buffers is a little more than the limit: the write in which it was passed.
    longest = len("N" * 200 + "E" * 200 + "a" * 2048) + 200
    assert max(unwritten) <= UNWRITTEN_MAX + WRITE_BYTES_MAX + longest


def test_requests_have_their_turn_while_many_sockets_are_written_to(
    unpaid_sqlite_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each socket takes all the time of a turn, the event loop turns after each."""
    monkeypatch.setattr(peer, "TURN_S", 0.0)
    monkeypatch.setattr(peer, "CLOCK_EVERY", 1)
    flood, hub = Flood(unpaid_sqlite_service, long_names=False), unpaid_sqlite_service.app.services.feed
    seen: set[int] = set()

    async def watch() -> None:
        while hub.metrics.writes < 6:
            seen.add(hub.metrics.writes)
            await asyncio.sleep(0)

    with ExitStack() as stack:
        subscribers = [stack.enter_context(listening(unpaid_sqlite_service)) for _ in range(6)]
        for subscriber in subscribers:
            subscriber.message()
        watching = asyncio.run_coroutine_threadsafe(watch(), unpaid_sqlite_service.server.loop)
        flood.pour(range(1, 11))
        watching.result(10)
        for subscriber in subscribers:
            assert subscriber.amounts(10) == list(range(1, 11))
    # Each of them between two sockets.
    assert seen == set(range(6))


def test_a_socket_that_is_gone_leaves_nothing_to_the_garbage_collector(unpaid_sqlite_service: Service) -> None:
    """Else thousands that come and go would fill the memory until all work stops for a collection."""
    hub = unpaid_sqlite_service.app.services.feed
    gc.disable()
    try:
        with ExitStack() as stack:
            for query in ("", "?seq=1"):
                stack.enter_context(listening(unpaid_sqlite_service, query)).message()
            sockets = [weakref.ref(one._socket) for one in hub._subscribers]
            assert len(sockets) == 2
        wait_until(lambda: not any(socket() for socket in sockets))
    finally:
        gc.enable()


class TestBacklog:
    """What a reader that lags goes on with."""

    @staticmethod
    def frames(count: int, size: int = 10) -> list[Frame]:
        return [Frame(b"%0*d" % (size, number), b"#%0*d" % (size, number)) for number in range(count)]

    def test_a_batch_is_one_piece_in_each_form(self) -> None:
        backlog = Backlog()
        frames = self.frames(3)
        backlog.extend(frames)
        backlog.extend(frames[:2])
        assert (backlog.batch_start, backlog.end) == (3, 5)
        assert backlog.batch == (
            b"".join(one.plain for one in frames[:2]),
            b"".join(one.numbered for one in frames[:2]),
        )

    @pytest.mark.parametrize("numbered", [False, True])
    def test_pieces_are_the_shared_bytes_and_no_more_than_make_a_write(self, numbered: bool) -> None:
        backlog = Backlog()
        frames = self.frames(100, size=WRITE_BYTES_MAX // 10)
        backlog.extend(frames)
        position, got = 0, []
        while position < backlog.end:
            pieces = backlog.pieces(position, numbered=numbered)
            assert pieces
            assert sum(map(len, pieces)) <= WRITE_BYTES_MAX
            got += pieces
            position += len(pieces)
        assert [id(one) for one in got] == [id(one.form(numbered=numbered)) for one in frames]

    def test_a_message_longer_than_a_write_is_a_piece_of_its_own(self) -> None:
        backlog = Backlog()
        frames = self.frames(2, size=2 * WRITE_BYTES_MAX)
        backlog.extend(frames)
        assert backlog.pieces(0, numbered=False) == [frames[0].plain]
        assert backlog.pieces(1, numbered=False) == [frames[1].plain]

    def test_it_keeps_what_a_reader_that_may_stay_waits_for_and_little_more(self) -> None:
        backlog = Backlog()
        frames = self.frames(64)
        for _ in range(100):
            backlog.extend(frames)
            oldest = max(0, backlog.end - WAITING_MAX - len(frames))
            assert backlog.pieces(oldest, numbered=False)[0] == frames[oldest % 64].plain
        assert len(backlog._frames) <= 3 * WAITING_MAX
        with pytest.raises(AssertionError, match="no longer in the backlog"):
            backlog.pieces(0, numbered=False)


@pytest.mark.parametrize(
    ("length", "head"),
    [
        (0, "8100"),
        (125, "817d"),
        (126, "817e007e"),
        (65_535, "817effff"),
        (65_536, "817f0000000000010000"),
    ],
)
def test_a_text_frame_has_the_head_of_the_standard(length: int, head: str) -> None:
    """RFC 6455, section 5.2: FIN and opcode 1; no mask; the length in 7, 16 or 64 bits."""
    payload = b"x" * length
    assert text_frame(payload) == bytes.fromhex(head) + payload
