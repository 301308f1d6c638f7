"""The authenticator: fast for cached sessions, and at most 1 s late with revocations."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import jwt
import pytest

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import MINUTE_MS, system_clock
from foreknow.kernel.errors import Unavailable
from foreknow.people.users import UserAuthenticator, authenticator, sessions, store
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.authenticator import CACHE_S, READERS_MAX, VERIFIED_MAX
from foreknow.people.users.sessions import SessionRow
from foreknow.people.users.tokens import ACCESS_TOKEN_MS, AccessTokens, RefreshClaim
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadWork, WriteTx
from tests.support.kinds import ONCE
from tests.support.proofs import proves

KEY = b"k" * 32
TOKENS = AccessTokens(KEY)
FRESH = "decisions: A session, role or key taken away is refused at once by that process, within 1 s by every other"


class CountingDatabase:
    """A database that counts what is read, and can hold an answer back."""

    def __init__(self, db: Database) -> None:
        self.reads = 0
        self.failing = False
        self.found, self.answering = asyncio.Event(), asyncio.Event()
        self.answering.set()
        self._db = db
        self.url, self.is_sqlite = db.url, db.is_sqlite
        self.read, self.write, self.close, self.on_write = db.read, db.write, db.close, db.on_write
        self.rewrite = db.rewrite
        self.write_private, self.write_brief, self.write_orders = db.write_private, db.write_brief, db.write_orders

    async def lookup(self, work: ReadWork[Any]) -> Any:
        self.reads += 1
        if self.failing:
            raise Unavailable
        found = await self._db.lookup(work)
        self.found.set()
        await self.answering.wait()
        return found


class World:
    """A user with a session, an authenticator, and clocks that stand still until they are moved."""

    def __init__(self, db: Database, session: SessionRow) -> None:
        self.db = CountingDatabase(db)
        self.session = session
        self.now_ms = session.created_at_ms
        self.timer_s = 1_000.0
        self.authenticator = UserAuthenticator(self.db, TOKENS, lambda: self.now_ms, timer=lambda: self.timer_s)
        self.token = self.issue()

    def issue(self, **other: int) -> str:
        claim = RefreshClaim(other.get("session_id", self.session.id), other.get("generation", 0), 0)
        return TOKENS.issue(
            claim,
            user_id=other.get("user_id", self.session.user_id),
            session_ends_at_ms=self.session.expires_at_ms,
            now_ms=self.now_ms,
        ).text

    async def check(self) -> UserCaller | None:
        return await self.authenticator.check(self.token)


def open_session(tx: WriteTx, email: str) -> SessionRow:
    person = NewPerson.read(email=email, password="correct horse", name="Ann")
    user = create_user(tx, person, password_hash=None, at_ms=system_clock(), roles={"is_creator": True})
    return sessions.open_session(tx, user_id=user.id, now_ms=system_clock())


@pytest.fixture
async def world(db: Database) -> World:
    return World(db, await db.write(lambda tx: open_session(tx, "ann@example.org")))


async def test_a_good_token_tells_the_user_and_the_roles(world: World) -> None:
    assert await world.check() == UserCaller(
        user_id=world.session.user_id,
        session_id=world.session.id,
        is_creator=True,
        is_admin=False,
        is_stats_viewer=False,
        is_operator=False,
        email_verified=False,
    )


@ONCE
async def test_a_caller_who_was_just_here_costs_no_query(world: World) -> None:
    for _ in range(100):
        assert await world.check() is not None

    assert world.db.reads == 1
    world.timer_s += CACHE_S
    assert await world.check() is not None
    assert world.db.reads == 2


async def test_a_hundred_requests_at_once_ask_once(world: World) -> None:
    assert None not in await asyncio.gather(*(world.check() for _ in range(100)))
    assert world.db.reads == 1


async def test_many_sessions_that_are_stale_at_once_are_read_together(world: World, db: Database) -> None:
    others = [await db.write(partial(open_session, email=f"person{number}@example.org")) for number in range(20)]
    tokens = [world.issue(session_id=session.id, user_id=session.user_id) for session in others]
    world.db.answering.clear()
    first = asyncio.create_task(world.check())
    await world.db.found.wait()
    rest = [asyncio.create_task(world.authenticator.check(token)) for token in tokens]
    await asyncio.sleep(0)
    world.db.answering.set()

    callers = [await first, *[await one for one in rest]]
    assert [caller.session_id for caller in callers if caller] == [world.session.id, *[one.id for one in others]]
    assert world.db.reads <= 1 + READERS_MAX


@ONCE
async def test_who_asks_in_the_moment_in_which_a_look_ends_is_answered(
    world: World, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task that looked is still there, but looks no more."""
    monkeypatch.setattr(authenticator, "READERS_MAX", 1)
    other = await db.write(lambda tx: open_session(tx, "bob@example.org"))
    late = world.authenticator.check(world.issue(session_id=other.id, user_id=other.user_id))
    answers: list[asyncio.Future[UserCaller | None]] = []

    def ask(_: object) -> None:
        # As far as it comes without waiting.
        late.send(None)
        answers.append(world.authenticator._lookups[other.id].caller)

    first = asyncio.create_task(world.check())
    await asyncio.sleep(0)
    world.authenticator._lookups[world.session.id].caller.add_done_callback(ask)
    assert await first is not None
    async with asyncio.timeout(30):
        caller = await answers[0]
    late.close()
    assert caller is not None
    assert caller.user_id == other.user_id


