"""The feed as a client sees it, on SQLite and PostgreSQL."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.site.feed.listening import listening
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import wait_until


def market_of(event: dict[str, Any]) -> int:
    """Return the id of an event's first market."""
    return int(event["pools"][0]["markets"][0]["id"])


def bet(person: Person, market_id: int, amount_kopecks: int, token_type: str = "YES") -> dict[str, Any]:
    """Place a bet that is accepted."""
    body = {"market_id": market_id, "token_type": token_type, "amount_kopecks": amount_kopecks}
    answer: dict[str, Any] = expect(person.client.post("/market/bets", json=body), 201)
    return answer


@proves(
    "interface: For every new trade on any market the server sends one message: type is trade",
    "decisions: buys and sales of users and sub-accounts alike, `amount` in kopecks paid or received",
)
def test_every_trade_is_one_message_with_the_fields_of_the_interface(service: Service) -> None:
    ada = service.user(name="Ада", balance_kopecks=100_000, nickname="")
    expect(ada.client.patch("/users/me", json={"avatar_url": "https://example.org/a.png"}), 200)
    event = service.event(name="Rain — дождь", pools=[pool(["Sun", "Rain"])])
    rain = event["pools"][0]["markets"][1]["id"]
    with listening(service) as feed:
        assert feed.message()["type"] == "initial"
        bet(ada, rain, 5_000, "NO")
        sale = ada.client.post("/market/positions/sell", json={"market_id": rain, "token_type": "NO"})
        bought, sold = feed.messages(2)

    item = {
        "name": "Ада",
        "token": "NO",
        "event": "Rain — дождь",
        "market": "Rain",
        "avatar": "https://example.org/a.png",
    }
    assert bought == {"type": "trade", "trade": {"amount": 5_000, **item}}
    assert sold == {"type": "trade", "trade": {"amount": expect(sale, 201)["payout_kopecks"], **item}}


@proves("decisions: `name` the user's name (a sub-account's: its partner's)")
def test_a_sub_account_trades_under_its_partners_name(service: Service) -> None:
    partner = service.partner(float_kopecks=10_000)
    market_id = market_of(service.event())
    body = {"external_user_id": "x/1", "market_id": market_id, "side": "yes", "stake_kopecks": 700}
    with listening(service) as feed:
        feed.message()
        expect(partner.client.post("/partner/bets", json=body), 201)
        item = feed.message()["trade"]

    assert (item["name"], item["amount"], item["avatar"]) == (partner.name, 700, "")


@proves('decisions: a hidden profile shows `nickname` and `avatar_url` as "" and its name as "Hidden trader"')
def test_a_hidden_profile_shows_in_no_message_from_then_on(service: Service) -> None:
    ada = service.user(balance_kopecks=10_000)
    expect(ada.client.patch("/users/me", json={"avatar_url": "https://example.org/a.png"}), 200)
    market_id = market_of(service.event())
    bet(ada, market_id, 111)
    with listening(service) as feed:
        assert feed.message()["trades"][-1]["avatar"] == "https://example.org/a.png"
        expect(ada.client.patch("/users/me", json={"profile_hidden": True}), 200)
        bet(ada, market_id, 112)
        shown = feed.message()["trade"]
    with listening(service) as feed:
        past = feed.message()["trades"][-2:]

    for item in [shown, *past]:
        assert (item["name"], item["avatar"]) == ("Hidden trader", "")
    assert [item["amount"] for item in past] == [111, 112]


@proves("decisions: `initial` holds the last 50 trades (those before a restart too), oldest first")
def test_initial_holds_the_last_fifty_trades_those_before_a_restart_too(fresh_service: Service) -> None:
    ada = fresh_service.user(balance_kopecks=100_000)
    market_id = market_of(fresh_service.event())
    with listening(fresh_service, "?seq=1") as feed:
        assert feed.message() == {"type": "initial", "trades": [], "seq": 0}
        for amount in range(101, 154):
            bet(ada, market_id, amount)
        seen = feed.messages(53)
    fresh_service.restart()
    with listening(fresh_service, "?seq=1") as feed:
        initial = feed.message()

    assert initial["trades"] == [message["trade"] for message in seen[3:]]
    assert [item["amount"] for item in initial["trades"]] == list(range(104, 154))
    assert initial["seq"] == seen[-1]["seq"]


