"""Deletions beside orders, payments, allowances, publications and each other; and where a process dies in one."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Claim, piecewise
from foreknow.site.own_data import deletion, erasing
from foreknow.site.own_data.store import DELETIONS
from foreknow.site.own_data.tables import deletions
from tests.support.kinds import ONCE
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool
from tests.support.waiting import wait_until

STAYS = 'site: Events and trades stay, of a hidden "Deleted trader"; balance and later payouts go to the house'
REFUSED = "site: 200 `{}`; 409 `invalid_state`: an event of theirs active or closed, a running series, the last admin"
DELETE = ("POST", "/users/me/delete", {"json": {"password": PASSWORD}})


def balances(service: Service, people: Collection[Person]) -> list[int]:
    """Return what these people's accounts hold, deleted or not."""
    ids = [person.id for person in people]
    found = service.look(lambda tx: balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids))
    return [found[user_id] for user_id in ids]


def is_paid(service: Service, pool_id: int) -> bool:
    query = sa.text("SELECT state = 'resolved' AND NOT paying FROM pools WHERE id = :id")
    return bool(service.look(lambda tx: tx.execute(query, {"id": pool_id}).scalar_one()))


@proves(STAYS)
def test_a_bet_beside_a_deletion_is_placed_before_it_or_not_at_all(start_service: Callable[..., Service]) -> None:
    service = start_service()
    market = service.event()["pools"][0]["markets"][0]["id"]
    for _ in range(3):
        person = service.user(balance_kopecks=100_000)
        order: Any = (
            "POST",
            "/market/bets",
            {"json": {"market_id": market, "token_type": "YES", "amount_kopecks": 10}},
        )

        answers = service.together([*[order] * 8, DELETE, *[order] * 8], tokens=[person.token])

        assert answers[8].status_code == 200, answers[8].text
        assert {answer.status_code for answer in answers} <= {200, 201, 401}
        assert balances(service, [person]) == [0]


@proves(STAYS)
def test_a_payment_beside_deletions_goes_to_the_house(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(piecewise, "PIECE_SQLITE", 2)
    monkeypatch.setattr(piecewise, "PIECE_POSTGRES", 2)
    service, other = start_service(), start_service()
    event = service.event(pools=[pool(["A", "B"])])
    pool_id, markets = event["pools"][0]["id"], [market["id"] for market in event["pools"][0]["markets"]]
    people = [service.user(balance_kopecks=1_000) for _ in range(10)]
    for number, person in enumerate(people):
        expect(bet(person, markets[number % 2], "YES", 500), 201)
    leaving, staying = people[::2] + people[1:4:2], people[5::2]
    resolve: Any = ("POST", f"/pools/{pool_id}/resolve", {"json": {"payouts": [0.5, 0.5]}})

    answers = service.together(
        [resolve, *[DELETE] * len(leaving)], tokens=[service.creator.token, *(person.token for person in leaving)]
    )

    assert [answer.status_code for answer in answers] == [200] * len(answers)
    wait_until(lambda: is_paid(other, pool_id))
    assert balances(service, leaving) == [0] * len(leaving)
    assert all(balance > 500 for balance in balances(service, staying))


@proves(STAYS)
def test_a_payment_of_another_server_long_after_goes_to_the_house(start_service: Callable[..., Service]) -> None:
    service = start_service()
    event = service.event()
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    people = [service.user(balance_kopecks=1_000) for _ in range(3)]
    for person in people:
        expect(bet(person, market, "YES", 500), 201)
    for person in people[:2]:
        expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)
    other = start_service()
    service.stop()

    expect(other.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)

    wait_until(lambda: is_paid(other, pool_id))
    assert balances(other, people[:2]) == [0, 0]
    assert balances(other, people[2:])[0] > 500


def test_an_allowance_beside_deletions_is_granted_to_those_who_stay(start_service: Callable[..., Service]) -> None:
    allowance = AllowanceTerms(kopecks=100, every="day", up_to=1_000)
    service = start_service(allowance=allowance)
    people = [service.user() for _ in range(8)]
    service.clock.advance(DAY_MS)
    tokens = [service.sign_in(person.email, PASSWORD) for person in people]

    answers = service.together([DELETE] * 4, tokens=tokens[:4])

    assert [answer.status_code for answer in answers] == [200] * 4
    wait_until(lambda: all(balances(service, people[4:])))
    assert balances(service, people[:4]) == [0] * 4


