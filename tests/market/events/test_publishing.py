"""Publishing: the event opens for trading, and the house pays its loss bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.market.pools.tables import pools
from foreknow.money.ledger.tables import accounts
from tests.support.kinds import ONCE
from tests.support.service import Service, expect, pool, refused


def escrow_kopecks(service: Service, pool_id: int) -> int:
    query = (
        sa.select(accounts.c.balance_kopecks)
        .join(pools, pools.c.escrow_account_id == accounts.c.id)
        .where(pools.c.id == pool_id)
    )
    return int(service.look(lambda tx: tx.execute(query).scalar_one()))


def test_a_published_event_is_active_and_backed(service: Service) -> None:
    event = service.event(publish=False, pools=[pool(b=1_000, probabilities=[0.2]), pool(["a", "b", "c"], b=1_000)])
    answer = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    pools = [
        made | {"liquidity": shown["liquidity"]} for made, shown in zip(event["pools"], answer["pools"], strict=True)
    ]
    assert answer == event | {"status": "active", "is_active": True, "pools": pools}
    bounds = [escrow_kopecks(service, made["id"]) for made in event["pools"]]
    assert bounds == [math.ceil(1_000 * math.log(5)), math.ceil(1_000 * math.log(3))]
    assert expect(service.client().get(f"/events/{event['id']}"), 200) == answer


def test_publishing_again_is_refused_and_moves_nothing(service: Service) -> None:
    event = service.event()
    before = escrow_kopecks(service, event["pools"][0]["id"])
    refused(service.creator.client.post(f"/events/{event['id']}/publish"), 409, "invalid_state")
    assert escrow_kopecks(service, event["pools"][0]["id"]) == before


def test_copies_of_one_publication_publish_once(service: Service) -> None:
    event = service.event(publish=False)
    answers = service.together([("POST", f"/events/{event['id']}/publish", {})] * 10, tokens=[service.creator.token])
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
    assert escrow_kopecks(service, event["pools"][0]["id"]) == math.ceil(100_000 * math.log(2))


def test_an_admin_may_publish_and_a_stranger_may_not(service: Service) -> None:
    event = service.event(publish=False)
    expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    refused(service.user(creator=True).client.post(f"/events/{event['id']}/publish"), 403, "forbidden")


def test_a_cancelled_event_cannot_be_published(service: Service) -> None:
    event = service.event(publish=False)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    refused(service.creator.client.post(f"/events/{event['id']}/publish"), 409, "invalid_state")


def test_a_pool_past_its_deadline_cannot_be_published(service: Service) -> None:
    event = service.event(publish=False, pools=[pool(), pool(finish_at="2020-01-01T00:00:00Z")])
    refused(service.creator.client.post(f"/events/{event['id']}/publish"), 409, "invalid_state")
    assert escrow_kopecks(service, event["pools"][0]["id"]) == 0


@ONCE
def test_ids_that_are_none_and_ids_of_nothing(service: Service) -> None:
    client = service.creator.client
    for path in ("/events/0", "/events/x", "/events/01"):
        refused(client.get(path), 400, "invalid_event_id")
    refused(client.post("/events/-1/publish"), 400, "invalid_event_id")
    refused(client.get(f"/events/{2**62}"), 404, "event_not_found")
    refused(client.post(f"/events/{2**62}/publish"), 404, "event_not_found")


def test_the_house_limit_bounds_one_creators_open_events(start_service: Callable[..., Service]) -> None:
    bound = math.ceil(1_000 * math.log(2))
    service = start_service(house_limit_kopecks=2 * bound)
    creator = service.user(creator=True)

    def publish(event: dict[str, Any]) -> Any:
        return creator.client.post(f"/events/{event['id']}/publish")

    small = [pool(b=1_000)]
    first, second, third = (service.event(creator, publish=False, pools=small) for _ in range(3))
    expect(publish(first), 200)
    expect(publish(second), 200)
    assert refused(publish(third), 409, "house_limit")["details"] == {"required": bound, "available": 0}
    expect(creator.client.post(f"/pools/{first['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(publish(third), 200)
    # Another creator has a limit of their own.
    service.event(service.user(creator=True), pools=small)
    refused(publish(service.event(creator, publish=False, pools=[pool(b=1_000)] * 3)), 409, "house_limit")


def test_two_publications_at_once_do_not_pass_the_house_limit_together(start_service: Callable[..., Service]) -> None:
    bound = math.ceil(1_000 * math.log(2))
    service = start_service(house_limit_kopecks=3 * bound)
    creator = service.user(creator=True)
    events = [service.event(creator, publish=False, pools=[pool(b=1_000)] * 2) for _ in range(4)]
    answers = service.together(
        [("POST", f"/events/{event['id']}/publish", {}) for event in events], tokens=[creator.token]
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    statuses = [expect(creator.client.get(f"/events/{event['id']}"), 200)["status"] for event in events]
    assert statuses.count("active") == 1


def test_an_event_closes_when_its_last_unresolved_pool_does(fresh_service: Service) -> None:
    service = fresh_service
    clock = service.clock
    soon, later = iso(clock() + 60_000), iso(clock() + 3_600_000)
    event = service.event(pools=[pool(finish_at=soon), pool(finish_at=later)])

    def shown() -> tuple[str, bool]:
        answer = expect(service.client().get(f"/events/{event['id']}"), 200)
        return answer["status"], answer["is_active"]

    clock.advance(60_000)
    assert shown() == ("active", True)
    # Once the later pool is resolved, the one that is left is past its deadline.
    expect(service.creator.client.post(f"/pools/{event['pools'][1]['id']}/resolve", json={"void": True}), 200)
    assert shown() == ("closed", False)
    listed = {
        status: [row["id"] for row in expect(service.client().get("/events", params={"status": status}), 200)["events"]]
        for status in ("active", "closed", "resolved")
    }
    assert listed == {"active": [], "closed": [event["id"]], "resolved": []}
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    assert shown() == ("resolved", False)


def test_an_event_with_an_open_ended_pool_never_closes(fresh_service: Service) -> None:
    service = fresh_service
    event = service.event(pools=[pool(finish_at="2031-01-01T00:00:00Z"), pool()])
    service.clock.advance(20 * 365 * 86_400_000)
    # No session lasts twenty years; public endpoints need none.
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "active"
