"""Results, "Objections": who objects to a verdict, what that holds, and who answers it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.contract.site_setting import change
from tests.support.disputes import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    asked,
    confirm,
    leap,
    object_to,
    objections,
    read_time,
    resolution,
    resolve,
    trader,
)
from tests.support.kinds import ONCE
from tests.support.orders import balance, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import let_work, wait_until

POSTED = (
    "results: | POST /pools/{id}/objections (Required; no API key) | `{verdict, reason (1–5,000), source_url?, "
    "proposal? (resolve's body)}` → 201 Objection. Until `disputable_until` (a hold does not lengthen it). In this "
    "order: 404; 403 `forbidden` (held no share when trading ended); again: 200, the first, later too; 409 "
    "`objections_off`, `invalid_state` (not the present verdict, outside the window); 400 (a proposal that does not "
    "fit the pool or is the present verdict); 429 over 20 in 24 hours, as reports |"
)
LISTED = (
    "results: | GET /pools/{id}/objections (Optional) | a page `objections`, newest first: `{id, verdict, user, "
    "reason, source_url, proposal, holds, created_at, state: open\\|upheld\\|rejected\\|lapsed, answer_note, "
    "answered_at}`."
)
HIDDEN = (
    'results: + `hidden`; hidden or of the muted, `reason` and `source_url` are "" for all but its author, operators, '
    "admins; it holds all the same. PUT /admin/objections/{id}/hidden as of comments; reports + kind `objection` |"
)
CONFIRMED = (
    "results: | POST /pools/{id}/confirm (admin) | `{verdict, seen (id of the newest objection to it; null: none), "
    "note?}` → 200 Pool, as quick as resolve: its open objections are rejected (`answer_note`), none later holds it; "
    "final at `disputable_until`, at once if past. Another number or a newer objection: 409 `invalid_state`; final "
    "unconfirmed: 409 `already_resolved`. Confirmed already: 200 whatever `seen`, nothing changes. The same verdict by "
    "resolve confirms nothing |"
)
HELD = (
    "results: An objection that `holds` keeps the verdict from being final at `disputable_until` until it is confirmed "
    "or replaced, at the latest 7 days on (`held_until`); then it is final, its objections `lapsed`."
)
ANSWERED = "results: Another verdict upholds those that proposed it or nothing and rejects the others."
OWN = (
    "results: An admin who made the event or ever traded in the pool neither confirms nor replaces (403 `own_event`, "
    "before any 409) while there is an active admin who did neither."
)


def answers_of(person: Person) -> list[str]:
    """Return the states of the answers to someone's objections that they were notified of."""
    notes = expect(person.client.get("/notifications"), 200)["notifications"]
    return [one["params"]["state"] for one in notes if one["type"] == "objection_answered"]


def may_of(client: httpx.Client, made: dict[str, Any]) -> list[str]:
    """Return what someone may do with a pool's event, as its page says."""
    found: list[str] = expect(client.get(f"/events/{made['event_id']}/page"), 200)["may"]
    return found


@proves(POSTED, LISTED)
def test_who_held_shares_objects_once_to_a_verdict(service: Service) -> None:
    made = asked(service)
    holder, stranger, sold = trader(service, made), service.user(), trader(service, made)
    expect(sell(sold, made["markets"][0]["id"], "YES"), 201)
    pool_id = made["id"]
    refused(object_to(holder, 10**9), 404, "pool_not_found")
    refused(object_to(holder, pool_id), 409, "invalid_state")
    resolve(service.creator.client, pool_id, won_side=1)
    for person in (stranger, sold):
        refused(object_to(person, pool_id, verdict=7), 403, "forbidden")
    refused(object_to(holder, pool_id, verdict=2), 409, "invalid_state")

    first = expect(
        object_to(holder, pool_id, source_url="https://example.org/report", proposal={"won_side": 0, "note": "x"}), 201
    )

    assert first["user"]["id"] == holder.id
    assert first | {"id": 0, "user": None, "created_at": ""} == {
        "id": 0,
        "verdict": 1,
        "user": None,
        "reason": "The match was abandoned.",
        "source_url": "https://example.org/report",
        "proposal": {"won_side": 0},
        "holds": True,
        "hidden": False,
        "created_at": "",
        "state": "open",
        "answer_note": "",
        "answered_at": None,
    }
    assert expect(object_to(holder, pool_id, reason="Another."), 200) == first
    assert objections(service.client(), pool_id) == [first]
    shown = resolution(service, pool_id)
    assert (shown["state"], shown["objections"]) == ("decided", 1)
    assert read_time(shown["held_until"]) - read_time(shown["disputable_until"]) == 7 * DAY_MS