def test_of_several_deletions_at_once_one_is_done(start_service: Callable[..., Service]) -> None:
    service = start_service()
    person = service.user(balance_kopecks=700)
    by_admin: Any = ("POST", f"/admin/users/{person.id}/delete", {})
    admin = str(service.admin.headers["Authorization"]).removeprefix("Bearer ")

    answers = service.together([DELETE, by_admin] * 4, tokens=[person.token, admin])

    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1, statuses
    assert set(statuses) <= {200, 401, 404}
    assert balances(service, [person]) == [0]


@proves(REFUSED)
def test_an_event_is_published_before_a_deletion_or_not_at_all(start_service: Callable[..., Service]) -> None:
    service = start_service()
    for _ in range(4):
        person = service.user(creator=True)
        event = service.event(person, publish=False)
        publish: Any = ("POST", f"/events/{event['id']}/publish", {})

        published, deleted = service.together([publish, DELETE], tokens=[person.token])

        status = expect(service.admin.get(f"/events/{event['id']}"), 200)["status"]
        outcome = (published.status_code == 200, deleted.status_code == 200, status)
        assert outcome in {(True, False, "active"), (False, True, "cancelled")}, (published.text, deleted.text)


@proves("site: erases e-mail, names, avatar, text of chat (both sides), comments,")
def test_another_server_goes_on_where_one_died(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, other = start_service(), start_service()
    person, event = service.user(), service.event()["id"]
    for number in range(6):
        expect(person.client.post("/comments", json={"event_id": event, "content": f"No. {number}"}), 201)
    monkeypatch.setattr(erasing, "PIECE_ROWS", 1)
    pieces, erase = itertools.count(1), erasing.erase_some

    def die_soon(tx: Any, user_id: int) -> bool:
        if next(pieces) > 2:
            raise RuntimeError("killed")
        return erase(tx, user_id)

    with monkeypatch.context() as patched:
        patched.setattr(erasing, "erase_some", die_soon)
        expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)

    def texts() -> list[str]:
        return sorted(
            comment["content"] for comment in expect(other.client().get(f"/events/{event}/comments"), 200)["comments"]
        )

    assert texts() == ["", "", "No. 2", "No. 3", "No. 4", "No. 5"]

    # By the clock of the first server nothing is due.
    other.clock.advance(2 * 60_000)

    wait_until(lambda: texts() == [""] * 6)

    def is_over() -> bool:
        other.clock.advance(HOUR_MS)
        return not other.look(lambda tx: tx.execute(sa.select(deletions)).all())

    wait_until(is_over)


@ONCE
@proves("site: reports from tables and images at once, every server's answers within 1 s,")
def test_a_deletion_that_a_worker_was_first_to_take_is_answered_once_it_is_done(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_service()
    person, event = service.user(), service.event()["id"]
    expect(person.client.post("/comments", json={"event_id": event, "content": "A secret"}), 201)
    taken: list[Claim] = []
    delete = deletion.delete_by_admin

    def delete_and_take(tx: WriteTx, admin: UserCaller, user_id: int) -> list[str]:
        unused = delete(tx, admin, user_id)
        taken.extend(DELETIONS.claim(tx, now_ms=service.clock(), limit=1, only=[user_id]))
        return unused

    monkeypatch.setattr(deletion, "delete_by_admin", delete_and_take)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(service.admin.post, f"/admin/users/{person.id}/delete")
        wait_until(lambda: taken and service.look(lambda tx: DELETIONS.is_held(tx, taken[0])))
        time.sleep(0.2)
        assert not answer.done()
        service.server.run(service.app.services.deletion._go_on(taken[0]))
        expect(answer.result(), 200)
    (comment,) = expect(service.client().get(f"/events/{event}/comments"), 200)["comments"]
    assert comment["content"] == ""
