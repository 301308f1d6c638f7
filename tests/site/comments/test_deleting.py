"""DELETE /comments/{id} clears the text only."""

from __future__ import annotations

from tests.site.comments.conversation import comment, react, replies, seen, top_level
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

DELETED = (
    'decisions: DELETE /comments/{id} (author, admin) → 200 `{}`: content becomes "", replies stay and more may come; '
    "again is 200."
)


@proves(DELETED)
def test_a_deleted_comment_loses_its_text_and_keeps_its_place(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    made = comment(ann, event)
    reply = comment(bob, event, parent=made)
    react(bob, made, "like")
    assert expect(ann.client.delete(f"/comments/{made['id']}"), 200) == {}
    assert seen(service, event, made) == made | {"content": "", "likes_count": 1, "replies_count": 1}
    assert replies(service.client(), made) == [reply]
    later = comment(bob, event, "Still here.", parent=made)
    assert replies(service.client(), made) == [reply, later]
    assert react(ann, made, "dislike")["dislikes_count"] == 1
    assert expect(ann.client.delete(f"/comments/{made['id']}"), 200) == {}
    assert seen(service, event, made)["replies_count"] == 2


def test_a_notification_of_a_deleted_reply_is_read(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    made = comment(ann, event)
    gone, _kept = comment(bob, event, "a", parent=made), comment(bob, event, "b", parent=made)
    unread = "/notifications/unread/count"
    assert expect(ann.client.get(unread), 200) == {"count": 2}
    expect(bob.client.delete(f"/comments/{gone['id']}"), 200)
    assert expect(ann.client.get(unread), 200) == {"count": 1}
    assert [one["read"] for one in expect(ann.client.get("/notifications"), 200)["notifications"]] == [False, True]


def test_a_deleted_reply_is_still_among_the_replies_and_listed(service: Service) -> None:
    ann, event = service.user(), service.event()
    made = comment(ann, event)
    gone, kept = comment(ann, event, "a", parent=made), comment(ann, event, "b", parent=made)
    expect(ann.client.delete(f"/comments/{gone['id']}"), 200)
    assert replies(service.client(), made) == [gone | {"content": ""}, kept]
    assert seen(service, event, made)["replies_count"] == 2
    assert replies(service.client(), made, offset=1) == [kept]


def test_only_its_author_and_admins_may_delete(service: Service) -> None:
    ann, bob, creator = service.user(), service.user(), service.user(creator=True)
    event = service.event(creator)
    made = comment(ann, event)
    for other in (bob, creator, service.user(operator=True, stats_viewer=True)):
        refused(other.client.delete(f"/comments/{made['id']}"), 403, "forbidden")
    assert top_level(service.client(), event) == [made]
    assert expect(service.admin.delete(f"/comments/{made['id']}"), 200) == {}
    assert seen(service, event, made)["content"] == ""
    refused(bob.client.delete(f"/comments/{made['id']}"), 403, "forbidden")
    assert expect(ann.client.delete(f"/comments/{made['id']}"), 200) == {}
    assert expect(service.admin.delete(f"/comments/{made['id']}"), 200) == {}


@proves("decisions: Every admin action is logged for good")
def test_an_admin_who_deletes_anothers_comment_is_logged_once(service: Service) -> None:
    ann, admin, event = service.user(), service.user(admin=True), service.event()
    made, own = comment(ann, event), comment(admin, event)
    for one in (made, made, own):
        expect(admin.client.delete(f"/comments/{one['id']}"), 200)
    entries = expect(service.admin.get("/admin/log", params={"limit": 100}), 200)["entries"]
    (entry,) = [one for one in entries if one["who"] == f"user:{admin.id}"]
    assert (entry["action"], entry["target"]) == ("comment.delete", f"comment:{made['id']}")
    assert entry["details"] == {"event_id": event["id"], "user_id": ann.id}


def test_a_comment_that_is_not_there_cannot_be_deleted(service: Service) -> None:
    refused(service.admin.delete(f"/comments/{2**63 - 1}"), 404, "comment_not_found")
