"""GET /notifications, its count, POST /notifications/read, and who is notified of what."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.people import notifications
from foreknow.people.notifications.kinds.own import OperatorAnswer
from foreknow.people.notifications.routes import MARKED_AT_ONCE
from foreknow.people.notifications.tables import notifications as table
from foreknow.people.users.tables import users
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused


def notifications_of(person: Person, **query: Any) -> list[dict[str, Any]]:
    """Return a person's newest notifications."""
    found: list[dict[str, Any]] = expect(person.client.get("/notifications", params=query), 200)["notifications"]
    return found


def types(person: Person) -> list[str]:
    return [one["type"] for one in notifications_of(person)]


def settled(person: Person) -> list[dict[str, Any]]:
    """Return a person's notifications of settled positions; who traded follows the event, which brings others."""
    return [one for one in notifications_of(person) if one["type"] == "position_settled"]


def unread(person: Person) -> int:
    body = expect(person.client.get("/notifications/unread/count"), 200)
    assert body.keys() == {"count"}
    count: int = body["count"]
    return count


def mark(person: Person, **request: Any) -> int:
    """Mark notifications; return how many were newly marked."""
    body = expect(person.client.post("/notifications/read", **request), 200)
    assert body.keys() == {"count"}
    count: int = body["count"]
    return count


def notify(service: Service, person: Person, count: int) -> None:
    """Give a person this many notifications."""
    now_ms = service.clock()
    (notice,) = notifications.NewNotifications(None, at_ms=now_ms).add(person.id, OperatorAnswer())
    service.server.run(service.app.db.write(lambda tx: notifications.record(tx, [notice] * count)))


def comment(author: Person, event: dict[str, Any], *, parent: dict[str, Any] | None = None) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": "Well.", "parent_id": parent and parent["id"]}
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def bet(client: httpx.Client, event: dict[str, Any], *, side: str = "YES", amount_kopecks: int = 1_000) -> int:
    """Bet on the event's first market; return the shares."""
    market_id = event["pools"][0]["markets"][0]["id"]
    body = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    shares: int = expect(client.post("/market/bets", json=body), 201)["shares"]
    return shares


@pytest.fixture
def person(service: Service) -> Person:
    """A person without notifications."""
    return service.user()


@proves(
    "decisions: GET /notifications: a page of `{id, type, text, event_id (or null), created_at, read}`",
    "interface: 200: object with count (integer).",
)
def test_a_reply_notifies_the_author_of_the_comment(service: Service, person: Person) -> None:
    event, other = service.event(name="Who wins the derby?"), service.user()
    assert (notifications_of(person), unread(person)) == ([], 0)
    first = comment(person, event)
    reply = comment(other, event, parent=first)
    (one,) = notifications_of(person)
    assert one == {
        "id": one["id"],
        "type": "comment_reply",
        "text": "Your comment on “Who wins the derby?” has a new reply.",
        "event_id": event["id"],
        "params": one["params"],
        "comment_id": reply["id"],
        "created_at": reply["created_at"],
        "read": False,
    }
    assert one["params"]["event_name"] == "Who wins the derby?"
    assert unread(person) == 1
    # A reply to the reply notifies the author of the reply.
    comment(person, event, parent=reply)
    assert unread(person) == 1
    assert types(other) == ["comment_reply"]


@proves("decisions: One's own replies notify nobody")
def test_ones_own_replies_notify_no_one(service: Service, person: Person) -> None:
    event = service.event()
    comment(person, event, parent=comment(person, event))
    assert (notifications_of(person), unread(person)) == ([], 0)


def test_replies_to_a_deleted_comment_notify_no_one(service: Service, person: Person) -> None:
    event, other = service.event(), service.user()
    first = comment(person, event)
    expect(person.client.delete(f"/comments/{first['id']}"), 200)
    comment(other, event, parent=first)
    assert notifications_of(person) == []


