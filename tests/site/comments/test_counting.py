"""The number of an event's comments."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx
from foreknow.site.comments import store
from foreknow.site.comments.tables import comments, event_comments
from tests.site.comments.conversation import comment
from tests.support.service import Service, expect
from tests.support.waiting import wait_until


def counted(service: Service, event_id: int) -> int:
    """Return the number of an event's comments."""

    def look(tx: ReadTx) -> int:
        return store.counts(tx, [event_id])[event_id]

    count: int = service.look(look)
    return count


def test_replies_are_counted_and_deleted_comments_are_not(service: Service) -> None:
    ann, event, other = service.user(), service.event(), service.event()
    assert counted(service, event["id"]) == 0
    first = comment(ann, event)
    second = comment(ann, event, "Yes.", parent=first)
    comment(ann, other)
    assert counted(service, event["id"]) == 2
    for _ in range(2):
        expect(ann.client.delete(f"/comments/{first['id']}"), 200)
    assert counted(service, event["id"]) == 1
    expect(ann.client.delete(f"/comments/{second['id']}"), 200)
    assert (counted(service, event["id"]), counted(service, other["id"])) == (0, 1)


def test_what_a_deleted_person_wrote_is_not_counted(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    first = comment(bob, event)
    reply = comment(ann, event, parent=first)
    for made in (comment(ann, event), first):
        comment(ann, event, parent=made)
    expect(ann.client.delete(f"/comments/{reply['id']}"), 200)
    assert counted(service, event["id"]) == 4
    expect(ann.client.post("/users/me/delete", json={"password": ann.password}), 200)
    wait_until(lambda: counted(service, event["id"]) == 1)
    assert expect(bob.client.get("/notifications/unread/count"), 200) == {"count": 0}


def test_comments_written_at_the_same_moment_are_all_counted(service: Service) -> None:
    ann, event = service.user(), service.event()
    shots = [("POST", "/comments", {"json": {"event_id": event["id"], "content": "Me!"}})] * 12
    assert [answer.status_code for answer in service.together(shots, tokens=[ann.token])] == [201] * 12
    assert counted(service, event["id"]) == 12


def test_a_comment_that_an_older_release_wrote_is_counted_with_the_next(service: Service) -> None:
    ann, event = service.user(), service.event()
    comment(ann, event)
    older = comments.insert().values(event_id=event["id"], user_id=ann.id, content="Old.", created_at_ms=0)
    service.server.run(service.app.db.write(lambda tx: tx.execute(older)))
    comment(ann, event)
    assert counted(service, event["id"]) == 3


def test_a_comment_of_an_older_release_that_is_deleted_uncounted_is_never_counted(service: Service) -> None:
    ann, event = service.user(), service.event()
    comment(ann, event)
    older = comments.insert().values(event_id=event["id"], user_id=ann.id, content="Old.", created_at_ms=0)
    made = service.server.run(service.app.db.write(lambda tx: tx.execute(older.returning(comments.c.id)).scalar_one()))
    expect(ann.client.delete(f"/comments/{made}"), 200)
    assert counted(service, event["id"]) == 1
    comment(ann, event)
    assert counted(service, event["id"]) == 2


def test_a_counted_comment_has_a_row(service: Service) -> None:
    ann, event = service.user(), service.event()
    made = comment(ann, event)
    row = sa.select(event_comments).where(event_comments.c.event_id == event["id"])
    assert service.look(lambda tx: tuple(tx.execute(row).one())) == (event["id"], 1, made["id"])
