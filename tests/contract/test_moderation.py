"""Moderation: hidden comments lose their content to all but a few, and who is muted writes nothing that others read."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

HIDDEN = (
    "site: | PUT /admin/comments/{id}/hidden `{hidden, note?}` (the same) | 200 Comment, which gains `hidden`: content "
    '"" for all but author, operators, admins |'
)
MUTED = (
    "site: | PUT /admin/users/{id}/muted `{until (null: not), note?}` (the same; of operators, admins: admins) | 200 "
    "`{muted_until}`; 403 `muted`, `details.until`, at comments, reactions, reports, name, nickname, avatar; at "
    "whatever makes, edits, publishes or covers an event, pool, series or outcome, liquidity too; at `note`s. Pausing, "
    "resolving, cancelling without one stay |"
)
SHOWN = "site: | /admin/users | + `email_verified, muted_until`;"
LOGGED = "site: The log has what operators and admins do, people as ids."
ORDER = "site: 403s for what the caller is stand where roles are checked."


def comment(author: Person, event: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": content} | more
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def hide(client: httpx.Client, said: dict[str, Any], hidden: bool = True, **more: Any) -> dict[str, Any]:
    answer = client.put(f"/admin/comments/{said['id']}/hidden", json={"hidden": hidden} | more)
    seen: dict[str, Any] = expect(answer, 200)
    return seen


def views(client: httpx.Client, event: dict[str, Any], said: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a comment as every list and answer shows it that has it."""
    parent = said["parent_id"]
    if parent is None:
        paths = [f"/events/{event['id']}/comments?limit=100", f"/events/{event['id']}/comments?limit=100&sort=top"]
    else:
        paths = [f"/comments/{parent}/replies"]
    lists = [expect(client.get(path), 200)["comments"] for path in paths]
    found = [next(one for one in each if one["id"] == said["id"]) for each in lists]
    return [*found, expect(client.get(f"/comments/{said['id']}"), 200)["comment"]]


def mute(client: httpx.Client, user_id: int, until: str | None, **more: Any) -> httpx.Response:
    return client.put(f"/admin/users/{user_id}/muted", json={"until": until} | more)


