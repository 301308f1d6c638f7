"""POST /comments: what may be written, where, and by whom."""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.site.comments.conversation import comment, replies, seen, top_level
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused


@proves(
    "decisions: POST /comments `{event_id, parent_id?, content (1–5000)}` → 201 Comment",
    "decisions: Others see `id, name, nickname, profile_hidden, avatar_url`",
)
def test_a_comment_is_answered_and_listed_with_all_its_fields(service: Service) -> None:
    author, event = service.user(), service.event()
    before = time.time()
    made = comment(author, event, "Заря won’t lose.")
    created_at = datetime.strptime(made["created_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert before - 1 < created_at.timestamp() < time.time() + 1
    assert made == {
        "id": made["id"],
        "event_id": event["id"],
        "user_id": author.id,
        "parent_id": None,
        "content": "Заря won’t lose.",
        "likes_count": 0,
        "dislikes_count": 0,
        "replies_count": 0,
        "created_at": made["created_at"],
        "user": {
            "id": author.id,
            "name": expect(author.client.get("/users/me"), 200)["name"],
            "nickname": author.nickname,
            "profile_hidden": False,
            "avatar_url": "",
        },
        "user_reaction": None,
        "hidden": False,
        "mentions": [],
        "holds": None,
        "forecast": None,
    }
    assert top_level(service.client(), event) == [made]


def test_a_reply_stands_below_its_parent_alone_and_is_counted(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    first = comment(ann, event)
    reply = comment(bob, event, "No.", parent=first)
    assert reply["parent_id"] == first["id"]
    assert replies(service.client(), first) == [reply]
    assert top_level(service.client(), event) == [first | {"replies_count": 1}]


@proves(
    "decisions: replies oldest first, of replies too (`replies` and `replies_count`: direct children)",
)
def test_only_direct_replies_are_listed_and_counted(service: Service) -> None:
    ann, event, client = service.user(), service.event(), service.client()
    chain = [comment(ann, event, "0")]
    for depth in range(1, 40):
        chain.append(comment(ann, event, str(depth), parent=chain[-1]))
    for above, below in itertools.pairwise(chain):
        (found,) = replies(client, above)
        assert found["id"] == below["id"]
        assert found["replies_count"] == (0 if below is chain[-1] else 1)
    assert seen(service, event, chain[0])["replies_count"] == 1


@ONCE
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": "No event."},
        {"event_id": 1},
        {"event_id": 1, "content": ""},
        {"event_id": 1, "content": " \n\u2003\t"},
        {"event_id": 1, "content": "x" * 5_001},
        {"event_id": 1, "content": None},
        {"event_id": 1, "content": 7},
        {"event_id": "1", "content": "A string for an integer."},
        {"event_id": 1.0, "content": "A double for an integer."},
        {"event_id": None, "content": "Null for a needed field."},
        {"event_id": 0, "content": "No id."},
        {"event_id": -1, "content": "No id."},
        {"event_id": 1, "parent_id": 0, "content": "No id."},
        {"event_id": 1, "parent_id": "2", "content": "Likewise."},
        {"event_id": 1, "content": "More.", "user_id": 7},
    ],
)
def test_wrong_fields_are_refused(service: Service, body: dict[str, Any]) -> None:
    refused(service.creator.client.post("/comments", json=body), 400, "bad_request")


def test_the_bounds_of_a_text_count_code_points(service: Service) -> None:
    author, event = service.user(), service.event()
    assert len(comment(author, event, "🎲" * 5_000)["content"]) == 5_000
    assert comment(author, event, "x")["content"] == "x"
    # Decomposed, 10,000 code points; stored composed, 5,000.
    assert comment(author, event, "e\u0301" * 5_000)["content"] == "\u00e9" * 5_000
    body = {"event_id": event["id"], "content": "🎲" * 5_001}
    fields = refused(author.client.post("/comments", json=body), 400, "bad_request")["details"]["fields"]
    assert list(fields) == ["content"]


def test_a_text_is_stored_as_written(service: Service) -> None:
    text = "  <script>alert('1')</script>\r\n\t\"&amp;\" \\ %s {x} \u200d \n "
    author, event = service.user(), service.event()
    assert comment(author, event, text)["content"] == text
    assert top_level(service.client(), event)[0]["content"] == text


@ONCE
def test_null_for_the_parent_means_none(service: Service) -> None:
    author, event = service.user(), service.event()
    body = {"event_id": event["id"], "parent_id": None, "content": "Top."}
    assert expect(author.client.post("/comments", json=body), 201)["parent_id"] is None


def test_a_comment_needs_an_event(service: Service) -> None:
    author = service.user()
    body = {"event_id": 2**63 - 1, "content": "Where?"}
    refused(author.client.post("/comments", json=body), 404, "event_not_found")


@proves("decisions: a parent that is missing is 404, one of another event 400")
def test_a_reply_needs_a_parent_on_the_same_event(service: Service) -> None:
    author, event, other = service.user(), service.event(), service.event()
    elsewhere = comment(author, other)
    body = {"event_id": event["id"], "parent_id": 2**63 - 1, "content": "To whom?"}
    refused(author.client.post("/comments", json=body), 404, "comment_not_found")
    body = {"event_id": event["id"], "parent_id": elsewhere["id"], "content": "To whom?"}
    fields = refused(author.client.post("/comments", json=body), 400, "bad_request")["details"]["fields"]
    assert list(fields) == ["parent_id"]
    assert seen(service, other, elsewhere)["replies_count"] == 0
    assert top_level(service.client(), event) == []


@ONCE
def test_who_is_not_signed_in_cannot_write_rate_or_delete(service: Service) -> None:
    event = service.event()
    made = comment(service.user(), event)
    visitor = service.client()
    refused(visitor.post("/comments", json={"event_id": event["id"], "content": "Me."}), 401, "unauthorized")
    refused(visitor.put(f"/comments/{made['id']}/reaction", json={"type": "like"}), 401, "unauthorized")
    refused(visitor.delete(f"/comments/{made['id']}"), 401, "unauthorized")
    assert top_level(visitor, event) == [made]


def test_an_event_can_be_discussed_after_it_is_over(service: Service) -> None:
    author, event = service.user(), service.event()
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    made = comment(author, event)
    assert top_level(service.client(), event) == [made]


def test_replies_at_the_same_moment_are_all_counted_and_stand_in_order(service: Service) -> None:
    people, event = [service.user() for _ in range(10)], service.event()
    first = comment(people[0], event)
    body = {"event_id": event["id"], "parent_id": first["id"], "content": "Me too."}
    shots = [("POST", "/comments", {"json": body})] * 50
    answers = service.together(shots, tokens=[person.token for person in people])
    made = {expect(answer, 201)["id"] for answer in answers}
    found = replies(service.client(), first, limit=100)
    assert len(found) == len(made) == 50
    assert {one["id"] for one in found} == made
    assert [one["created_at"] for one in found] == sorted(one["created_at"] for one in found)
    assert seen(service, event, first)["replies_count"] == 50
