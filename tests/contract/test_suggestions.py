"""A site of one's own: members who suggest events for an admin to publish, and members who make them themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from tests.support.kinds import ONCE
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.sign_in import with_key
from tests.support.waiting import wait_until

SUGGEST = (
    "site: `suggest`: whoever has it not may make and edit events too, at most 20 `new` ones at a time (409 "
    "`too_many_events`), which an admin publishes and then runs (its series too, which waits for no role); each waits "
    "in `attention`, kind `suggestion`, until published or cancelled, and its maker is told (`event_published`, "
    "`event_cancelled`; cancelling takes `{note?}`, which the maker's notice alone shows)."
)
MEMBERS = (
    "site: `FOREKNOW_CREATORS`: `chosen` (the role), `members` (every active, where asked verified, account counts as "
    "having it, `is_creator` stays; needs a limit over 0, below; `FOREKNOW_CREATORS_TRADE` is `off` then unless set),"
)
LIMIT = (
    "site: `FOREKNOW_CREATOR_LIMIT_KOPECKS` (0: none; the bound of `FOREKNOW_HOUSE_LIMIT_KOPECKS`, of both the smaller "
    "counts): most that one creator's open events can cost the house, else 409 `house_limit`."
)
SITE = "site: GET /site + `creators`."
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def site(module_database_url: str) -> Iterator[Service]:
    """A site whose members suggest events."""
    running = Service(module_database_url, creators="suggest")
    yield running
    running.stop()


def waiting(service: Service) -> list[int]:
    """Return the events that wait for an admin as suggestions."""
    entries = expect(service.admin.get("/admin/attention", params={"limit": 100}), 200)["entries"]
    return [entry["event_id"] for entry in entries if entry["kind"] == "suggestion"]


def notices(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = expect(person.client.get("/notifications"), 200)["notifications"]
    return found


def act(client: Any, event: dict[str, Any], action: str, **more: Any) -> Any:
    return client.post(f"/events/{event['id']}/{action}", **more)


@proves(SUGGEST, SITE)
def test_a_member_suggests_an_event_that_an_admin_publishes_and_runs(site: Service) -> None:
    member = site.user(balance_kopecks=1_000)
    assert expect(site.client().get("/site"), 200)["creators"] == "suggest"
    event = site.event(member, publish=False, name="Snow on Monday?")
    assert (event["status"], event["id"] in waiting(site)) == ("new", True)

    path, pool_id = f"/events/{event['id']}", event["pools"][0]["id"]
    expect(member.client.patch(path, json={"name": "Snow on Tuesday?"}), 200)
    expect(member.client.patch(f"/pools/{pool_id}", json={"rules": "By the thermometer."}), 200)
    expect(member.client.put(f"{path}/image", content=PNG), 200)
    assert expect(member.client.get(f"{path}/page"), 200)["may"] == ["image"]
    for action in ("publish", "cancel"):
        refused(act(member.client, event, action), 403, "forbidden")
    stranger = site.user()
    refused(stranger.client.patch(path, json={"name": "Mine"}), 404, "event_not_found")

    assert expect(act(site.admin, event, "publish"), 200)["status"] == "active"
    assert event["id"] not in waiting(site)
    assert [(each["type"], each["event_id"]) for each in notices(member)] == [("event_published", event["id"])]
    assert expect(member.client.get(f"{path}/page"), 200)["may"] == []
    refused(member.client.patch(f"/pools/{pool_id}", json={"finish_at": None}), 403, "forbidden")
    refused(member.client.put(f"{path}/image", content=PNG), 403, "forbidden")
    refused(member.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 403, "forbidden")
    refused(member.client.post(f"/pools/{pool_id}/pause"), 403, "forbidden")
    expect(bet(member, event["pools"][0]["markets"][0]["id"], "YES", 100), 201)
    expect(site.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)


@proves(SUGGEST)
def test_a_suggestion_is_declined_with_a_word_to_its_maker(site: Service) -> None:
    member = site.user()
    event, other = (site.event(member, publish=False, name=name) for name in ("Rain?", "Hail?"))
    refused(act(site.admin, event, "cancel", json={"note": "x" * 2_001}), 400, "bad_request")
    refused(act(site.admin, event, "cancel", json={"why": "no"}), 400, "bad_request")
    expect(act(site.admin, event, "cancel", json={"note": "There is one like it."}), 200)
    expect(act(site.admin, other, "cancel"), 200)

    assert not {event["id"], other["id"]} & set(waiting(site))
    plain, noted = notices(member)
    assert plain["text"] == "Your event “Hail?” was cancelled."
    assert "note" not in plain["params"]
    assert noted["text"] == "Your event “Rain?” was cancelled: There is one like it."
    assert noted["params"]["note"] == "There is one like it."


@proves(SUGGEST)
def test_followers_of_an_event_that_is_cancelled_do_not_read_the_note(site: Service) -> None:
    follower, event = site.user(), site.event()
    expect(follower.client.put(f"/events/{event['id']}/follow"), 200)
    expect(act(site.admin, event, "cancel", json={"note": "For its maker."}), 200)

    wait_until(lambda: notices(follower))
    assert [notice["params"].get("note") for notice in notices(follower)] == [None]
    assert notices(site.creator)[0]["params"]["note"] == "For its maker."


@proves(SUGGEST)
def test_of_many_at_once_no_more_than_20_suggestions_of_one_member_wait(site: Service) -> None:
    member = site.user()
    body = {"name": "One of many", "pools": [pool()]}
    shots = [("POST", "/events/create-full", {"json": body})] * 24
    answers = site.together(shots, tokens=[member.token])
    assert sorted(answer.status_code for answer in answers) == [201] * 20 + [409] * 4
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"too_many_events"}
    template = {"template": "yes_no", "question": "One more?"}
    refused(member.client.post("/events/from-template", json=template), 409, "too_many_events")
    (first, *_) = (answer.json() for answer in answers if answer.status_code == 201)
    expect(act(site.admin, first, "cancel"), 200)
    expect(member.client.post("/events/from-template", json=template), 201)


@proves(SUGGEST)
@ONCE
def test_who_has_the_role_runs_their_own_events_and_a_key_makes_none(site: Service) -> None:
    event = site.event()
    assert event["id"] not in waiting(site)
    member = site.user()
    with_one = with_key(site, member, "trade")
    refused(with_one.post("/events/create-full", json={"name": "By a key", "pools": [pool()]}), 403, "forbidden")


@proves(SUGGEST)
@ONCE
def test_the_series_of_a_suggestion_waits_for_no_role(start_service: Callable[..., Service]) -> None:
    service = start_service(creators="suggest")
    member = service.user()
    soon = pool(finish_at=iso(service.clock() + MINUTE_MS))
    event = service.event(member, pools=[soon], loop_interval_minutes=5, publish=False)
    series = expect(act(service.admin, event, "publish"), 200)["series"]
    refused(member.client.post(f"/series/{series['id']}/stop"), 403, "forbidden")
    service.clock.advance(2 * MINUTE_MS)

    def newest() -> Any:
        found = expect(service.client().get("/events", params={"series": series["id"]}), 200)["events"]
        return len(found) > 1 or None

    wait_until(newest)
    assert expect(service.client().get(f"/series/{series['id']}"), 200)["waiting"] is None


@proves(MEMBERS, LIMIT, SITE)
def test_members_make_events_within_the_limit_and_trade_in_none_of_theirs(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(creators="members", creator_limit_kopecks=100_000, house_limit_kopecks=10**9)
    assert expect(service.client().get("/site"), 200)["creators"] == "members"
    member = service.user(balance_kopecks=1_000)
    assert not expect(member.client.get("/users/me"), 200)["is_creator"]
    event = service.event(member)
    market = event["pools"][0]["markets"][0]["id"]
    refused(bet(member, market, "YES", 100), 403, "own_event")
    second = service.event(member, publish=False)
    answer = act(member.client, second, "publish")
    refused(answer, 409, "house_limit")
    assert answer.json()["details"] == {"required": 69_315, "available": 100_000 - 69_315}
    expect(member.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(act(member.client, second, "publish"), 200)
    expect(service.admin.patch(f"/admin/users/{member.id}", json={"is_active": False}), 200)
    refused(act(member.client, second, "cancel"), 401, "unauthorized")


@proves(MEMBERS)
def test_unverified_members_are_no_creators_where_that_is_asked() -> None:
    terms = Terms(creators="members", creator_limit_kopecks=1, email_verification="on")
    assert not terms.counts_as_creator(is_creator=False, email_verified=False)
    assert terms.counts_as_creator(is_creator=False, email_verified=True)
    assert terms.counts_as_creator(is_creator=True, email_verified=False)


@proves(LIMIT, MEMBERS)
def test_of_both_limits_the_smaller_counts() -> None:
    assert Terms().loss_limit_kopecks is None
    assert Terms(creator_limit_kopecks=7).loss_limit_kopecks == 7
    assert Terms(creator_limit_kopecks=7, house_limit_kopecks=5).loss_limit_kopecks == 5
    assert Terms(creator_limit_kopecks=7, house_limit_kopecks=0).loss_limit_kopecks == 0
    assert Terms(house_limit_kopecks=5).loss_limit_kopecks == 5
    assert Settings(creators="members", creator_limit_kopecks=1).creators_trade == "off"
    assert Settings(creators="members", creator_limit_kopecks=1).terms.creators_trade == "off"
    assert Settings(creators="members", creator_limit_kopecks=1, creators_trade="on").creators_trade == "on"
    assert Settings(creators="suggest").creators_trade == "on"
    with pytest.raises(ValidationError, match="FOREKNOW_CREATOR_LIMIT_KOPECKS"):
        Settings(creators="members")
