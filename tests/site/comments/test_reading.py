"""GET /events/{id}/comments and GET /comments/{id}/replies: order, pages, visibility."""

from __future__ import annotations

import pytest

from tests.site.comments.conversation import comment, react, replies, top_level
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

BAD_IDS = ["0", "-1", "+1", "01", "1.0", "1_0", "x", "%D9%A3", "9223372036854775808", "99999999999999999999999"]


@proves(
    "decisions: GET /events/{id}/comments: a page of top-level comments, newest first",
    "decisions: list names `events, positions, comments, notifications",
)
def test_a_traversal_shows_every_comment_once_while_others_write(service: Service) -> None:
    author, event, reader = service.user(), service.event(), service.client()
    made = [comment(author, event, str(number)) for number in range(7)]
    comment(author, event, "A reply is not listed.", parent=made[3])
    found: list[dict[str, object]] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(reader.get(f"/events/{event['id']}/comments", params={"limit": "2"} | cursor), 200)
        found += page["comments"]
        comment(author, event, "Later.")
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert page == {"comments": page["comments"], "next_cursor": None, "has_more": False}
    assert [one["content"] for one in found] == ["6", "5", "4", "3", "2", "1", "0"]


@ONCE
def test_a_cursor_is_bound_to_its_event_and_caller(service: Service) -> None:
    ann, event, other = service.user(), service.event(), service.event()
    for each in (event, other):
        for _ in range(3):
            comment(ann, each)
    page = expect(ann.client.get(f"/events/{event['id']}/comments", params={"limit": 1}), 200)
    cursor = {"cursor": page["next_cursor"]}
    assert len(expect(ann.client.get(f"/events/{event['id']}/comments", params=cursor), 200)["comments"]) == 2
    refused(ann.client.get(f"/events/{other['id']}/comments", params=cursor), 400, "invalid_cursor")
    refused(service.client().get(f"/events/{event['id']}/comments", params=cursor), 400, "invalid_cursor")
    refused(ann.client.get("/notifications", params=cursor), 400, "invalid_cursor")


@ONCE
@pytest.mark.parametrize("limit", ["0", "101", "x", "", "-1", "1.5"])
def test_a_page_of_comments_has_1_to_100(service: Service, limit: str) -> None:
    path = f"/events/{service.event()['id']}/comments"
    refused(service.client().get(f"{path}?limit={limit}"), 400, "invalid_limit")


@proves(
    "interface: Query: limit (integer, optional, default 50, max 100), offset (integer, optional, default 0).",
    "interface: | limit default | comment replies | 50 |",
    "interface: | limit maximum | comment replies | 100 |",
    "interface: | offset default | comment replies | 0 |",
    "decisions: Comment replies keep limit/offset as in the interface: over 100 is clamped",
)
def test_replies_come_oldest_first_by_limit_and_offset(service: Service) -> None:
    author, event, reader = service.user(), service.event(), service.client()
    first = comment(author, event)
    made = [comment(author, event, str(number), parent=first) for number in range(103)]
    assert replies(reader, first) == made[:50]
    assert replies(reader, first, limit=100) == made[:100]
    assert replies(reader, first, limit=101) == made[:100]
    assert replies(reader, first, limit=2**63 - 1) == made[:100]
    assert replies(reader, first, limit=1) == made[:1]
    assert replies(reader, first, offset=50) == made[50:100]
    assert replies(reader, first, offset=100, limit=7) == made[100:]
    assert replies(reader, first, offset=103) == []
    assert replies(reader, first, offset=2**63 - 1) == []
    assert replies(reader, first, offset=0, limit=3, other="ignored") == made[:3]


@proves("decisions: not an integer or under 1 (limit) or 0 (offset) is 400 `invalid_limit`, `invalid_offset`")
@ONCE
@pytest.mark.parametrize("text", ["-1", "x", "1.0", "", "+1", "01", "%D9%A3", "9223372036854775808", "1e2", "%201"])
@pytest.mark.parametrize("name", ["limit", "offset"])
def test_wrong_limits_and_offsets_of_replies(service: Service, name: str, text: str) -> None:
    made = comment(service.creator, service.event())
    refused(service.client().get(f"/comments/{made['id']}/replies?{name}={text}"), 400, f"invalid_{name}")
    if name == "limit":
        refused(service.client().get(f"/comments/{made['id']}/replies?limit=0"), 400, "invalid_limit")


@ONCE
def test_a_repeated_parameter_is_a_bad_request(service: Service) -> None:
    made = comment(service.creator, service.event())
    refused(service.client().get(f"/comments/{made['id']}/replies?limit=1&limit=1"), 400, "bad_request")


@proves("interface: Errors: 404 not_found (parent missing), 500 internal_error.")
def test_replies_to_what_is_not_there(service: Service) -> None:
    refused(service.client().get(f"/comments/{2**63 - 1}/replies"), 404, "not_found")
    refused(service.creator.client.get(f"/comments/{2**63 - 1}/replies"), 404, "not_found")


