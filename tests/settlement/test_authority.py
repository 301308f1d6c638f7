"""Money moves only for those whose session and role stand in the database, whatever the edge remembers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from foreknow.access.callers import UserCaller
from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.events import service as events
from foreknow.kernel.clock import system_clock
from foreknow.kernel.errors import DomainError
from foreknow.ledger.tables import transfers
from foreknow.settlement.resolution import ResolveBody
from foreknow.settlement.service import settle_pool, void_event
from foreknow.users.tables import sessions, users
from tests.settlement import world

Deed = Callable[[WriteTx, UserCaller], object]


def deeds(tx: WriteTx, creator: UserCaller) -> dict[str, Deed]:
    """Return what one may do to a published and to a new event of the creator's."""
    published, waiting = world.event(tx, creator), world.event(tx, creator, publish=False)
    void = ResolveBody(void=True)
    return {
        "publish": lambda tx, who: events.publish(tx, waiting.id, who, clock=system_clock, limit_kopecks=None),
        "resolve": lambda tx, who: settle_pool(tx, published.pools[0].id, void, who, clock=system_clock),
        "cancel": lambda tx, who: void_event(tx, published.id, who, clock=system_clock),
    }


def errors(tx: WriteTx, todo: dict[str, Deed], who: UserCaller) -> dict[str, str]:
    """Try everything as `who` and return the code of each refusal; nothing may have moved."""
    count = sa.select(sa.func.count()).select_from(transfers)
    before = tx.execute(count).scalar_one()
    codes = {}
    for name, deed in todo.items():
        with pytest.raises(DomainError) as refused:
            deed(tx, who)
        codes[name] = refused.value.code
    assert tx.execute(count).scalar_one() == before
    return codes


async def test_a_session_that_was_revoked_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        todo = deeds(tx, creator)
        tx.execute(sessions.update().where(sessions.c.id == creator.session_id).values(revoked_at_ms=1))
        assert errors(tx, todo, creator) == dict.fromkeys(todo, "unauthorized")

    await world.tell(db, story)


async def test_an_admin_whose_role_was_taken_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        todo = deeds(tx, world.person(tx, creator=True))
        admin = world.person(tx, admin=True)
        tx.execute(users.update().where(users.c.id == admin.user_id).values(is_admin=False))
        assert errors(tx, todo, admin) == dict.fromkeys(todo, "forbidden")

    await world.tell(db, story)


async def test_a_creator_whose_role_was_taken_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        todo = deeds(tx, creator)
        tx.execute(users.update().where(users.c.id == creator.user_id).values(is_creator=False))
        assert errors(tx, todo, creator) == dict.fromkeys(todo, "forbidden")

    await world.tell(db, story)


async def test_an_admin_may_do_what_the_creator_may(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        todo = deeds(tx, world.person(tx, creator=True))
        admin = world.person(tx, admin=True)
        todo["publish"](tx, admin)
        todo["cancel"](tx, admin)

    await world.tell(db, story)
