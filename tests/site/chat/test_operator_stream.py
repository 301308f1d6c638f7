"""What operators see of all chats: the last message, who waits since when, and the stream of changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import httpx
import pytest

from foreknow.site.chat import operator_hub, store
from foreknow.site.chat import service as rules
from tests.site.chat.conversation import Event, Events, answer, begin, close, say, sign_in, stream
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

PATH = "/admin/chat/stream"
Row = dict[str, Any]


def listed(service: Service, session_id: int) -> Row:
    """Return a session as operators' list shows it."""
    sessions = expect(service.admin.get("/admin/chat/sessions", params={"limit": 100}), 200)["sessions"]
    return next(one for one in sessions if one["session_id"] == session_id)


def call(visitor: httpx.Client) -> None:
    expect(visitor.post("/chat/session/call-operator"), 200)


def moment_ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@contextmanager
def following(service: Service, **options: Any) -> Iterator[Events]:
    """Follow all chats as an operator."""
    with stream(service.user(operator=True).client, path=PATH, **options) as events:
        yield events


def until(events: Events, wanted: Callable[[Row], bool]) -> Event:
    """Return the next event of a wanted session; others are of other tests, or in between."""
    while (event := events.next()) is not None:
        if wanted(event.data):
            return event
    raise AssertionError("the stream has ended")


@proves("client: | 16 | /admin/chat/sessions | + `last_message: {sender, text ≤ 140}`, `waiting_since`")
def test_a_session_is_listed_with_its_last_message_and_since_when_its_visitor_waits(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    row = listed(service, session_id)
    assert row["last_message"] is row["waiting_since"] is None

    say(visitor, "🙂" * 200)
    row = listed(service, session_id)
    assert row["last_message"] == {"sender": "user", "text": "🙂" * 140}
    assert row["waiting_since"] is None

    call(visitor)
    row = listed(service, session_id)
    called_at = row["waiting_since"]
    assert called_at == row["last_message_at"]
    assert row["last_message"]["sender"] == "system"
    say(visitor)
    assert listed(service, session_id)["waiting_since"] == called_at

    written = answer(service, session_id)
    row = listed(service, session_id)
    assert row["last_message"] == {"sender": "operator", "text": written["text"]}
    assert row["waiting_since"] is None

    first = say(visitor)
    say(visitor)
    assert moment_ms(listed(service, session_id)["waiting_since"]) == first["created_at"]
    answer(service, session_id)
    assert listed(service, session_id)["waiting_since"] is None
    say(visitor)
    close(service, session_id)
    assert listed(service, session_id)["waiting_since"] is None


@proves("client: GET /admin/chat/stream (SSE: sessions as in the list)")
def test_every_change_of_a_session_is_sent_as_the_list_shows_it(service: Service) -> None:
    visitor, person = service.client(), service.user(name="Ann")
    with following(service) as events:
        assert events.answer.headers["content-type"] == "text/event-stream"
        session_id = begin(visitor)

        def shown(wanted: Callable[[Row], bool]) -> Row:
            event = until(events, lambda row: row["session_id"] == session_id and wanted(row))
            assert event.data == listed(service, session_id)
            assert event.id is not None
            return event.data

        assert shown(lambda _row: True)["status"] == "open"
        said = say(visitor, "Hello?")
        assert shown(lambda row: row["last_message"] is not None)["last_message"]["text"] == said["text"]
        sign_in(visitor, person)
        assert shown(lambda row: row["user"] is not None)["user"]["name"] == "Ann"
        call(visitor)
        assert shown(lambda row: row["status"] == "waiting")["waiting_since"]
        answer(service, session_id)
        shown(lambda row: row["status"] == "answered")
        close(service, session_id)
        shown(lambda row: row["status"] == "closed")


@ONCE
def test_after_a_drop_last_event_id_brings_what_was_missed(service: Service) -> None:
    visitor = service.client()
    with following(service) as events:
        session_id = begin(visitor)
        seen = until(events, lambda row: row["session_id"] == session_id)
    call(visitor)
    with following(service, last_event_id=seen.id) as events:
        missed = until(events, lambda row: row["session_id"] == session_id and row["status"] == "waiting")
    assert missed.data == listed(service, session_id)


@ONCE
def test_what_was_before_the_stream_is_not_sent(fresh_service: Service) -> None:
    begin(fresh_service.client())
    # What was missed is too much: as without the header.
    for last_event_id in (None, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(operator_hub, "MISSED_MAX", 0)
            with following(fresh_service, last_event_id=last_event_id) as events:
                session_id = begin(fresh_service.client())
                event = until(events, lambda _row: True)
                assert event.data["session_id"] == session_id


@ONCE
def test_only_operators_may_follow_and_for_as_long_as_they_are(service: Service) -> None:
    refused(service.client().get(PATH), 401, "unauthorized")
    refused(service.user(creator=True, stats_viewer=True).client.get(PATH), 403, "forbidden")
    person = service.user(operator=True)
    refused(person.client.get(PATH, headers={"Last-Event-ID": "x"}), 400, "bad_request")
    with stream(person.client, path=PATH) as events:
        expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_operator": False}), 200)
        while events.next() is not None:
            pass
    other = service.user(operator=True)
    with stream(other.client, path=PATH) as events:
        expect(other.client.delete("/auth/logout"), 200)
        while events.next() is not None:
            pass


def test_more_changes_than_are_sent_at_once_all_come(fresh_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_hub, "SENT_AT_ONCE", 2)
    with following(fresh_service) as events:
        fresh_service.together([("POST", "/chat/session", {})] * 9)
        found: set[int] = set()
        while len(found) < 9:
            found.add(until(events, lambda _row: True).data["session_id"])


def test_changes_by_another_server_are_sent(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    visitor = there.client()
    with following(here) as events:
        session_id = begin(visitor)
        call(visitor)
        event = until(events, lambda row: row["session_id"] == session_id and row["status"] == "waiting")
        assert event.data == listed(there, session_id)


@ONCE
def test_a_stream_that_takes_nothing_of_very_much_ends(fresh_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_hub, "WAITING_MAX", 3)
    hub = fresh_service.app.services.chat.operators
    with following(fresh_service):
        (subscription,) = hub._subscriptions
        fresh_service.together([("POST", "/chat/session", {})] * 5)
        rows = fresh_service.look(lambda tx: store.changed_sessions(tx, since_ms=0, limit=10))
        items = fresh_service.look(lambda tx: rules.list_items(tx, rows))
        subscription.offer(items)
        assert subscription.is_over
