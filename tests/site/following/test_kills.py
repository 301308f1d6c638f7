"""Processes that notify followers, each killed at a commit: what they were to send comes once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, iso, system_clock
from foreknow.market.events.tables import events
from foreknow.market.pools.tables import pools
from foreknow.people.notifications.tables import notifications
from foreknow.site.feed.tables import feed_order
from foreknow.trading.desk.tables import trades
from tests.site.comments.conversation import comment
from tests.site.following.readers import bet, crowd, follow, unfollow
from tests.support.orders import sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool
from tests.support.waiting import wait_until

RICH = 10_000_000
#: Of two events.
FOLLOWERS = 6
#: A person, what they are notified of, and the event.
Key = tuple[int, str, int]


@pytest.fixture
def crowded(database_url: str) -> Iterator[Service]:
    """A service whose followers have no accounts in the books, which are not audited."""
    running = Service(database_url)
    yield running
    running.stop()


def make_scene(service: Service, database_kind: str) -> list[Key]:
    """Let all that followers are notified of happen, with no one to notify them; return what they are to be sent."""
    ann, cat, left = (service.user() for _ in range(3))
    bob = service.user(balance_kopecks=RICH)
    jumping, moving, decided = (service.event() for _ in range(3))
    closing = service.event(pools=[pool(finish_at=iso(system_clock() + 2 * DAY_MS))])
    crowds = {event["id"]: crowd(service, event, FOLLOWERS) for event in (moving, decided)}
    for event in (moving, decided, closing):
        for person in (ann, left):
            follow(person, f"events/{event['id']}")
    follow(cat, "tags/kills")
    follow(bob, f"events/{moving['id']}")
    market_id = jumping["pools"][0]["markets"][0]["id"]
    for person, above in ((ann, 6000), (cat, 7000)):
        expect(person.client.put(f"/markets/{market_id}/alert", json={"above": above}), 200)
    service.server.run(service.app.services.following.stop())

    # Past both alerts, and back within a second.
    bet(bob, jumping, 100_000)
    expect(sell(bob, market_id, "YES"), 201)
    bet(bob, moving, 50_000)
    comment(bob, moving)
    expect(service.creator.client.post(f"/pools/{decided['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    published = service.event(tags=["kills"])
    wait_until(lambda: service.look(lambda tx: _count(tx, notifications.c.type == "event_resolved")) == 1)
    # What has happened by then is sent to who has unfollowed meanwhile, too.
    for event in (moving, decided, closing):
        unfollow(left, f"events/{event['id']}")
    # A day before the end by now, which no one may say over HTTP, and no earlier: someone would have been notified.
    ends_at_ms = system_clock() + DAY_MS
    service.server.run(service.app.db.write(lambda tx: _end_at(tx, closing, ends_at_ms)))
    if database_kind == "postgres":
        wait_until(lambda: service.look(_are_all_in_order))
    return [
        (ann.id, "price_alert", jumping["id"]),
        (cat.id, "price_alert", jumping["id"]),
        (ann.id, "event_closing", closing["id"]),
        (cat.id, "tag_published", published["id"]),
        *(
            (one, kind, moving["id"])
            for one in (ann.id, left.id, *crowds[moving["id"]])
            for kind in ("event_moved", "event_comment")
        ),
        *(
            (one, "event_resolved", decided["id"])
            for one in (ann.id, left.id, service.creator.id, *crowds[decided["id"]])
        ),
    ]


def _end_at(tx: Any, event: dict[str, Any], ends_at_ms: int) -> None:
    for table, row_id in ((events, event["id"]), (pools, event["pools"][0]["id"])):
        tx.execute(table.update().where(table.c.id == row_id).values(finish_at_ms=ends_at_ms))


def _count(tx: Any, *conditions: Any) -> int:
    query = sa.select(sa.func.count()).select_from(notifications).where(*conditions)
    return int(tx.execute(query).scalar_one())


def _are_all_in_order(tx: Any) -> bool:
    """Return whether every trade has its place in the feed's order."""
    of_trades, of_places = (
        tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() for table in (trades, feed_order)
    )
    return bool(of_trades == of_places)


@proves(
    "site: at the first trade or new priors that leave the price at or past it, then gone, as at the market's end.",
    "site: Types, for who follows, never of one's own act:",
)
def test_each_is_notified_once_though_every_commit_kills_a_process(crowded: Service, database_kind: str) -> None:
    expected = make_scene(crowded, database_kind)
    url = crowded.database_url
    crowded.stop()
    # On PostgreSQL beside another process that dies, too.
    at_once = 2 if database_kind == "postgres" else 1
    command = [sys.executable, "-m", "faults.follower", url, str(at_once)]
    kills = int(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    crowded.start_again()
    wait_until(lambda: not crowded.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM follower_news").scalar()))
    query = sa.select(notifications.c.user_id, notifications.c.type, notifications.c.event_id)
    found = Counter(
        (user_id, kind, event_id)
        for user_id, kind, event_id in crowded.look(lambda tx: tx.execute(query).all())
        if kind not in {"position_settled", "event_published"}
    )
    assert found == Counter(expected)
    # More than the causes: news is sent in pieces.
    assert kills > 2 * len({kind for _, kind, _ in expected})
