"""Comments that name people with an @: who is named, who is notified, and what is shown of it later."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import MINUTE_MS
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.mailbox import Mailbox, link_of, mail_server, text_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect
from tests.support.waiting import wait_until

NAMED = (
    "administration: **Mentions.** `@` in a comment, not after a letter or digit, then the longest run of what "
    "nicknames are made of, without its last `.`, `-`, `_` one after another until someone has that name (without "
    "regard to case); the first 10 different ones are looked up."
)
FIXED = (
    "administration: Whom it names is fixed when it is written; Comment + `mentions: [{nickname (as written), user: "
    "PublicUser}]` as they are now, without who is hidden, inactive or deleted."
)
NOTIFIED = (
    "administration: `comment_mention` (app on, mail off) to those who may see the event, not of one's own, not where "
    "a `comment_reply` tells of the same;"
)
BOUND = "administration: of one author 20 different people within 60 minutes, later ones are named and not told."
MAIL = "administration: A mail not yet sent of a comment deleted or hidden is not sent; no notice quotes."
SETTINGS = "/users/me/notification-settings"
_numbers = itertools.count(1)


def nick(stem: str) -> str:
    """Return a nickname that no other test has."""
    return f"{stem}{next(_numbers)}x"


def write(author: Person, event: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": content} | more
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def names(comment: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one["nickname"], one["user"]["id"]) for one in comment["mentions"]]


def mentions_to(person: Person) -> list[int]:
    """Return the comments of which a person was notified that they name them, the newest first."""
    rows = expect(person.client.get("/notifications?limit=100"), 200)["notifications"]
    return [row["comment_id"] for row in rows if row["type"] == "comment_mention"]


@proves(NAMED)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("content", "as_written"),
    [
        ("@{ann}", "{ann}"),
        ("Look, (@{ann}): well", "{ann}"),
        ("@{ANN}", "{ANN}"),
        # A full stop ends the sentence, or the name.
        ("I agree with @{ann}._-", "{ann}"),
        ("I agree with @{ann}-", "{ann}"),
        ("@@{ann}", "{ann}"),
        ("-@{ann}", "{ann}"),
        ("mail@{ann}", None),
        ("7@{ann}", None),
        ("ё@{ann}", None),
        ("@ {ann}", None),
        ("@{ann}y", None),
        ("@-{ann}", None),
    ],
)
def test_a_comment_names_the_longest_nickname_after_an_at(
    service: Service, content: str, as_written: str | None
) -> None:
    ann = service.user(nickname=nick("Änn"))
    written = {"ann": ann.nickname, "ANN": ann.nickname.upper()}
    said = write(service.user(), service.event(), content.format_map(written))
    assert names(said) == ([] if as_written is None else [(as_written.format_map(written), ann.id)])


@proves(NAMED)
def test_a_name_that_ends_in_a_mark_goes_before_one_without(service: Service) -> None:
    short = service.user(nickname=nick("ann"))
    dotted = service.user(nickname=f"{short.nickname}.")
    author, event = service.user(), service.event()
    said = write(author, event, f"@{short.nickname}, @{dotted.nickname}. @{short.nickname}")
    assert names(said) == [(short.nickname, short.id), (dotted.nickname, dotted.id)]


@proves(NAMED)
def test_ten_different_names_are_looked_up(service: Service) -> None:
    people = [service.user(nickname=nick("tenth")) for _ in range(11)]
    author, event = service.user(), service.event()
    nine = " ".join(f"@{one.nickname}" for one in people[:9])
    again = f"@{people[0].nickname.upper()}"
    said = write(author, event, f"{nine} {again} @no-one-at-all @{people[9].nickname} @{people[10].nickname}")
    assert [user_id for _, user_id in names(said)] == [one.id for one in people[:9]]
    said = write(author, event, f"{nine} {again} @{people[9].nickname} @{people[10].nickname}")
    assert [user_id for _, user_id in names(said)] == [one.id for one in people[:10]]


@proves(FIXED)
def test_whom_a_comment_names_is_fixed_and_shown_as_they_are_now(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    later, old = nick("later"), bob.nickname
    said = write(ann, event, f"@{old} and @{later}")
    assert said["mentions"] == [
        {
            "nickname": old,
            "user": {
                "id": bob.id,
                "name": expect(bob.client.get("/users/me"), 200)["name"],
                "nickname": old,
                "profile_hidden": False,
                "avatar_url": "",
            },
        }
    ]
    service.user(nickname=later)
    renamed = nick("renamed")
    expect(bob.client.patch("/users/me", json={"nickname": renamed}), 200)
    service.user(nickname=old)

    def shown() -> list[tuple[str, str]]:
        listed = expect(service.client().get(f"/events/{event['id']}/comments"), 200)["comments"]
        alone = expect(ann.client.get(f"/comments/{said['id']}"), 200)["comment"]
        assert alone["mentions"] == listed[0]["mentions"]
        return [(one["nickname"], one["user"]["nickname"]) for one in alone["mentions"]]

    assert shown() == [(old, renamed)]
    for is_hidden in (True, False):
        expect(bob.client.patch("/users/me", json={"profile_hidden": is_hidden}), 200)
        assert bool(shown()) != is_hidden
    for is_active in (False, True):
        expect(service.admin.patch(f"/admin/users/{bob.id}", json={"is_active": is_active}), 200)
        assert bool(shown()) == is_active
    expect(service.admin.post(f"/admin/users/{bob.id}/delete"), 200)
    assert shown() == []


@proves(FIXED)
def test_a_hidden_comment_names_people_to_who_reads_it_and_a_deleted_one_no_one(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    operator = service.user(operator=True)
    said = write(ann, event, f"@{bob.nickname}")
    path = f"/comments/{said['id']}"
    expect(operator.client.put(f"/admin{path}/hidden", json={"hidden": True}), 200)
    assert names(expect(bob.client.get(path), 200)["comment"]) == []
    for reader in (ann, operator):
        assert names(expect(reader.client.get(path), 200)["comment"]) == [(bob.nickname, bob.id)]
    expect(ann.client.delete(path), 200)
    for reader in (ann, operator, bob):
        assert names(expect(reader.client.get(path), 200)["comment"]) == []
    # What it has notified of counts as read: no one can read the comment any more.
    assert expect(bob.client.get("/notifications/unread/count"), 200)["count"] == 0


@proves(NOTIFIED)
def test_who_is_named_is_notified_once(service: Service) -> None:
    ann, bob, cid, event = service.user(), service.user(), service.user(), service.event()
    both = write(ann, event, f"@{bob.nickname} @{bob.nickname.upper()} @{ann.nickname}")
    assert names(both) == [(bob.nickname, bob.id), (ann.nickname, ann.id)]
    assert (mentions_to(bob), mentions_to(ann)) == ([both["id"]], [])
    row = expect(bob.client.get("/notifications"), 200)["notifications"][0]
    assert row["text"] == f"A comment on “{event['name']}” names you."
    assert (row["event_id"], row["read"]) == (event["id"], False)

    # The reply notifies its parent's author already, unless they want to know of no replies.
    reply = write(cid, event, f"@{ann.nickname}, @{bob.nickname}: no.", parent_id=both["id"])
    assert (mentions_to(ann), mentions_to(bob)) == ([], [reply["id"], both["id"]])
    expect(ann.client.put(SETTINGS, json={"comment_reply": {"app": False}}), 200)
    again = write(cid, event, f"@{ann.nickname}: no.", parent_id=both["id"])
    assert mentions_to(ann) == [again["id"]]
    default = expect(bob.client.get(SETTINGS), 200)["comment_mention"]
    assert default == {"app": True, "email": "off"}


@proves(NOTIFIED)
def test_no_one_is_notified_of_an_event_that_they_may_not_see(service: Service) -> None:
    creator, other, admin = service.user(creator=True), service.user(), service.user(admin=True)
    draft = service.event(creator, publish=False)
    said = write(admin, draft, f"@{creator.nickname} @{other.nickname}")
    assert len(names(said)) == 2
    assert (mentions_to(creator), mentions_to(other)) == ([said["id"]], [])
    second = write(creator, draft, f"@{admin.nickname}")
    assert mentions_to(admin) == [second["id"]]


@proves(BOUND)
def test_an_author_notifies_twenty_people_an_hour(moving_service: Service) -> None:
    service = moving_service
    people = [service.user() for _ in range(22)]
    author, event = service.user(), service.event()

    def name(some: list[Person]) -> list[bool]:
        """Name some people; return which of them were notified."""
        token = service.sign_in(author.email, PASSWORD)
        author.client.headers["Authorization"] = f"Bearer {token}"
        said = write(author, event, " ".join(f"@{one.nickname}" for one in some))
        assert len(names(said)) == len(some)
        return [said["id"] in notices_to(service, one) for one in some]

    assert all(name(people[:10]))
    deleted = expect(author.client.get(f"/events/{event['id']}/comments"), 200)["comments"][0]["id"]
    # What is deleted has notified them all the same.
    expect(author.client.delete(f"/comments/{deleted}"), 200)
    assert all(name(people[10:19]))
    assert name([people[0], people[19], people[20], people[1]]) == [True, True, False, True]
    service.clock.advance(61 * MINUTE_MS)
    assert all(name(people[12:22]))


def notices_to(service: Service, person: Person) -> list[int]:
    """Return the comments of which a person was notified, whatever has become of their session."""
    query = f"SELECT comment_id FROM notifications WHERE type = 'comment_mention' AND user_id = {person.id}"
    found: list[int] = service.look(lambda tx: list(tx.exec_driver_sql(query).scalars()))
    return found


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def site(module_database_url: str, mailbox: Mailbox) -> Iterator[Service]:
    """A service that sends mails, whose clock the tests move on."""
    running = Service(
        module_database_url,
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url="https://foreknow.test",
    )
    yield running
    running.stop()


@proves(MAIL)
def test_what_is_deleted_or_hidden_is_mailed_no_more(site: Service, mailbox: Mailbox) -> None:
    ann, bob = site.user(), site.user()
    token = link_of(mailbox.wait(bob.email), "/verify/")
    expect(site.client().post("/auth/verify", json={"token": token}), 200)
    expect(bob.client.put(SETTINGS, json={"comment_mention": {"email": "now"}, "comment_reply": {"email": "now"}}), 200)
    events = [site.event(name=name) for name in ("First", "Deleted", "Hidden", "Reply", "Kept")]

    def mails() -> list[str]:
        return [text_of(mail) for mail in mailbox.to(bob.email) if mail["List-Unsubscribe"]]

    write(ann, events[0], f"@{bob.nickname}, a secret.")
    wait_until(lambda: len(mails()) == 1)
    assert "secret" not in mails()[0]
    # What comes in the next quarter of an hour waits for its end.
    deleted, hidden = (write(ann, event, f"@{bob.nickname}, a secret.") for event in events[1:3])
    parent = write(bob, events[3], "Well.")
    reply = write(ann, events[3], "A secret.", parent_id=parent["id"])
    write(ann, events[4], f"@{bob.nickname}, a secret.")
    expect(ann.client.delete(f"/comments/{deleted['id']}"), 200)
    for one in (hidden, reply):
        expect(site.admin.put(f"/admin/comments/{one['id']}/hidden", json={"hidden": True}), 200)
    site.clock.advance(16 * MINUTE_MS)
    wait_until(lambda: len(mails()) == 2)
    assert "A comment on “Kept” names you." in mails()[1]
    assert not any(word in mails()[1] for word in ("Deleted", "Hidden", "Reply", "secret"))
