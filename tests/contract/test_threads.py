"""The client's interface: notifications in parts, one comment with its thread, comments by likes."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

PARAMS = (
    "client: | 10 | notifications | + `params` (names in both languages, market_name, token_type, shares, "
    "payout_kopecks, pnl_kopecks), `comment_id`"
)
THREAD = "client: GET /comments/{id} (Optional) → `{comment, root_id}`"
SORT = "client: GET /events/{id}/comments `?sort=new|top` |"
NOTHING = {
    **dict.fromkeys(("event_name", "event_name_ru", "pool_name", "pool_name_ru", "market_name"), ""),
    **dict.fromkeys(("token_type", "shares", "payout_kopecks", "pnl_kopecks")),
}


def comment(author: Person, event: dict[str, Any], parent: dict[str, Any] | None = None) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": "Well.", "parent_id": parent and parent["id"]}
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def notified(person: Person, kind: str) -> dict[str, Any]:
    """Return a person's one notification of a type."""
    rows = expect(person.client.get("/notifications?limit=100"), 200)["notifications"]
    (found,) = (row for row in rows if row["type"] == kind)
    assert isinstance(found, dict)
    return found


@proves(PARAMS)
def test_a_settled_position_is_notified_in_parts(service: Service) -> None:
    of_pool = pool(["Reds", "Blues"], name="Winner", name_ru="Победитель")
    event = service.event(name="Cup", name_ru="Кубок", pools=[of_pool])
    person = service.user(balance_kopecks=10_000)
    order = {"market_id": event["pools"][0]["markets"][1]["id"], "token_type": "NO", "amount_kopecks": 4_000}
    placed = expect(person.client.post("/market/bets", json=order), 201)
    sale = {"market_id": order["market_id"], "token_type": "NO", "shares": 100}
    sold = expect(person.client.post("/market/positions/sell", json=sale), 201)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    left = placed["shares"] - 100

    notice = notified(person, "position_settled")
    assert notice["params"] == {
        "event_name": "Cup",
        "event_name_ru": "Кубок",
        "pool_name": "Winner",
        "pool_name_ru": "Победитель",
        "market_name": "Blues",
        "token_type": "NO",
        "shares": left,
        "payout_kopecks": left,
        "pnl_kopecks": left + sold["payout_kopecks"] - 4_000,
        "result": "Reds",
        "payouts": [1.0, 0.0],
    }
    assert (notice["event_id"], notice["comment_id"]) == (event["id"], None)


@proves(PARAMS)
def test_other_notifications_name_their_event_and_their_reply(service: Service) -> None:
    creator, other = service.user(creator=True), service.user()
    event = service.event(creator, name="Cup", name_ru="Кубок", publish=False)
    expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    mine = comment(creator, event)
    reply = comment(other, event, mine)
    expect(service.admin.post(f"/events/{event['id']}/cancel"), 200)
    named = NOTHING | {"event_name": "Cup", "event_name_ru": "Кубок"}

    for kind, comment_id in (("event_published", None), ("comment_reply", reply["id"]), ("event_cancelled", None)):
        notice = notified(creator, kind)
        assert (notice["params"], notice["comment_id"]) == (named, comment_id)
    expect(other.client.post("/chat/session"), 201)
    expect(other.client.post("/chat/message", json={"text": "Hello"}), 200)
    sessions = expect(service.admin.get("/admin/chat/sessions?limit=100"), 200)["sessions"]
    chat = next(row for row in sessions if row["user"] and row["user"]["id"] == other.id)
    expect(service.admin.post(f"/admin/chat/sessions/{chat['session_id']}/messages", json={"text": "Yes?"}), 201)
    answered = notified(other, "operator_answer")
    assert (answered["params"], answered["comment_id"]) == (NOTHING, None)


@proves(PARAMS)
def test_a_notification_of_a_release_without_parts_has_empty_ones(service: Service) -> None:
    person = service.user(creator=True)
    event = service.event(person, publish=False)
    expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    before = "UPDATE notifications SET params = NULL WHERE user_id = "
    service.server.run(service.app.db.write(lambda tx: tx.execute(sa.text(f"{before}{person.id}"))))

    notice = notified(person, "event_published")
    assert (notice["params"], notice["comment_id"]) == (NOTHING, None)


