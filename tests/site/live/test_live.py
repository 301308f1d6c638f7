"""Live updates as a client sees them, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from websockets.exceptions import ConnectionClosed

from tests.site.live.watching import Viewer, bet, market_of, viewing
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused
from tests.support.waiting import wait_until

HOUR_MS = 3_600_000
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@proves(
    "client: | 6 | /ws/live (None; own Origin)",
    'client: Client: `{"watch": {"events": [≤ 50 ids], "tape": bool}}`, replaces.',
    'client: Server: `{type: "now", events: [{event_id, status, comments, pools: [{pool_id, paused, won_side, '
    "probabilities, volume_kopecks, trades}]}]}` after each watch",
)
def test_each_watch_is_answered_with_how_its_events_are(service: Service) -> None:
    ada = service.user(balance_kopecks=100_000)
    rain = service.event(pools=[pool(["Sun", "Rain", "Snow"]), pool()])
    wind = service.event()
    bet(ada, market_of(rain), 5_000)
    expect(ada.client.post("/comments", json={"event_id": rain["id"], "content": "Take a coat."}), 201)
    with viewing(service) as viewer:
        rain_now, wind_now = viewer.watch(rain["id"], wind["id"], rain["id"])
        (only_wind,) = viewer.watch(wind["id"])
        assert viewer.watch() == []

    probabilities = [row["probabilities"] for row in rain_now["pools"]]
    assert [len(row) for row in probabilities] == [3, 1]
    assert probabilities[0][0] > 1 / 3
    assert rain_now == {
        "event_id": rain["id"],
        "status": "active",
        "comments": 1,
        "pools": [
            {
                "pool_id": rain["pools"][0]["id"],
                "paused": False,
                "won_side": None,
                "probabilities": probabilities[0],
                "volume_kopecks": 5_000,
                "trades": 1,
            },
            {
                "pool_id": rain["pools"][1]["id"],
                "paused": False,
                "won_side": None,
                "probabilities": [0.5],
                "volume_kopecks": 0,
                "trades": 0,
            },
        ],
    }
    assert wind_now == only_wind
    assert wind_now["event_id"] == wind["id"]


@proves(
    "client: then `prices` (a pool as in now, ≤ 4 a second a pool, last wins)",
    "client: `trade` ([5]; ≤ 20 a second a socket)",
)
def test_a_bet_moves_the_prices_and_is_a_trade(service: Service) -> None:
    ada, event = service.user(name="Ада", balance_kopecks=100_000), service.event()
    with viewing(service) as viewer:
        (before,) = viewer.watch(event["id"])
        made = bet(ada, market_of(event), 5_000)
        assert viewer.prices() == {
            **before["pools"][0],
            "probabilities": [made["probability_after"]],
            "volume_kopecks": 5_000,
            "trades": 1,
        }
        assert viewer.trade() == {
            "id": made["id"],
            "event_id": event["id"],
            "pool_id": event["pools"][0]["id"],
            "market_id": market_of(event),
            "user": {"id": ada.id, "name": "Ада", "avatar_url": ""},
            "action": "buy",
            "token_type": "YES",
            "amount_kopecks": 5_000,
            "shares": made["shares"],
            "avg_price": made["avg_price"],
            "probability_before": 0.5,
            "probability_after": made["probability_after"],
            "basket_id": None,
            "legs": None,
            "given": None,
            "created_at": made["created_at"],
        }


def test_after_many_bets_the_last_prices_are_shown(service: Service) -> None:
    ada, event = service.user(balance_kopecks=100_000), service.event()
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        last = [bet(ada, market_of(event), 100) for _ in range(15)][-1]
        shown = viewer.prices(lambda row: row["trades"] == 15)
        assert shown["probabilities"] == [last["probability_after"]]
        assert shown["volume_kopecks"] == 1_500


def test_whose_turn_comes_later_misses_nothing_and_is_sent_nothing_older_than_its_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where sockets are written to one after the other, also while one of them goes on to watch other events."""
    monkeypatch.setattr("foreknow.site.live.hub.SENDS_AT_ONCE", 1)
    monkeypatch.setattr("foreknow.site.live.hub.ANSWER_PACE_S", 0.0)
    monkeypatch.setattr("foreknow.site.live.watched.GAP_S", 0.0)
    ada = service.user(balance_kopecks=100_000)
    first, second = service.event(), service.event()
    with viewing(service) as one, viewing(service) as both, viewing(service) as tape:
        one.watch(first["id"])
        both.watch(first["id"], second["id"])
        tape.watch(tape=True)
        for number in range(20):
            bet(ada, market_of(first), 100 + number)
            before = len(one.heard)
            (now, *_) = one.watch(*(event["id"] for event in ((first, second) if number % 2 else (first,))))
            assert now["pools"][0]["trades"] == number + 1
            since = [heard["pool"]["trades"] for heard in one.heard[before:] if heard["type"] == "prices"]
            assert all(trades >= number for trades in since)
        for viewer in (one, both, tape):
            amounts = [viewer.trade()["amount_kopecks"] for _ in range(20)]
            assert amounts == [100 + number for number in range(20)]