@proves(POSTED)
@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"verdict": 0}, "verdict"),
        ({"reason": " "}, "reason"),
        ({"reason": "x" * 5_001}, "reason"),
        ({"source_url": "example.org"}, "source_url"),
        ({"proposal": {"won_side": 0, "void": True}}, "proposal"),
        ({"proposal": {"won_side": 2}}, "proposal.won_side"),
        ({"proposal": {"payouts": [0.5, 0.25, 0.25]}}, "proposal.payouts"),
        ({"proposal": {"value": "3"}}, "proposal.value"),
        ({"proposal": {"void": True, "at": "2020-01-01T00:00:00Z"}}, "proposal.at"),
        ({"proposal": {"won_side": 1}}, "proposal"),
        ({"proposal": {"payouts": [0, 1]}}, "proposal"),
    ],
)
def test_wrong_objections_are_refused(service: Service, body: dict[str, Any], field: str) -> None:
    made = asked(service)
    holder = trader(service, made)
    resolve(service.creator.client, made["id"], won_side=1)
    error = refused(object_to(holder, made["id"], **body), 400, "bad_request")
    assert list(error["details"]["fields"]) == [field]
    assert objections(service.client(), made["id"]) == []


@proves(
    POSTED,
    "results: `FOREKNOW_OBJECTIONS=on|off` (on) counts at POST; held verdicts stay held. GET /site + `objections` "
    "(bool), `dispute_minutes`.",
)
def test_objections_can_be_off_and_held_verdicts_stay_held(fresh_service: Service) -> None:
    service = fresh_service
    made = asked(service)
    first, second = trader(service, made), trader(service, made)
    resolve(service.creator.client, made["id"], won_side=1)
    known = expect(object_to(first, made["id"]), 201)
    assert expect(service.client().get("/site"), 200)["objections"] is True
    change(service, objections="off")
    site = expect(service.client().get("/site"), 200)
    assert (site["objections"], site["dispute_minutes"]) == (False, service.settings.dispute_minutes)
    refused(object_to(second, made["id"], verdict=9), 409, "objections_off")
    assert expect(object_to(first, made["id"]), 200) == known
    service.restart()
    held = resolution(service, made["id"])
    assert held["held_until"] is not None
    leap(service, read_time(held["disputable_until"]) + MINUTE_MS)
    let_work()
    assert resolution(service, made["id"])["state"] == "decided"
    assert [one["state"] for one in objections(service.client(), made["id"])] == ["open"]


@proves(HELD, POSTED, "results: held_until, objections (how many are open),")
def test_a_held_verdict_is_final_seven_days_later(moving_service: Service) -> None:
    service = moving_service
    made = asked(service)
    objector, other = trader(service, made), trader(service, made, "NO")
    shown = resolve(service.creator.client, made["id"], won_side=1)
    expect(object_to(objector, made["id"]), 201)
    ends_ms = read_time(shown["disputable_until"])
    leap(service, ends_ms, objector, other)
    refused(object_to(other, made["id"]), 409, "invalid_state")
    before = resolution(service, made["id"])
    assert (before["state"], before["objections"], balance(other)) == ("decided", 1, 0)
    leap(service, ends_ms + 7 * DAY_MS - MINUTE_MS, objector, other)
    assert resolution(service, made["id"])["state"] == "decided"
    leap(service, ends_ms + 7 * DAY_MS, objector, other)
    after = resolution(service, made["id"])
    assert (after["state"] in {"paying", "paid"}, after["objections"], after["held_until"]) == (True, 0, None)
    (lapsed,) = objections(service.client(), made["id"])
    assert (lapsed["state"], lapsed["answered_at"]) == ("lapsed", before["held_until"])
    wait_until(lambda: resolution(service, made["id"])["state"] == "paid")
    wait_until(lambda: balance(other) > 0)
    assert objections(service.client(), made["id"]) == [lapsed]
    assert answers_of(objector) == []
    assert expect(object_to(objector, made["id"]), 200) == lapsed


