"""New passwords where others guess, sign in or link at the same moment, and for who never had one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import Unauthorized
from foreknow.money.ledger import LedgerTransaction
from foreknow.people.users import keys, password_reset
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.login_throttle import FAILURES_MAX
from foreknow.people.users.sessions import find_callers, live_sessions, open_session, revoke_others_and_keys
from foreknow.people.users.store import lock_credentials
from foreknow.people.users.tables import password_resets, users
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx, WriteWork
from tests.support.kinds import ONCE
from tests.support.oidc import Browser, new_identity
from tests.support.service import PASSWORD, Person, Service, expect, refused

Result = TypeVar("Result")
NEW = "another horse battery"
MINUTE_MS = 60_000
#: How long an order under way leaves the closing of its account time to get in between.
OPPORTUNITY_S = 0.3


def change(client: httpx.Client, old: str, new: str = NEW) -> httpx.Response:
    return client.put("/users/me/password", json={"old": old, "new": new})


def sign_in(service: Service, login: str, password: str) -> httpx.Response:
    return service.client().post("/auth/sign-in", json={"login": login, "password": password})


@ONCE
def test_wrong_old_passwords_are_failed_sign_ins(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    person = service.user()
    for _ in range(FAILURES_MAX):
        refused(change(person.client, "wrong horse battery"), 401, "invalid_credentials")

    refused(change(person.client, PASSWORD), 429, "rate_limited")
    refused(sign_in(service, person.email, PASSWORD), 429, "rate_limited")
    service.clock.advance(MINUTE_MS)
    expect(change(person.client, PASSWORD), 200)


def test_failed_sign_ins_count_for_the_old_password_too(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    person = service.user()
    for _ in range(FAILURES_MAX):
        refused(sign_in(service, person.email, "wrong horse battery"), 401, "invalid_credentials")

    refused(change(person.client, PASSWORD), 429, "rate_limited")


def test_guesses_of_the_old_password_at_once_are_counted_one_by_one(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    person = service.user()
    guess = ("PUT", "/users/me/password", {"json": {"old": "wrong horse battery", "new": NEW}})

    answers = service.together([guess] * 25, tokens=[person.token])

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [401] * FAILURES_MAX + [429] * (25 - FAILURES_MAX)


def test_of_many_changes_at_once_one_counts_and_its_password_is_good(service: Service) -> None:
    person = service.user()
    passwords = [f"horse battery {number}" for number in range(6)]
    shots = [("PUT", "/users/me/password", {"json": {"old": PASSWORD, "new": new}}) for new in passwords]

    answers = service.together(shots, tokens=[person.token])

    assert sorted(answer.status_code for answer in answers) == [200, *[401] * 5]
    for answer, new in zip(answers, passwords, strict=True):
        assert sign_in(service, person.email, new).status_code == (200 if answer.status_code == 200 else 401)


def test_a_session_begun_with_the_old_password_does_not_outlive_the_change(service: Service) -> None:
    """A browser that signs in while the password changes is refused or signed out, whichever came first."""
    person = service.user()
    sign_ins = [("POST", "/auth/sign-in", {"json": {"login": person.email, "password": PASSWORD}})] * 6
    changing = ("PUT", "/users/me/password", {"json": {"old": PASSWORD, "new": NEW}})

    answers = service.together(
        [*sign_ins[:3], changing, *sign_ins[3:]], tokens=[*[None] * 3, person.token, *[None] * 3]
    )

    assert answers[3].status_code == 200, answers[3].text
    for answer in (*answers[:3], *answers[4:]):
        assert answer.status_code in {200, 401}
        if answer.status_code == 200:
            refused(service.client(token=answer.json()["access_token"]).get("/users/me"), 401, "unauthorized")


@pytest.mark.real_time("what may not happen has time to")
async def test_a_key_made_while_the_password_changes_does_not_outlive_it(db: Database) -> None:
    asked, changed = threading.Event(), threading.Event()
    person = NewPerson(email="ada@example.org", password=PASSWORD, name="Ada", nickname="")

    def sign_in_twice(tx: WriteTx) -> tuple[UserCaller, UserCaller]:
        user_id = create_user(tx, person, password_hash="a hash", at_ms=0).id
        ids = [open_session(tx, user_id=user_id, now_ms=0).id for _ in range(2)]
        owner, thief = find_callers(tx, ids, now_ms=0).values()
        return owner, thief

    def change_password(tx: WriteTx) -> None:
        lock_credentials(tx, owner.user_id)
        asked.set()
        changed.wait(OPPORTUNITY_S)
        revoke_others_and_keys(tx, owner, now_ms=0)

    def make_key(tx: WriteTx) -> None:
        keys.issue(tx, thief, name="A thief's", scope="trade", at_ms=0)

    owner, thief = await db.write(sign_in_twice)
    with ThreadPoolExecutor(2) as threads:
        changing = threads.submit(run_alone, db.url, change_password)
        assert await asyncio.to_thread(asked.wait, 10)
        making = threads.submit(run_alone, db.url, make_key)
        making.add_done_callback(lambda _: changed.set())
        await asyncio.wrap_future(changing)
        with pytest.raises(Unauthorized):
            await asyncio.wrap_future(making)
    assert await db.read(lambda tx: keys.live_keys(tx, owner.user_id)) == []


def test_who_has_no_password_sets_the_first_one_right_after_signing_in(oauth_service: Service) -> None:
    (sub, claims), browser = new_identity(), Browser(oauth_service)
    assert browser.sign_in(sub, claims).status_code == 303

    refused(change(browser.client, "a guess of mine"), 401, "invalid_credentials")
    expect(change(browser.client, ""), 200)

    refused(change(browser.client, ""), 401, "invalid_credentials")
    expect(sign_in(oauth_service, claims["email"], NEW), 200)


@ONCE
def test_later_one_signs_in_again_for_it(oauth_service: Service) -> None:
    (sub, claims), browser = new_identity(), Browser(oauth_service)
    assert browser.sign_in(sub, claims).status_code == 303
    oauth_service.clock.advance(10 * MINUTE_MS)

    refused(change(browser.client, ""), 409, "sign_in_again")
    # To go on with a session is not to sign in.
    expect(browser.client.post("/auth/refresh"), 200)
    refused(change(browser.client, ""), 409, "sign_in_again")

    assert browser.sign_in(sub, claims).status_code == 303
    expect(change(browser.client, ""), 200)


def test_a_reset_link_gives_a_first_password_too(oauth_service: Service) -> None:
    (sub, claims), browser = new_identity(), Browser(oauth_service)
    browser.sign_in(sub, claims)
    path = f"/admin/users/{browser.me()['id']}/reset-link"
    token = expect(oauth_service.admin.post(path), 200)["url"].rpartition("/")[2]

    expect(oauth_service.client().post("/auth/reset", json={"token": token, "password": NEW}), 200)

    expect(sign_in(oauth_service, claims["email"], NEW), 200)


def test_a_provider_opens_no_account_that_is_not_active(oauth_service: Service) -> None:
    (sub, claims), browser = new_identity(), Browser(oauth_service)
    browser.sign_in(sub, claims)
    known = browser.me()["id"]
    unknown: Person = oauth_service.user()
    for user_id in (known, unknown.id):
        expect(oauth_service.admin.patch(f"/admin/users/{user_id}", json={"is_active": False}), 200)

    refused(Browser(oauth_service).sign_in(sub, claims), 401, "invalid_credentials")
    other_sub, other_claims = new_identity()
    vouched = other_claims | {"email": unknown.email}
    refused(Browser(oauth_service).sign_in(other_sub, vouched), 401, "invalid_credentials")

    # Nothing was linked, and the password is still there.
    expect(oauth_service.admin.patch(f"/admin/users/{unknown.id}", json={"is_active": True}), 200)
    expect(sign_in(oauth_service, unknown.email, PASSWORD), 200)


def test_tokens_of_links_are_nowhere_in_the_database(service: Service) -> None:
    person = service.user()
    url = expect(service.admin.post(f"/admin/users/{person.id}/reset-link"), 200)["url"]
    rows = service.look(lambda tx: tx.execute(sa.select(password_resets)).all())
    assert any(row.user_id == person.id for row in rows)
    assert url.rpartition("/")[2] not in str(rows)


def test_a_session_that_an_older_release_began_for_a_closed_account_signs_no_one_in(service: Service) -> None:
    person = service.user()
    close = users.update().where(users.c.id == person.id).values(is_active=False)
    service.server.run(service.app.db.write(lambda tx: tx.execute(close)))
    begun = service.server.run(
        service.app.db.write(lambda tx: open_session(tx, user_id=person.id, now_ms=service.clock()))
    )
    assert service.look(lambda tx: find_callers(tx, [begun.id], now_ms=service.clock())) == {}


@pytest.mark.real_time("what may not happen has time to")
async def test_closing_an_account_waits_for_its_order_under_way(service: Service) -> None:
    """When the admin has the answer, nothing that began before is still to be committed."""
    person = service.user(balance_kopecks=100)
    account_id = service.look(
        lambda tx: tx.execute(sa.select(users.c.account_id).where(users.c.id == person.id)).scalar_one()
    )
    session_id = int(service.look(lambda tx: max(_sessions_of(tx, person.id))))
    locked, closed = threading.Event(), threading.Event()
    order: list[str] = []

    def trade(tx: WriteTx) -> None:
        # As the desk's batches do it: the account's lock first, then the look at the session.
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([account_id])
        assert live_sessions(tx, [session_id], now_ms=service.clock()) == {session_id}
        locked.set()
        closed.wait(OPPORTUNITY_S)
        order.append("order")

    def close() -> None:
        expect(admin.patch(f"/admin/users/{person.id}", json={"is_active": False}), 200)
        order.append("closed")
        closed.set()

    # Signed in before anything is locked.
    admin = service.admin
    with ThreadPoolExecutor(2) as threads:
        trading = threads.submit(run_alone, service.database_url, trade)
        assert await asyncio.to_thread(locked.wait, 30)
        closing = threads.submit(close)
        await asyncio.wrap_future(trading)
        await asyncio.wrap_future(closing)
    assert order == ["order", "closed"]


async def test_of_two_links_made_at_once_one_is_left(db: Database) -> None:
    user_id = await db.write(
        lambda tx: tx.execute(users.insert().values(name="A", created_at_ms=0).returning(users.c.id)).scalar_one()
    )
    links = await asyncio.gather(*(db.write(lambda tx: password_reset.issue(tx, user_id, now_ms=0)) for _ in range(5)))
    rows = await db.read(lambda tx: tx.execute(sa.select(password_resets.c.user_id)).scalars().all())
    assert rows == [user_id]
    assert len({link.token for link in links}) == 5


def _sessions_of(tx: ReadTx, user_id: int) -> list[int]:
    return list(tx.execute(sa.text("SELECT id FROM sessions WHERE user_id = :id"), {"id": user_id}).scalars())


def run_alone(url: str, work: WriteWork[Result]) -> Result:
    """Run a transaction as a process of its own would, so that it may wait without holding the others up."""

    async def run() -> Result:
        database = open_database(url)
        try:
            return await database.write(work)
        finally:
            await database.close()

    return asyncio.run(run())