@proves(
    "decisions: Types: `comment_reply`, `position_settled`, `event_published`, `event_resolved`, `event_cancelled`, "
    "`event_closed`, `resolution_needed`, `series_waiting` (to its creator), `operator_answer`."
)
def test_a_creator_is_notified_of_what_others_do_with_an_event_and_of_its_end(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator, name="Derby", pools=[pool(), pool()], publish=False)
    assert notifications_of(creator) == []
    expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    assert [(one["type"], one["event_id"]) for one in notifications_of(creator)] == [("event_published", event["id"])]
    first, second = event["pools"]
    expect(creator.client.post(f"/pools/{first['id']}/resolve", json={"won_side": 0}), 200)
    assert types(creator) == ["event_published"]
    for _ in range(2):
        expect(creator.client.post(f"/pools/{second['id']}/resolve", json={"won_side": 1}), 200)
    assert types(creator) == ["event_resolved", "event_published"]
    other = service.event(creator, name="Cup")
    expect(service.admin.post(f"/events/{other['id']}/cancel"), 200)
    newest = notifications_of(creator, limit=1)[0]
    assert (newest["type"], newest["event_id"]) == ("event_cancelled", other["id"])
    assert newest["text"] == "Your event “Cup” was cancelled."
    unpublished = service.event(creator, publish=False)
    expect(service.admin.post(f"/events/{unpublished['id']}/cancel"), 200)
    assert types(creator)[0] == "event_cancelled"


def test_a_creator_is_not_notified_of_their_own_act(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator)
    expect(creator.client.post(f"/events/{event['id']}/cancel"), 200)
    assert types(creator) == []


def test_a_refused_publication_notifies_no_one(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator)
    refused(service.admin.post(f"/events/{event['id']}/publish"), 409, "invalid_state")
    assert types(creator) == []


def test_traders_are_notified_of_a_settlements_payout(service: Service) -> None:
    winner, loser, gone = (service.user(balance_kopecks=1_000) for _ in range(3))
    event = service.event(name="Derby", pools=[pool(["Reds", "Blues"])])
    won = bet(winner.client, event)
    lost = bet(loser.client, event, side="NO", amount_kopecks=205)
    bet(gone.client, event)
    market_id = event["pools"][0]["markets"][0]["id"]
    expect(gone.client.post("/market/positions/sell", json={"market_id": market_id, "token_type": "YES"}), 201)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    (one,) = settled(winner)
    assert (one["type"], one["event_id"], one["read"]) == ("position_settled", event["id"], False)
    profit = won - 1_000
    assert one["text"] == (
        f"Your position was settled: {won} YES shares of “Reds” in “Derby” paid ₽{won // 100}.{won % 100:02}, "
        f"profit ₽{profit // 100}.{profit % 100:02}."
    )
    (one,) = settled(loser)
    assert one["text"] == (f"Your position was settled: {lost} NO shares of “Reds” in “Derby” paid ₽0.00, loss ₽2.05.")
    assert settled(gone) == []


def test_a_cancelled_event_settles_positions_and_says_so(service: Service) -> None:
    trader = service.user(balance_kopecks=1_000)
    event = service.event()
    bet(trader.client, event, amount_kopecks=400)
    bet(trader.client, event, side="NO", amount_kopecks=600)
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    assert len(settled(trader)) == 2


def test_sub_accounts_get_no_notifications(service: Service) -> None:
    partner, event = service.partner(float_kopecks=10_000), service.event()
    market_id = event["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": "a", "market_id": market_id, "side": "yes", "stake_kopecks": 500}
    user_id = expect(partner.client.post("/partner/bets", json=body), 201)["user_id"]
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    theirs = sa.select(sa.func.count()).where(table.c.user_id == user_id)
    assert service.look(lambda tx: tx.execute(theirs).scalar_one()) == 0
    of_any = sa.select(table.c.id).join(users, users.c.id == table.c.user_id).where(users.c.partner_id.is_not(None))
    assert service.look(lambda tx: tx.execute(of_any).first()) is None


