"""Notifications of what one follows: each once, never of one's own act, none after unfollowing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from foreknow.people.notifications.tables import notifications
from foreknow.site.following import FollowingService, causes, follower
from tests.site.comments.conversation import comment
from tests.site.following.readers import bet, crowd, follow, notices, unfollow, wait_for_notices
from tests.support.kinds import FIRST_ON_POSTGRES, ON_SQLITE
from tests.support.limit_orders import rest
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool
from tests.support.waiting import wait_until
from tests.trading.settlement.windows import disputable

RICH = 10_000_000
FOR_FOLLOWERS = "site: `event_resolved`, `event_cancelled` go to followers too."
OWN = "site: Types, for who follows, never of one's own act:"


def again(service: Service, *people: Person) -> None:
    """Sign people in again, whose tokens have ended."""
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"


def resolve(service: Service, event: dict[str, Any]) -> None:
    for one in event["pools"]:
        expect(service.creator.client.post(f"/pools/{one['id']}/resolve", json={"won_side": 0}), 200)


@proves(FOR_FOLLOWERS, OWN)
def test_followers_are_notified_of_results_and_cancellations(service: Service) -> None:
    ann, left = service.user(), service.user()
    resolved, cancelled, decided = service.event(name="Cup?"), service.event(name="Match?"), service.event()
    for event in (resolved, cancelled):
        for person in (ann, left, service.creator):
            follow(person, f"events/{event['id']}")
        unfollow(left, f"events/{event['id']}")
    admin = service.user(admin=True)
    for person in (ann, admin):
        follow(person, f"events/{decided['id']}")
    expect(admin.client.post(f"/pools/{decided['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    (notice,) = wait_for_notices(ann, "event_resolved")
    assert notice["event_id"] == decided["id"]
    resolve(service, resolved)
    _, notice = wait_for_notices(ann, "event_resolved", count=2)
    assert notice["text"] == "“Cup?” is resolved: all its pools are settled."
    assert notice["event_id"] == resolved["id"]
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel", json={"note": "Rain."}), 200)
    (notice,) = wait_for_notices(ann, "event_cancelled")
    assert notice["text"] == "“Match?” was cancelled."
    assert notices(left, "event_resolved") == notices(left, "event_cancelled") == []
    assert notices(admin, "event_resolved") == []
    own = [one for one in notices(service.creator, "event_resolved") if one["event_id"] == resolved["id"]]
    assert [one["text"] for one in own] == ["Your event “Cup?” is resolved: all its pools are settled."]


@proves(FOR_FOLLOWERS, OWN)
def test_an_admin_is_not_notified_of_the_result_that_they_gave(service: Service) -> None:
    ann, admin = service.user(), service.user(admin=True)
    own, anothers = service.event(pools=[pool(), pool()]), service.event(pools=[pool(), pool()])
    for event in (own, anothers):
        for person in (ann, admin):
            follow(person, f"events/{event['id']}")
    # The last decision counts: after the admin's first one, the event goes on.
    deciders = {own["id"]: (service.creator, admin), anothers["id"]: (admin, service.creator)}
    for event in (own, anothers):
        for one, by in zip(event["pools"], deciders[event["id"]], strict=True):
            expect(by.client.post(f"/pools/{one['id']}/resolve", json={"won_side": 0}), 200)
    assert len(wait_for_notices(ann, "event_resolved", count=2)) == 2
    (notice,) = wait_for_notices(admin, "event_resolved")
    assert notice["event_id"] == anothers["id"]


@proves(
    "site: `creator_published`, `tag_published` (one of both an event; of a series instance 0 alone);",
    OWN,
)
def test_a_new_event_is_announced_once_to_who_follows_its_creator_or_a_tag(service: Service) -> None:
    maker = service.user(creator=True)
    of_maker, of_tag, of_both = service.user(), service.user(), service.user()
    for person in (of_maker, of_both, maker):
        follow(person, f"users/{maker.id}")
    for person in (of_tag, of_both, maker):
        follow(person, "tags/bandy")
        follow(person, "tags/ice")
    event = service.event(maker, name="Final?", tags=["ice", "bandy"], publish=False)
    assert notices(of_maker, "creator_published") == []
    expect(maker.client.post(f"/events/{event['id']}/publish"), 200)
    assert [one["text"] for one in wait_for_notices(of_maker, "creator_published")] == [
        "A creator you follow has published “Final?”."
    ]
    (notice,) = wait_for_notices(of_tag, "tag_published")
    assert notice["text"] == "A new event with the tag “ice”: “Final?”."
    assert (notice["params"]["tag"], notice["event_id"]) == ("ice", event["id"])
    assert len(wait_for_notices(of_both, "creator_published")) == 1
    assert notices(of_both, "tag_published") == notices(of_maker, "tag_published") == []
    assert notices(maker, "creator_published") == notices(maker, "tag_published") == []


@proves("site: `event_comment` (one an event and hour, with their number; no replies),", OWN)
def test_comments_of_an_hour_are_one_notification_with_their_number(moving_service: Service) -> None:
    service = moving_service
    ann, bob, event = service.user(), service.user(), service.event(name="Cup?")
    for person in (ann, bob):
        follow(person, f"events/{event['id']}")
    first = comment(bob, event)
    (notice,) = wait_for_notices(ann, "event_comment")
    assert (notice["text"], notice["params"]["count"]) == ("New comments on “Cup?”: 1.", 1)
    comment(bob, event, parent=first)
    comment(bob, event)
    comment(ann, event)
    gone = comment(bob, event)
    expect(bob.client.delete(f"/comments/{gone['id']}"), 200)
    service.clock.advance(HOUR_MS + MINUTE_MS)
    again(service, ann, bob)
    assert [one["params"]["count"] for one in wait_for_notices(ann, "event_comment", count=2)] == [1, 1]
    assert [one["params"]["count"] for one in wait_for_notices(bob, "event_comment")] == [1]


@proves(OWN)
def test_who_moves_a_price_is_not_notified_and_whose_order_is_met_is(service: Service) -> None:
    ann, bob = service.user(balance_kopecks=RICH), service.user(balance_kopecks=RICH)
    event = service.event()
    for person in (ann, bob):
        follow(person, f"events/{event['id']}")
    market = event["pools"][0]["markets"][0]["id"]
    rest(bob, market, "NO", "buy", shares=1000, price=45)
    bet(ann, event, 30_000)
    assert wait_for_notices(bob, "event_moved")[0]["params"]["before_bps"] == 5000
    assert notices(ann, "event_moved") == []


@proves(
    "site: `event_moved` (the main pool by 10 points since the last one or publication; one in 24 h),",
    OWN,
)
def test_a_move_by_ten_points_is_notified_of_once_in_24_hours(moving_service: Service) -> None:
    service = moving_service
    ann, bob = service.user(), service.user(balance_kopecks=RICH)
    event = service.event(name="Cup?")
    for person in (ann, bob):
        follow(person, f"events/{event['id']}")
    bet(bob, event, 15_000)
    bet(bob, event, 15_000)
    (notice,) = wait_for_notices(ann, "event_moved")
    assert notice["params"]["before_bps"] == 5000
    assert notice["params"]["after_bps"] >= 6000
    assert notices(bob, "event_moved") == []
    bet(bob, event, 200_000)
    service.clock.advance(DAY_MS + MINUTE_MS)
    again(service, ann, bob)
    later = wait_for_notices(ann, "event_moved", count=2)[1]
    assert later["params"]["before_bps"] == notice["params"]["after_bps"]
    market = expect(service.client().get(f"/markets/{event['pools'][0]['markets'][0]['id']}"), 200)
    assert later["params"]["after_bps"] == round(market["yes_probability"] * 10_000)
    assert f"to {later['params']['after_bps'] / 100:.2f}".rstrip("0").rstrip(".") in later["text"]


@proves("site: `event_closing` (24 h before the last `finish_at`, if published by then),", OWN)
def test_the_end_of_trading_is_announced_a_day_before(moving_service: Service) -> None:
    service = moving_service
    ann = service.user()
    ends_ms = service.clock() + 2 * DAY_MS
    pools = [pool(finish_at=iso(ends_ms - HOUR_MS)), pool(finish_at=iso(ends_ms))]
    event = service.event(name="Cup?", pools=pools)
    short = service.event(pools=[pool(finish_at=iso(service.clock() + DAY_MS - HOUR_MS))])
    for one in (event, short):
        follow(ann, f"events/{one['id']}")
    service.clock.advance(DAY_MS - 30 * MINUTE_MS)
    again(service, ann)
    service.server.run(service.app.services.following.follow())
    assert notices(ann, "event_closing") == []
    for _ in range(3):
        service.clock.advance(31 * MINUTE_MS)
        service.server.run(service.app.services.following.follow())
    again(service, ann)
    (notice,) = wait_for_notices(ann, "event_closing")
    assert notice["params"]["finish_at"] == iso(ends_ms)
    assert notice["text"] == f"“Cup?” closes at {iso(ends_ms)[:16].replace('T', ' ')} UTC."


def test_no_end_is_announced_of_what_has_a_result(moving_service: Service) -> None:
    service = moving_service
    ann, ends_ms = service.user(), service.clock() + 2 * DAY_MS
    disputed, partly, going_on = (
        service.event(
            pools=[pool(finish_at=iso(ends_ms - HOUR_MS)), disputable(minutes=10_000, finish_at=iso(ends_ms))]
        )
        for _ in range(3)
    )
    for event in (disputed, partly, going_on):
        follow(ann, f"events/{event['id']}")
    for one in (*disputed["pools"], partly["pools"][1]):
        expect(service.creator.client.post(f"/pools/{one['id']}/resolve", json={"won_side": 0}), 200)
    service.clock.advance(DAY_MS + MINUTE_MS)
    again(service, ann)
    service.server.run(service.app.services.following.follow())
    (notice,) = wait_for_notices(ann, "event_closing")
    assert notice["event_id"] == going_on["id"]


def test_the_end_of_a_followed_event_is_announced_after_many_that_no_one_follows(
    moving_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causes, "PIECE_ROWS", 2)
    service = moving_service
    ann, ends_ms = service.user(), service.clock() + 2 * DAY_MS
    for _ in range(3):
        service.event(pools=[pool(finish_at=iso(ends_ms - MINUTE_MS))])
    left, *followed = (service.event(pools=[pool(finish_at=iso(ends_ms))]) for _ in range(4))
    for event in (left, *followed):
        follow(ann, f"events/{event['id']}")
    unfollow(ann, f"events/{left['id']}")
    # The cursor would pass them all by the last look.
    for _ in range(3):
        service.clock.advance(DAY_MS // 2 + MINUTE_MS)
        service.server.run(service.app.services.following.follow())
        service.server.run(service.app.services.following.follow())
    again(service, ann)
    notified = wait_for_notices(ann, "event_closing", count=len(followed))
    assert sorted(one["event_id"] for one in notified) == sorted(event["id"] for event in followed)


@pytest.fixture
def crowded(database_url: str) -> Iterator[Service]:
    """A service whose followers have no accounts in the books, which are not audited."""
    running = Service(database_url)
    yield running
    running.stop()


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("processes", [3, 1])
def test_many_followers_are_notified_once_each_in_pieces(
    crowded: Service, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(follower, "PIECE_FOLLOWERS", 7)
    service = crowded
    event = service.event()
    crowd(service, event, 100)
    others = [FollowingService(service.app.db) for _ in range(processes - 1)]

    async def start() -> None:
        for one in others:
            one.start()

    async def stop() -> None:
        for one in others:
            await one.stop()

    service.server.run(start())
    resolve(service, event)
    kind = notifications.c.type == "event_resolved"
    query = sa.select(sa.func.count(), sa.func.count(notifications.c.user_id.distinct())).where(kind)
    wait_until(lambda: tuple(service.look(lambda tx: tx.execute(query).one())) == (101, 101))
    service.server.run(stop())


@ON_SQLITE
def test_what_a_killed_process_has_left_is_sent_by_the_next(crowded: Service) -> None:
    service = crowded
    event = service.event()
    crowd(service, event, 3 * follower.PIECE_FOLLOWERS)
    service.server.run(service.app.services.following.stop())
    resolve(service, event)
    kind = notifications.c.type == "event_resolved"
    query = sa.select(sa.func.count(), sa.func.count(notifications.c.user_id.distinct())).where(kind)
    wait_until(lambda: service.look(lambda tx: tx.execute(query).one())[0] == 1)
    service.server.run(service.app.db.write_private(follower.send_some))
    assert service.look(lambda tx: tx.execute(query).one())[0] == 1 + follower.PIECE_FOLLOWERS
    service.restart()
    everyone = 1 + 3 * follower.PIECE_FOLLOWERS
    wait_until(lambda: tuple(service.look(lambda tx: tx.execute(query).one())) == (everyone, everyone))
