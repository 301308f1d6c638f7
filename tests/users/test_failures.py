"""Guessing passwords: ten failures a minute on one account, whoever sends them and wherever to."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

import httpx
import pytest
import sqlalchemy as sa

from foreknow.db.engine import Database
from foreknow.kernel.errors import RateLimited
from foreknow.users import failures
from foreknow.users.failures import FAILURES_MAX, WINDOW_MS, account_key
from foreknow.users.store import Credentials
from foreknow.users.tables import sign_in_failures
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, Shot, refused

RULE = "decisions: after 10 failures a minute on one account 429"
NOW_MS = 1_800_000_000_000


def fail(tx: sa.Connection, account: str, now_ms: int) -> None:
    failures.record(tx, account, failures.check_alone(tx, account, now_ms=now_ms), now_ms=now_ms)


def attempt(login: str, password: str) -> Shot:
    return ("POST", "/auth/sign-in", {"json": {"login": login, "password": password}})


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


@pytest.fixture
def limited(start_service: Callable[..., Service]) -> Service:
    return start_service(rate_limits="on")


@proves(RULE)
async def test_the_minute_slides(db: Database) -> None:
    """Nine failures at the end of one minute and nine at the start of the next are eighteen within seconds."""

    def work(tx: sa.Connection) -> None:
        for second in range(FAILURES_MAX):
            fail(tx, "user:1", NOW_MS + second * 1_000)
        with pytest.raises(RateLimited) as full:
            failures.check(tx, "user:1", now_ms=NOW_MS + 30_500)
        assert full.value.retry_after_s == 30
        with pytest.raises(RateLimited) as nearly:
            failures.check(tx, "user:1", now_ms=NOW_MS + WINDOW_MS - 1)
        assert nearly.value.retry_after_s == 1

        fail(tx, "user:1", NOW_MS + WINDOW_MS)
        with pytest.raises(RateLimited) as again:
            failures.check(tx, "user:1", now_ms=NOW_MS + WINDOW_MS)
        assert again.value.retry_after_s == 1
        failures.check(tx, "user:2", now_ms=NOW_MS + WINDOW_MS)
        failures.check(tx, "user:1", now_ms=NOW_MS + 2 * WINDOW_MS)

    await db.write(work)


async def test_old_failures_are_swept_out_by_new_ones(db: Database) -> None:
    def work(tx: sa.Connection) -> None:
        for number in range(5):
            fail(tx, f"user:{number}", NOW_MS + number)
        fail(tx, "user:9", NOW_MS + WINDOW_MS + 3)

        left = tx.execute(sa.select(sign_in_failures.c.account)).scalars()
        assert sorted(left) == ["user:4", "user:9"]

    await db.write(work)


def test_what_is_nobodys_login_is_kept_as_a_hash_only() -> None:
    key = account_key(None, "my secret password")

    assert "secret" not in key
    assert key == account_key(None, "MY SECRET password")
    assert account_key(Credentials(7, None), "ann") == "user:7"


@proves(RULE)
def test_guesses_sent_all_at_once_to_two_servers_are_ten(start_service: Callable[..., Service]) -> None:
    one, other = start_service(rate_limits="on"), start_service(rate_limits="on")
    person = one.user()
    guesses = [attempt(login, "wrong password") for login in (person.email, person.nickname.upper())] * 10
    answers = one.together(guesses) + other.together(guesses)

    assert statuses(answers) == {401: FAILURES_MAX, 429: 30}
    for service in (one, other):
        right = service.client().post("/auth/sign-in", json={"login": person.email, "password": person.password})
        refused(right, 429, "rate_limited")
        assert 0 < int(right.headers["Retry-After"]) <= 60


@proves("decisions: same answer and same time whether or not the account exists")
def test_a_login_that_is_nobodys_rests_alike(limited: Service) -> None:
    answers = limited.together([attempt(f"{uuid.uuid4().hex}@example.org", "wrong")] * 15)

    assert statuses(answers) == {401: FAILURES_MAX, 429: 5}


def test_right_passwords_at_once_all_sign_in(limited: Service) -> None:
    person = limited.user()

    assert statuses(limited.together([attempt(person.email, person.password)] * 30)) == {200: 30}


def test_signing_in_does_not_wipe_out_what_failed(limited: Service) -> None:
    person = limited.user()
    client = limited.client()

    def guess(password: str) -> int:
        return client.post("/auth/sign-in", json={"login": person.email, "password": password}).status_code

    assert [guess("wrong") for _ in range(9)] == [401] * 9
    assert guess(person.password) == 200
    assert guess("wrong") == 401
    assert guess(person.password) == 429


@proves("decisions: `FOREKNOW_RATE_LIMITS=off` switches them off, for load tests.")
def test_without_limits_any_number_may_fail(service: Service) -> None:
    person: Person = service.user()

    assert statuses(service.together([attempt(person.email, "wrong")] * 15)) == {401: 15}
    assert service.sign_in(person.email, PASSWORD)
    assert service.look(lambda tx: tx.execute(sa.select(sign_in_failures)).all()) == []