def later(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def picture() -> bytes:
    raw = io.BytesIO()
    Image.new("RGB", (8, 8)).save(raw, "PNG")
    return raw.getvalue()


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("is_reply", [False, True])
@proves(HIDDEN)
def test_a_hidden_comment_is_read_by_its_author_operators_and_admins_alone(service: Service, is_reply: bool) -> None:
    event, ann, bob = service.event(), service.user(), service.user()
    operator = service.user(operator=True)
    parent = {"parent_id": comment(bob, event, "Well.")["id"]} if is_reply else {}
    said = comment(ann, event, "A secret.", **parent)
    answer = comment(bob, event, "Indeed.", parent_id=said["id"])
    assert said["hidden"] is False
    # Each has read it before: no cache shows it any more.
    readers = [service.client(), bob.client, service.creator.client, ann.client, operator.client, service.admin]
    for reader in readers:
        assert all(each["content"] == "A secret." for each in views(reader, event, said))

    seen = hide(operator.client, said, note="Secrets")
    assert (seen["hidden"], seen["content"], seen["replies_count"]) == (True, "A secret.", 1)
    for reader in readers[:3]:
        for each in views(reader, event, said):
            assert (each["hidden"], each["content"], each["replies_count"]) == (True, "", 1)
        assert expect(reader.get(f"/comments/{said['id']}/replies"), 200)["comments"][0]["id"] == answer["id"]
    for reader in readers[3:]:
        assert all((each["hidden"], each["content"]) == (True, "A secret.") for each in views(reader, event, said))
    reaction = expect(bob.client.put(f"/comments/{said['id']}/reaction", json={"type": "dislike"}), 200)
    assert (reaction["hidden"], reaction["content"]) == (True, "")

    seen = hide(service.admin, said, hidden=False)
    assert (seen["hidden"], seen["content"]) == (False, "A secret.")
    for reader in readers:
        assert all((each["hidden"], each["content"]) == (False, "A secret.") for each in views(reader, event, said))


@proves(HIDDEN)
@ONCE
def test_a_key_of_an_operator_reads_no_hidden_comment(service: Service) -> None:
    event, ann, operator = service.event(), service.user(), service.user(operator=True)
    said = comment(ann, event, "A secret.")
    hide(operator.client, said)

    def reader(person: Person) -> httpx.Client:
        made = expect(person.client.post("/users/me/keys", json={"name": "Bot", "scope": "read"}), 201)
        return service.client(made["key"])

    assert {each["content"] for each in views(reader(operator), event, said)} == {""}
    assert {each["content"] for each in views(reader(ann), event, said)} == {"A secret."}


@proves(HIDDEN)
def test_a_hidden_comment_stands_nowhere_else(service: Service) -> None:
    event, ann = service.event(), service.user()
    said = comment(ann, event, "Xyzzyplugh.")
    hide(service.admin, said)
    stranger = service.client()
    for path in (
        f"/events/{event['id']}",
        f"/events/{event['id']}/page",
        "/cards",
        f"/users/{ann.id}",
        "/feeds/new.atom",
    ):
        assert "Xyzzyplugh" not in stranger.get(path).text
    page = httpx.get(f"{service.url}/events/{event['id']}", headers={"Accept": "text/html"}, trust_env=False)
    assert "Xyzzyplugh" not in page.text


@proves(HIDDEN, LOGGED)
def test_hiding_is_logged_with_ids(service: Service) -> None:
    event, ann, operator = service.event(), service.user(), service.user(operator=True)
    said = comment(ann, event, "A secret.")
    for hidden in (True, True, False):
        hide(operator.client, said, hidden=hidden, note="Because")
    target = {"target": f"comment:{said['id']}"}
    entries = expect(service.admin.get("/admin/log", params=target), 200)["entries"]
    assert [(one["who"], one["action"]) for one in entries] == [
        (f"user:{operator.id}", "comment.show"),
        (f"user:{operator.id}", "comment.hide"),
    ]
    assert entries[0]["details"] == {"event_id": event["id"], "user_id": ann.id, "note": "Because"}


@proves(HIDDEN, ORDER)
@ONCE
def test_only_operators_and_admins_hide(service: Service) -> None:
    event, ann = service.event(), service.user(creator=True)
    said = comment(ann, event, "Mine.")
    path = f"/admin/comments/{said['id']}/hidden"
    refused(ann.client.put(path, json={"hidden": True}), 403, "forbidden")
    refused(ann.client.put("/admin/comments/x/hidden", content=b"{"), 403, "forbidden")
    refused(service.client().put(path, json={"hidden": True}), 401, "unauthorized")
    refused(service.admin.put("/admin/comments/x/hidden", json={"hidden": True}), 400, "invalid_comment_id")
    refused(service.admin.put(f"/admin/comments/{2**63 - 1}/hidden", json={"hidden": True}), 404, "comment_not_found")
    for body in ({}, {"hidden": 1}, {"hidden": True, "note": "x" * 501}, {"hidden": True, "until": None}):
        refused(service.admin.put(path, json=body), 400, "bad_request")
    assert views(service.client(), event, said)[0]["hidden"] is False


@proves(MUTED, ORDER)
def test_who_is_muted_writes_nothing_that_others_read(service: Service) -> None:
    event, ann = service.event(), service.user(creator=True, balance_kopecks=10_000)
    said, until = comment(ann, event, "Before."), later(2)
    draft = {"name": "Another", "pools": [pool()]}
    template = {"template": "yes_no"}
    operator = service.user(operator=True)
    assert expect(mute(operator.client, ann.id, until, note="Enough"), 200) == {"muted_until": until}

    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/comments", {"json": {"event_id": event["id"], "content": "After."}}),
        ("PUT", f"/comments/{said['id']}/reaction", {"json": {"type": "like"}}),
        ("POST", "/reports", {"json": {"kind": "event", "id": event["id"], "reason": "spam"}}),
        ("POST", "/events/create-full", {"json": draft}),
        ("POST", "/events/from-template", {"json": template}),
        ("PATCH", "/users/me", {"json": {"name": "Another"}}),
        ("PATCH", "/users/me", {"json": {"nickname": "another_one"}}),
        ("PATCH", "/users/me", {"json": {"avatar_url": "https://example.org/a.png"}}),
        ("PATCH", "/users/me", {"json": {"avatar_url": ""}}),
        ("PUT", "/users/me/avatar", {"content": picture()}),
        # Before path, body and rows are looked at.
        ("PUT", "/comments/x/reaction", {"content": b"{"}),
        ("POST", "/comments", {"content": b"{"}),
        ("POST", "/reports", {"json": {}}),
    ]
    for method, path, rest in calls:
        answer = ann.client.request(method, path, **rest)
        body = refused(answer, 403, "muted")
        assert (bool(body["message"]), body["details"]) == (True, {"until": until})
    assert expect(ann.client.get("/users/me"), 200)["muted_until"] == until

    # All else goes on.
    market_id = event["pools"][0]["markets"][0]["id"]
    expect(
        ann.client.post("/market/bets", json={"market_id": market_id, "token_type": "YES", "amount_kopecks": 500}), 201
    )
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    expect(ann.client.post("/chat/session"), 201)
    expect(ann.client.post("/chat/message", json={"text": "Why?"}), 200)
    expect(ann.client.delete(f"/comments/{said['id']}"), 200)

    assert expect(mute(operator.client, ann.id, None), 200) == {"muted_until": None}
    for method, path, rest in calls[:1] + calls[2:4] + calls[5:7]:
        assert ann.client.request(method, path, **rest).status_code in {200, 201}
    assert expect(ann.client.get("/users/me"), 200)["muted_until"] is None


