"""Users' own keys below HTTP: what a session that has ended may not do, and what waits while a key is made."""

from __future__ import annotations

import concurrent.futures
from dataclasses import replace

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.api_keys import hash_key
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import Unauthorized
from foreknow.people.users import keys, sessions
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.errors import TooManyUserKeys, UserKeyNotFound
from foreknow.people.users.tables import sessions as session_rows
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.kinds import ONCE
from tests.support.service import PASSWORD
from tests.support.transactions import look


def signed_in(tx: WriteTx, name: str = "Ann") -> UserCaller:
    person = NewPerson(email=f"{name}@example.org", password=PASSWORD, name=name, nickname="")
    user_id = create_user(tx, person, password_hash="a hash", at_ms=0).id
    session = sessions.open_session(tx, user_id=user_id, now_ms=0)
    return UserCaller(user_id, session.id, is_creator=False, is_admin=False, is_stats_viewer=False, is_operator=False)


async def test_a_session_that_has_ended_makes_and_ends_no_key(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ann, bob = signed_in(tx), signed_in(tx, "Bob")
        key = keys.issue(tx, ann, name="Bot", scope="read", at_ms=1).stored
        other = replace(ann, session_id=sessions.open_session(tx, user_id=ann.user_id, now_ms=1).id)
        sessions.revoke(tx, ann.session_id, now_ms=2)
        with pytest.raises(Unauthorized):
            keys.issue(tx, ann, name="Another", scope="read", at_ms=3)
        with pytest.raises(Unauthorized):
            keys.revoke(tx, ann, key.id, at_ms=3)
        with pytest.raises(UserKeyNotFound):
            keys.revoke(tx, bob, key.id, at_ms=3)
        assert keys.live_keys(tx, ann.user_id) == [key]
        keys.revoke(tx, other, key.id, at_ms=4)
        assert keys.live_keys(tx, ann.user_id) == []

    await db.write(work)


async def test_keys_that_have_ended_go_with_the_next_one_and_no_others(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ann, bob = signed_in(tx), signed_in(tx, "Bob")
        ended, kept = (keys.issue(tx, ann, name=name, scope="read", at_ms=1) for name in ("Ended", "Kept"))
        bobs = keys.issue(tx, bob, name="Bob's", scope="trade", at_ms=1)
        signed_out = sessions.open_session(tx, user_id=ann.user_id, now_ms=1)
        for caller, key in ((ann, ended), (bob, bobs)):
            keys.revoke(tx, caller, key.stored.id, at_ms=2)
        sessions.revoke(tx, signed_out.id, now_ms=2)
        added = keys.issue(tx, ann, name="New", scope="read", at_ms=3)
        assert keys.live_keys(tx, ann.user_id) == [kept.stored, added.stored]
        found = [keys.find_session(tx, hash_key(key.key)) for key in (ended, kept, bobs, added)]
        assert [one is not None for one in found] == [False, True, True, True]
        rows = sa.select(sa.func.count()).where(session_rows.c.user_id == ann.user_id)
        # Two sign-ins, one of them ended, and two keys.
        assert tx.execute(rows).scalar() == 4

    await db.write(work)


@ONCE
async def test_twenty_keys_are_live_at_most(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ann, bob = signed_in(tx), signed_in(tx, "Bob")
        made = [keys.issue(tx, ann, name=f"No. {number}", scope="read", at_ms=1).stored for number in range(20)]
        with pytest.raises(TooManyUserKeys):
            keys.issue(tx, ann, name="One more", scope="read", at_ms=1)
        keys.issue(tx, bob, name="Bob's", scope="read", at_ms=1)
        assert keys.live_keys(tx, ann.user_id) == made

    await db.write(work)


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_a_user_who_makes_a_key_waits_with_another_but_not_with_orders(db: Database, database_url: str) -> None:
    ann = await db.write(signed_in)

    def free(lock: str) -> list[int]:
        query = sa.text(f"SELECT id FROM users FOR {lock} SKIP LOCKED")
        return look(database_url, lambda tx: list(tx.execute(query).scalars()))

    def work(tx: WriteTx) -> list[list[int]]:
        keys.issue(tx, ann, name="Bot", scope="trade", at_ms=1)
        with concurrent.futures.ThreadPoolExecutor(1) as elsewhere:
            return list(elsewhere.map(free, ["NO KEY UPDATE", "KEY SHARE"]))

    assert await db.write(work) == [[], [ann.user_id]]
