"""Objections as the team answers them: what waits longest first, what is at stake, and who must leave it to another."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.disputes import asked, confirm, object_to, resolve, trader
from tests.support.orders import bet
from tests.support.service import Person, Service, expect, refused


def queue(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    """Return what waits for an answer, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = expect(client.get("/admin/objections", params=query), 200)
        found += page["results"]
        if not page["has_more"]:
            return found
        query |= {"cursor": page["next_cursor"]}


def of_pool(client: httpx.Client, made: dict[str, Any]) -> dict[str, Any]:
    (found,) = (one for one in queue(client) if one["pool"]["id"] == made["id"])
    return found


def decided_kopecks(person: Person) -> int:
    rows = expect(person.client.get("/users/me/positions", params={"state": "open"}), 200)["positions"]
    return sum(row["decided_kopecks"] for row in rows)


def test_who_objects_is_shown_with_what_is_at_stake_for_them(service: Service) -> None:
    made = asked(service)
    plain, proposing = trader(service, made, "NO", 4_000), trader(service, made, "YES", 2_500)
    resolve(service.creator.client, made["id"], won_side=1)
    first = expect(object_to(plain, made["id"], proposal={"void": True}), 201)
    proposed = expect(object_to(proposing, made["id"], proposal={"won_side": 0}), 201)
    paid = {person.id: decided_kopecks(person) for person in (plain, proposing)}

    shown = of_pool(service.user(operator=True).client, made)

    assert (shown["event_id"], shown["seen"], shown["left_to"]) == (made["event_id"], proposed["id"], None)
    assert shown["pool"] == expect(service.client().get(f"/pools/{made['id']}"), 200)
    assert shown["pays_kopecks"] == paid[plain.id] + paid[proposing.id]
    newest, oldest = shown["objections"]
    assert (newest["objection"], oldest["objection"]) == (proposed, first)
    assert (newest["cost_kopecks"] <= 2_500, newest["decided_kopecks"]) == (True, 0)
    assert (oldest["cost_kopecks"] <= 4_000, oldest["decided_kopecks"]) == (True, paid[plain.id])
    assert 0 < oldest["proposed_kopecks"] < oldest["pays_kopecks"]
    # What it proposes is what is paid once that is the result.
    resolve(service.admin, made["id"], won_side=0)
    assert decided_kopecks(proposing) == newest["proposed_kopecks"] == newest["pays_kopecks"]


def test_what_waits_longest_is_first_and_leaves_with_its_answer(service: Service) -> None:
    first, second, third = (asked(service) for _ in range(3))
    for made in (second, first, third):
        holder = trader(service, made)
        resolve(service.creator.client, made["id"], won_side=1)
        expect(object_to(holder, made["id"]), 201)
    ours = {one["id"] for one in (first, second, third)}

    def waiting() -> list[int]:
        return [one["pool"]["id"] for one in queue(service.admin, limit=1) if one["pool"]["id"] in ours]

    assert waiting() == [second["id"], first["id"], third["id"]]
    expect(confirm(service.admin, first["id"], seen=of_pool(service.admin, first)["seen"]), 200)
    resolve(service.admin, third["id"], won_side=0)
    assert waiting() == [second["id"]]


def test_how_someone_fared_before_is_counted_and_of_a_partner_for_all_its_users(service: Service) -> None:
    person, partner = service.user(balance_kopecks=9_000), service.partner(90_000)
    pools = [asked(service) for _ in range(3)]
    for number, made in enumerate(pools):
        expect(bet(person, made["markets"][0]["id"], "YES", 900), 201)
        order = {"market_id": made["markets"][0]["id"], "side": "yes", "stake_kopecks": 700}
        body = {"external_user_id": f"user {number}"}
        expect(partner.client.post("/partner/bets", json=order | body), 201)
        resolve(service.creator.client, made["id"], won_side=1)
        expect(object_to(person, made["id"], proposal={"void": True}), 201)
        said = body | {"verdict": 1, "reason": "It rained.", "proposal": {"won_side": 0}}
        expect(partner.client.post(f"/partner/pools/{made['id']}/objections", json=said), 201)
    expect(confirm(service.admin, pools[0]["id"], seen=of_pool(service.admin, pools[0])["seen"]), 200)
    resolve(service.admin, pools[1]["id"], won_side=0)

    of_partner, of_person = of_pool(service.admin, pools[2])["objections"]

    assert (of_person["upheld"], of_person["rejected"]) == (0, 2)
    assert (of_partner["upheld"], of_partner["rejected"]) == (1, 1)
    assert of_partner["objection"]["user"]["name"] == partner.name
    assert of_partner["cost_kopecks"] > 0


def test_who_is_involved_sees_who_else_may_answer(service: Service) -> None:
    maker = service.user(creator=True, admin=True)
    made = asked(service, maker)
    holder, involved = trader(service, made), trader(service, made)
    expect(service.admin.patch(f"/admin/users/{involved.id}", json={"is_admin": True}), 200)
    resolve(maker.client, made["id"], won_side=1)
    expect(object_to(holder, made["id"]), 201)
    free = expect(service.admin.get("/users/me"), 200)["id"]

    seen = {person.id: of_pool(person.client, made) for person in (maker, involved)}

    for shown in seen.values():
        left_to = {one["id"] for one in shown["left_to"]}
        assert free in left_to
        assert not left_to & seen.keys()
    assert (seen[maker.id]["made"], seen[involved.id]["made"]) == (True, False)
    assert of_pool(service.admin, made)["left_to"] is None
    expect(service.admin.patch(f"/admin/users/{involved.id}", json={"is_admin": False}), 200)
    refused(holder.client.get("/admin/objections"), 403, "forbidden")


def test_a_report_of_an_objection_names_the_pool_and_says_what_it_says(service: Service) -> None:
    made = asked(service)
    author, operator = trader(service, made), service.user(operator=True)
    resolve(service.creator.client, made["id"], won_side=1)
    said = expect(object_to(author, made["id"]), 201)
    case = expect(
        service.user().client.post("/reports", json={"kind": "objection", "id": said["id"], "reason": "abuse"}), 201
    )
    expect(operator.client.put(f"/admin/objections/{said['id']}/hidden", json={"hidden": True}), 200)

    reports = expect(operator.client.get("/admin/reports", params={"open": "true"}), 200)["reports"]

    shown = next(one for one in reports if one["id"] == case["id"])
    about = {"event_id": made["event_id"], "pool_id": made["id"], "objection": said | {"hidden": True}}
    assert shown["about"] == about
    assert expect(operator.client.post(f"/admin/reports/{case['id']}/close", json={}), 200)["about"] == about
    assert all(("about" in one) == (one["kind"] == "objection") for one in reports)
