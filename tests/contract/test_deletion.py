"""A site of one's own: deleting an account, by oneself or by an admin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.money.ledger.tables import transfers
from foreknow.people.notifications.tables import notification_settings
from foreknow.people.users.tables import users
from tests.support.kinds import ONCE
from tests.support.orders import bet, sell
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.sign_in import elsewhere, try_sign_in, with_key
from tests.support.stored_images import fetch
from tests.support.waiting import wait_until

DELETE = "site: POST /users/me/delete `{password}` (Required)"
BY_ADMIN = "site: POST /admin/users/{id}/delete (admin) |"
REFUSED = "site: 200 `{}`; 409 `invalid_state`: an event of theirs active or closed, a running series, the last admin"
ENDS = "site: Deletion ends sessions, keys, provider links,"
DRAFTS = "site: drafts; erases"
ERASES = "site: erases e-mail, names, avatar, text of chat (both sides), comments,"
IMAGES = "site: from tables and images at once, every server's answers within 1 s"
STAYS = 'site: Events and trades stay, of a hidden "Deleted trader"; balance and later payouts go to the house'
AGAIN = "site: the address may sign up again."
TRANSFERS = "site: Transfers `grant`, `forfeit` (of deleted accounts);"
PASSWORD_BELOW = (
    'site: A `password` below: wrong is 401 `invalid_credentials`, counted as at sign-in; who has none sends "" within '
    "10 minutes of signing in, else 409 `sign_in_again`."
)
DELETED = "Deleted trader"
SETTINGS = {"position_settled": {"app": False}}
CREDIT = {"amount_kopecks": 100, "note": "late"}


def delete(person: Person, password: str = PASSWORD) -> httpx.Response:
    return person.client.post("/users/me/delete", json={"password": password})


def delete_as_admin(service: Service, person: Person) -> httpx.Response:
    return service.admin.post(f"/admin/users/{person.id}/delete")


@pytest.fixture(params=["own", "admin"])
def delete_either_way(request: pytest.FixtureRequest, service: Service) -> Callable[[Person], httpx.Response]:
    return delete if request.param == "own" else lambda person: delete_as_admin(service, person)


@proves(DELETE, BY_ADMIN, ENDS, AGAIN)
def test_nothing_of_a_deleted_account_signs_in_and_its_address_and_nickname_are_free(
    service: Service, delete_either_way: Callable[[Person], httpx.Response]
) -> None:
    person = service.user()
    other, key = elsewhere(service, person), with_key(service, person)
    browser = service.client()
    expect(browser.post("/auth/sign-in", json={"login": person.email, "password": PASSWORD}), 200)

    assert expect(delete_either_way(person), 200) == {}

    for client in (person.client, other, key, browser):
        refused(client.get("/users/me"), 401, "unauthorized")
    refused(browser.post("/auth/refresh"), 401, "unauthorized")
    for login in (person.email, person.nickname):
        refused(try_sign_in(service, login, PASSWORD), 401, "invalid_credentials")
    again = service.user(email=person.email, nickname=person.nickname)
    assert again.id != person.id
    assert expect(again.client.get("/users/me"), 200)["balance_kopecks"] == 0


@proves(DELETE)
@ONCE
def test_the_cookies_of_a_deleted_account_are_cleared(service: Service) -> None:
    person, browser = service.user(), service.client(headers={"Sec-Fetch-Site": "same-origin"})
    expect(browser.post("/auth/sign-in", json={"login": person.email, "password": PASSWORD}), 200)

    expect(browser.post("/users/me/delete", json={"password": PASSWORD}), 200)

    assert not {"access_token", "refresh_token", "session_until"} & set(browser.cookies)


@proves(PASSWORD_BELOW, DELETE)
@ONCE
def test_a_wrong_password_deletes_nothing_and_counts_as_a_failed_sign_in(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    person = service.user()
    for wrong in ["", *["wrong password"] * 9]:
        refused(delete(person, wrong), 401, "invalid_credentials")

    assert delete(person).status_code == 429

    assert expect(person.client.get("/users/me"), 200)["email"] == person.email
    service.clock.advance(61_000)
    expect(delete(person), 200)


@proves(DELETE)
@ONCE
def test_it_takes_a_session_and_one_field(service: Service) -> None:
    person = service.user()
    refused(service.client().post("/users/me/delete", json={"password": PASSWORD}), 401, "unauthorized")
    refused(with_key(service, person).post("/users/me/delete", json={"password": PASSWORD}), 403, "forbidden")
    for body in ({}, {"password": None}, {"password": PASSWORD, "id": 1}, {"password": 5}):
        refused(person.client.post("/users/me/delete", json=body), 400, "bad_request")
    refused(delete(person, "x" * 20_000), 401, "invalid_credentials")
    expect(delete(person), 200)


@proves(BY_ADMIN)
def test_admins_delete_people_and_no_one_else_does(service: Service) -> None:
    person, partner = service.user(), service.partner(float_kopecks=1_000)
    path = f"/admin/users/{person.id}/delete"
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"external_user_id": "ann", "market_id": market, "side": "yes", "stake_kopecks": 100}
    sub_account = expect(partner.client.post("/partner/bets", json=order), 201)["user_id"]

    refused(service.client().post(path), 401, "unauthorized")
    refused(service.user(operator=True, stats_viewer=True, creator=True).client.post(path), 403, "forbidden")
    refused(service.admin.post("/admin/users/x/delete"), 400, "invalid_user_id")
    for unknown in (sub_account, 10**15):
        refused(service.admin.post(f"/admin/users/{unknown}/delete"), 404, "user_not_found")
    expect(service.admin.post(path), 200)
    entry = expect(service.admin.get("/admin/log", params={"target": f"user:{person.id}"}), 200)["entries"][0]
    assert (entry["action"], entry["details"]) == ("user.delete", {})


@proves(BY_ADMIN)
def test_a_deleted_account_is_no_account_to_admins(service: Service) -> None:
    person = service.user()
    expect(delete_as_admin(service, person), 200)

    path = f"/admin/users/{person.id}"
    for answer in (
        service.admin.post(f"{path}/delete"),
        service.admin.patch(path, json={"is_active": True}),
        service.admin.post(f"{path}/credit", json={"amount_kopecks": 5, "note": "x"}),
        service.admin.post(f"{path}/reset-link"),
        service.admin.get(f"{path}/transactions"),
    ):
        refused(answer, 404, "user_not_found")
    for query in ("", f"?q={person.id}", "?q=Deleted"):
        listed = expect(service.admin.get(f"/admin/users{query}"), 200)["users"]
        assert person.id not in {each["id"] for each in listed}


@proves(REFUSED)
def test_who_runs_an_event_is_not_deleted(
    service: Service, delete_either_way: Callable[[Person], httpx.Response]
) -> None:
    person = service.user(creator=True)
    event = service.event(person)
    refused(delete_either_way(person), 409, "invalid_state")

    assert expect(person.client.get("/users/me"), 200)["email"] == person.email
    expect(person.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(delete_either_way(person), 200)

    assert expect(service.client().get(f"/events/{event['id']}"), 200)["name"] == event["name"]
    page = expect(service.client().get(f"/events/{event['id']}/page"), 200)
    assert page["creator"] == {
        "id": person.id,
        "name": DELETED,
        "nickname": "",
        "profile_hidden": True,
        "avatar_url": "",
    }


@proves(REFUSED)
def test_who_runs_a_closed_event_is_not_deleted(moving_service: Service) -> None:
    service = moving_service
    person = service.user(creator=True)
    event = service.event(person, pools=[{"name": "?", "finish_at": _later(service, 60_000)}])
    service.clock.advance(61_000)
    wait_until(lambda: expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "closed")

    refused(delete(person), 409, "invalid_state")


@proves(REFUSED)
def test_who_runs_a_series_is_not_deleted(service: Service) -> None:
    person = service.user(creator=True)
    event = service.event(
        person, loop_interval_minutes=60, pools=[{"name": "?", "finish_at": _later(service, 3_600_000)}]
    )
    series = event["series"]["id"]
    expect(person.client.post(f"/events/{event['id']}/cancel"), 200)
    refused(delete(person), 409, "invalid_state")

    expect(person.client.post(f"/series/{series}/stop"), 200)
    expect(delete(person), 200)
    refused(service.admin.post(f"/series/{series}/resume"), 409, "invalid_state")


@proves(REFUSED)
def test_the_last_admin_is_not_deleted(fresh_service: Service) -> None:
    service = fresh_service
    own_id = expect(service.admin.get("/users/me"), 200)["id"]
    refused(service.admin.post("/users/me/delete", json={"password": PASSWORD}), 409, "invalid_state")
    refused(service.admin.post(f"/admin/users/{own_id}/delete"), 409, "invalid_state")

    other = service.user(admin=True)
    closed = service.user(admin=True)
    expect(service.admin.patch(f"/admin/users/{closed.id}", json={"is_active": False}), 200)
    expect(other.client.post(f"/admin/users/{own_id}/delete"), 200)

    refused(delete(other), 409, "invalid_state")


@proves(REFUSED)
def test_of_two_admins_who_delete_each_other_at_once_one_is_left(fresh_service: Service) -> None:
    service = fresh_service
    one, two = service.user(admin=True), service.user(admin=True)
    first = expect(service.admin.get("/users/me"), 200)["id"]
    expect(one.client.post(f"/admin/users/{first}/delete"), 200)

    shots: list[Any] = [("POST", f"/admin/users/{each.id}/delete", {}) for each in (two, one)]
    answers = service.together(shots, tokens=[one.token, two.token])

    assert sorted(answer.status_code for answer in answers) in ([200, 401], [200, 403], [200, 409])


@proves(DRAFTS)
def test_drafts_end_and_lose_their_texts(service: Service) -> None:
    person = service.user(creator=True)
    draft = service.event(person, publish=False, name="A draft of mine", tags=["mine"])
    # Named like those that have lost their texts.
    cancelled = service.event(person, publish=False, name="Deleted draft", tags=["mine"])
    expect(person.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    expect(delete(person), 200)

    for event in (draft, cancelled):
        shown = expect(service.admin.get(f"/events/{event['id']}"), 200)
        assert (shown["status"], shown["name"], shown["tags"]) == ("cancelled", "Deleted draft", [])
        assert [pool["name"] for pool in shown["pools"]] == [""]
        refused(service.client().get(f"/events/{event['id']}"), 404, "event_not_found")
        refused(service.admin.post(f"/events/{event['id']}/publish"), 409, "invalid_state")


@proves(ERASES, IMAGES, STAYS)
def test_comments_and_the_picture_go_at_once_and_trades_stay(service: Service) -> None:
    person, reader = service.user(balance_kopecks=5_000), service.user()
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    expect(bet(person, market, "YES", 1_000), 201)
    said = {"event_id": event["id"], "content": "My opinion"}
    comment = expect(person.client.post("/comments", json=said), 201)
    reply = expect(reader.client.post("/comments", json=said | {"parent_id": comment["id"]}), 201)
    avatar = expect(person.client.put("/users/me/avatar", content=image()), 200)["avatar_url"]
    folder = Path(service.settings.data_dir) / "images"
    assert list(folder.glob(f"*{Path(avatar).stem}*"))

    expect(delete(person), 200)

    assert list(folder.glob(f"*{Path(avatar).stem}*")) == []
    assert fetch(service, avatar).status_code == 404
    shown = expect(service.client().get(f"/events/{event['id']}/comments"), 200)["comments"][0]
    assert (shown["content"], shown["user"]["name"], shown["user"]["profile_hidden"]) == ("", DELETED, True)
    (left,) = expect(service.client().get(f"/comments/{comment['id']}/replies"), 200)["comments"]
    assert (left["id"], left["content"]) == (reply["id"], "My opinion")
    (trade,) = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    assert trade["user"] == {"id": None, "name": DELETED, "avatar_url": ""}
    refused(service.client().get(f"/users/{person.id}"), 404, "user_not_found")
    refused(service.client().get(f"/users/{person.id}/pnl/chart"), 404, "user_not_found")


@proves(ERASES)
def test_both_sides_of_the_chat_go(service: Service) -> None:
    person, operator = service.user(), service.user(operator=True)
    session = expect(person.client.post("/chat/session"), 201)["session_id"]
    expect(person.client.post("/chat/message", json={"text": "I am Ann"}), 200)
    expect(person.client.post("/chat/session/call-operator"), 200)
    path = f"/admin/chat/sessions/{session}/messages"
    expect(operator.client.post(path, json={"text": "Hello Ann"}), 201)
    other = service.user()
    others = expect(other.client.post("/chat/session"), 201)["session_id"]
    expect(operator.client.post(f"/admin/chat/sessions/{others}/messages", json={"text": "Signed, Otto"}), 201)

    expect(delete(person), 200)

    answer = expect(service.admin.get(path), 200)
    assert (answer["status"], {message["text"] for message in answer["messages"]}) == ("closed", {""})
    expect(delete(operator), 200)
    kept = expect(service.admin.get(f"/admin/chat/sessions/{others}/messages"), 200)
    assert (kept["status"], {message["text"] for message in kept["messages"]}) == ("answered", {""})


@proves(STAYS, TRANSFERS)
def test_the_balance_and_later_payouts_go_to_the_house(fresh_service: Service) -> None:
    service = fresh_service
    person, other = service.user(balance_kopecks=5_000), service.user(balance_kopecks=5_000)
    viewer = service.user(stats_viewer=True)
    event = service.event()
    pool, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    sold = expect(bet(person, market, "YES", 2_000), 201)["shares"]
    expect(sell(person, market, "YES", sold // 2), 201)
    expect(bet(other, market, "YES", 1_000), 201)
    before = expect(viewer.client.get("/admin/stats"), 200)["total"]["grants_kopecks"]
    balance = expect(person.client.get("/users/me"), 200)["balance_kopecks"]

    expect(delete(person), 200)
    refused(bet(person, market, "YES", 10), 401, "unauthorized")
    middle = expect(viewer.client.get("/admin/stats"), 200)["total"]["grants_kopecks"]
    expect(service.creator.client.post(f"/pools/{pool}/resolve", json={"won_side": 0}), 200)

    after = expect(viewer.client.get("/admin/stats"), 200)["total"]["grants_kopecks"]
    assert (before - middle, middle - after) == (balance, sold - sold // 2)
    assert _amounts_kopecks(service, "forfeit") == [balance, sold - sold // 2]
    assert expect(other.client.get("/users/me"), 200)["balance_kopecks"] > 4_000


@proves(IMAGES, STAYS)
def test_every_other_server_shows_the_deleted_trader_within_a_second(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    person, event = one.user(balance_kopecks=500), one.event()
    expect(bet(person, event["pools"][0]["markets"][0]["id"], "YES", 100), 201)
    said = {"event_id": event["id"], "content": "My opinion"}
    expect(person.client.post("/comments", json=said), 201)
    there = other.client(token=person.token)
    expect(there.get("/users/me"), 200)
    comments = f"/events/{event['id']}/comments"
    assert expect(other.client().get(comments), 200)["comments"][0]["content"] == "My opinion"

    expect(delete(person), 200)

    wait_until(lambda: there.get("/users/me").status_code == 401)
    wait_until(lambda: expect(other.client().get(comments), 200)["comments"][0]["content"] == "")
    refused(there.post("/comments", json=said), 401, "unauthorized")
    trades = expect(other.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    assert trades[0]["user"]["name"] == DELETED


def _amounts_kopecks(service: Service, kind: str) -> list[int]:
    """Return the amounts of all transfers of a kind, the oldest first."""
    query = sa.select(transfers.c.amount_kopecks).where(transfers.c.kind == kind).order_by(transfers.c.id)
    found: list[int] = service.server.run(service.app.db.read(lambda tx: list(tx.execute(query).scalars())))
    return found


def _later(service: Service, ms: int) -> str:
    return iso(service.clock() + ms)


@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda _service, person: person.client.patch("/users/me", json={"name": "Ann", "profile_hidden": False}), 401),
        (lambda _service, person: person.client.put("/users/me/notification-settings", json=SETTINGS), 401),
        (lambda service, person: service.admin.patch(f"/admin/users/{person.id}", json={"is_admin": True}), 404),
        (lambda service, person: service.admin.post(f"/admin/users/{person.id}/credit", json=CREDIT), 404),
    ],
    ids=["profile", "settings", "roles", "credit"],
)
def test_what_waited_for_a_deletion_changes_nothing(
    service: Service, change: Callable[[Service, Person], httpx.Response], status: int
) -> None:
    person = service.user()

    async def both() -> tuple[httpx.Response, httpx.Response]:
        holder, other = [await asyncpg.connect(service.database_url) for _ in range(2)]

        async def wait_for(count: int) -> None:
            waiting = (
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1"
            )
            while await other.fetchval(waiting, "Lock") < count:  # noqa: ASYNC110 # the database calls no one
                await asyncio.sleep(0.01)

        async with asyncio.timeout(20):
            async with holder.transaction():
                await holder.fetch("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", person.id)
                deleting = asyncio.create_task(asyncio.to_thread(delete_as_admin, service, person))
                await wait_for(1)
                changing = asyncio.create_task(asyncio.to_thread(change, service, person))
                await wait_for(2)
            answers = await deleting, await changing
        await holder.close()
        await other.close()
        return answers

    deleted, changed = asyncio.run(both())
    expect(deleted, 200)
    assert changed.status_code == status, changed.text
    account = service.look(lambda tx: tx.execute(sa.select(users).where(users.c.id == person.id)).mappings().one())
    assert (account["name"], account["profile_hidden"], account["is_admin"]) == (DELETED, True, False)
    chosen = sa.select(sa.func.count()).where(notification_settings.c.user_id == person.id)
    assert service.look(lambda tx: tx.execute(chosen).scalar_one()) == 0