@proves(THREAD)
def test_a_comment_shows_the_thread_in_which_it_stands(service: Service) -> None:
    event, reader = service.event(), service.user()
    chain = [comment(reader, event)]
    for _ in range(4):
        chain.append(comment(reader, event, chain[-1]))
    expect(reader.client.put(f"/comments/{chain[3]['id']}/reaction", json={"type": "like"}), 200)

    for made in chain:
        shown = expect(reader.client.get(f"/comments/{made['id']}"), 200)
        assert shown.keys() == {"comment", "root_id"}
        assert shown["root_id"] == chain[0]["id"]
        assert shown["comment"].keys() == made.keys()
        assert shown["comment"]["id"] == made["id"]
    one = f"/comments/{chain[3]['id']}"
    assert expect(reader.client.get(one), 200)["comment"]["user_reaction"] == "like"
    assert expect(service.client().get(one), 200)["comment"]["user_reaction"] is None
    expect(reader.client.delete(one), 200)
    assert expect(service.client().get(one), 200)["comment"]["content"] == ""


@proves(THREAD)
def test_replies_of_a_release_that_kept_no_roots_are_found_below_theirs(service: Service) -> None:
    event, reader = service.event(), service.user()
    chain = [comment(reader, event)]
    for _ in range(3):
        chain.append(comment(reader, event, chain[-1]))
    before = sa.text(f"UPDATE comments SET root_id = NULL WHERE event_id = {event['id']}")
    service.server.run(service.app.db.write(lambda tx: tx.execute(before)))
    chain += [comment(reader, event, chain[-1])]
    chain += [comment(reader, event, chain[-1])]

    for made in chain:
        assert expect(reader.client.get(f"/comments/{made['id']}"), 200)["root_id"] == chain[0]["id"]


@proves(THREAD)
def test_a_comment_that_may_not_be_seen_is_missing(service: Service) -> None:
    creator = service.user(creator=True)
    draft = comment(creator, service.event(creator, publish=False))

    expect(creator.client.get(f"/comments/{draft['id']}"), 200)
    for client in (service.client(), service.user().client):
        refused(client.get(f"/comments/{draft['id']}"), 404, "comment_not_found")
    refused(service.client().get(f"/comments/{2**63 - 1}"), 404, "comment_not_found")
    refused(service.client().get("/comments/x"), 400, "invalid_comment_id")


@proves(SORT)
def test_comments_are_sorted_by_likes_or_by_age(service: Service) -> None:
    event, people = service.event(), [service.user() for _ in range(3)]
    made = [comment(people[0], event)["id"] for _ in range(5)]
    comment(people[1], event, {"id": made[0]})
    for index, fans in ((1, 3), (3, 1), (4, 1)):
        for fan in people[:fans]:
            expect(fan.client.put(f"/comments/{made[index]}/reaction", json={"type": "like"}), 200)
    expect(people[0].client.put(f"/comments/{made[2]}/reaction", json={"type": "dislike"}), 200)
    path = f"/events/{event['id']}/comments"

    def walk(**query: Any) -> list[int]:
        ids: list[int] = []
        cursor: dict[str, str] = {}
        while True:
            page = expect(service.client().get(path, params=query | cursor), 200)
            ids += [row["id"] for row in page["comments"]]
            if not page["has_more"]:
                return ids
            cursor = {"cursor": page["next_cursor"]}

    top = [made[1], made[4], made[3], made[2], made[0]]
    for limit in (1, 2, 5):
        assert walk(sort="top", limit=limit) == top
        assert walk(sort="new", limit=limit) == walk(limit=limit) == made[::-1]
    cursor = expect(service.client().get(path, params={"sort": "top", "limit": 1}), 200)["next_cursor"]
    refused(service.client().get(path, params={"cursor": cursor}), 400, "invalid_cursor")
    refused(people[0].client.get(path, params={"sort": "top", "cursor": cursor}), 400, "invalid_cursor")
    refused(service.client().get(path, params={"sort": "best"}), 400, "bad_request")