def test_a_hidden_profile_and_a_sub_account_are_no_ids(service: Service) -> None:
    event = service.event()
    hidden = service.user(name="Ada", balance_kopecks=10_000)
    expect(hidden.client.patch("/users/me", json={"profile_hidden": True}), 200)
    partner = service.partner(float_kopecks=10_000)
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        bet(hidden, market_of(event), 100)
        assert viewer.trade()["user"] == {"id": None, "name": "Hidden trader", "avatar_url": ""}
        body = {"external_user_id": "x/1", "market_id": market_of(event), "side": "yes", "stake_kopecks": 700}
        expect(partner.client.post("/partner/bets", json=body), 201)
        assert viewer.trade()["user"] == {"id": None, "name": partner.name, "avatar_url": ""}


@proves("client: `state` (an event as in now)")
def test_pauses_comments_and_results_are_states(service: Service) -> None:
    event, ada = service.event(pools=[pool(), pool()]), service.user()
    first, second = (row["id"] for row in event["pools"])
    run = service.creator.client
    with viewing(service) as viewer:
        (now,) = viewer.watch(event["id"])
        expect(run.post(f"/pools/{second}/pause"), 200)
        paused = viewer.state()
        assert paused == {**now, "pools": [now["pools"][0], {**now["pools"][1], "paused": True}]}
        expect(run.post(f"/pools/{second}/resume"), 200)
        assert viewer.state() == now
        expect(ada.client.post("/comments", json={"event_id": event["id"], "content": "Well."}), 201)
        assert viewer.state() == {**now, "comments": 1}
        expect(run.post(f"/pools/{first}/resolve", json={"won_side": 0}), 200)
        assert viewer.state()["pools"][0]["won_side"] == 0
        expect(run.post(f"/events/{event['id']}/cancel"), 200)
        over = viewer.state(lambda one: one["status"] != "active")
        assert (over["status"], over["pools"][1]["won_side"]) == ("cancelled", -1)


def test_an_event_that_closes_with_the_time_is_a_state(start_service: Callable[..., Service]) -> None:
    service = start_service()
    ends_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    event = service.event(pools=[pool(finish_at=ends_at)])
    with viewing(service) as viewer:
        (now,) = viewer.watch(event["id"])
        assert now["status"] == "active"
        service.clock.advance(2 * HOUR_MS)
        assert viewer.state() == {**now, "status": "closed"}


def test_what_not_everyone_may_see_is_left_out_until_it_is_published(service: Service) -> None:
    public, draft = service.event(), service.event(publish=False)
    with viewing(service) as viewer, viewing(service) as other:
        found = viewer.watch(2**63 - 1, draft["id"], public["id"])
        assert [one["event_id"] for one in found] == [public["id"]]
        assert other.watch(draft["id"]) == []
        expect(service.creator.client.post(f"/events/{draft['id']}/publish"), 200)
        shown = viewer.state()
        assert (shown["event_id"], shown["status"]) == (draft["id"], "active")
        assert other.state() == shown
        assert shown["pools"][0]["probabilities"] == [0.5]
        assert other.watch(draft["id"]) == [shown]


