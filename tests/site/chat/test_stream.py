"""GET /chat/stream: what comes, in which order, when it ends, and what a reader who does not read costs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Collection

import httpx
import pytest

from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.service import server
from foreknow.site.chat import store
from foreknow.site.chat import stream as stream_module
from foreknow.site.chat.hub import POLL_S
from foreknow.site.chat.store import Version
from foreknow.web import event_streams
from tests.site.chat.conversation import (
    READ_TIMEOUT_S,
    Events,
    answer,
    begin,
    close,
    cookie_of,
    has_no_session,
    heard,
    say,
    sign_in,
    stream,
    with_cookie,
)
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused


def watches(service: Service) -> int:
    """Count the streams that a process keeps."""
    return len(service.app.services.chat._subscriptions)


def wait_until(condition: Callable[[], bool], *, timeout_s: float = READ_TIMEOUT_S) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_stream_starts_with_the_status_and_nothing_past(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    say(visitor)
    with stream(visitor) as events:
        assert events.answer.headers["content-type"] == "text/event-stream"
        assert events.answer.headers["cache-control"] == "no-store"
        events.expect_status("open")
        events.expect_message(answer(service, session_id))
        events.expect_status("answered")


@proves("decisions: escaped where shown")
def test_every_message_comes_with_its_id_and_every_change_of_the_status(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    with stream(visitor) as events:
        events.expect_status("open")
        for text in ("One", "Line\nbreaks\r\nand\u2028 \u2029 \x85 more", 'data: "x"\n\nid: 7', "\U0001f642"):
            events.expect_message(say(visitor, text))
        expect(visitor.post("/chat/session/call-operator"), 200)
        events.expect_message(heard(visitor)[-1])
        events.expect_status("waiting")
        events.expect_message(answer(service, session_id))
        events.expect_status("answered")
        events.expect_message(answer(service, session_id))
        events.expect_message(say(visitor))


def test_a_stream_ends_after_closed(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    with stream(visitor) as events:
        events.expect_status("open")
        last = answer(service, session_id)
        close(service, session_id)
        events.expect_message(last)
        event = events.next()
        if event is not None and event.data == {"status": "answered"}:
            event = events.next()
        assert event is not None
        assert event.data == {"status": "closed"}
        assert events.next() is None
    assert has_no_session(visitor)


def test_after_a_drop_last_event_id_brings_what_was_missed(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    with stream(visitor) as events:
        events.expect_status("open")
        seen = say(visitor)
        events.expect_message(seen)
    # More than a stream reads at a time.
    missed = [say(visitor) for _ in range(2 * stream_module.BATCH)] + [answer(service, session_id)]
    with stream(visitor, last_event_id=seen["id"]) as events:
        events.expect_status("answered")
        for message in missed:
            events.expect_message(message)
        events.expect_message(say(visitor))
    with stream(visitor, last_event_id=missed[-1]["id"]) as events:
        events.expect_status("answered")
        events.expect_message(heard(visitor)[-1])
    with stream(visitor, last_event_id=0) as events:
        events.expect_status("answered")
        events.expect_message(seen)


@ONCE
def test_a_last_event_id_from_elsewhere_hides_nothing(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    say(visitor)
    with stream(visitor, last_event_id=2**63 - 1) as events:
        events.expect_status("open")
        events.expect_message(say(visitor))


@ONCE
@pytest.mark.parametrize("text", ["x", "-1", "1.5", "01", str(2**63), "1 2"])
def test_a_last_event_id_that_is_none_is_refused(service: Service, text: str) -> None:
    refused(service.client().get("/chat/stream", headers={"Last-Event-ID": text}), 400, "bad_request")


@ONCE
def test_without_an_active_session_a_stream_is_404(service: Service) -> None:
    refused(service.client().get("/chat/stream"), 404, "not_found")
    refused(service.user().client.get("/chat/stream"), 404, "not_found")


@ONCE
def test_head_answers_without_a_stream(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    made = visitor.head("/chat/stream")
    assert (made.status_code, made.content) == (200, b"")
    assert made.headers["content-type"] == "text/event-stream"


@ONCE
def test_two_tabs_both_hear_everything_and_others_nothing(service: Service) -> None:
    visitor, stranger = service.client(), service.client()
    begin(visitor)
    begin(stranger)
    with stream(visitor) as one, stream(visitor) as other, stream(stranger) as elsewhere:
        for events in (one, other, elsewhere):
            events.expect_status("open")
        for _ in range(3):
            message = say(visitor)
            one.expect_message(message)
            other.expect_message(message)
        elsewhere.expect_message(say(stranger))


@pytest.mark.real_time("between two looks of the server")
def test_an_answer_given_at_another_server_comes_at_once(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    visitor = here.client()
    session_id = begin(visitor)
    with stream(visitor) as events:
        events.expect_status("open")
        for number in range(3):
            # Not in step with the half seconds in which the server looks by itself.
            time.sleep(0.13 * number)
            # Within the reader's timeout, which is less than a heart beat.
            events.expect_message(answer(there, session_id))
            if number == 0:
                events.expect_status("answered")
        close(there, session_id)
        events.expect_status("closed")
        assert events.next() is None


def test_a_session_goes_on_at_another_server(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    visitor = here.client()
    begin(visitor)
    seen, missed = say(visitor), say(visitor)
    with stream(with_cookie(there, cookie_of(visitor)), last_event_id=seen["id"]) as events:
        events.expect_status("open")
        events.expect_message(missed)
        events.expect_message(say(visitor))


@ONCE
def test_a_stream_that_hears_nothing_has_a_heart_beat(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "HEART_BEAT_S", 0.1)
    visitor = service.client()
    begin(visitor)
    with stream(visitor) as events:
        events.expect_status("open")
        events.wait_for_comment()
        events.wait_for_comment()
        events.expect_message(say(visitor))


def test_signing_in_ends_the_anonymous_stream(service: Service) -> None:
    """A browser with the old cookie, as one who planted it, hears nothing from then on."""
    visitor, person = service.client(), service.user()
    begin(visitor)
    with stream(with_cookie(service, cookie_of(visitor))) as events:
        events.expect_status("open")
        sign_in(visitor, person)
        assert events.next() is None
        say(visitor)


def test_signing_out_ends_the_users_stream(service: Service) -> None:
    person = service.user()
    elsewhere = service.client(token=service.sign_in(person.email, person.password))
    begin(person.client)
    with stream(person.client) as events, stream(elsewhere) as others:
        events.expect_status("open")
        others.expect_status("open")
        expect(person.client.delete("/auth/logout"), 200)
        assert events.next() is None
        others.expect_message(say(elsewhere))


def test_a_stream_ends_with_its_sign_in(fresh_service: Service) -> None:
    person = fresh_service.user()
    begin(person.client)
    with stream(person.client) as events:
        events.expect_status("open")
        fresh_service.clock.advance(73 * 3_600_000)
        assert events.next() is None


@ONCE
def test_a_stopping_server_ends_its_streams_and_does_not_wait_for_them(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would wait for requests under way for as long as they take.
    monkeypatch.setattr(server, "DRAIN_S", 3_600)
    monkeypatch.setattr(server, "STOP_S", 3_600)
    service = start_service()
    visitor = service.client()
    begin(visitor)
    ends: list[object] = []

    def follow(opened: threading.Event) -> None:
        with stream(visitor) as events:
            events.expect_status("open")
            opened.set()
            ends.append(events.next())

    opened = threading.Event()
    thread = threading.Thread(target=follow, args=(opened,))
    thread.start()
    assert opened.wait(READ_TIMEOUT_S)
    service.server.stop()
    thread.join(READ_TIMEOUT_S)
    # A clean end, so that the browser comes back.
    assert ends == [None]


@ONCE
def test_a_reader_who_leaves_is_forgotten(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    before = watches(service)
    with stream(visitor) as events:
        events.expect_status("open")
        assert watches(service) == before + 1
    wait_until(lambda: watches(service) == before)


@ONCE
def test_a_reader_who_does_not_read_is_cut_and_delays_no_other(
    fresh_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "STALL_S", 0.5)
    visitor = fresh_service.client()
    session_id = begin(visitor)
    text = "\U0001f642" * 5_000  # 20 KB

    def fill(tx: WriteTx) -> None:
        for _ in range(800):
            store.insert_message(tx, session_id=session_id, sender="operator", author_id=None, text=text, at_ms=0)

    fresh_service.server.run(fresh_service.app.db.write(fill))
    request = (
        "GET /api/v1/chat/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 0\r\n"
        f"Cookie: chat_session={cookie_of(visitor)}\r\n\r\n"
    )
    with socket.socket() as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        stalled.connect(("127.0.0.1", fresh_service.server.port))
        stalled.sendall(request.encode())
        # It has begun; on a busy machine it is over by the time we look.
        assert stalled.recv(1, socket.MSG_PEEK)
        with stream(visitor) as events:
            events.expect_status("open")
            events.expect_message(say(visitor))
            wait_until(lambda: watches(fresh_service) == 1)
            events.expect_message(say(visitor))


def test_many_streams_are_served_by_one_poll(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    real = store.versions

    def counted(tx: ReadTx, session_ids: Collection[int]) -> dict[int, Version]:
        looks.append(len(session_ids))
        return real(tx, session_ids)

    visitors = [service.client() for _ in range(8)]
    for visitor in visitors:
        begin(visitor)
    opened: list[tuple[httpx.Response, Events]] = []
    try:
        for visitor in visitors:
            request = visitor.build_request("GET", "/chat/stream", timeout=READ_TIMEOUT_S)
            answered = visitor.send(request, stream=True)
            opened.append((answered, Events(answered)))
        for _, events in opened:
            events.expect_status("open")
        # Streams of tests before this one may still be ending.
        wait_until(lambda: watches(service) == len(visitors))
        monkeypatch.setattr(store, "versions", counted)
        began_s = time.monotonic()
        wait_until(lambda: len(looks) >= 3)
        # Twice a second, and each look is for all.
        assert len(looks) <= 2 + (time.monotonic() - began_s) / POLL_S
        assert set(looks) == {8}
    finally:
        for answered, _ in opened:
            answered.close()
