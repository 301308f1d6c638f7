"""Two at once about one result: admins who uphold and confirm, an objection and a confirmation, a hold and payment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cluster import CLUSTER_MARKS
from tests.support.disputes import MINUTE_MS, confirm, leap, object_to, objections, read_time, resolution, resolve
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, Shot, expect, pool
from tests.support.waiting import wait_until

# On PostgreSQL the requests are spread over two servers with two workers each.
ON_BOTH = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("cluster", marks=CLUSTER_MARKS)], indirect=True
)
POOLS = 6
CONFIRMED = (
    "results: | POST /pools/{id}/confirm (admin) | `{verdict, seen (id of the newest objection to it; null: none), "
    "note?}` → 200 Pool, as quick as resolve: its open objections are rejected (`answer_note`), none later holds it;"
)


def decided(service: Service, holder: Person) -> list[int]:
    """Return pools in which a person holds YES, with NO for their first result."""
    described = [pool(name=f"Question {number}?") for number in range(POOLS)]
    for one in described:
        one["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    made = service.event(pools=described)["pools"]
    for one in made:
        expect(bet(holder, one["markets"][0]["id"], "YES", 500), 201)
        resolve(service.creator.client, one["id"], won_side=1)
    return [one["id"] for one in made]


def objected(service: Service, holder: Person) -> list[tuple[int, int]]:
    """Return such pools, each with its objection."""
    return [(one, expect(object_to(holder, one), 201)["id"]) for one in decided(service, holder)]


def notices_of(person: Person) -> list[dict[str, Any]]:
    rows = expect(person.client.get("/notifications", params={"limit": 100}), 200)["notifications"]
    return [row for row in rows if row["type"] == "objection_answered"]


def shot(path: str, body: dict[str, Any]) -> Shot:
    return ("POST", path, {"json": body})


@ON_BOTH
@proves(CONFIRMED, "results: Another verdict upholds those that proposed it or nothing and rejects the others.")
def test_one_of_two_admins_answers_an_objection(service: Service) -> None:
    holder, (first, second) = service.user(balance_kopecks=9_000), (service.user(admin=True) for _ in range(2))
    pools = objected(service, holder)
    shots: list[Shot] = []
    for pool_id, seen in pools:
        shots.append(shot(f"/pools/{pool_id}/resolve", {"won_side": 0}))
        shots.append(shot(f"/pools/{pool_id}/confirm", {"verdict": 1, "seen": seen, "note": "It counts."}))

    answers = service.together(shots, tokens=[first.token, second.token])

    for (pool_id, _), replaced, confirmed in zip(pools, answers[::2], answers[1::2], strict=True):
        # A confirmed result is replaced all the same: only the confirmation can come too late.
        expect(replaced, 200)
        is_confirmed = confirmed.status_code == 200
        assert is_confirmed or confirmed.json()["error"] == "invalid_state"
        (said,) = objections(service.client(), pool_id)
        expected = ("rejected", "It counts.") if is_confirmed else ("upheld", "")
        assert (said["state"], said["answer_note"]) == expected
        now = resolution(service, pool_id)
        assert (len(now["history"]), now["won_side"], now["objections"], now["held_until"]) == (2, 0, 0, None)
    states = [one["params"]["state"] for one in notices_of(holder)]
    assert sorted(states) == sorted(objections(service.client(), pool_id)[0]["state"] for pool_id, _ in pools)


@ON_BOTH
@proves(CONFIRMED, "results: Another number or a newer objection: 409 `invalid_state`;")
def test_an_objection_is_read_or_holds_nothing(service: Service) -> None:
    holder, admin = service.user(balance_kopecks=9_000), service.user(admin=True)
    pools = decided(service, holder)
    shots: list[Shot] = []
    for pool_id in pools:
        shots.append(shot(f"/pools/{pool_id}/confirm", {"verdict": 1, "seen": None}))
        shots.append(shot(f"/pools/{pool_id}/objections", {"verdict": 1, "reason": "It rained."}))

    answers = service.together(shots, tokens=[admin.token, holder.token])

    for pool_id, confirmed, said in zip(pools, answers[::2], answers[1::2], strict=True):
        objection = expect(said, 201)
        is_confirmed = confirmed.status_code == 200
        assert is_confirmed or confirmed.json()["error"] == "invalid_state"
        assert objection["holds"] is not is_confirmed
        assert (resolution(service, pool_id)["held_until"] is None) == is_confirmed
        if not is_confirmed:
            expect(confirm(admin.client, pool_id, seen=objection["id"]), 200)


@proves("results: An objection that `holds` keeps the verdict from being final at `disputable_until`")
def test_what_is_held_is_not_paid_and_what_is_paid_was_not_held(moving_service: Service) -> None:
    service = moving_service
    holder = service.user(balance_kopecks=9_000)
    pools = decided(service, holder)
    ends_ms = [read_time(resolution(service, pool_id)["disputable_until"]) for pool_id in pools]
    # The windows end while the requests are under way.
    leap(service, min(ends_ms) - MINUTE_MS, holder)
    body = {"verdict": 1, "reason": "It rained."}
    token = str(holder.client.headers["Authorization"]).removeprefix("Bearer ")
    service.clock.advance(ends_ms[POOLS // 2] - service.clock() - 20)
    answers = service.together([shot(f"/pools/{pool_id}/objections", body) for pool_id in pools], tokens=[token])
    leap(service, max(ends_ms), holder)

    refused_of = [pool_id for pool_id, answer in zip(pools, answers, strict=True) if answer.status_code != 201]
    assert all(answer.status_code == 201 or answer.json()["error"] == "invalid_state" for answer in answers)
    wait_until(lambda: all(resolution(service, pool_id)["state"] == "paid" for pool_id in refused_of))
    for pool_id in set(pools) - set(refused_of):
        assert resolution(service, pool_id)["state"] == "decided"