@proves(CONFIRMED, "results: to who objected `objection_answered` (`params.state`, not at `lapsed`; mail `now`);")
def test_an_admin_confirms_what_they_have_seen(moving_service: Service) -> None:
    service = moving_service
    made = asked(service)
    first, second, winner = trader(service, made), trader(service, made), trader(service, made, "NO")
    shown = resolve(service.creator.client, made["id"], won_side=1)
    old, new = (expect(object_to(person, made["id"]), 201)["id"] for person in (first, second))
    refused(confirm(first.client, made["id"], seen=new), 403, "forbidden")
    refused(confirm(service.admin, made["id"], verdict=2, seen=new), 409, "invalid_state")
    for seen in (old, None):
        refused(confirm(service.admin, made["id"], seen=seen), 409, "invalid_state")
    resolve(service.admin, made["id"], won_side=1)
    assert resolution(service, made["id"])["objections"] == 2
    leap(service, read_time(shown["disputable_until"]) + HOUR_MS, first, second, winner)

    answer = expect(confirm(service.admin, made["id"], seen=new, note="The league counts it."), 200)

    assert (answer["resolution"]["state"], answer["won_side"]) == ("paid", 1)
    assert balance(winner) > 0
    for one in objections(service.client(), made["id"]):
        assert (one["state"], one["answer_note"]) == ("rejected", "The league counts it.")
    again = expect(confirm(service.admin, made["id"], seen=old), 200)
    assert again["resolution"] == answer["resolution"]
    assert answers_of(first) == ["rejected"]
    settings = expect(first.client.get("/users/me/notification-settings"), 200)
    assert settings["objection_answered"] == {"app": True, "email": "now"}


@proves(CONFIRMED)
def test_nothing_holds_a_confirmed_verdict(moving_service: Service) -> None:
    service = moving_service
    made, plain = asked(service), asked(service)
    holder = trader(service, made)
    refused(confirm(service.admin, made["id"]), 409, "invalid_state")
    resolve(service.creator.client, made["id"], won_side=1)
    last = resolve(service.creator.client, plain["id"], won_side=1)["disputable_until"]
    confirmed = expect(confirm(service.admin, made["id"]), 200)["resolution"]
    assert (confirmed["state"], confirmed["held_until"]) == ("decided", None)
    late = expect(object_to(holder, made["id"]), 201)
    assert late["holds"] is False
    leap(service, read_time(last), holder)
    assert resolution(service, made["id"])["state"] in {"paying", "paid"}
    assert [one["state"] for one in objections(service.client(), made["id"])] == ["lapsed"]
    refused(confirm(service.admin, plain["id"]), 409, "already_resolved")


@proves(ANSWERED)
def test_another_verdict_answers_what_was_said_of_the_first(service: Service) -> None:
    made = asked(service)
    people = [trader(service, made) for _ in range(3)]
    resolve(service.creator.client, made["id"], won_side=1)
    proposals: list[Any] = [{"payouts": [1, 0]}, None, {"void": True}]
    for person, proposal in zip(people, proposals, strict=True):
        expect(object_to(person, made["id"], proposal=proposal), 201)
    replaced = resolve(service.admin, made["id"], won_side=0)
    assert (replaced["objections"], replaced["held_until"]) == (0, None)
    states = [one["state"] for one in objections(service.client(), made["id"])]
    assert states == ["rejected", "upheld", "upheld"]
    assert expect(object_to(people[2], made["id"], verdict=2), 201)["state"] == "open"
    assert resolution(service, made["id"])["objections"] == 1


@proves(OWN)
def test_who_is_involved_leaves_it_to_another_admin(service: Service) -> None:
    maker = service.user(creator=True, admin=True)
    made = asked(service, maker)
    holder = trader(service, made)
    involved = trader(service, made)
    expect(service.admin.patch(f"/admin/users/{involved.id}", json={"is_admin": True}), 200)
    resolve(maker.client, made["id"], won_side=1)
    seen = expect(object_to(holder, made["id"]), 201)["id"]
    assert "resolve" in may_of(service.admin, made)
    for person in (maker, involved):
        assert "resolve" not in may_of(person.client, made)
        refused(person.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 403, "own_event")
        refused(confirm(person.client, made["id"], verdict=9), 403, "own_event")
    assert resolve(maker.client, made["id"], won_side=1)["objections"] == 1
    expect(confirm(service.admin, made["id"], seen=seen), 200)
    expect(service.admin.patch(f"/admin/users/{involved.id}", json={"is_admin": False}), 200)


