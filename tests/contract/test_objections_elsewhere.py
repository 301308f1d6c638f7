"""Results, "Objections": of partners' users, of who leaves, and how many one makes."""

from __future__ import annotations

from typing import Any

from tests.support.disputes import DAY_MS, asked, leap, object_to, objections, read_time, resolution, resolve, trader
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused
from tests.support.waiting import wait_until

PARTNERS = (
    "results: | POST /partner/pools/{id}/objections | the same with `external_user_id`; one a partner and verdict |"
)
LEAVING = (
    "results: Deletion and deactivation release what theirs alone held; deletion erases `reason` and `source_url`; "
    "export has them."
)


def bet_of(partner: PartnerAccount, made: dict[str, Any], user: str) -> None:
    order = {"market_id": made["markets"][0]["id"], "side": "yes", "stake_kopecks": 500, "external_user_id": user}
    expect(partner.client.post("/partner/bets", json=order), 201)


@proves(PARTNERS)
def test_a_partner_objects_once_to_a_verdict_for_its_users(service: Service) -> None:
    made, partner, other = asked(service), service.partner(10_000), service.partner(10_000)
    for one, user in ((partner, "kim"), (partner, "lee"), (other, "kim")):
        bet_of(one, made, user)
    resolve(service.creator.client, made["id"], won_side=1)
    path, body = f"/partner/pools/{made['id']}/objections", {"verdict": 1, "reason": "It rained.", "proposal": None}
    refused(partner.client.post(path, json=body | {"external_user_id": "who"}), 403, "FORBIDDEN")
    refused(
        partner.client.post("/partner/pools/1000000/objections", json=body | {"external_user_id": "kim"}),
        404,
        "POOL_NOT_FOUND",
    )
    refused(partner.client.post(path, json=body | {"external_user_id": ""}), 400, "INVALID_EXTERNAL_USER_ID")
    first = expect(partner.client.post(path, json=body | {"external_user_id": "kim"}), 201)
    assert (first["reason"], first["holds"], first["user"]["name"]) == ("It rained.", True, partner.name)
    assert expect(partner.client.post(path, json=body | {"external_user_id": "lee"}), 200) == first
    expect(other.client.post(path, json=body | {"external_user_id": "kim"}), 201)
    assert len(objections(service.client(), made["id"])) == 2


@proves(LEAVING)
def test_who_leaves_holds_nothing_any_more(moving_service: Service) -> None:
    service = moving_service
    made = asked(service)
    inactive, deleted, winner = trader(service, made), trader(service, made), trader(service, made, "NO")
    shown = resolve(service.creator.client, made["id"], won_side=1)
    for person in (inactive, deleted):
        expect(object_to(person, made["id"], source_url="https://example.org/report"), 201)
    (exported,) = expect(deleted.client.get("/users/me/export"), 200)["tables"]["objections"]
    assert (exported["reason"], exported["source_url"]) == ("The match was abandoned.", "https://example.org/report")
    leap(service, read_time(shown["disputable_until"]), winner)
    expect(service.admin.patch(f"/admin/users/{inactive.id}", json={"is_active": False}), 200)
    assert resolution(service, made["id"])["held_until"] is not None
    expect(service.admin.post(f"/admin/users/{deleted.id}/delete"), 200)
    wait_until(lambda: resolution(service, made["id"])["state"] == "paid")
    newest, oldest = objections(service.client(), made["id"])
    assert (newest["reason"], newest["source_url"], newest["holds"]) == ("", "", False)
    assert newest["user"]["name"] == "Deleted trader"
    assert (oldest["reason"], oldest["state"]) == ("The match was abandoned.", "lapsed")
    wait_until(lambda: expect(winner.client.get("/users/me"), 200)["balance_kopecks"] > 0)


@proves(
    "results: While 3 of one's objections (of a partner: all its users') were rejected in the last 90 days and none "
    "was upheld since, new ones hold nothing; what holds already goes on."
)
def test_after_three_rejections_an_objection_holds_nothing(moving_service: Service) -> None:
    service = moving_service
    pools = [asked(service) for _ in range(5)]
    person = service.user(balance_kopecks=5_000)
    for made in pools:
        order = {"market_id": made["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 500}
        expect(person.client.post("/market/bets", json=order), 201)
        resolve(service.creator.client, made["id"], won_side=1)

    def objects(made: dict[str, Any]) -> dict[str, Any]:
        said: dict[str, Any] = expect(object_to(person, made["id"]), 201)
        return said

    first = objects(pools[0])
    for made in pools[1:4]:
        seen = objects(made)["id"]
        expect(service.admin.post(f"/pools/{made['id']}/confirm", json={"verdict": 1, "seen": seen}), 200)
    assert objects(pools[4])["holds"] is False
    assert resolution(service, pools[4]["id"])["held_until"] is None
    assert resolution(service, pools[0]["id"])["held_until"] is not None
    resolve(service.admin, pools[0]["id"], won_side=0)
    assert objections(person.client, pools[0]["id"])[0] | {"state": "open"} != first
    leap(service, service.clock() + DAY_MS, person)
    later = asked(service)
    order = {"market_id": later["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 500}
    expect(person.client.post("/market/bets", json=order), 201)
    resolve(service.creator.client, later["id"], won_side=1)
    assert objects(later)["holds"] is True


@proves("results: 429 over 20 in 24 hours, as reports |")
def test_no_one_objects_more_than_twenty_times_a_day(moving_service: Service) -> None:
    service = moving_service
    made = asked(service)
    first, second = trader(service, made), trader(service, made)
    for number in range(1, 21):
        resolve(service.admin, made["id"], won_side=number % 2)
        expect(object_to(first, made["id"], verdict=number), 201)
    began_ms = service.clock()
    resolve(service.admin, made["id"], won_side=1)

    answer = object_to(first, made["id"], verdict=21)

    refused(answer, 429, "rate_limited")
    assert 0 < int(answer.headers["Retry-After"]) <= DAY_MS // 1_000
    expect(object_to(first, made["id"], verdict=20), 200)
    expect(object_to(second, made["id"], verdict=21), 201)
    leap(service, began_ms + DAY_MS, first)
    resolve(service.admin, made["id"], won_side=0)
    expect(object_to(first, made["id"], verdict=22), 201)
