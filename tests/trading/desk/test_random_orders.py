"""Random limit orders among bets, sales, baskets and cancels, many at a time: what is held stays exact."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.books import Auditor
from tests.support.crowd import Crowd
from tests.support.held import WRONG
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import length
from tests.support.service import Person, Service, expect
from tests.support.waiting import let_work

ROUNDS = length(short=4, long=200)
AT_ONCE = 40
#: What must be: trades that resting orders made, and baskets that both bought and sold.
FILLS = "SELECT COUNT(*) FROM trades WHERE role = 'maker' AND pool_id IN :pools"
BOTH_WAYS = """
    SELECT COUNT(*) FROM (
        SELECT basket_id FROM trades WHERE basket_id IS NOT NULL AND pool_id IN :pools
        GROUP BY basket_id HAVING COUNT(*) = 2
    ) AS both_ways"""


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_held_stays_exact_whatever_is_traded(service: Service, seed: int) -> None:
    crowd, auditor = Crowd(service, seed), Auditor(service)
    tokens = [person.token for person in crowd.people]
    statuses: set[int] = set()
    for _ in range(ROUNDS):
        crowd.place_for_partner()
        answers = service.together(crowd.shots(AT_ONCE), tokens=tokens)
        statuses |= {answer.status_code for answer in answers}
        assert all(answer.status_code < 500 for answer in answers), [a.text for a in answers if a.status_code >= 500]
        crowd.note(answers)
        crowd.swap()
        assert {name: crowd.count(query, service) for name, query in WRONG.items()} == dict.fromkeys(WRONG, 0)
        auditor.audit()
    assert statuses >= {200, 201, 409}
    assert crowd.count(FILLS, service) > ROUNDS
    assert crowd.count(BOTH_WAYS, service) >= ROUNDS
    # Nothing is paid any more while it is added up.
    let_work()
    for person in crowd.people:
        _check_sums(person)


def _check_sums(person: Person) -> None:
    """A person's movements add up to the balance, and each trade is listed once, the newest first."""
    rows = _all(person, "/users/me/transactions", "transactions")
    shown = expect(person.client.get("/users/me"), 200)
    assert len({row["id"] for row in rows}) == len(rows)
    assert sum(row["change_kopecks"] for row in rows) == shown["balance_kopecks"]
    trades = [row["id"] for row in _all(person, "/users/me/trades", "trades")]
    assert trades == sorted(set(trades), reverse=True)
    orders = [row["id"] for row in _all(person, "/market/orders", "orders")]
    assert orders == sorted(set(orders), reverse=True)


def _all(person: Person, path: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 7}
    while True:
        page = expect(person.client.get(path, params=query), 200)
        rows += page[name]
        if page["next_cursor"] is None:
            return rows
        query["cursor"] = page["next_cursor"]
