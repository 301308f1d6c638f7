"""Administration, "Settings": from when on a change holds, for what, and where."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import httpx
import pytest
from pydantic import SecretStr
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from foreknow.people.users.tables import users
from tests.contract.site_setting import change, send, settle
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.limit_orders import get_order, rest
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, pool, refused

IN_TRANSACTION = (
    "administration: - `sign_up, sign_up_domains, sign_up_kopecks, grants_per_address, allowance, creators, "
    "creators_trade` (once a commit of a pool's queue), both limits"
)
READ_THERE = "administration: are read in the transaction that they decide;"
WITHIN_A_SECOND = "administration: all else, `read` too, holds within 1 s everywhere;"
WHAT_COMES = "administration: - A change counts for what comes: nothing given, open, resting or waiting ends by it;"
MAIL = {
    "smtp_url": SecretStr("smtp://127.0.0.1:9"),
    "email_from": "site@foreknow.test",
    "public_url": "https://foreknow.test",
}


def sign_up(service: Service, name: str) -> httpx.Response:
    body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name}
    return service.client().post("/auth/sign-up", json=body)


def drain(socket: ClientConnection) -> None:
    """Read until the socket ends."""
    while True:
        socket.recv(timeout=5)


def watch(socket: ClientConnection, event_id: int) -> None:
    """Ask for an event, and read until it is shown."""
    socket.send(json.dumps({"watch": {"events": [event_id], "tape": False}}))
    while json.loads(socket.recv(timeout=5))["type"] != "now":
        pass


def balance(service: Service, token: str) -> int:
    found: int = expect(service.client(token).get("/users/me"), 200)["balance_kopecks"]
    return found


def store(service: Service, **changes: Any) -> None:
    """Change settings, without letting them count in any process."""
    expect(send(service.admin, changes), 200)


@proves(IN_TRANSACTION, READ_THERE, WHAT_COMES)
def test_sign_ups_and_grants_follow_the_settings_of_their_transaction(start_service: Callable[..., Service]) -> None:
    here, there = start_service(**MAIL), start_service(**MAIL)
    store(here, sign_up_kopecks=500)
    first = expect(sign_up(there, "first"), 201)
    assert balance(there, first["access_token"]) == 500
    store(here, sign_up_kopecks=700, grants_per_address=2)
    second, third = (expect(sign_up(there, name), 201) for name in ("second", "third"))
    assert [balance(there, one["access_token"]) for one in (first, second, third)] == [500, 700, 0]
    store(here, sign_up="off")
    refused(sign_up(there, "fourth"), 403, "sign_up_closed")
    store(here, sign_up="invite")
    refused(sign_up(there, "fourth"), 403, "invitation_required")
    store(here, sign_up=None)
    expect(sign_up(there, "fourth"), 201)
    expect(here.admin.get("/users/me"), 200)
    verified = users.update().where(users.c.email == "admin@example.org").values(email_verified=True)
    here.server.run(here.app.db.write(lambda tx: tx.execute(verified)))
    store(here, sign_up_domains=["ours.example"])
    refused(sign_up(there, "fifth"), 403, "domain_not_allowed")
    assert balance(there, first["access_token"]) == 500


@proves(
    "administration: a grant that waits keeps its amount and is paid at verification, also where that is no longer "
    "asked;"
)
def test_a_grant_that_waits_keeps_its_amount(start_service: Callable[..., Service]) -> None:
    service = start_service(**MAIL)
    change(service, sign_up_kopecks=500, sign_up_domains=["example.org"])
    token = expect(sign_up(service, "newcomer"), 201)["access_token"]
    assert balance(service, token) == 0
    change(service, sign_up_kopecks=900, sign_up_domains=None)
    assert balance(service, token) == 0
    user_id = expect(service.client(token).get("/users/me"), 200)["id"]
    sessions = service.app.services.sessions

    def verify(tx: Any) -> None:
        sessions.welcome(tx, user_id, let_in_by=None, network=None, at_ms=service.clock())

    service.server.run(service.app.db.write(verify))
    assert balance(service, token) == 500


@proves(IN_TRANSACTION, READ_THERE)
@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_newcomer_is_granted_by_the_settings_that_let_them_in(start_service: Callable[..., Service]) -> None:
    service = start_service(**MAIL)
    store(service, sign_up_kopecks=500)
    expect(service.admin.get("/users/me"), 200)
    everyone = users.update().values(email_verified=True)
    service.server.run(service.app.db.write(lambda tx: tx.execute(everyone)))

    async def change_meanwhile() -> httpx.Response:
        """Change the settings while a sign-up that has read them waits to write the account."""
        holder = await asyncpg.connect(service.database_url)
        async with holder.transaction():
            await holder.execute("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE")
            signing_up = asyncio.create_task(asyncio.to_thread(sign_up, service, "newcomer"))
            waiting = (
                "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database AND datname = current_database()"
                " WHERE NOT granted AND relation = 'users'::regclass"
            )
            while not await holder.fetchval(waiting):  # noqa: ASYNC110 - nothing tells of a lock
                await asyncio.sleep(0.01)
            await asyncio.to_thread(store, service, sign_up_kopecks=700, sign_up_domains=["ours.example"])
        await holder.close()
        return await signing_up

    with ThreadPoolExecutor(1) as thread:
        token = expect(thread.submit(asyncio.run, change_meanwhile()).result(), 201)["access_token"]
    assert balance(service, token) == 500


@proves(IN_TRANSACTION, READ_THERE)
def test_who_makes_events_and_at_what_cost_follows_the_settings_of_the_transaction(
    start_service: Callable[..., Service],
) -> None:
    here, there = start_service(), start_service()
    change(here, creators="members", creator_limit_kopecks=100_000)
    settle(there)
    person = there.user()
    event = there.event(person)
    store(here, creator_limit_kopecks=1)
    draft = expect(person.client.post("/events/create-full", json={"name": "Draft", "pools": [pool()]}), 201)
    refused(person.client.post(f"/events/{draft['id']}/publish"), 409, "house_limit")
    raised = {"lmsr_b_kopecks": 200_000, "probabilities": [0.5]}
    refused(person.client.post(f"/pools/{event['pools'][0]['id']}/liquidity", json=raised), 409, "house_limit")
    store(here, creator_limit_kopecks=100_000, house_limit_kopecks=1)
    refused(person.client.post(f"/events/{draft['id']}/publish"), 409, "house_limit")
    store(here, creators="suggest", house_limit_kopecks=None)
    suggested = expect(person.client.post("/events/create-full", json={"name": "New", "pools": [pool()]}), 201)
    refused(person.client.post(f"/events/{suggested['id']}/publish"), 403, "forbidden")
    store(here, creators=None)
    refused(person.client.post("/events/create-full", json={"name": "New", "pools": [pool()]}), 403, "forbidden")


@proves(IN_TRANSACTION, READ_THERE, WHAT_COMES)
def test_creators_trade_as_the_commit_of_their_order_reads_it(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    creator = there.user(creator=True, balance_kopecks=10_000)
    event = there.event(creator)
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
    expect(creator.client.post("/market/bets", json=order), 201)
    placed = rest(creator, order["market_id"], "YES", "buy", shares=1_000, price=10)
    store(here, creators_trade="off")
    refused(creator.client.post("/market/bets", json=order), 403, "own_event")
    assert get_order(creator, placed["id"])["status"] == "open"
    store(here, creators_trade="on")
    expect(creator.client.post("/market/bets", json=order), 201)
    settle(here, there)
    expect(creator.client.get("/market/quote", params=order), 200)


@proves(
    "administration: an allowance counts from the next period, `dispute_minutes` for pools made later.", IN_TRANSACTION
)
def test_an_allowance_counts_from_the_next_period_and_windows_for_later_pools(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(begins_midweek=True)
    before = service.event()
    change(service, dispute_minutes=30, allowance={"kopecks": 100, "every": "day", "up_to": 1_000})
    after = service.event()
    pools = [one["pools"][0]["id"] for one in (before, after)]
    for pool_id in pools:
        expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    states = [expect(service.admin.get(f"/pools/{pool_id}"), 200)["won_side"] for pool_id in pools]
    assert states == [0, None]
    person = service.user()
    found = expect(person.client.get("/users/me/allowance"), 200)["allowance"]
    assert (found["kopecks"], found["expected_kopecks"]) == (100, 100)
    assert balance(service, person.token) == 0


@proves(WITHIN_A_SECOND)
def test_what_a_site_is_called_and_who_may_use_it_holds_everywhere_within_a_second(
    start_service: Callable[..., Service],
) -> None:
    here, there = start_service(public_url="http://127.0.0.1:1"), start_service(public_url="http://127.0.0.1:1")
    page = there.client(headers={"Origin": "https://bots.example"})
    assert "access-control-allow-origin" not in page.get("/site").headers
    store(here, site_name="Клуб", cors_origins=["https://bots.example"], currency={"sign": "¤", "name": "points"})
    time.sleep(1)
    for service in (here, there):
        site = expect(service.client().get("/site"), 200)
        assert (site["name"], site["currency"]["sign"], site["currency"]["code"]) == ("Клуб", "¤", None)
        shell = httpx.get(f"{service.url}/feeds/new.atom", trust_env=False, verify=NO_TLS)
        assert "Клуб" in shell.text
    assert page.get("/site").headers["access-control-allow-origin"] == "https://bots.example"


@proves(
    "administration: **Languages.** `FOREKNOW_LANGUAGES` (`en,ru`; not empty): those offered, the first where nothing "
    "else is known. GET /site + `languages`.",
    "administration: A `language` that is not offered is kept and counts as the first offered.",
    WITHIN_A_SECOND,
)
def test_a_language_that_is_not_offered_is_kept_and_counts_as_the_first(
    start_service: Callable[..., Service],
) -> None:
    service = start_service()
    person = service.user()
    expect(person.client.patch("/users/me", json={"language": "en"}), 200)
    event = service.event(name="Who wins?", name_ru="Кто победит?")
    embed = f"{service.url}/embed/events/{event['id']}"
    assert expect(service.client().get("/site"), 200)["languages"] == ["en", "ru"]
    assert "Who wins?" in httpx.get(embed, trust_env=False, verify=NO_TLS).text
    for wrong in ([], ["en", "en"], ["de"], ["en", "ru", "de"]):
        refused(send(service.admin, {"languages": wrong}), 400, "bad_request")
    change(service, languages=["ru"])
    assert expect(service.client().get("/site"), 200)["languages"] == ["ru"]
    assert "Кто победит?" in httpx.get(embed, trust_env=False, verify=NO_TLS).text
    assert expect(person.client.get("/users/me"), 200)["language"] == "en"
    settings = service.app.live.now
    assert [settings.spoken(language) for language in ("en", "ru", None)] == ["ru", "ru", "ru"]
    change(service, languages=["ru", "en"])
    settings = service.app.live.now
    assert [settings.spoken(language) for language in ("en", "ru", None)] == ["en", "ru", "ru"]
    # Of newcomers, too.
    body = {"email": "new@example.org", "password": PASSWORD, "name": "New"}
    french = service.client(headers={"Accept-Language": "fr"})
    assert expect(french.post("/auth/sign-up", json=body), 201)["user"]["language"] == "ru"


@proves(
    WITHIN_A_SECOND,
    "administration: With `read: members` strangers' sockets and streams end, nothing is answered from a cache of "
    "ours;",
    "administration: what others were allowed to keep they may keep (the page says so).",
)
def test_strangers_stop_reading_within_a_second_and_begin_again(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    event = here.event()
    path, person, stranger = f"/events/{event['id']}", there.user(), there.client()
    own_url = there.api_url.replace("http", "ws", 1) + "/ws/live"
    own = {"Cookie": f"access_token={person.token}"}
    # Cached, in several ways.
    for _ in range(3):
        expect(stranger.get(path), 200)
    url = there.api_url.replace("http", "ws", 1) + "/ws/trades"
    chat = there.client()
    chat.post("/chat/session").raise_for_status()
    with (
        connect(url, proxy=None) as socket,
        chat.stream("GET", "/chat/stream") as stream,
        connect(own_url, proxy=None, additional_headers=own) as members,
    ):
        socket.recv()
        watch(members, event["id"])
        store(here, read="members")
        time.sleep(1)
        with pytest.raises(ConnectionClosed) as ended:
            drain(socket)
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1008
        for _ in stream.iter_bytes():
            pass
        # A member's goes on, until the session ends.
        watch(members, event["id"])
        expect(person.client.delete("/auth/logout"), 200)
        with pytest.raises(ConnectionClosed):
            drain(members)
    person = there.user()
    for _ in range(3):
        refused(stranger.get(path), 401, "unauthorized")
    answer = person.client.get(path)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert httpx.get(f"{there.url}/robots.txt", trust_env=False, verify=NO_TLS).text.endswith("Disallow: /\n")
    with connect(url, proxy=None, additional_headers={"Authorization": f"Bearer {person.token}"}) as socket:
        socket.recv()
    store(here, read=None)
    time.sleep(1)
    expect(stranger.get(path), 200)


@proves(
    "administration: a process that could not look for 5 s answers strangers 503, but what a members' site leaves "
    "open.",
    "decisions: administration.md says so,",
)
@ONCE
def test_a_process_that_could_not_look_lets_no_stranger_read(fresh_service: Service) -> None:
    service = fresh_service
    event, person, stranger = service.event(), service.user(), service.client()
    path = f"/events/{event['id']}"
    expect(stranger.get(path), 200)
    with service.without("site_settings"):
        time.sleep(4)
        expect(stranger.get(path), 200)
        time.sleep(2)
        for headers in ({}, {"Authorization": "Bearer nonsense"}):
            for one in (path, "/events", "/admin/settings"):
                answer = stranger.get(one, headers=headers)
                refused(answer, 503, "unavailable")
                assert int(answer.headers["retry-after"]) >= 1
        picture = httpx.get(f"{service.url}/images/none.png", trust_env=False, verify=NO_TLS)
        assert picture.status_code == 503
        for one in ("/site", "/health"):
            expect(stranger.get(one), 200)
        expect(person.client.get(path), 200)
    settle(service)
    expect(stranger.get(path), 200)
