"""Guessing passwords: how failures are counted, and what a guesser learns from being stopped."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.errors import RateLimited
from foreknow.people.users import login_throttle
from foreknow.people.users.login_throttle import FAILURES_MAX, NETWORK_FAILURES_MAX, WINDOW_MS, SignInAttempt
from foreknow.people.users.store import PasswordCredentials
from foreknow.people.users.tables import sign_in_failures
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.books import audit_database
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, Shot, refused

RULE = "decisions: after 10 failures a minute on one account 429"
NOW_MS = 1_800_000_000_000
HERE, THERE = "203.0.113.1", "203.0.113.2"


def to(
    user_id: int | None, login: str = "ann@example.org", *, at: str = HERE, device_id: str | None = None
) -> SignInAttempt:
    credentials = None if user_id is None else PasswordCredentials(user_id, "hash")
    return SignInAttempt.of(credentials, login, rate_limit_key=at, device_id=device_id)


def fail(tx: WriteTx, attempt: SignInAttempt, now_ms: int = NOW_MS) -> bool:
    """Send a wrong password; return whether the answer was 429 rather than 401."""
    try:
        counts = login_throttle.lock_and_check(tx, attempt, now_ms=now_ms)
    except RateLimited:
        return True
    return login_throttle.record(tx, attempt, counts, now_ms=now_ms) is not None


def lets_in(tx: WriteTx, attempt: SignInAttempt, now_ms: int = NOW_MS) -> bool:
    """Send the right password."""
    try:
        counts = login_throttle.lock_and_check(tx, attempt, now_ms=now_ms)
        login_throttle.check_account(attempt, counts, now_ms=now_ms)
    except RateLimited:
        return False
    return True


def attempt(login: str, password: str, *, at: str = HERE, device: str | None = None) -> Shot:
    headers = {"X-Forwarded-For": at} | ({} if device is None else {"Cookie": f"device={device}"})
    return ("POST", "/auth/sign-in", {"json": {"login": login, "password": password}, "headers": headers})


def send(service: Service, shot: Shot) -> httpx.Response:
    method, path, rest = shot
    return service.client().request(method, path, **rest)


def statuses(answers: Sequence[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


@pytest.fixture(scope="module")
def limiting(module_database_url: str) -> Iterator[Service]:
    """Limits failures, and believes whatever X-Forwarded-For says."""
    running = Service(module_database_url, rate_limits="on", trusted_proxies="127.0.0.1")
    yield running
    running.stop()
    audit_database(module_database_url)


@pytest.fixture
def limited(limiting: Service) -> Service:
    """The same, with all failures of earlier tests long past."""
    limiting.clock.advance(DAY_MS)
    limiting.sign_out_shared()
    return limiting


@proves(RULE)
async def test_the_minute_slides(db: Database) -> None:
    """Nine failures at the end of one minute and nine at the start of the next are eighteen within seconds."""

    def work(tx: WriteTx) -> None:
        ann = to(1)
        for second in range(FAILURES_MAX):
            fail(tx, ann, NOW_MS + second * 1_000)
        with pytest.raises(RateLimited) as full:
            login_throttle.check(tx, ann, now_ms=NOW_MS + 30_500)
        assert full.value.retry_after_s == 30
        with pytest.raises(RateLimited) as nearly:
            login_throttle.check(tx, ann, now_ms=NOW_MS + WINDOW_MS - 1)
        assert nearly.value.retry_after_s == 1

        fail(tx, ann, NOW_MS + WINDOW_MS)
        with pytest.raises(RateLimited) as again:
            login_throttle.check(tx, ann, now_ms=NOW_MS + WINDOW_MS)
        assert again.value.retry_after_s == 1
        login_throttle.check(tx, to(2, "bob@example.org"), now_ms=NOW_MS + WINDOW_MS)
        login_throttle.check(tx, ann, now_ms=NOW_MS + 2 * WINDOW_MS)

    await db.write(work)


async def test_old_failures_are_swept_out_by_new_ones(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        for number in range(5):
            fail(tx, to(number, f"{number}@example.org", at=f"203.0.113.{number}"), NOW_MS + number)
        fail(tx, to(9, at="203.0.113.9"), NOW_MS + WINDOW_MS + 3)

        left = tx.execute(sa.select(sign_in_failures.c.account)).scalars().all()
        assert {key for key in left if key.startswith("user:")} == {"user:4", "user:9"}
        assert len(left) == 6

    await db.write(work)


@ONCE
async def test_addresses_and_unknown_logins_are_kept_as_hashes_only(db: Database) -> None:
    typed_wrongly = to(None, "my secret password")
    await db.write(lambda tx: fail(tx, typed_wrongly))
    kept = str(await db.read(lambda tx: tx.execute(sa.select(sign_in_failures)).all()))

    assert "secret" not in kept
    assert HERE not in kept
    assert typed_wrongly.login == to(None, "MY SECRET password").login


@proves(RULE)
async def test_of_one_network_ten_guesses_are_answered_401_wherever_they_go(db: Database) -> None:
    """Five at either login of one account, or at the logins of two: the guesser cannot tell which it was."""

    def guess(tx: WriteTx, nickname_of: int | None, email_of: int | None, at: str) -> list[bool]:
        logins = [to(nickname_of, f"nick{at}", at=at), to(email_of, f"e{at}@example.org", at=at)]
        return [fail(tx, logins[number % 2]) for number in range(24)]

    def work(tx: WriteTx) -> None:
        one_account = guess(tx, 1, 1, "203.0.113.1")
        two_accounts = guess(tx, 2, 3, "203.0.113.2")
        no_account = guess(tx, 4, None, "203.0.113.3")
        assert one_account == two_accounts == no_account == [False] * FAILURES_MAX + [True] * 14

    await db.write(work)


@ONCE
async def test_a_caller_who_knows_the_password_learns_that_the_account_is_closed(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        for _ in range(FAILURES_MAX):
            fail(tx, to(1, "ann", at=THERE))

        # Nor is a right password distinguished from a wrong one for a guesser who went over to the other login.
        assert [lets_in(tx, to(1, "ann@example.org", at=at)) for at in (HERE, THERE)] == [False, False]
        assert fail(tx, to(1, "ann@example.org", at=THERE))
        # Those who do not know it see a login like any other, and neighbours of the guesser sign in.
        assert not fail(tx, to(1, "ann@example.org", at=HERE))
        assert lets_in(tx, to(2, "bob@example.org", at=THERE))

    await db.write(work)


async def test_a_network_that_guesses_everywhere_is_stopped_and_no_other(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NETWORK_FAILURES_MAX == 300
    monkeypatch.setattr(login_throttle, "NETWORK_FAILURES_MAX", 30)

    def work(tx: WriteTx) -> None:
        sprayed = [fail(tx, to(number, f"p{number}@example.org"), NOW_MS + number) for number in range(1, 35)]
        assert sprayed == [False] * 30 + [True] * 4
        assert not lets_in(tx, to(99, "p99@example.org"))
        assert lets_in(tx, to(99, "p99@example.org", at=THERE))
        assert lets_in(tx, to(99, "p99@example.org", device_id="known")), "strangers caused it"
        assert lets_in(tx, to(99, "p99@example.org"), NOW_MS + 2 + WINDOW_MS)

    await db.write(work)


@ONCE
async def test_a_known_browser_is_stopped_by_its_own_failures_alone(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        for _ in range(2 * FAILURES_MAX):
            fail(tx, to(1))
        known, other = to(1, device_id="known"), to(1, device_id="other")
        assert not lets_in(tx, to(1))
        assert lets_in(tx, known)
        assert [fail(tx, known) for _ in range(12)] == [False] * FAILURES_MAX + [True] * 2
        assert not lets_in(tx, known)
        assert lets_in(tx, other)
        assert lets_in(tx, known, NOW_MS + WINDOW_MS)

    await db.write(work)


@ONCE
async def test_failures_in_a_known_browser_count_for_all_others(db: Database) -> None:
    """A thief of the cookie has no more guesses than the account allows, once it is taken away."""

    def work(tx: WriteTx) -> None:
        for _ in range(FAILURES_MAX):
            fail(tx, to(1, device_id="known"))
        assert not lets_in(tx, to(1))

    await db.write(work)


@ONCE
async def test_who_is_signed_in_guesses_no_faster(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        signed_in = SignInAttempt.of_signed_in(1)
        assert [fail(tx, signed_in) for _ in range(12)] == [False] * FAILURES_MAX + [True] * 2
        assert not lets_in(tx, to(1))
        for _ in range(FAILURES_MAX):
            fail(tx, to(2, "bob@example.org"))
        assert not lets_in(tx, SignInAttempt.of_signed_in(2))

    await db.write(work)


@proves(RULE)
def test_guesses_sent_all_at_once_to_two_servers_are_ten(start_service: Callable[..., Service]) -> None:
    one, other = start_service(rate_limits="on"), start_service(rate_limits="on")
    person = one.user()
    guesses = [attempt(login, "wrong password") for login in (person.email, person.nickname.upper())] * 10
    answers = one.together(guesses) + other.together(guesses)

    assert statuses(answers) == {401: FAILURES_MAX, 429: 30}
    for service in (one, other):
        for login in (person.email, person.nickname):
            right = service.client().post("/auth/sign-in", json={"login": login, "password": person.password})
            refused(right, 429, "rate_limited")
            assert 0 < int(right.headers["Retry-After"]) <= 60


@proves("decisions: same answer and same time whether or not the account exists")
@ONCE
def test_an_unknown_login_is_limited_alike(limited: Service) -> None:
    answers = limited.together([attempt(f"{uuid.uuid4().hex}@example.org", "wrong")] * 15)

    assert statuses(answers) == {401: FAILURES_MAX, 429: 5}


@ONCE
def test_the_counter_does_not_tell_whose_address_a_nickname_is(limited: Service) -> None:
    """One guesser at one address, another who has two: what they see is the same for all e-mail addresses."""
    owner, other = limited.user(), limited.user()
    emails = [owner.email, other.email, f"{uuid.uuid4().hex}@example.org"]
    assert statuses(limited.together([attempt(owner.nickname, "wrong")] * 12)) == {401: FAILURES_MAX, 429: 2}

    for at, tells in ((HERE, 429), (THERE, 401)):
        answers = [send(limited, attempt(email, "wrong", at=at)) for email in emails]
        assert statuses(answers) == {tells: 3}
        assert len({answer.content for answer in answers}) == 1

    # The owner gets the true answer, and the guesser's neighbour signs in.
    refused(send(limited, attempt(owner.email, owner.password, at=THERE)), 429, "rate_limited")
    assert send(limited, attempt(other.email, other.password, at=HERE)).status_code == 200


def test_spraying_one_address_is_stopped_on_every_server_and_other_addresses_are_not(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_throttle, "NETWORK_FAILURES_MAX", 20)
    one, other = (start_service(rate_limits="on", trusted_proxies="127.0.0.1") for _ in range(2))
    person = one.user()
    # Of one /64, each from another address of it.
    guesses = [attempt(f"{uuid.uuid4().hex}@example.org", "wrong", at=f"2001:db8::{number}") for number in range(1, 26)]
    answers = [*one.together(guesses), *other.together(guesses)]

    assert statuses(answers) == {401: 20, 429: 30}
    for service in (one, other):
        refused(send(service, attempt(person.email, PASSWORD, at="2001:db8::99")), 429, "rate_limited")
        assert send(service, attempt(person.email, PASSWORD, at="2001:db8:0:1::99")).status_code == 200


def test_a_browser_that_signed_in_before_gets_through_a_lock_of_strangers(limited: Service) -> None:
    owner, other = limited.user(), limited.user()
    browser = limited.client()
    browser.post("/auth/sign-in", json={"login": owner.email, "password": PASSWORD}).raise_for_status()
    device = browser.cookies["device"]
    others_device = limited.client()
    others_device.post("/auth/sign-in", json={"login": other.email, "password": PASSWORD}).raise_for_status()
    assert browser.delete("/auth/logout").status_code == 200
    assert set(browser.cookies) == {"device"}, "it outlives the sign-out"
    # From the browser's own address, too: it may be shared.
    for at in (HERE, THERE):
        limited.together([attempt(login, "wrong", at=at) for login in (owner.email, owner.nickname)] * 15)

    for forged in (None, others_device.cookies["device"], device[:-1], device + "x", "..", "1.x.y"):
        stranger = send(limited, attempt(owner.email, PASSWORD, device=forged))
        refused(stranger, 429, "rate_limited")
    for login in (owner.email, owner.nickname):
        assert send(limited, attempt(login, PASSWORD, device=device)).status_code == 200

    # Its own failures stop it, and it alone of those that are known.
    answers = limited.together([attempt(owner.email, "wrong", device=device)] * 12)
    assert statuses(answers) == {401: FAILURES_MAX, 429: 2}
    refused(send(limited, attempt(owner.email, PASSWORD, device=device)), 429, "rate_limited")


def test_a_reset_ends_the_lock_of_a_guesser_and_marks_the_owners_browser(limited: Service) -> None:
    owner = limited.user()
    logins = (owner.email, owner.nickname)
    new = "another horse battery"

    def lock() -> None:
        limited.together([attempt(login, "wrong", at=THERE) for login in logins] * 15)
        for login in logins:
            refused(send(limited, attempt(login, PASSWORD)), 429, "rate_limited")

    def reset(token: str) -> httpx.Response:
        return limited.client().post("/auth/reset", json={"token": token, "password": new})

    lock()
    refused_reset = reset("of no link")
    refused(refused_reset, 400, "invalid_token")
    assert refused_reset.headers.get_list("set-cookie") == []
    refused(send(limited, attempt(owner.email, PASSWORD)), 429, "rate_limited")

    link = limited.admin.post(f"/admin/users/{owner.id}/reset-link").raise_for_status().json()["url"]
    done = reset(link.rpartition("/")[2])
    assert (done.status_code, done.json()) == (200, {})
    assert set(done.cookies) == {"device"}
    assert "HttpOnly" in done.headers["set-cookie"]
    for login in logins:
        assert send(limited, attempt(login, new)).status_code == 200

    # The guesser goes on.
    lock()
    for login in logins:
        assert send(limited, attempt(login, new, device=done.cookies["device"])).status_code == 200


def test_right_passwords_at_once_all_sign_in(limited: Service) -> None:
    person = limited.user()

    assert statuses(limited.together([attempt(person.email, person.password)] * 30)) == {200: 30}


@ONCE
def test_signing_in_does_not_wipe_out_what_failed(limited: Service) -> None:
    person = limited.user()

    def guess(password: str) -> int:
        return send(limited, attempt(person.email, password)).status_code

    assert [guess("wrong") for _ in range(9)] == [401] * 9
    assert guess(person.password) == 200
    assert guess("wrong") == 401
    assert guess(person.password) == 429


@proves("decisions: `FOREKNOW_RATE_LIMITS=off` switches them off, for load tests.")
@ONCE
def test_without_limits_any_number_may_fail(service: Service) -> None:
    person: Person = service.user()

    assert statuses(service.together([attempt(person.email, "wrong")] * 15)) == {401: 15}
    assert service.sign_in(person.email, PASSWORD)
    assert service.look(lambda tx: tx.execute(sa.select(sign_in_failures)).all()) == []
