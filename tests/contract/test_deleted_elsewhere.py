"""A site of one's own: what else ends with an account: provider links, streams, names in what is live."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.site.chat.conversation import begin, say, stream
from tests.site.feed.listening import listening
from tests.site.live.watching import viewing
from tests.support.oidc import Browser, new_identity
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.waiting import wait_until

ENDS = "site: Deletion ends sessions, keys, provider links,"
IMAGES = "site: from tables and images at once, every server's answers within 1 s"
AGAIN = "site: the address may sign up again."
FOR_EVER = "site: (case and `+…` do not count; a keyed hash outlives deletion)"
NO_PASSWORD = 'site: who has none sends "" within 10 minutes of signing in, else 409 `sign_in_again`.'
OWN = {"Sec-Fetch-Site": "same-origin"}


@proves(ENDS, NO_PASSWORD)
def test_who_has_no_password_signs_in_again_and_then_through_the_provider_to_a_new_account(
    oauth_service: Service,
) -> None:
    browser, identity = Browser(oauth_service), new_identity()
    browser.sign_in(*identity)
    before = browser.me()["id"]
    refused(
        browser.client.post("/users/me/delete", json={"password": "a guess of it"}, headers=OWN),
        401,
        "invalid_credentials",
    )
    oauth_service.clock.advance(11 * 60_000)
    refused(browser.client.post("/users/me/delete", json={"password": ""}, headers=OWN), 409, "sign_in_again")
    browser.sign_in(*identity)

    expect(browser.client.post("/users/me/delete", json={"password": ""}, headers=OWN), 200)

    refused(browser.client.get("/users/me"), 401, "unauthorized")
    browser.sign_in(*identity)
    assert browser.me()["id"] != before


@proves(AGAIN, FOR_EVER)
def test_who_signs_up_again_is_not_welcomed_again(start_service: Callable[..., Service]) -> None:
    site = start_service(sign_up_kopecks=50_000)
    person = site.user()
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 50_000
    expect(person.client.post("/users/me/delete", json={"password": PASSWORD}), 200)

    again = site.user(email=person.email.upper())

    assert expect(again.client.get("/users/me"), 200)["balance_kopecks"] == 0
    [movement, *_] = expect(site.user().client.get("/users/me/transactions"), 200)["transactions"]
    assert movement["note"] == "Welcome"


@proves(ENDS)
def test_the_stream_of_the_chat_ends(service: Service) -> None:
    person = service.user()
    begin(person.client)
    say(person.client)
    with stream(person.client) as events:
        events.expect_status("open")

        expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)

        while (event := events.next()) is not None:
            assert event.data == {"status": "closed"}


@proves(IMAGES)
def test_the_last_trades_of_what_is_live_name_no_deleted_trader(service: Service) -> None:
    person, event = service.user(balance_kopecks=100), service.event()
    expect(bet(person, event["pools"][0]["markets"][0]["id"], "YES", 100), 201)

    def names() -> tuple[str, str]:
        with viewing(service) as viewer, listening(service) as feed:
            viewer.ask(tape=True, last_trades=1)
            return viewer.trade()["user"]["name"], feed.message()["trades"][-1]["name"]

    name = expect(person.client.get("/users/me"), 200)["name"]
    wait_until(lambda: names() == (name, name))

    expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)

    wait_until(lambda: names() == ("Deleted trader", "Deleted trader"))


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
@proves(IMAGES)
def test_deletions_are_done_by_one_of_several_servers(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    people = [one.user() for _ in range(6)]
    event = one.event()["id"]
    for person in people:
        expect(person.client.post("/comments", json={"event_id": event, "content": "Hello"}), 201)
    for server, person in zip([one, other] * 3, people, strict=True):
        expect(server.client(person.token).post("/users/me/delete", json={"password": PASSWORD}), 200)

    left = expect(one.client().get(f"/events/{event}/comments"), 200)["comments"]
    assert [comment["content"] for comment in left] == [""] * 6