@proves(
    "interface: - Path: id, integer, required, parent comment id.",
    "decisions: `invalid_comment_id`",
)
@ONCE
@pytest.mark.parametrize("text", BAD_IDS)
def test_ids_that_are_none(service: Service, text: str) -> None:
    client = service.creator.client
    refused(client.get(f"/comments/{text}/replies"), 400, "invalid_comment_id")
    refused(client.put(f"/comments/{text}/reaction", json={"type": "like"}), 400, "invalid_comment_id")
    refused(client.delete(f"/comments/{text}"), 400, "invalid_comment_id")
    refused(client.get(f"/events/{text}/comments"), 400, "invalid_event_id")


def test_comments_on_what_is_not_there(service: Service) -> None:
    refused(service.client().get(f"/events/{2**63 - 1}/comments"), 404, "event_not_found")


@ONCE
def test_a_bad_token_is_refused_where_none_is_needed(service: Service) -> None:
    event = service.event()
    made = comment(service.creator, event)
    stranger = service.client(token="made up")
    refused(stranger.get(f"/comments/{made['id']}/replies"), 401, "unauthorized")
    refused(stranger.get(f"/events/{event['id']}/comments"), 401, "unauthorized")


@proves(
    "interface: When authenticated, user_reaction is populated on each reply.",
    "interface: | user_reaction | null or reaction | current user's reaction; null when the caller is anonymous or "
    "has no reaction.",
)
def test_everyone_sees_their_own_reaction(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    first = comment(ann, event)
    made = [comment(ann, event, parent=first) for _ in range(3)]
    react(ann, made[0], "like")
    react(bob, made[0], "dislike")
    react(bob, made[1], "like")
    react(bob, first, "like")

    def reactions(found: list[dict[str, object]]) -> list[object]:
        return [one["user_reaction"] for one in found]

    assert reactions(replies(ann.client, first)) == ["like", None, None]
    assert reactions(replies(bob.client, first)) == ["dislike", "like", None]
    assert reactions(replies(service.client(), first)) == [None, None, None]
    assert reactions(top_level(bob.client, event)) == ["like"]
    assert reactions(top_level(ann.client, event)) == [None]
    assert reactions(top_level(service.client(), event)) == [None]


@proves(
    'decisions: a hidden profile shows `nickname` and `avatar_url` as "" and its name as "Hidden trader"',
    "decisions: one's own comments show one hidden too",
)
def test_a_hidden_profile_is_hidden_from_all_and_from_oneself_until_it_is_shown_again(service: Service) -> None:
    ann, event = service.user(), service.event()
    expect(ann.client.patch("/users/me", json={"avatar_url": "https://example.org/ann.png"}), 200)
    first = comment(ann, event)
    reply = comment(ann, event, parent=first)
    shown = first["user"]
    assert shown["avatar_url"] == "https://example.org/ann.png"
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    hidden = {"id": ann.id, "name": "Hidden trader", "nickname": "", "profile_hidden": True, "avatar_url": ""}
    for reader in (service.client(), ann.client, service.admin):
        assert [one["user"] for one in top_level(reader, event)] == [hidden]
        assert [one["user"] for one in replies(reader, first)] == [hidden]
    assert comment(ann, event)["user"] == hidden
    assert react(ann, reply, "like")["user"] == hidden
    expect(ann.client.patch("/users/me", json={"profile_hidden": False}), 200)
    assert [one["user"] for one in replies(service.client(), first)] == [shown]


@proves(
    "decisions: seen by its creator and admins only, through the Optional endpoints",
    "decisions: /events/{id}/comments, /comments/{id}/replies, ",
)
def test_a_new_events_comments_are_its_creators_and_the_admins_own(service: Service) -> None:
    creator, stranger = service.user(creator=True), service.user()
    event, public = service.event(creator, publish=False), service.event()
    made = comment(creator, event)
    reply = comment(creator, event, parent=made)
    for reader in (creator.client, service.admin):
        assert [one["id"] for one in top_level(reader, event)] == [made["id"]]
        assert replies(reader, made) == [reply]
    for reader in (stranger.client, service.client()):
        refused(reader.get(f"/events/{event['id']}/comments"), 404, "event_not_found")
        refused(reader.get(f"/comments/{made['id']}/replies"), 404, "not_found")
    body = {"event_id": event["id"], "content": "Let me in."}
    refused(stranger.client.post("/comments", json=body), 404, "event_not_found")
    # A comment that the caller may not see is missing, not on another event.
    body = {"event_id": public["id"], "content": "Let me in.", "parent_id": made["id"]}
    refused(stranger.client.post("/comments", json=body), 404, "comment_not_found")
    refused(stranger.client.put(f"/comments/{made['id']}/reaction", json={"type": "like"}), 404, "comment_not_found")
    refused(stranger.client.delete(f"/comments/{made['id']}"), 404, "comment_not_found")
    expect(creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert replies(service.client(), made) == [reply]
    assert react(stranger, made, "like")["likes_count"] == 1