@proves(MUTED)
def test_a_muted_creator_makes_and_says_nothing_and_ends_what_there_is(service: Service) -> None:
    ann = service.user(creator=True)
    draft, event, other = (service.event(ann, publish=publish) for publish in (False, True, True))
    pool_id = event["pools"][0]["id"]
    expect(mute(service.admin, ann.id, later(2)), 200)

    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", f"/events/{draft['id']}", {"json": {"name": "Another"}}),
        ("PATCH", f"/pools/{draft['pools'][0]['id']}", {"json": {"name": "Another"}}),
        ("POST", f"/events/{draft['id']}/publish", {}),
        ("PUT", f"/events/{event['id']}/image", {"content": picture()}),
        ("POST", f"/pools/{pool_id}/liquidity", {"json": {}}),
        ("POST", f"/pools/{pool_id}/outcomes", {"json": {}}),
        ("PATCH", "/series/1", {"json": {}}),
        ("POST", "/series/1/resume", {}),
        ("POST", f"/events/{event['id']}/cancel", {"json": {"note": "Read this."}}),
    ]
    for method, path, rest in calls:
        refused(ann.client.request(method, path, **rest), 403, "muted")
    expect(ann.client.post(f"/pools/{pool_id}/pause"), 200)
    expect(ann.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    for left in (draft, other):
        expect(ann.client.post(f"/events/{left['id']}/cancel"), 200)


@proves(MUTED)
def test_a_mute_ends_by_itself(moving_service: Service) -> None:
    service = moving_service
    event, ann = service.event(), service.user()
    now = datetime.fromtimestamp(service.clock() / 1000, UTC)
    until = (now + timedelta(minutes=5)).isoformat()
    expect(mute(service.admin, ann.id, until), 200)
    body = {"event_id": event["id"], "content": "Now?"}
    refused(ann.client.post("/comments", json=body), 403, "muted")
    service.clock.advance(5 * 60_000)
    expect(ann.client.post("/comments", json=body), 201)


@proves(MUTED)
@ONCE
def test_operators_and_admins_are_muted_by_admins_alone(service: Service) -> None:
    operator, until = service.user(operator=True), later(1)
    for other in (service.user(operator=True), service.user(admin=True)):
        refused(mute(operator.client, other.id, until), 403, "forbidden")
        refused(mute(operator.client, other.id, None), 403, "forbidden")
        assert expect(mute(service.admin, other.id, until), 200) == {"muted_until": until}
        refused(other.client.patch("/users/me", json={"name": "Boss"}), 403, "muted")
    expect(mute(operator.client, service.user(creator=True, stats_viewer=True).id, until), 200)


@proves(MUTED, SHOWN, LOGGED)
def test_admins_see_who_is_muted_and_the_log_tells(service: Service) -> None:
    ann, operator, until = service.user(), service.user(operator=True), later(3)

    def listed() -> dict[str, Any]:
        found = expect(service.admin.get("/admin/users", params={"q": ann.email}), 200)["users"]
        return dict(found[0])

    assert listed()["muted_until"] is None
    for asked in (until, until, None):
        expect(mute(operator.client, ann.id, asked, note="Insults"), 200)
        assert listed()["muted_until"] == asked
    entries = expect(service.admin.get("/admin/log", params={"target": f"user:{ann.id}"}), 200)["entries"]
    assert [(one["who"], one["action"], one["details"]) for one in entries] == [
        (f"user:{operator.id}", "user.unmute", {"until": None, "note": "Insults"}),
        (f"user:{operator.id}", "user.mute", {"until": until, "note": "Insults"}),
    ]
    assert "muted_until" not in expect(service.client().get(f"/users/{ann.id}"), 200)


@proves(MUTED)
@ONCE
def test_a_muting_that_is_none_is_refused(service: Service) -> None:
    ann = service.user()
    refused(mute(ann.client, ann.id, later(1)), 403, "forbidden")
    refused(mute(service.client(), ann.id, later(1)), 401, "unauthorized")
    refused(mute(service.admin, 2**63 - 1, later(1)), 404, "user_not_found")
    refused(service.admin.put("/admin/users/x/muted", json={"until": None}), 400, "invalid_user_id")
    for body in (
        {},
        {"until": later(-1)},
        {"until": "2099-01-01T00:00:00"},
        {"until": 5},
        {"until": later(1), "note": "x" * 501},
        {"until": None, "for": 1},
    ):
        refused(service.admin.put(f"/admin/users/{ann.id}/muted", json=body), 400, "bad_request")
    assert expect(ann.client.get("/users/me"), 200)["muted_until"] is None
