"""Results, "Clarifications": what makes a pool's rules clearer, beside rules that never change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import MINUTE_MS, iso
from tests.site.following.readers import follow, notices, wait_for_notices
from tests.support.fields import flag, in_array, integer, shaped, text, time
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.limit_orders import rest
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import let_work, wait_until

WRITTEN = (
    "results: **Clarifications.** POST /pools/{id}/clarifications (its creator until `finish_at`, admin until a "
    "verdict) `{text (1–5,000), text_ru? (0–5,000)}` → 201 Clarification `{id, text, text_ru, by: creator|admin, "
    "hidden, created_at}`;"
)
AGAIN = "results: the same texts as the newest: 200 that;"
LATE = "results: else, of a `new` event and its creator later too, 409 `invalid_state`;"
MANY = "results: `too_many_clarifications` (20 a pool, hidden ones too);"
MUTED = "results: 403 `muted`;"
KEYLESS = "results: no Idempotency-Key."
HIDDEN = "results: Nothing edits one; PUT /admin/clarifications/{id}/hidden as of comments."
LISTED = "results: GET /pools/{id}/clarifications (Optional): a page, oldest first;"
COUNTED = "results: Pool + `clarifications` (their number)."
NOTIFIED = (
    "results: to who holds shares, has open orders or follows `rules_clarified` (one an event and person in 60 minutes)"
)
OF_SERIES = "results: Each instance of a series has its own."
FIVE_MINUTES_MS = 5 * MINUTE_MS
SAID = {"text": "A match that is broken off counts as played.", "text_ru": "Прерванный матч считается сыгранным."}
CLARIFICATION = shaped(
    {
        **dict.fromkeys(("text", "text_ru"), text),
        "id": integer,
        "by": in_array("creator", "admin"),
        "hidden": flag,
        "created_at": time,
    }
)


def asked(service: Service, creator: Person, **fields: Any) -> int:
    """Make an event; return its pool."""
    return int(service.event(creator=creator, pools=[pool(b=10_000, **fields)])["pools"][0]["id"])


def post(person: Person | httpx.Client, pool_id: int, **body: Any) -> httpx.Response:
    client = person.client if isinstance(person, Person) else person
    return client.post(f"/pools/{pool_id}/clarifications", json=body)


def clarify(person: Person | httpx.Client, pool_id: int, **body: Any) -> Any:
    made = expect(post(person, pool_id, **body), 201)
    assert CLARIFICATION(made)
    return made


def listed(client: httpx.Client, pool_id: int, **query: Any) -> Any:
    return expect(client.get(f"/pools/{pool_id}/clarifications", params=query), 200)


def count(service: Service, pool_id: int) -> int:
    return int(expect(service.client().get(f"/pools/{pool_id}"), 200)["clarifications"])


@proves(WRITTEN, LISTED, COUNTED)
@FIRST_ON_POSTGRES
def test_what_its_creator_and_admins_clarify_is_read_by_all(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator, rules="The score decides.")
    assert listed(service.client(), pool_id) == {"clarifications": [], "next_cursor": None, "has_more": False}
    assert count(service, pool_id) == 0

    first = clarify(creator, pool_id, **SAID)
    second = clarify(service.admin, pool_id, text="Extra time counts.")
    third = clarify(creator, pool_id, text="x" * 5_000, text_ru="я" * 5_000)

    assert {name: first[name] for name in SAID} == SAID
    assert [one["by"] for one in (first, second, third)] == ["creator", "admin", "creator"]
    assert second["text_ru"] == ""
    for reader in (service.client(), creator.client, service.admin):
        page = listed(reader, pool_id, limit=2)
        rest = listed(reader, pool_id, limit=2, cursor=page["next_cursor"])
        assert page["has_more"] is True
        assert rest["has_more"] is False
        assert [*page["clarifications"], *rest["clarifications"]] == [first, second, third]
    shown = expect(service.client().get(f"/pools/{pool_id}"), 200)
    assert (shown["clarifications"], shown["rules"]) == (3, "The score decides.")


@proves(WRITTEN)
@ONCE
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", ""),
        ("text", " \n"),
        ("text", "x" * 5_001),
        ("text", None),
        ("text", "turned \u202e"),
        ("text_ru", "я" * 5_001),
        ("text_ru", 1),
        ("by", "admin"),
    ],
)
def test_wrong_clarifications_are_refused(service: Service, field: str, value: Any) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    error = refused(post(creator, pool_id, **SAID | {field: value}), 400, "bad_request")
    assert list(error["details"]["fields"]) == [field]
    assert count(service, pool_id) == 0


@proves(WRITTEN)
def test_others_clarify_nothing(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    refused(post(service.client(), pool_id, **SAID), 401, "unauthorized")
    for person in (service.user(), service.user(creator=True), service.user(operator=True)):
        refused(post(person, pool_id, **SAID), 403, "forbidden")
    refused(post(creator, 999_999, **SAID), 404, "pool_not_found")
    hidden = service.event(creator=creator, publish=False)["pools"][0]["id"]
    refused(post(service.user(), hidden, **SAID), 404, "pool_not_found")
    refused(service.client().get(f"/pools/{hidden}/clarifications"), 404, "pool_not_found")

    made = expect(creator.client.post("/users/me/keys", json={"name": "Bot", "scope": "trade"}), 201)
    refused(post(service.client(made["key"]), pool_id, **SAID), 403, "forbidden")
    expect(service.admin.patch(f"/admin/users/{creator.id}", json={"is_creator": False}), 200)
    refused(post(creator, pool_id, **SAID), 403, "forbidden")
    assert count(service, pool_id) == 0


@proves(AGAIN, KEYLESS)
def test_the_same_again_is_the_newest_one(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    first = clarify(creator, pool_id, text="Caf\u00e9 once.")
    # The same character, spelled as two.
    assert expect(post(creator, pool_id, text="Cafe\u0301 once.", text_ru=""), 200) == first
    # By whomever: it says nothing new.
    assert expect(post(service.admin, pool_id, text="Caf\u00e9 once."), 200) == first
    second = clarify(creator, pool_id, text="Once.", text_ru="Раз.")
    third = clarify(creator, pool_id, text="Once.")
    key = {"Idempotency-Key": "one"}
    fourth = expect(creator.client.post(f"/pools/{pool_id}/clarifications", json=SAID, headers=key), 201)
    fifth = expect(creator.client.post(f"/pools/{pool_id}/clarifications", json={"text": "Else."}, headers=key), 201)
    assert listed(service.client(), pool_id)["clarifications"] == [first, second, third, fourth, fifth]


@proves(AGAIN)
@FIRST_ON_POSTGRES
def test_of_twins_that_are_sent_at_once_one_is_written(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: post(creator, pool_id, **SAID), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert count(service, pool_id) == 1


@proves(LATE, WRITTEN, AGAIN)
def test_a_creator_clarifies_until_the_end_and_an_admin_until_the_verdict(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True)
    pool_id = asked(service, creator, finish_at=iso(service.clock() + FIVE_MINUTES_MS))
    first = clarify(creator, pool_id, **SAID)
    service.clock.advance(FIVE_MINUTES_MS)

    refused(post(creator, pool_id, text="Later."), 409, "invalid_state")
    assert expect(post(creator, pool_id, **SAID), 200) == first
    assert clarify(service.admin, pool_id, text="Later.")["by"] == "admin"
    expect(creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    for person in (creator, service.admin):
        refused(post(person, pool_id, text="Too late."), 409, "invalid_state")
    assert expect(post(service.admin, pool_id, text="Later."), 200)["text"] == "Later."
    assert count(service, pool_id) == 2


@proves(LATE)
@pytest.mark.parametrize("minutes", [0, 60])
def test_nothing_is_clarified_before_publication_or_after_a_verdict(service: Service, minutes: int) -> None:
    creator = service.user(creator=True)
    draft = service.event(creator=creator, publish=False)["pools"][0]["id"]
    described = pool(b=10_000)
    described["metadata"] |= {"resolution": {"kind": "manual", "dispute_minutes": minutes}}
    decided = service.event(creator=creator, pools=[described])["pools"][0]["id"]
    expect(creator.client.post(f"/pools/{decided}/resolve", json={"won_side": 0}), 200)
    cancelled = service.event(creator=creator)
    expect(creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    for pool_id in (draft, decided, cancelled["pools"][0]["id"]):
        for person in (creator, service.admin):
            refused(post(person, pool_id, **SAID), 409, "invalid_state")


@proves(WRITTEN)
@ONCE
def test_an_admin_clarifies_their_own_event_as_its_creator_until_it_ends(moving_service: Service) -> None:
    service = moving_service
    person = service.user(creator=True, admin=True)
    pool_id = asked(service, person, finish_at=iso(service.clock() + FIVE_MINUTES_MS))
    assert clarify(person, pool_id, text="Before.")["by"] == "creator"
    service.clock.advance(FIVE_MINUTES_MS)
    assert clarify(person, pool_id, text="After.")["by"] == "admin"


@proves(MANY, HIDDEN)
def test_a_pool_has_at_most_twenty(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    made = [clarify(creator, pool_id, text=f"{number}.") for number in range(20)]
    expect(service.admin.put(f"/admin/clarifications/{made[0]['id']}/hidden", json={"hidden": True}), 200)

    for person in (creator, service.admin):
        refused(post(person, pool_id, text="One more."), 409, "too_many_clarifications")
    assert expect(post(creator, pool_id, text="19."), 200) == made[-1]
    assert count(service, pool_id) == 20
    clarify(creator, asked(service, creator), text="Of another pool.")


@proves(MUTED)
def test_who_is_muted_clarifies_nothing(service: Service) -> None:
    creator = service.user(creator=True)
    pool_id = asked(service, creator)
    clarify(creator, pool_id, **SAID)
    expect(service.admin.put(f"/admin/users/{creator.id}/muted", json={"until": "2100-01-01T00:00:00Z"}), 200)
    for body in (SAID, {"text": "Else."}):
        refused(post(creator, pool_id, **body), 403, "muted")
    assert count(service, pool_id) == 1


@proves(HIDDEN, LISTED)
@FIRST_ON_POSTGRES
def test_a_hidden_one_is_read_by_its_author_operators_and_admins_alone(service: Service) -> None:
    creator, operator = service.user(creator=True), service.user(operator=True)
    pool_id = asked(service, creator)
    said, other = clarify(creator, pool_id, **SAID), clarify(service.admin, pool_id, text="Shown.")
    strangers = [service.client(), service.user().client, service.creator.client]
    readers = [creator.client, operator.client, service.admin]
    for reader in (*strangers, *readers):
        assert listed(reader, pool_id)["clarifications"] == [said, other]
    path = f"/admin/clarifications/{said['id']}/hidden"
    refused(creator.client.put(path, json={"hidden": True}), 403, "forbidden")

    hidden = expect(operator.client.put(path, json={"hidden": True, "note": "Insults"}), 200)
    assert hidden == said | {"hidden": True}
    for reader in readers:
        assert listed(reader, pool_id)["clarifications"] == [hidden, other]
    for reader in strangers:
        assert listed(reader, pool_id)["clarifications"] == [hidden | {"text": "", "text_ru": ""}, other]
    assert count(service, pool_id) == 2

    assert expect(operator.client.put(path, json={"hidden": True}), 200) == hidden
    assert expect(service.admin.put(path, json={"hidden": False}), 200) == said
    assert listed(service.client(), pool_id)["clarifications"] == [said, other]
    refused(
        operator.client.put("/admin/clarifications/999999/hidden", json={"hidden": True}),
        404,
        "clarification_not_found",
    )
    refused(operator.client.put(path, json={"hidden": True, "note": "x" * 501}), 400, "bad_request")


@proves(HIDDEN, WRITTEN, "site: The log has what operators and admins do, people as ids.")
def test_hiding_and_an_admin_s_clarification_are_logged(service: Service) -> None:
    creator, operator = service.user(creator=True), service.user(operator=True)
    pool_id = asked(service, creator)
    said, by_admin = clarify(creator, pool_id, **SAID), clarify(service.admin, pool_id, text="Shown.")
    path = f"/admin/clarifications/{said['id']}/hidden"
    for hidden in (True, True, False):
        expect(operator.client.put(path, json={"hidden": hidden, "note": "Because"}), 200)

    entries = expect(service.admin.get("/admin/log", params={"target": f"clarification:{said['id']}"}), 200)["entries"]
    assert [(one["who"], one["action"], one["details"]) for one in entries] == [
        (f"user:{operator.id}", action, {"pool_id": pool_id, "user_id": creator.id, "note": "Because"})
        for action in ("clarification.show", "clarification.hide")
    ]
    (entry,) = expect(service.admin.get("/admin/log", params={"target": f"pool:{pool_id}"}), 200)["entries"]
    assert (entry["action"], entry["details"]) == ("pool.clarify", {"clarification_id": by_admin["id"]})


def newest_pool(service: Service, event: Any) -> int:
    newest = expect(service.client().get(f"/series/{event['series']['id']}"), 200)["current_event_id"]
    return int(expect(service.client().get(f"/events/{newest}"), 200)["pools"][0]["id"])


@proves(OF_SERIES)
def test_each_instance_of_a_series_has_its_own(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True)
    ends = iso(service.clock() + FIVE_MINUTES_MS)
    event = service.event(creator=creator, loop_interval_minutes=5, pools=[pool(b=10_000, finish_at=ends)])
    first = event["pools"][0]["id"]
    clarify(creator, first, **SAID)
    service.clock.advance(FIVE_MINUTES_MS)
    wait_until(lambda: newest_pool(service, event) != first, workers=["series"])
    second = newest_pool(service, event)

    assert (count(service, first), count(service, second)) == (1, 0)
    assert listed(service.client(), second)["clarifications"] == []
    clarify(creator, second, text="Of this one.")
    assert [one["text"] for one in listed(service.client(), first)["clarifications"]] == [SAID["text"]]


@proves(NOTIFIED)
def test_holders_orderers_and_followers_are_notified_once_an_hour(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator=creator, pools=[pool(b=10_000)])
    (made,) = event["pools"]
    market_id = made["markets"][0]["id"]
    holder, orderer, follower, other = (service.user(balance_kopecks=1_000) for _ in range(4))
    expect(bet(holder, market_id, "YES", 500), 201)
    rest(orderer, market_id, "YES", "buy", price=1, shares=1_000)
    expect(orderer.client.delete(f"/events/{event['id']}/follow"), 200)
    for person in (follower, creator):
        follow(person, f"events/{event['id']}")

    clarify(creator, made["id"], **SAID)
    for person in (holder, orderer, follower):
        (notice,) = wait_for_notices(person, "rules_clarified")
        assert notice["event_id"] == event["id"]
    expect(post(creator, made["id"], **SAID), 200)
    clarify(service.admin, made["id"], text="Extra time counts.")
    let_work()
    counts = [len(notices(one, "rules_clarified")) for one in (holder, orderer, follower, creator, other)]
    assert counts == [1, 1, 1, 1, 0]


@proves("site: GET /users/me/export (Required; no API key) | all that is kept of the caller, one JSON, streamed;")
@ONCE
def test_an_export_has_one_s_own_clarifications(service: Service) -> None:
    creator = service.user(creator=True)
    said = clarify(creator, asked(service, creator), **SAID)
    clarify(service.admin, asked(service, creator), text="Not theirs.")
    (row,) = expect(creator.client.get("/users/me/export"), 200)["tables"]["clarifications"]
    assert (row["id"], row["text"], row["text_ru"]) == (said["id"], SAID["text"], SAID["text_ru"])