async def test_a_look_that_fails_fails_those_who_wait_and_none_after(world: World) -> None:
    world.db.failing = True
    results = await asyncio.gather(*(world.check() for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in results] == [Unavailable] * 3

    world.db.failing = False
    assert await world.check() is not None


@proves(FRESH)
async def test_what_another_process_takes_away_is_gone_within_a_second(world: World, db: Database) -> None:
    await world.check()
    await db.write(lambda tx: store.set_roles(tx, world.session.user_id, {"is_creator": False}))
    world.timer_s += 1
    caller = await world.check()
    assert caller is not None
    assert not caller.is_creator

    await db.write(lambda tx: sessions.revoke(tx, world.session.id, now_ms=world.now_ms))
    world.timer_s += 1
    assert await world.check() is None


@proves(FRESH)
async def test_what_this_process_takes_away_is_gone_at_once(world: World, db: Database) -> None:
    await world.check()
    await db.write(lambda tx: store.set_roles(tx, world.session.user_id, {"is_creator": False}))
    world.authenticator.invalidate(user_id=world.session.user_id)
    caller = await world.check()
    assert caller is not None
    assert not caller.is_creator

    await db.write(lambda tx: sessions.revoke(tx, world.session.id, now_ms=world.now_ms))
    world.authenticator.invalidate(session_id=world.session.id)
    assert await world.check() is None


@ONCE
async def test_forgetting_one_leaves_the_others_known(world: World) -> None:
    await world.check()
    world.authenticator.invalidate(user_id=world.session.user_id + 1)
    world.authenticator.invalidate(session_id=world.session.id + 1)
    await world.check()

    assert world.db.reads == 1


async def test_an_answer_from_before_a_revocation_is_not_kept(world: World, db: Database) -> None:
    world.db.answering.clear()
    early = asyncio.create_task(world.check())
    await world.db.found.wait()
    await db.write(lambda tx: sessions.revoke(tx, world.session.id, now_ms=world.now_ms))
    world.authenticator.invalidate(session_id=world.session.id)
    late = asyncio.create_task(world.check())
    await asyncio.sleep(0)
    world.db.answering.set()

    assert await early is not None
    assert await late is None
    assert await world.check() is None


@ONCE
async def test_a_token_ends_with_its_time_though_it_was_just_here(world: World) -> None:
    assert await world.check() is not None
    world.now_ms += ACCESS_TOKEN_MS - 1_000
    assert await world.check() is not None
    world.now_ms += 1_000
    assert await world.check() is None


@ONCE
async def test_a_token_is_good_from_its_beginning_on(world: World) -> None:
    claims = jwt.decode(world.token, options={"verify_signature": False})
    world.token = jwt.encode(claims | {"nbf": claims["iat"] + 60}, KEY, "HS256")

    assert await world.check() is None
    world.now_ms += MINUTE_MS
    assert await world.check() is not None
    world.token = jwt.encode(claims | {"nbf": None}, KEY, "HS256")
    assert await world.check() is None


@ONCE
async def test_an_expired_token_is_refused_without_a_query(world: World) -> None:
    world.now_ms += 21 * MINUTE_MS

    assert await world.check() is None
    assert world.db.reads == 0


async def test_a_missing_session_or_one_of_another_user_signs_no_one_in(world: World, db: Database) -> None:
    other = await db.write(lambda tx: open_session(tx, "bob@example.org"))

    assert await world.authenticator.check(world.issue(session_id=other.id + 1)) is None
    assert await world.authenticator.check(world.issue(session_id=other.id)) is None
    assert await world.authenticator.check(world.issue(user_id=other.user_id)) is None
    assert await world.authenticator.check("nonsense") is None


@ONCE
async def test_memory_is_bounded_however_many_tokens_come(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foreknow.people.users.authenticator.VERIFIED_MAX", 40)
    few = UserAuthenticator(world.db, TOKENS, lambda: world.now_ms, timer=lambda: world.timer_s)
    tokens = [world.issue(generation=number) for number in range(200)]
    for token in tokens:
        assert await few.check(token) is not None

    assert VERIFIED_MAX > 40 >= len(few._verified)
    assert await few.check(tokens[0]) is not None


@ONCE
async def test_sessions_that_were_here_long_ago_are_swept_out(world: World, db: Database) -> None:
    for number in range(40):
        session = await db.write(partial(open_session, email=f"person{number}@example.org"))
        token = world.issue(session_id=session.id, user_id=session.user_id)
        assert await world.authenticator.check(token) is not None
        world.timer_s += 0.3

    assert len(world.authenticator._callers) <= 4
