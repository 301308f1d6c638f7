"""A site of one's own: the allowance, over HTTP, when the clock leaps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS, iso
from foreknow.kernel.grant_settings import AllowanceTerms
from tests.support.kinds import ONCE
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect
from tests.support.waiting import let_work

ALLOWANCE = (
    'site: `FOREKNOW_ALLOWANCE`, JSON `{"kopecks", "every": "day"|"week"|"month", "up_to"}`: in each period (UTC; '
    "weeks from Monday) every active user (verified, where asked) who in the one before traded, commented, or began or "
    "refreshed a session gets the smaller of `kopecks` and what their worth then lacks to `up_to` (balance, "
    "`held_kopecks`, value of positions): once a user and period, as soon as a process lives; past periods are not "
    "made up. A change counts from the next period. `credit`, note `Allowance`."
)
PAGE = "site: GET /users/me/allowance: `{allowance: null or {kopecks, every, up_to, next_at, expected_kopecks}}`."
WAIT_S = 60


def allowance(person: Person) -> Any:
    return expect(person.client.get("/users/me/allowance"), 200)["allowance"]


@proves(ALLOWANCE, PAGE)
def test_the_allowance_of_a_week_comes_when_the_next_one_begins(start_service: Callable[..., Service]) -> None:
    service = start_service(begins_midweek=True, allowance=AllowanceTerms(kopecks=10_000, every="week", up_to=15_000))
    ann, bob = service.user(), service.user(balance_kopecks=8_000)
    now_ms = service.clock()
    monday_ms = now_ms - now_ms % DAY_MS + (7 - datetime.fromtimestamp(now_ms / 1000, UTC).weekday()) * DAY_MS
    terms = {"kopecks": 10_000, "every": "week", "up_to": 15_000, "next_at": iso(monday_ms)}
    assert allowance(ann) == {**terms, "expected_kopecks": 10_000}
    assert allowance(bob) == {**terms, "expected_kopecks": 7_000}

    service.clock.advance(monday_ms + DAY_MS - now_ms)
    for person in (ann, bob):
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"
    let_work()
    assert [balance(ann), balance(bob)] == [10_000, 15_000]
    movements = expect(bob.client.get("/users/me/transactions"), 200)["transactions"]
    assert [(one["type"], one["change_kopecks"], one["note"]) for one in movements] == [
        ("credit", 7_000, "Allowance"),
        ("credit", 8_000, "for a test"),
    ]
    assert allowance(bob) == {**terms, "next_at": iso(monday_ms + 7 * DAY_MS), "expected_kopecks": 0}


@proves(PAGE)
@ONCE
def test_without_the_setting_there_is_no_allowance(service: Service) -> None:
    assert allowance(service.user()) is None


@proves(PAGE)
def test_who_has_not_verified_an_address_expects_none_where_one_is_required(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(
        allowance=AllowanceTerms(kopecks=10_000, every="week", up_to=15_000),
        email_verification="on",
        smtp_url=SecretStr("smtp://127.0.0.1:9"),
        email_from="site@foreknow.test",
        public_url="http://foreknow.test",
    )
    ann = service.user()

    assert allowance(ann)["expected_kopecks"] == 0
    expected = expect(service.admin.get("/users/me/allowance"), 200)["allowance"]["expected_kopecks"]
    assert expected == 10_000
