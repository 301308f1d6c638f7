"""What tests of follows share: notifications of a type, and waiting for them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.people.follows.tables import event_follows
from foreknow.people.users.tables import users
from tests.support import news
from tests.support.service import Person, Service, expect
from tests.support.waiting import wait_until

MINE = "/users/me/following"
ALERTS = "/users/me/alerts"
settled = news.settled


def notices(person: Person, kind: str) -> list[dict[str, Any]]:
    """Return a person's notifications of a type, oldest first."""
    listed = expect(person.client.get("/notifications", params={"limit": 100}), 200)["notifications"]
    return [one for one in reversed(listed) if one["type"] == kind]


def wait_for_notices(person: Person, kind: str, *, count: int = 1) -> list[dict[str, Any]]:
    """Wait until a person has `count` notifications of a type, and return them, oldest first."""
    wait_until(lambda: len(notices(person, kind)) >= count)
    return notices(person, kind)


def follow(person: Person, path: str) -> None:
    """Follow, for example, `events/7`."""
    assert expect(person.client.put(f"/{path}/follow"), 200) == {}


def unfollow(person: Person, path: str) -> None:
    """Unfollow it."""
    assert expect(person.client.delete(f"/{path}/follow"), 200) == {}


def bet(trader: Person, event: dict[str, Any], amount_kopecks: int, *, side: str = "YES", market: int = 0) -> None:
    """Bet on a market of the event's first pool."""
    market_id = event["pools"][0]["markets"][market]["id"]
    body = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    expect(trader.client.post("/market/bets", json=body), 201)


def crowd(service: Service, event: dict[str, Any], size: int) -> list[int]:
    """Let many people, made in the database alone, follow an event; return their ids."""

    def make(tx: Any) -> list[int]:
        like = tx.execute(sa.select(users).where(users.c.id == service.creator.id)).mappings().one()
        blank = {
            "email": "",
            "email_key": None,
            "nickname_key": None,
            "nickname_skeleton": None,
            "nickname": "",
            "is_creator": False,
        }
        name = f"Follower of {event['id']}"
        row = {**like, **blank, "name": name}
        row.pop("id")
        tx.execute(users.insert(), [row] * size)
        ids = list(tx.execute(sa.select(users.c.id).where(users.c.name == name)).scalars())
        own = {"event_id": event["id"], "is_on": True, "by_trade": False, "followed_at_ms": 1}
        tx.execute(event_follows.insert(), [own | {"user_id": one} for one in ids])
        return ids

    made: list[int] = service.server.run(service.app.db.write(make))
    return made
