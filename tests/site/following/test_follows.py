"""Following events, users and tags: requests, lists, bounds, and what trades follow."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.people.follows import store as follows
from foreknow.people.follows.tables import event_follows, tag_follows
from tests.site.following.readers import MINE, bet, follow, unfollow
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import let_work, wait_until

FOLLOWING = (
    "site: PUT, DELETE /events/{id}/follow; /users/{id}/follow; /tags/{tag}/follow | 200 `{}`, twice too; 404 as GET "
    "(tags: any);"
)


def mine(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = expect(person.client.get(MINE), 200)
    return found


def shown(person: Person, **params: Any) -> list[int]:
    cards = expect(person.client.get("/cards", params={"following": "true", **params}), 200)["cards"]
    return [card["event_id"] for card in cards]


@proves(
    FOLLOWING,
    "site: {events: [ids], users: [PublicUser], tags}",
    "site: Event page + `following`; cards, shared, have none",
)
def test_what_is_followed_is_listed_until_it_is_unfollowed(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    page = f"/events/{event['id']}/page"
    assert mine(ann) == {"events": [], "users": [], "tags": []}
    for _ in range(2):
        for path in (f"events/{event['id']}", f"users/{bob.id}", "tags/a%2Fb", "tags/football"):
            follow(ann, path)
    profile = expect(service.client().get(f"/users/{bob.id}"), 200)["user"]
    assert mine(ann) == {"events": [event["id"]], "users": [profile], "tags": ["a/b", "football"]}
    assert expect(ann.client.get(page), 200)["following"] is True
    assert expect(bob.client.get(page), 200)["following"] is False
    assert expect(service.client().get(page), 200)["following"] is False
    for _ in range(2):
        for path in (f"events/{event['id']}", f"users/{bob.id}", "tags/a%2Fb", "tags/football"):
            unfollow(ann, path)
    assert mine(ann) == {"events": [], "users": [], "tags": []}
    assert expect(ann.client.get(page), 200)["following"] is False


@proves(FOLLOWING)
def test_what_is_not_there_cannot_be_followed(service: Service) -> None:
    ann, hidden = service.user(), service.user()
    draft = service.event(publish=False)
    expect(hidden.client.patch("/users/me", json={"profile_hidden": True}), 200)
    for method in ("PUT", "DELETE"):
        for path, code in (
            (f"/events/{2**62}", "event_not_found"),
            (f"/events/{draft['id']}", "event_not_found"),
            (f"/users/{2**62}", "user_not_found"),
            (f"/users/{hidden.id}", "user_not_found"),
        ):
            refused(ann.client.request(method, f"{path}/follow"), 404, code)
        refused(ann.client.request(method, f"/tags/{'x' * 1000}/follow"), 400, "bad_request")
        refused(service.client().request(method, "/tags/x/follow"), 401, "unauthorized")


def test_who_hides_later_can_still_be_unfollowed(service: Service) -> None:
    ann, bob = service.user(), service.user()
    follow(ann, f"users/{bob.id}")
    expect(bob.client.patch("/users/me", json={"profile_hidden": True}), 200)
    assert mine(ann)["users"][0]["name"] == "Hidden trader"
    unfollow(ann, f"users/{bob.id}")
    assert mine(ann)["users"] == []


@proves("site: GET /cards `?following=true`; GET /users/me/following | events followed, or of followed users and tags")
def test_cards_can_be_those_of_what_one_follows(service: Service) -> None:
    ann, maker = service.user(), service.user(creator=True)
    followed, tagged, other = service.event(), service.event(tags=["curling"]), service.event()
    made = service.event(maker)
    assert shown(ann) == []
    follow(ann, f"events/{followed['id']}")
    follow(ann, f"users/{maker.id}")
    follow(ann, "tags/curling")
    for sort in ("new", "trending", "volume", "closing", "moved"):
        assert set(shown(ann, sort=sort)) == {followed["id"], tagged["id"], made["id"]}, sort
    assert set(shown(ann, tag="curling")) == {tagged["id"]}
    assert shown(ann, status="resolved") == []
    assert set(shown(ann, status="all")) == {followed["id"], tagged["id"], made["id"]}
    assert other["id"] not in shown(ann, status="all")
    pages: list[int] = []
    cursor = None
    while True:
        params: dict[str, str] = {"following": "true", "limit": "1"} | ({"cursor": cursor} if cursor else {})
        page = expect(ann.client.get("/cards", params=params), 200)
        pages += [card["event_id"] for card in page["cards"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(pages) == sorted([followed["id"], tagged["id"], made["id"]])
    refused(ann.client.get("/cards", params={"following": "yes"}), 400, "bad_request")


@proves("site: (signed out 401);")
@ONCE
def test_the_signed_out_follow_nothing(service: Service) -> None:
    refused(service.client().get("/cards", params={"following": "true"}), 401, "unauthorized")
    refused(service.client().get(MINE), 401, "unauthorized")


@pytest.mark.parametrize("kind", ["events", "tags"])
@proves("site: over 1,000 of a kind 409 `too_many_follows`.")
def test_over_a_thousand_of_a_kind_are_refused(service: Service, kind: str) -> None:
    ann, event = service.user(), service.event()

    def fill(tx: Any) -> None:
        # Ids of rows that no test uses.
        ids = range(2**40 + ann.id * 1_000, 2**40 + ann.id * 1_000 + follows.FOLLOWS_MAX)
        own = {"user_id": ann.id, "followed_at_ms": 1}
        table, rows = {
            "events": (event_follows, [{"event_id": one, "is_on": True, "by_trade": False, **own} for one in ids]),
            "tags": (tag_follows, [{"tag": f"tag {one}", **own} for one in ids]),
        }[kind]
        tx.execute(table.insert(), rows)

    service.server.run(service.app.db.write(fill))
    path = {"events": f"events/{event['id']}", "tags": "tags/one more"}[kind]
    refused(ann.client.put(f"/{path}/follow"), 409, "too_many_follows")
    if kind != "events":
        return
    # A trade follows it no more, and what a trade has followed makes space.
    service.server.run(
        service.app.db.write(
            lambda tx: tx.execute(
                sa.update(event_follows).where(event_follows.c.user_id == ann.id).values(by_trade=True)
            )
        )
    )
    follow(ann, path)
    found = mine(ann)["events"]
    assert event["id"] in found
    assert len(found) == follows.FOLLOWS_MAX


@proves("site: over 1,000 of a kind 409 `too_many_follows`.")
def test_what_a_trade_follows_makes_space_until_all_are_chosen(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follows, "FOLLOWS_MAX", 2)
    ann = service.user(balance_kopecks=10_000)
    traded, first, second, third = (service.event() for _ in range(4))
    bet(ann, traded, 1_000)
    wait_until(lambda: mine(ann)["events"] == [traded["id"]])
    follow(ann, f"events/{first['id']}")
    assert mine(ann)["events"] == [first["id"], traded["id"]]
    follow(ann, f"events/{second['id']}")
    assert mine(ann)["events"] == [second["id"], first["id"]]
    refused(ann.client.put(f"/events/{third['id']}/follow"), 409, "too_many_follows")


def test_of_users_no_more_can_be_followed_either(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "FOLLOWS_MAX", 2)
    ann, *others = (service.user() for _ in range(4))
    for person in others[:2]:
        follow(ann, f"users/{person.id}")
    refused(ann.client.put(f"/users/{others[2].id}/follow"), 409, "too_many_follows")
    follow(ann, f"users/{others[0].id}")
    unfollow(ann, f"users/{others[0].id}")
    follow(ann, f"users/{others[2].id}")


@proves("site: A first trade in an event follows it, unless unfollowed or 1,000 are")
def test_a_trade_follows_no_event_beyond_the_thousandth(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "FOLLOWS_MAX", 1)
    ann, (first, second, third) = service.user(balance_kopecks=10_000), (service.event() for _ in range(3))
    for event in (first, second):
        bet(ann, event, 1_000)
        wait_until(lambda: mine(ann)["events"] == [first["id"]])
    let_work(["following"])
    assert mine(ann)["events"] == [first["id"]]
    follow(ann, f"events/{third['id']}")
    assert mine(ann)["events"] == [third["id"]]


@proves("site: A first trade in an event follows it, unless unfollowed or 1,000 are")
def test_a_first_trade_follows_its_event_unless_it_was_unfollowed(service: Service) -> None:
    ann, bob = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    event = service.event()
    unfollow(bob, f"events/{event['id']}")
    bet(bob, event, 1_000)
    bet(ann, event, 1_000)
    wait_until(lambda: mine(ann)["events"] == [event["id"]])
    assert mine(bob)["events"] == []
    unfollow(ann, f"events/{event['id']}")
    bet(ann, event, 1_000)
    later = service.event()
    bet(ann, later, 1_000)
    wait_until(lambda: mine(ann)["events"] == [later["id"]])
    follow(bob, f"events/{event['id']}")
    assert mine(bob)["events"] == [event["id"]]