@proves(
    "decisions: POST /notifications/read `{ids?}` (all; unknown ones ignored; no body is `{}`) → 200 `{count}` "
    "newly marked."
)
def test_some_are_marked_then_all(service: Service, person: Person) -> None:
    notify(service, person, 5)
    ids = [one["id"] for one in notifications_of(person)]
    assert mark(person, json={"ids": [ids[1], ids[3], ids[3], 2**63 - 1, 0, -5]}) == 2
    assert [one["read"] for one in notifications_of(person)] == [False, True, False, True, False]
    assert unread(person) == 3
    assert mark(person, json={"ids": []}) == 0
    assert mark(person, json={"ids": ids[:2]}) == 1
    assert mark(person, json={}) == 2
    assert mark(person, json={"ids": ids}) == 0
    assert unread(person) == 0
    assert [one["id"] for one in notifications_of(person)] == ids
    assert all(one["read"] for one in notifications_of(person))


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    "request_", [{}, {"json": {}}, {"json": {"ids": None}}, {"headers": {"Content-Type": "application/json"}}]
)
def test_no_body_marks_all(service: Service, person: Person, request_: dict[str, Any]) -> None:
    notify(service, person, 2)
    assert mark(person, **request_) == 2
    assert unread(person) == 0


def test_one_marks_ones_own_only(service: Service, person: Person) -> None:
    notify(service, person, 1)
    other = service.user()
    assert mark(other, json={"ids": [notifications_of(person)[0]["id"]]}) == 0
    assert mark(other) == 0
    assert unread(person) == 1


@ONCE
@pytest.mark.parametrize(
    "body", [{"ids": "all"}, {"ids": [1.0]}, {"ids": ["1"]}, {"ids": [True]}, {"ids": [None]}, {"id": 1}, [], 7]
)
def test_wrong_bodies_mark_nothing(service: Service, person: Person, body: Any) -> None:
    notify(service, person, 1)
    refused(person.client.post("/notifications/read", json=body), 400, "bad_request")
    assert unread(person) == 1


@ONCE
def test_a_body_of_another_type_is_refused(person: Person) -> None:
    answer = person.client.post("/notifications/read", content=b"ids=1", headers={"Content-Type": "text/plain"})
    refused(answer, 415, "unsupported_media_type")


def test_concurrent_requests_mark_very_many_notifications_completely(service: Service, person: Person) -> None:
    pile = 2 * MARKED_AT_ONCE + 7
    notify(service, person, pile)
    assert unread(person) == pile
    answers = service.together([("POST", "/notifications/read", {})] * 5, tokens=[person.token])
    assert sum(expect(answer, 200)["count"] for answer in answers) == pile
    assert unread(person) == 0


def test_pages_show_each_once_while_more_come(service: Service, person: Person) -> None:
    notify(service, person, 5)
    whole = [one["id"] for one in notifications_of(person)]
    assert whole == sorted(whole, reverse=True)
    found: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(person.client.get("/notifications", params={"limit": "2"} | cursor), 200)
        assert page.keys() == {"notifications", "next_cursor", "has_more"}
        found += [one["id"] for one in page["notifications"]]
        notify(service, person, 1)
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == whole
    refused(service.user().client.get("/notifications", params=cursor), 400, "invalid_cursor")
    refused(person.client.get("/notifications?limit=101"), 400, "invalid_limit")


@proves("interface: Errors: 401 unauthorized, 500 internal_error.")
@ONCE
@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("GET", "/unread/count"), ("POST", "/read")], ids=["list", "count", "mark"]
)
def test_notifications_are_for_those_who_are_signed_in(service: Service, method: str, path: str) -> None:
    refused(service.client().request(method, f"/notifications{path}"), 401, "unauthorized")
    partner = service.partner()
    refused(partner.client.request(method, f"/notifications{path}"), 401, "unauthorized")