def test_only_what_is_watched_is_sent_and_with_tape_all_trades(service: Service) -> None:
    ada, rain, wind = service.user(balance_kopecks=100_000), service.event(), service.event()
    with viewing(service) as viewer, viewing(service) as tape:
        viewer.watch(wind["id"])
        viewer.watch(rain["id"])
        tape.watch(tape=True)
        bet(ada, market_of(wind), 301)
        bet(ada, market_of(rain), 302)
        assert viewer.trade()["amount_kopecks"] == 302
        viewer.prices()
        mine = [tape.until(lambda one: one["trade"]["user"]["id"] == ada.id)["trade"] for _ in range(2)]
    assert {one["type"] for one in tape.heard} == {"trade"}
    assert [one["amount_kopecks"] for one in mine] == [301, 302]
    assert {one["type"] for one in viewer.heard} <= {"trade", "prices"}
    assert all(one["pool"]["pool_id"] == rain["pools"][0]["id"] for one in viewer.heard if one["type"] == "prices")


@proves("client: All absolute: a reconnect only watches again.")
def test_who_connects_again_is_where_everyone_is(service: Service) -> None:
    ada, event = service.user(balance_kopecks=100_000), service.event()
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        bet(ada, market_of(event), 1_000)
        shown = viewer.prices()
    bet(ada, market_of(event), 2_000)
    with viewing(service) as viewer:
        (now,) = viewer.watch(event["id"])
    assert now["pools"][0]["trades"] == 2
    assert now["pools"][0]["probabilities"] > shown["probabilities"]


def test_what_was_answered_before_a_watch_is_in_its_answer(service: Service) -> None:
    """Also while another client watches the event, and so the service knows it already."""
    ada, event = service.user(balance_kopecks=100_000), service.event()
    pool_id = event["pools"][0]["id"]
    with viewing(service) as other:
        other.watch(event["id"])
        for number in range(1, 6):
            bet(ada, market_of(event), 500)
            expect(service.creator.client.post(f"/pools/{pool_id}/{'pause' if number % 2 else 'resume'}"), 200)
            with viewing(service) as viewer:
                (now,) = viewer.watch(event["id"])
            assert now["pools"][0]["trades"] == number
            assert now["pools"][0]["paused"] == bool(number % 2)
            expect(service.creator.client.post(f"/pools/{pool_id}/resume"), 200)


@ONCE
def test_a_long_answer_comes_whole(service: Service) -> None:
    """In many frames, as the protocol allows, so that no socket holds all of it."""
    names = [f"Outcome {number}" for number in range(100)]
    events = [service.event(pools=[pool(names) for _ in range(3)]) for _ in range(4)]
    with viewing(service) as viewer:
        found = viewer.watch(*(event["id"] for event in events))
    assert [one["event_id"] for one in found] == [event["id"] for event in events]
    assert all(len(row["probabilities"]) == 100 for one in found for row in one["pools"])


WRONG = [
    "",
    "hello",
    "[]",
    "null",
    "{}",
    '{"watch": null}',
    '{"watch": {"events": 1}}',
    '{"watch": {"events": ["1"]}}',
    '{"watch": {"events": [1.0]}}',
    '{"watch": {"events": [0]}}',
    '{"watch": {"events": [-1]}}',
    '{"watch": {"events": [9223372036854775808]}}',
    '{"watch": {"events": [true]}}',
    '{"watch": {"events": [1], "tape": 1}}',
    '{"watch": {"events": [1], "tape": null}}',
    '{"watch": {"events": [1], "other": 1}}',
    '{"watch": {"events": [1]}, "watch": {"events": [1]}}',
    '{"watch": {"events": [1]}, "x": 1}',
    '{"watch": {"events": [' + ",".join(map(str, range(1, 52))) + "]}}",
    '{"watch": {"events": [1]}}\x00',
    "[" * 10_000,
    b'{"watch": {"events": [1]}}',
]


