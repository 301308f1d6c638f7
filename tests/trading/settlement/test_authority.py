"""Money moves only for callers whose session and role are valid in the database, whatever the caches say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError
from foreknow.kernel.terms import Terms
from foreknow.market.events import service as events
from foreknow.money.ledger.tables import transfers
from foreknow.people.users.tables import sessions, users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement import service
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.trading.settlement import world

Action = Callable[[WriteTx, UserCaller], object]


def actions_on_events(tx: WriteTx, creator: UserCaller) -> dict[str, Action]:
    """Return the actions on a published and on a new event of the creator's."""
    published, waiting = world.event(tx, creator), world.event(tx, creator, publish=False)
    void = ResolveBody(void=True)
    return {
        "publish": lambda tx, who: events.publish(tx, waiting.id, who, terms=Terms()),
        "resolve": lambda tx, who: service.resolve(tx, published.pools[0].id, void, who),
        "cancel": lambda tx, who: service.void_event(tx, published.id, who),
    }


def errors(tx: WriteTx, actions: dict[str, Action], who: UserCaller) -> dict[str, str]:
    """Try every action as `who` and return the error codes; no money may have moved."""
    count = sa.select(sa.func.count()).select_from(transfers)
    before = tx.execute(count).scalar_one()
    codes = {}
    for name, action in actions.items():
        with pytest.raises(DomainError) as refused:
            action(tx, who)
        codes[name] = refused.value.code
    assert tx.execute(count).scalar_one() == before
    return codes


async def test_a_session_that_was_revoked_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        actions = actions_on_events(tx, creator)
        tx.execute(sessions.update().where(sessions.c.id == creator.session_id).values(revoked_at_ms=1))
        assert errors(tx, actions, creator) == dict.fromkeys(actions, "unauthorized")

    await world.tell(db, story)


async def test_an_admin_whose_role_was_taken_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        actions = actions_on_events(tx, world.person(tx, creator=True))
        admin = world.person(tx, admin=True)
        tx.execute(users.update().where(users.c.id == admin.user_id).values(is_admin=False))
        assert errors(tx, actions, admin) == dict.fromkeys(actions, "forbidden")

    await world.tell(db, story)


async def test_a_creator_whose_role_was_taken_moves_nothing(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        creator = world.person(tx, creator=True)
        actions = actions_on_events(tx, creator)
        tx.execute(users.update().where(users.c.id == creator.user_id).values(is_creator=False))
        assert errors(tx, actions, creator) == dict.fromkeys(actions, "forbidden")

    await world.tell(db, story)


async def test_an_admin_may_do_what_the_creator_may(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        actions = actions_on_events(tx, world.person(tx, creator=True))
        admin = world.person(tx, admin=True)
        actions["publish"](tx, admin)
        actions["cancel"](tx, admin)

    await world.tell(db, story)
