"""Results, "Reasons": why a result is as it is, and all results that a pool was given."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.orders import sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

TAKEN = (
    "results: **Reasons.** POST /pools/{id}/resolve and /events/{id}/cancel take `note?`, `note_ru?` (0–2,000) and "
    "`source_url?` (any of them of the muted: 403 `muted`);"
)
OF_CANCELLED = "results: of an event that was published, its cancellation's note is this one, for all to see."
FILLED = (
    'results: The same verdict again (200), by who gave it or an admin, final or not, fills what was left "" once, '
    "changes nothing else."
)
SHOWN = (
    "results: Pool's `resolution` + `note, note_ru, source_url, dispute_minutes (what counts),",
    (
        "results: history: [{number (from 1), won_side, payouts, void_at, decided_at, decided_by, decider_trades "
        "(whether who gave it ever traded in that pool; null: a rule), note, note_ru, source_url}]`, oldest first, the "
        "present one last ([] before)."
    ),
)
SOURCES = (
    'results: `pools[].metadata.sources`: URLs where the result will stand, ≤ 10, none "", strict (what was stored '
    "before stays as it is), shown beside the rules."
)
REASONS = {"note": "The score after extra time.", "note_ru": "Счёт.", "source_url": "https://example.org/derby"}
NONE = {"note": "", "note_ru": "", "source_url": ""}


def made(service: Service, creator: Person, *, minutes: int = 0, metadata: dict[str, Any] | None = None) -> Any:
    described = pool(b=10_000)
    described["metadata"] |= {"resolution": {"kind": "manual", "dispute_minutes": minutes}, **(metadata or {})}
    return service.event(creator=creator, pools=[described])


def resolve(person: Person, pool_id: int, **body: Any) -> Any:
    return expect(person.client.post(f"/pools/{pool_id}/resolve", json=body), 200)["resolution"]


def resolution(service: Service, pool_id: int) -> Any:
    return expect(service.client().get(f"/pools/{pool_id}"), 200)["resolution"]


def reasons(shown: Any) -> Any:
    return {name: shown[name] for name in NONE}


@proves(TAKEN, *SHOWN)
@pytest.mark.parametrize("trades", [False, True])
def test_a_verdict_says_why_and_who_gave_it(service: Service, trades: bool) -> None:
    creator = service.user(creator=True, balance_kopecks=1_000)
    (asked,) = made(service, creator)["pools"]
    before = resolution(service, asked["id"])
    assert (reasons(before), before["history"], before["dispute_minutes"]) == (NONE, [], 0)
    if trades:
        order = {"market_id": asked["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
        bought = expect(creator.client.post("/market/bets", json=order), 201)
        expect(sell(creator, order["market_id"], "YES", bought["shares"]), 201)

    shown = resolve(creator, asked["id"], won_side=0, **REASONS)

    assert reasons(shown) == REASONS
    assert shown["history"] == [
        {
            "number": 1,
            "won_side": 0,
            "payouts": [1, 0],
            "void_at": None,
            "decided_at": shown["decided_at"],
            "decided_by": "creator",
            "decider_trades": trades,
            **REASONS,
        }
    ]
    assert resolution(service, asked["id"]) == shown


@proves(TAKEN)
@ONCE
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("note", "x" * 2_001),
        ("note", 1),
        ("note_ru", "я" * 2_001),
        ("note_ru", "turned \u202e"),
        ("source_url", "javascript:alert(1)"),
        ("source_url", "example.org"),
        ("source_url", "https://example.org/" + "x" * 2_048),
        ("source_url", "https://example.org/a b"),
    ],
)
def test_wrong_reasons_are_refused_and_change_nothing(service: Service, field: str, value: Any) -> None:
    creator = service.user(creator=True)
    event = made(service, creator)
    pool_id = event["pools"][0]["id"]
    for path, body in ((f"/pools/{pool_id}/resolve", {"won_side": 0}), (f"/events/{event['id']}/cancel", {})):
        error = refused(creator.client.post(path, json={**body, field: value}), 400, "bad_request")
        assert list(error["details"]["fields"]) == [field]
    assert resolution(service, pool_id)["history"] == []
    assert reasons(resolve(creator, pool_id, won_side=0, note="x" * 2_000, note_ru=None, source_url="")) == {
        **NONE,
        "note": "x" * 2_000,
    }


@proves(TAKEN)
@ONCE
def test_who_is_muted_gives_no_reasons(service: Service) -> None:
    creator = service.user(creator=True)
    event = made(service, creator)
    pool_id = event["pools"][0]["id"]
    until = {"until": "2100-01-01T00:00:00Z"}
    expect(service.admin.put(f"/admin/users/{creator.id}/muted", json=until), 200)
    for name, value in REASONS.items():
        refused(creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0, name: value}), 403, "muted")
        refused(creator.client.post(f"/events/{event['id']}/cancel", json={name: value}), 403, "muted")
    assert reasons(resolve(creator, pool_id, won_side=0, note="")) == NONE


@proves(FILLED)
def test_the_same_verdict_again_fills_in_reasons_once(service: Service) -> None:
    creator = service.user(creator=True)
    (asked,) = made(service, creator)["pools"]
    first = resolve(creator, asked["id"], won_side=0, note="Seen.")
    refused(
        service.user().client.post(f"/pools/{asked['id']}/resolve", json={"won_side": 0, "note_ru": "Чужое."}),
        403,
        "forbidden",
    )

    filled = resolve(creator, asked["id"], won_side=0, note="Another.", note_ru="Видели.")
    assert reasons(filled) == {"note": "Seen.", "note_ru": "Видели.", "source_url": ""}
    by_admin = expect(service.admin.post(f"/pools/{asked['id']}/resolve", json={"won_side": 0, **REASONS}), 200)[
        "resolution"
    ]

    assert reasons(by_admin) == {"note": "Seen.", "note_ru": "Видели.", "source_url": REASONS["source_url"]}
    kept = {name: value for name, value in first.items() if name not in {*NONE, "history", "state"}}
    assert {name: by_admin[name] for name in kept} == kept
    assert [one["number"] for one in by_admin["history"]] == [1]
    refused(creator.client.post(f"/pools/{asked['id']}/resolve", json={"won_side": 1}), 409, "already_resolved")


@proves(FILLED)
def test_a_creator_adds_no_reasons_to_an_admin_s_verdict(service: Service) -> None:
    creator = service.user(creator=True)
    (asked,) = made(service, creator)["pools"]
    given = expect(service.admin.post(f"/pools/{asked['id']}/resolve", json={"won_side": 1}), 200)["resolution"]
    assert given["history"][0]["decided_by"] == "admin"

    assert reasons(resolve(creator, asked["id"], won_side=1, **REASONS)) == NONE


@ONCE
def test_a_void_is_the_same_where_it_is_of_the_same_moment(service: Service) -> None:
    creator = service.user(creator=True)
    (asked,) = made(service, creator, minutes=60)["pools"]
    expect(service.admin.post(f"/pools/{asked['id']}/resolve", json={"void": True}), 200)
    at = asked["liquidity"][0]["at"]
    moved = expect(service.admin.post(f"/pools/{asked['id']}/resolve", json={"void": True, "at": at}), 200)
    again = expect(service.admin.post(f"/pools/{asked['id']}/resolve", json={"void": True, "at": at}), 200)
    assert [one["void_at"] for one in moved["resolution"]["history"]] == [None, at]
    assert again["resolution"]["history"] == moved["resolution"]["history"]


@proves(
    "results: Verdicts and proposals are the same where each outcome is paid the same (a void: of the same moment)."
)
def test_what_pays_the_same_is_the_same_verdict_until_it_is_final(service: Service) -> None:
    creator = service.user(creator=True)
    (asked,) = made(service, creator, minutes=60)["pools"]
    first = resolve(creator, asked["id"], won_side=0)
    for person in (creator.client, service.admin):
        body = {"payouts": [1, 0], "note": "Seen."}
        again = expect(person.post(f"/pools/{asked['id']}/resolve", json=body), 200)["resolution"]
        assert reasons(again) == {**NONE, "note": "Seen."}
        assert [one["decided_at"] for one in again["history"]] == [first["decided_at"]]
        assert again["disputable_until"] == first["disputable_until"]


@proves(*SHOWN)
def test_replaced_verdicts_stay_in_the_history(service: Service) -> None:
    creator = service.user(creator=True)
    (asked,) = made(service, creator, minutes=60)["pools"]
    first = resolve(creator, asked["id"], won_side=0, **REASONS)
    assert first["dispute_minutes"] == 60
    answer = service.admin.post(f"/pools/{asked['id']}/resolve", json={"payouts": [0.25, 0.75], "note": "Half."})
    shown = expect(answer, 200)["resolution"]

    assert reasons(shown) == {**NONE, "note": "Half."}
    assert shown["history"][0] == first["history"][0]
    last = {**shown["history"][1]}
    assert last.pop("decided_at") == shown["decided_at"]
    assert last == {
        "number": 2,
        "won_side": -1,
        "payouts": [0.25, 0.75],
        "void_at": None,
        "decided_by": "admin",
        "decider_trades": False,
        **NONE,
        "note": "Half.",
    }


@proves(OF_CANCELLED, TAKEN)
def test_a_cancellation_says_why_in_each_pool_that_it_voids(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator=creator, pools=[pool(b=10_000), pool(b=10_000)])
    before, after = (one["id"] for one in event["pools"])
    resolve(creator, before, won_side=0, note="Won.")
    cancelled = expect(creator.client.post(f"/events/{event['id']}/cancel", json=REASONS), 200)

    assert [reasons(one["resolution"]) for one in cancelled["pools"]] == [{**NONE, "note": "Won."}, REASONS]
    history = resolution(service, after)["history"]
    assert [(one["won_side"], one["payouts"], reasons(one)) for one in history] == [(-1, None, REASONS)]


@proves(OF_CANCELLED)
@ONCE
def test_why_a_draft_is_cancelled_stands_in_no_pool(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator=creator, pools=[pool(b=10_000)], publish=False)
    expect(creator.client.post(f"/events/{event['id']}/cancel", json=REASONS), 200)
    shown = expect(creator.client.get(f"/pools/{event['pools'][0]['id']}"), 200)
    assert reasons(shown["resolution"]) == NONE


@proves(SOURCES)
@ONCE
def test_a_pool_names_where_its_result_will_stand(service: Service) -> None:
    creator = service.user(creator=True)
    urls = [f"https://example.org/{number}" for number in range(10)]
    (asked,) = made(service, creator, metadata={"sources": urls})["pools"]
    assert asked["metadata"]["sources"] == urls
    for wrong, field in (
        ([*urls, "https://example.org"], "sources"),
        (["https://example.org", ""], "sources[1]"),
        (["example.org"], "sources[0]"),
        ("https://example.org", "sources"),
        ([1], "sources"),
    ):
        body = {"name": "Derby", "pools": [{"name": "A", "metadata": {"sources": wrong}}]}
        error = refused(creator.client.post("/events/create-full", json=body), 400, "bad_request")
        assert list(error["details"]["fields"]) == [f"pools[0].metadata.{field}"]