@proves("results: A trade or fill counts as traded; an order that met nothing does not, nor the house's.")
def test_a_fill_counts_as_a_trade_and_an_order_that_met_nothing_does_not(still_service: Service) -> None:
    service = still_service
    made = asked(service)
    market_id = made["markets"][0]["id"]
    holder = trader(service, made)
    filled, unmet = (service.user(balance_kopecks=10_000) for _ in range(2))
    for person, price_bps in ((filled, 5_000), (unmet, 100)):
        order = {"market_id": market_id, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": price_bps}
        expect(person.client.post("/market/orders", json=order), 201)
        expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_admin": True}), 200)
    trader(service, made, "NO", 5_000)
    resolve(service.creator.client, made["id"], won_side=1)
    seen = expect(object_to(holder, made["id"]), 201)["id"]
    refused(confirm(filled.client, made["id"], seen=seen), 403, "own_event")
    expect(confirm(unmet.client, made["id"], seen=seen), 200)
    for person in (filled, unmet):
        expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_admin": False}), 200)


@proves(OWN)
def test_the_only_admin_decides_about_their_own_event(fresh_service: Service) -> None:
    service = fresh_service
    maker = service.user(creator=True, admin=True)
    made = asked(service, maker)
    trader(service, made)
    resolve(maker.client, made["id"], won_side=1)
    first = expect(service.admin.get("/users/me"), 200)["id"]
    expect(maker.client.patch(f"/admin/users/{first}", json={"is_active": False}), 200)
    assert "resolve" in may_of(maker.client, made)
    assert len(resolve(maker.client, made["id"], won_side=0)["history"]) == 2


@proves(HIDDEN)
def test_a_hidden_objection_says_nothing_and_holds(service: Service) -> None:
    made = asked(service)
    author, operator, member = trader(service, made), service.user(operator=True), service.user()
    resolve(service.creator.client, made["id"], won_side=1)
    said = expect(object_to(author, made["id"], source_url="https://example.org/"), 201)

    def texts(person: Person) -> list[tuple[str, str]]:
        return [(one["reason"], one["source_url"]) for one in objections(person.client, made["id"])]

    report = {"kind": "objection", "id": said["id"], "reason": "abuse"}
    expect(member.client.post("/reports", json=report), 201)
    path = f"/admin/objections/{said['id']}/hidden"
    refused(member.client.put(path, json={"hidden": True}), 403, "forbidden")
    refused(operator.client.put("/admin/objections/1000000/hidden", json={"hidden": True}), 404, "objection_not_found")
    assert expect(operator.client.put(path, json={"hidden": True}), 200)["hidden"] is True
    full = [(said["reason"], said["source_url"])]
    assert (texts(member), texts(author), texts(operator)) == ([("", "")], full, full)
    assert resolution(service, made["id"])["held_until"] is not None
    expect(operator.client.put(path, json={"hidden": False}), 200)
    assert texts(member) == full
    until = {"until": "2100-01-01T00:00:00Z"}
    expect(service.admin.put(f"/admin/users/{author.id}/muted", json=until), 200)
    assert (texts(member), texts(author)) == ([("", "")], full)


@proves(
    "results: `attention` gets kind `objection`, one a pool, until confirmed, replaced or lapsed, and",
    "results: GET /users/{id} + `resolved_pools` (final, of their events), `corrected_pools` (of these, with more than "
    "one verdict), `overdue_pools` (now).",
)
def test_what_waits_and_what_was_corrected_is_counted(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True)
    pools = [asked(service, creator) for _ in range(2)]
    people = [trader(service, one) for one in pools]
    for one, person in zip(pools, people, strict=True):
        resolve(creator.client, one["id"], won_side=1)
        expect(object_to(person, one["id"]), 201)

    def waiting() -> set[int]:
        entries = expect(service.admin.get("/admin/attention", params={"limit": 100}), 200)["entries"]
        return {one["pool_id"] for one in entries if one["kind"] == "objection"} & {one["id"] for one in pools}

    assert waiting() == {one["id"] for one in pools}
    assert expect(service.admin.get("/admin/waiting"), 200)["objections"] >= 2
    until_ms = read_time(resolve(service.admin, pools[0]["id"], won_side=0)["disputable_until"])
    assert waiting() == {pools[1]["id"]}
    leap(service, until_ms + 7 * DAY_MS)
    wait_until(lambda: not waiting())
    profile = expect(service.client().get(f"/users/{creator.id}"), 200)
    assert (profile["resolved_pools"], profile["corrected_pools"], profile["overdue_pools"]) == (2, 1, 0)


@proves("results: `verdict_held` (once a verdict, `params.held_until`);")
def test_holders_are_notified_once_that_a_verdict_is_held(service: Service) -> None:
    made = asked(service)
    first, second, holder = (trader(service, made) for _ in range(3))
    resolve(service.creator.client, made["id"], won_side=1)
    for person in (first, second):
        expect(object_to(person, made["id"]), 201)

    def held(person: Person) -> list[str]:
        rows = expect(person.client.get("/notifications"), 200)["notifications"]
        return [row["params"]["held_until"] for row in rows if row["type"] == "verdict_held"]

    until = resolution(service, made["id"])["held_until"]
    wait_until(lambda: all(held(person) == [until] for person in (holder, first, second)))
