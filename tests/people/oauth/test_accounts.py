"""Whose account it is: what must hold when linking and a sign-in with the old password meet."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from foreknow.people.oauth.provider import VerifiedIdentity
from foreknow.people.oauth.service import SignInAccount, find_or_create_account, is_same_address
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.admission import Admission, SignUpRules
from foreknow.people.users.sessions import SessionRow, live_sessions, open_session
from foreknow.people.users.store import PasswordCredentials, find_credentials, lock_found_credentials
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import WriteTx, WriteWork
from tests.support.service import PASSWORD

T = TypeVar("T")
NOW_MS = 1_700_000_000_000
EMAIL = "ada@example.org"
ADA = VerifiedIdentity(issuer="https://accounts.example.org", subject="ada", email=EMAIL, name="Ada")
#: How long the sign-in leaves the linking time to get in between.
OPPORTUNITY_S = 0.3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ada@Example.org", "ada@example.ORG", True),
        ("ИВАН@пример.рф", "иван@Пример.РФ", True),
        ("Ada@bücher.de", "ada@XN--BCHER-KVA.de", True),
        ("straße@example.org", "strasse@example.org", False),
        ("ada@straße.de", "ada@strasse.de", False),
        ("ſam@example.org", "sam@example.org", False),
        ("\u212aim@example.org", "kim@example.org", False),
        ("σς@example.org", "σσ@example.org", False),
        ("ada@[127.0.0.1]", "ada@[127.0.0.1]", True),
        ("ada@[127.0.0.1]", "ada@[127.0.0.2]", False),
        ("ada@example.org", "eda@example.org", False),
    ],
)
def test_addresses_are_the_same_where_only_their_case_differs(one: str, other: str, same: bool) -> None:
    assert is_same_address(one, other) is same
    assert is_same_address(other, one) is same


@pytest.mark.real_time("what may not happen has time to")
async def test_a_password_that_was_found_right_before_the_linking_opens_no_session_after_it(db: Database) -> None:
    found, linked = threading.Event(), threading.Event()
    person = NewPerson(email=EMAIL, password=PASSWORD, name="Squatter", nickname="")
    user_id = await db.write(lambda tx: create_user(tx, person, password_hash="a hash", at_ms=NOW_MS).id)

    def sign_in(tx: WriteTx) -> SessionRow:
        assert lock_found_credentials(tx, EMAIL) == PasswordCredentials(user_id, "a hash")
        found.set()
        linked.wait(OPPORTUNITY_S)
        return open_session(tx, user_id=user_id, now_ms=NOW_MS)

    def link(tx: WriteTx) -> SignInAccount:
        return find_or_create_account(tx, ADA, SignUpRules(), Admission(), now_ms=NOW_MS)

    with ThreadPoolExecutor(2) as threads:
        signing_in = threads.submit(run_alone, db.url, sign_in)
        assert await asyncio.to_thread(found.wait, 10)
        linking = threads.submit(run_alone, db.url, link)
        linking.add_done_callback(lambda _: linked.set())
        session, account = await asyncio.wrap_future(signing_in), await asyncio.wrap_future(linking)
    assert account == SignInAccount(user_id, sessions_ended=True)
    assert await db.read(lambda tx: live_sessions(tx, [session.id], now_ms=NOW_MS)) == set()
    assert await db.read(lambda tx: find_credentials(tx, EMAIL)) == PasswordCredentials(user_id, None)


def run_alone(url: str, work: WriteWork[T]) -> T:
    """Run a transaction as a process of its own would, so that it may wait without holding the others up."""

    async def run() -> T:
        database = open_database(url)
        try:
            return await database.write(work)
        finally:
            await database.close()

    return asyncio.run(run())