@ONCE
@pytest.mark.parametrize("wrong", WRONG)
def test_any_other_message_closes_the_socket_with_1008(service: Service, wrong: str | bytes) -> None:
    assert code_after(service, wrong) == 1008


@ONCE
def test_a_message_that_is_too_long_closes_the_socket_with_1009(service: Service) -> None:
    assert code_after(service, "x" * (64 * 1024 + 1)) == 1009


def code_after(service: Service, message: str | bytes) -> int:
    """Return the code with which the socket is closed after a client's message."""
    with viewing(service) as viewer:
        viewer.connection.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            viewer.message()
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def test_fifty_events_may_be_watched(service: Service) -> None:
    event = service.event()
    with viewing(service) as viewer:
        found = viewer.watch(*range(2**62, 2**62 + 49), event["id"])
    assert [one["event_id"] for one in found] == [event["id"]]


@proves("client: Limits and pings as /ws/trades |")
@ONCE
def test_who_talks_without_end_is_closed_with_1008(service: Service) -> None:
    def talk(viewer: Viewer) -> None:
        for number in range(3_000):
            viewer.ask(number + 1)
        while True:
            viewer.message()

    with viewing(service) as viewer, pytest.raises(ConnectionClosed) as closed:
        talk(viewer)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def test_of_watches_that_follow_closely_the_last_one_counts(service: Service) -> None:
    event, other = service.event(), service.event()
    answered = service.app.services.live.metrics.answers
    with viewing(service) as viewer:
        for number in range(200):
            viewer.ask(event["id"] if number % 2 else other["id"])
        viewer.ask(event["id"], other["id"])
        while len(found := viewer.now()) != 2:
            pass
    assert [one["event_id"] for one in found] == [event["id"], other["id"]]
    assert service.app.services.live.metrics.answers - answered < 200


@ONCE
@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_pages_of_other_sites_may_not_connect(service: Service, headers: dict[str, str]) -> None:
    refused(service.client(headers=UPGRADE | headers).get("/ws/live"), 403, "cross_site")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_pages_of_this_site_may_connect(start_service: Callable[..., Service]) -> None:
    unset = start_service()
    with viewing(unset, Origin=unset.url) as viewer:
        assert viewer.watch() == []
    service = start_service(public_url="https://foreknow.example")
    with viewing(service, Origin="https://foreknow.example") as viewer:
        assert viewer.watch() == []
    # The address that is set is the only one.
    refused(service.client(headers=UPGRADE | {"Origin": service.url}).get("/ws/live"), 403, "cross_site")


@proves("client: /ws/live (None; own Origin)")
def test_credentials_refuse_nothing(service: Service) -> None:
    with viewing(service, Authorization="Bearer bad", Cookie="access_token=bad") as viewer:
        assert viewer.watch() == []


@ONCE
def test_the_address_is_no_page_and_its_query_is_checked(service: Service) -> None:
    refused(service.client().get("/ws/live"), 400, "bad_request")
    with viewing(service, "?unknown=1&unknown=2") as viewer:
        assert viewer.watch() == []


@ONCE
def test_a_shutdown_closes_sockets_with_1012(start_service: Callable[..., Service]) -> None:
    service = start_service()
    with viewing(service) as viewer:
        viewer.watch()
        service.server.stop_soon()
        with pytest.raises(ConnectionClosed) as closed:
            viewer.message()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


@ONCE
def test_a_socket_that_is_gone_is_forgotten_with_what_it_watched(fresh_service: Service) -> None:
    hub = fresh_service.app.services.live
    event = fresh_service.event()
    with viewing(fresh_service) as viewer:
        viewer.watch(event["id"])
        assert (hub.sockets, set(hub._groups.event_ids)) == (1, {event["id"]})
        viewer.watch(tape=True)
        assert not hub._groups.event_ids
    wait_until(lambda: hub.sockets == 0)
    assert not hub._groups.has_sockets
    assert not hub._events._events