@proves(
    "decisions: and what follows it leaves no gap and repeats nothing", "decisions: none lost on a healthy connection."
)
def test_initial_and_what_follows_make_one_row_without_gap_or_repeat(fresh_service: Service) -> None:
    """Sockets join while bets pour in."""
    market_id = market_of(fresh_service.event())
    people = [fresh_service.user(balance_kopecks=100_000) for _ in range(4)]
    with listening(fresh_service, "?seq=1") as witness:
        witness.message()
        shots = [
            ("POST", "/market/bets", {"json": {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100 + n}})
            for n in range(30)
        ]
        whole: list[dict[str, Any]] = []
        for _ in range(4):
            # Half of the answers are not in yet when the next one joins.
            fresh_service.together(shots[:15], tokens=[person.token for person in people])
            with listening(fresh_service, "?seq=1", settled=False) as late:
                fresh_service.together(shots[15:], tokens=[person.token for person in people])
                whole += witness.messages(30)
                initial = late.message()
                rest = [message for message in whole if message["seq"] > initial["seq"]]
                assert late.messages(len(rest)) == rest
                shown = [message["trade"] for message in whole if message["seq"] <= initial["seq"]][-50:]
                assert initial["trades"] == shown
                assert len(shown) + len(rest) >= min(50, len(whole) - 15)


@proves(
    "decisions: `?seq=1` adds to every message `seq`, growing, the same from every server, and `prev`, the seq of the "
    "trade before it (0 for none); `initial` carries only the `seq` of its last trade (0)"
)
@ONCE
def test_numbers_are_there_for_those_who_ask(fresh_service: Service) -> None:
    ada = fresh_service.user(balance_kopecks=10_000)
    market_id = market_of(fresh_service.event())
    with listening(fresh_service, "?seq=1") as numbered, listening(fresh_service, "?seq=0") as plain:
        assert numbered.message() == {"type": "initial", "trades": [], "seq": 0}
        assert plain.message() == {"type": "initial", "trades": []}
        for _ in range(3):
            bet(ada, market_id, 100)
        messages = numbered.messages(3)
        assert plain.messages(3) == [{"type": "trade", "trade": message["trade"]} for message in messages]

    assert all(set(message) == {"type", "trade", "seq", "prev"} for message in messages)
    assert messages[0]["prev"] == 0
    assert [message["prev"] for message in messages[1:]] == [message["seq"] for message in messages[:-1]]
    assert messages[0]["seq"] < messages[1]["seq"] < messages[2]["seq"]


@ONCE
def test_a_refused_bet_is_no_trade(service: Service) -> None:
    poor, rich = service.user(), service.user(balance_kopecks=1_000)
    market_id = market_of(service.event())
    with listening(service) as feed:
        feed.message()
        body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 500}
        refused(poor.client.post("/market/bets", json=body), 409, "insufficient_funds")
        bet(rich, market_id, 501)
        assert feed.amounts(1) == [501]


@proves("interface: No client-to-server messages are expected")
@ONCE
def test_what_clients_say_is_ignored(service: Service) -> None:
    ada = service.user(balance_kopecks=1_000)
    market_id = market_of(service.event())
    with listening(service) as feed:
        feed.message()
        for word in ("hello", "{}", b"\x00\xff", "x" * 10_000):
            feed.connection.send(word)
        assert feed.connection.ping(struct.pack("!I", 1)).wait(60)
        bet(ada, market_id, 100)
        assert feed.amounts(1) == [100]


@proves("decisions: a plain GET of the WebSocket is 400")
@ONCE
def test_the_address_is_no_page_and_its_query_is_checked(service: Service) -> None:
    refused(service.client().get("/ws/trades"), 400, "bad_request")
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    for query in ("?seq=1&seq=1", "?seq=%ff"):
        answer = service.client(headers=upgrade).get(f"/ws/trades{query}")
        assert refused(answer, 400, "bad_request")["message"]
    with listening(service, "?unknown=1&unknown=2") as feed:
        assert set(feed.message()) == {"type", "trades"}


@ONCE
def test_a_shutdown_closes_sockets_with_1012(start_service: Callable[..., Service]) -> None:
    service = start_service()
    with listening(service) as feed:
        feed.message()
        service.server.stop_soon()
        with pytest.raises(ConnectionClosed) as closed:
            feed.message()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


@ONCE
def test_a_socket_that_is_gone_is_forgotten(service: Service) -> None:
    hub = service.app.services.feed
    before = hub.sockets
    with listening(service) as feed:
        feed.message()
        wait_until(lambda: hub.sockets == before + 1)
    wait_until(lambda: hub.sockets == before)
