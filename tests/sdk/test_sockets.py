"""The feed and live updates against a running service: in order, through drops, with every gap said."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from foreknow_client import AsyncClient, Client, errors
from foreknow_client.credentials import SignIn
from foreknow_client.sockets import LiveTrade, Missed, Now, Prices, Started, Traded
from tests.sdk.unreliable import Cable
from tests.support.kinds import ON_SQLITE
from tests.support.service import Person, Service


def market_of(service: Service) -> int:
    return int(service.event()["pools"][0]["markets"][0]["id"])


def bet(person: Person, market: int, amount_kopecks: int) -> None:
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": amount_kopecks}
    person.client.post("/market/bets", json=order).raise_for_status()


async def test_the_feed_goes_on_after_a_drop_and_says_what_it_missed(
    sqlite_service: Service, cable: Cable, caplog: pytest.LogCaptureFixture
) -> None:
    trader, market = sqlite_service.user(balance_kopecks=100_000), market_of(sqlite_service)
    bet(trader, market, 301)
    async with AsyncClient(cable.url) as client:
        feed = client.follow_trades()
        started = await anext(feed)
        bet(trader, market, 302)
        first = await anext(feed)
        cable.cut()
        bet(trader, market, 303)
        missed = await anext(feed)
        bet(trader, market, 304)
        second = await anext(feed)

    assert isinstance(started, Started)
    assert started.recent[-1].amount == 301
    assert isinstance(first, Traded)
    assert (first.trade.amount, first.seq > started.seq) == (302, True)
    assert isinstance(missed, Missed)
    assert missed.after_seq == first.seq < missed.through_seq
    assert missed.recent[-1].amount == 303
    assert isinstance(second, Traded)
    assert (second.trade.amount, second.seq > missed.through_seq) == (304, True)
    said = [record.getMessage() for record in caplog.records if record.name == "foreknow_client"]
    assert [text.split(": ")[1].split(";")[0] for text in said] == ["the connection was lost"]
    assert said[0].startswith(f"ws{cable.url.removeprefix('http')}/api/v1/ws/trades?seq=1: ")


def test_what_happens_around_a_drop_is_said_once(sqlite_service: Service, cable: Cable) -> None:
    trader, market = sqlite_service.user(balance_kopecks=100_000), market_of(sqlite_service)
    with Client(cable.url) as client:
        feed = client.follow_trades()
        assert isinstance(next(feed), Started)
        cable.cut()
        bet(trader, market, 401)
        # The bet came while there was no connection, or after it was made again: it is said one way or the other.
        event = next(feed)
        recent = event.recent[-1] if isinstance(event, Missed) else event.trade if isinstance(event, Traded) else None
        assert recent is not None
        assert recent.amount == 401


def test_live_updates_begin_with_the_present_and_begin_again_after_a_drop(
    sqlite_service: Service, cable: Cable
) -> None:
    trader, event = sqlite_service.user(balance_kopecks=100_000), sqlite_service.event()
    market = event["pools"][0]["markets"][0]["id"]
    with Client(cable.url) as client:
        updates = client.watch_events([event["id"]])
        now = next(updates)
        bet(trader, market, 5_000)
        kinds: set[type] = set()
        while not {Prices, LiveTrade} <= kinds:
            kinds.add(type(next(updates)))
        cable.cut()
        again = next(updates)

    assert isinstance(now, Now)
    assert [pool.trades for pool in now.events[0].pools] == [0]
    assert isinstance(again, Now)
    assert [pool.trades for pool in again.events[0].pools] == [1]


def test_a_handshake_that_is_refused_is_an_error_and_no_endless_attempt(sqlite_service: Service) -> None:
    with Client(sqlite_service.url) as client:
        client.get_health()
        client._url += "/elsewhere"
        with pytest.raises(errors.NotFound):
            next(client.follow_trades())


@ON_SQLITE
def test_a_site_of_members_is_followed_by_who_is_one(
    start_service: Callable[..., Service], caplog: pytest.LogCaptureFixture
) -> None:
    club = start_service(read="members")
    trader, event = club.user(), club.event()
    with caplog.at_level(logging.DEBUG), Client(club.url, login=trader.email, password=trader.password) as client:
        # The first call that needs to know who it is signs in.
        assert isinstance(next(client.follow_trades()), Started)
        credentials = client._session.credentials
        assert isinstance(credentials, SignIn)
        credentials.renewed("ended", {"refresh_token": credentials._refresh_token})
        assert isinstance(next(client.watch_events([event["id"]])), Now)
        token = credentials.headers()["authorization"].removeprefix("Bearer ")
        key = client.create_my_key(name="bot", scope="read").key
        client.use(key=key)
        assert isinstance(next(client.follow_trades()), Started)
        client.use(key="fku_wrong")
        with pytest.raises(errors.Unauthorized):
            next(client.follow_trades())
        client.use(login=trader.email, password="wrong")
        with pytest.raises(errors.InvalidCredentials):
            next(client.follow_trades())
    # What the service in this process logs is its own.
    said = [record.getMessage() for record in caplog.records if not record.name.startswith("uvicorn")]
    assert "> authorization: …" in said
    assert [text for text in said if token in text or key in text] == []


@ON_SQLITE
async def test_a_task_follows_a_site_of_members(start_service: Callable[..., Service]) -> None:
    club = start_service(read="members")
    trader, event = club.user(), club.event()
    async with AsyncClient(club.url, login=trader.email, password=trader.password) as client:
        assert isinstance(await anext(client.follow_trades()), Started)
        credentials = client._session.credentials
        assert isinstance(credentials, SignIn)
        credentials.renewed("ended", {"refresh_token": credentials._refresh_token})
        assert isinstance(await anext(client.watch_events([event["id"]])), Now)
        client.use()
        with pytest.raises(errors.Unauthorized):
            await anext(client.follow_trades())
