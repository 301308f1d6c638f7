"""What is changed before the follower has read what happened: each is notified as they wanted it when it happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from foreknow.people.follows.tables import follower_news
from foreknow.people.notifications.tables import notifications
from foreknow.site.following import follower
from tests.site.comments.conversation import comment
from tests.site.following.readers import bet, follow, notices, unfollow
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool
from tests.support.waiting import wait_until

RICH = 10_000_000
OWN = "site: Types, for who follows, never of one's own act:"
SETTINGS = "/users/me/notification-settings"


@pytest.fixture
def held(fresh_service: Service) -> Service:
    """A service whose follower reads nothing until `catch_up`, and whose clock stands still."""
    service = fresh_service
    service.server.run(service.app.services.following.stop())
    service.clock.stop_at(service.clock())
    return service


def catch_up(service: Service) -> None:
    """Let the follower read all, and send all."""

    def is_read(tx: Any) -> bool:
        of_trades, of_places = (
            tx.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() for name in ("trades", "feed_order")
        )
        return bool(of_trades == of_places)

    if not service.app.db.is_sqlite:
        wait_until(lambda: service.look(is_read))
    while service.server.run(service.app.services.following.follow()):
        pass


def later(service: Service) -> None:
    """Let a second pass."""
    service.clock.advance(1_000)


def sign_in_again(service: Service, *people: Person) -> None:
    """Sign people in, whose tokens have ended."""
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"


def counts(person: Person) -> dict[str, int]:
    """Return how many notifications of each type a person has of what they follow."""
    return {kind: len(notices(person, kind)) for kind in ("event_comment", "event_moved", "event_cancelled")}


@proves(OWN)
def test_who_unfollows_is_notified_of_what_happened_before_and_of_nothing_later(held: Service) -> None:
    service = held
    ann, bob, event = service.user(), service.user(balance_kopecks=RICH), service.event()
    follow(ann, f"events/{event['id']}")
    later(service)
    comment(bob, event)
    bet(bob, event, 100_000)
    later(service)

    unfollow(ann, f"events/{event['id']}")
    later(service)
    comment(bob, event)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    catch_up(service)

    # The market was cancelled by the time at which its move was found.
    assert counts(ann) == {"event_comment": 1, "event_moved": 0, "event_cancelled": 0}
    assert notices(ann, "event_comment")[0]["params"]["count"] == 1


@proves(OWN)
def test_a_move_and_a_result_are_sent_to_who_has_unfollowed_since(held: Service) -> None:
    service = held
    ann, eve, bob = service.user(), service.user(), service.user(balance_kopecks=RICH)
    moved, cancelled = service.event(), service.event()
    for event in (moved, cancelled):
        follow(ann, f"events/{event['id']}")
    later(service)
    bet(bob, moved, 100_000)
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    later(service)
    for event in (moved, cancelled):
        unfollow(ann, f"events/{event['id']}")
        unfollow(ann, f"events/{event['id']}")
        follow(eve, f"events/{event['id']}")
    later(service)
    # Who follows again is notified of what happened before they left, too.
    follow(ann, f"events/{moved['id']}")
    catch_up(service)

    assert counts(ann) == {"event_comment": 0, "event_moved": 1, "event_cancelled": 1}
    assert counts(eve) == {"event_comment": 0, "event_moved": 0, "event_cancelled": 0}


@proves("site: `event_closing` (24 h before the last `finish_at`, if published by then),", OWN)
def test_the_end_of_trading_is_announced_to_who_followed_a_day_before_it(held: Service) -> None:
    service = held
    ann, bob, eve = service.user(), service.user(), service.user()
    ends_ms = service.clock() + 2 * DAY_MS
    event = service.event(pools=[pool(finish_at=iso(ends_ms))])
    for person in (ann, bob):
        follow(person, f"events/{event['id']}")
    catch_up(service)
    service.clock.stop_at(ends_ms - DAY_MS - 1_000)
    sign_in_again(service, ann, bob, eve)
    unfollow(bob, f"events/{event['id']}")
    service.clock.advance(2_000)
    unfollow(ann, f"events/{event['id']}")
    follow(eve, f"events/{event['id']}")
    catch_up(service)
    assert [len(notices(person, "event_closing")) for person in (ann, bob, eve)] == [1, 0, 0]


@proves(OWN)
def test_comments_before_one_followed_and_between_are_not_counted(held: Service) -> None:
    service = held
    ann, eve, bob, event = service.user(), service.user(), service.user(), service.event()
    address = f"events/{event['id']}"
    follow(eve, address)
    later(service)
    for change in (follow, unfollow, follow):
        comment(bob, event)
        later(service)
        change(ann, address)
        later(service)
    comment(bob, event)
    catch_up(service)
    # That before the first follow, and that between, are left out.
    assert [one["params"]["count"] for one in notices(ann, "event_comment")] == [2]
    assert [one["params"]["count"] for one in notices(eve, "event_comment")] == [4]


@proves("site: `event_moved` (the main pool by 10 points since the last one or publication; one in 24 h),", OWN)
def test_what_is_sent_to_no_one_begins_no_pause(held: Service) -> None:
    service = held
    ann, eve, bob, event = service.user(), service.user(), service.user(balance_kopecks=RICH), service.event()
    follow(ann, f"events/{event['id']}")
    later(service)
    for person in (ann, bob):
        unfollow(person, f"events/{event['id']}")
    later(service)
    comment(bob, event)
    bet(bob, event, 50_000)
    catch_up(service)
    later(service)
    follow(eve, f"events/{event['id']}")
    later(service)
    comment(bob, event)
    bet(bob, event, 50_000)
    catch_up(service)
    assert counts(ann) == {"event_comment": 0, "event_moved": 0, "event_cancelled": 0}
    assert counts(eve) == {"event_comment": 1, "event_moved": 1, "event_cancelled": 0}
    assert notices(eve, "event_moved")[0]["params"]["before_bps"] == 5000


@proves(OWN)
def test_who_chooses_to_follow_what_a_trade_has_followed_misses_nothing(held: Service) -> None:
    service = held
    ann, bob, event = service.user(balance_kopecks=RICH), service.user(), service.event()
    bet(ann, event, 100)
    catch_up(service)
    later(service)
    comment(bob, event)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    later(service)
    follow(ann, f"events/{event['id']}")
    catch_up(service)
    assert counts(ann) == {"event_comment": 1, "event_moved": 0, "event_cancelled": 1}


@proves(OWN, "site: A first trade in an event follows it, unless unfollowed or 1,000 are")
def test_who_follows_by_a_trade_is_notified_of_what_came_before_the_trade_was_read(held: Service) -> None:
    service = held
    ann, bob = service.user(balance_kopecks=RICH), service.user(balance_kopecks=RICH)
    going_on, cancelled = service.event(), service.event()
    for event in (going_on, cancelled):
        bet(ann, event, 100)
        later(service)
        comment(bob, event)
        bet(bob, event, 100_000)
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    catch_up(service)
    assert counts(ann) == {"event_comment": 2, "event_moved": 1, "event_cancelled": 1}


@proves("site: `creator_published`, `tag_published` (one of both an event; of a series instance 0 alone);", OWN)
def test_who_unfollows_a_creator_or_a_tag_is_notified_of_what_was_published_before(held: Service) -> None:
    service = held
    of_maker, of_tag, of_both, bob = (service.user() for _ in range(4))
    maker = service.user(creator=True)
    for person in (of_maker, of_both):
        follow(person, f"users/{maker.id}")
    for person in (of_tag, of_both, bob):
        follow(person, "tags/curling")
    later(service)
    service.event(maker, name="Before?", tags=["curling"])
    later(service)
    for person in (of_maker, of_both):
        unfollow(person, f"users/{maker.id}")
    unfollow(of_tag, "tags/curling")
    later(service)
    service.event(maker, name="After?", tags=["curling"])
    catch_up(service)

    def named(person: Person) -> list[tuple[str, str]]:
        found = [*notices(person, "creator_published"), *notices(person, "tag_published")]
        return [(one["type"], one["params"]["event_name"]) for one in found]

    assert named(of_maker) == [("creator_published", "Before?")]
    assert named(of_tag) == [("tag_published", "Before?")]
    assert named(of_both) == [("creator_published", "Before?"), ("tag_published", "After?")]
    assert named(bob) == [("tag_published", "Before?"), ("tag_published", "After?")]


@proves(OWN, "site: `app` false: no row.")
def test_what_is_switched_off_or_on_counts_from_then_on(held: Service) -> None:
    service = held
    quiet, loud, bob = service.user(), service.user(), service.user(balance_kopecks=RICH)
    moved, event = service.event(), service.event()
    kinds = ("event_comment", "event_moved", "event_cancelled", "price_alert")
    expect(loud.client.put(SETTINGS, json={key: {"app": False, "email": "off"} for key in kinds}), 200)
    market_id = moved["pools"][0]["markets"][0]["id"]
    for person in (quiet, loud):
        for one in (moved, event):
            follow(person, f"events/{one['id']}")
        expect(person.client.put(f"/markets/{market_id}/alert", json={"above": 6000}), 200)
    later(service)
    comment(bob, event)
    bet(bob, moved, 100_000)
    later(service)
    for person, app in ((quiet, False), (loud, True)):
        change = {key: {"app": app, "email": "off"} for key in kinds}
        expect(person.client.put(SETTINGS, json=change), 200)
        # What is as it was changes nothing.
        later(service)
        expect(person.client.put(SETTINGS, json=change), 200)
    later(service)
    comment(bob, event)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    catch_up(service)

    assert counts(quiet) == {"event_comment": 1, "event_moved": 1, "event_cancelled": 0}
    assert counts(loud) == {"event_comment": 1, "event_moved": 0, "event_cancelled": 1}
    assert (len(notices(quiet, "price_alert")), len(notices(loud, "price_alert"))) == (1, 0)
    assert [one["params"]["count"] for one in notices(quiet, "event_comment")] == [1]
    assert [one["params"]["count"] for one in notices(loud, "event_comment")] == [1]


@proves(OWN)
@pytest.mark.parametrize("kept", [0, 1])
def test_a_comment_that_is_deleted_before_it_is_sent_is_not_counted(
    held: Service, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    service = held
    ann, bob, event = service.user(), service.user(), service.event()
    follow(ann, f"events/{event['id']}")
    later(service)
    made = [comment(bob, event) for _ in range(1 + kept)]
    send_some: Callable[[Any], bool] = follower.send_some
    monkeypatch.setattr(follower, "send_some", lambda _tx: False)
    catch_up(service)
    monkeypatch.setattr(follower, "send_some", send_some)

    expect(bob.client.delete(f"/comments/{made[0]['id']}"), 200)
    catch_up(service)
    assert [one["params"]["count"] for one in notices(ann, "event_comment")] == [1] * kept


def test_comments_that_the_release_before_has_counted_are_sent_as_it_counted_them(held: Service) -> None:
    service = held
    ann, event = service.user(), service.event()
    follow(ann, f"events/{event['id']}")
    row = {"kind": "event_comment", "event_id": event["id"], "params": {"count": 3, "by": {}}, "without": []}
    work = follower_news.insert().values({**row, "created_at_ms": service.clock()})
    service.server.run(service.app.db.write(lambda tx: tx.execute(work)))
    catch_up(service)
    assert [one["params"]["count"] for one in notices(ann, "event_comment")] == [3]


@proves("site: Deletion ends sessions, keys, provider links, orders, follows, drafts;", OWN)
def test_a_deleted_account_is_sent_nothing_and_its_comments_are_not_counted(held: Service) -> None:
    service = held
    ann, bob, eve, event = service.user(), service.user(), service.user(), service.event()
    for person in (ann, eve):
        follow(person, f"events/{event['id']}")
    later(service)
    for person in (bob, eve):
        comment(person, event)
    for person in (bob, eve):
        expect(person.client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    catch_up(service)
    assert counts(ann) == {"event_comment": 0, "event_moved": 0, "event_cancelled": 1}
    of_eve = notifications.select().where(notifications.c.user_id == eve.id)
    assert service.look(lambda tx: tx.execute(of_eve).all()) == []


@proves("site: `event_comment` (one an event and hour, with their number; no replies),")
def test_comments_of_an_hour_are_sent_to_who_left_within_it(held: Service) -> None:
    service = held
    ann, bob, event = service.user(), service.user(), service.event()
    follow(ann, f"events/{event['id']}")
    later(service)
    comment(bob, event)
    catch_up(service)
    comment(bob, event)
    catch_up(service)
    later(service)
    unfollow(ann, f"events/{event['id']}")
    assert counts(ann)["event_comment"] == 1
    service.clock.advance(HOUR_MS + MINUTE_MS)
    catch_up(service)
    sign_in_again(service, ann)
    assert counts(ann)["event_comment"] == 2
