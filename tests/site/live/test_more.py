"""What only those are sent who ask for more: what they have, numbers of traders, the trades before a tape begins."""

from __future__ import annotations

from tests.site.live.watching import bet, market_of, viewing
from tests.support.limit_orders import place, rest
from tests.support.lists import open_list, split
from tests.support.service import Service, expect, pool
from tests.support.waiting import wait_until


def test_a_page_is_notified_of_every_change_of_what_its_trader_has_until_the_session_ends(service: Service) -> None:
    ada, eve = service.user(balance_kopecks=10_000), service.user(balance_kopecks=500)
    event = service.event()
    with (
        viewing(service, Cookie=f"access_token={ada.token}") as own,
        viewing(service, Cookie=f"access_token={ada.token}") as other,
        viewing(service, Cookie=f"access_token={eve.token}") as another,
        viewing(service, Cookie="access_token=bad") as stranger,
    ):
        for viewer in (own, other, another, stranger):
            viewer.watch(event["id"], more=True)
        assert own.own(10_000) == 0
        service.credit(ada.id, 5_000)
        made = bet(ada, market_of(event), 1_000)
        sale = {"market_id": market_of(event), "token_type": "YES", "shares": made["shares"] // 2}
        sold = expect(ada.client.post("/market/positions/sell", json=sale), 201)
        assert own.own(sold["balance_kopecks"]) == sold["pnl"]
        # What is lost changes no balance.
        expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
        assert own.own(sold["balance_kopecks"]) == sold["balance_kopecks"] - 15_000
        assert other.own(sold["balance_kopecks"]) == sold["pnl"]

        hub = service.app.services.live
        assert hub._own.sockets == 3
        expect(ada.client.delete("/auth/logout"), 200)
        wait_until(lambda: hub._own.sockets == 1)
        service.credit(ada.id, 5_000)
        service.credit(eve.id, 1)
        assert another.own(501) == 0
        for viewer in (own, stranger):
            viewer.watch()
            assert sold["balance_kopecks"] + 5_000 not in [one.get("balance_kopecks") for one in viewer.heard]


def test_a_page_is_notified_of_positions_that_change_without_its_money(service: Service) -> None:
    ada, eve = (service.user(balance_kopecks=10_000) for _ in range(2))
    made = open_list(service, probabilities=(0.3, 0.2, 0.5))
    first, *_, other = (market["id"] for market in made["markets"])
    with viewing(service, Cookie=f"access_token={ada.token}") as viewer:
        viewer.watch(more=True)
        assert viewer.own(10_000) == 0
        # It holds exactly what it pays: its fill moves nothing from the balance and nothing to it.
        rest(ada, first, "YES", "buy", shares=1_000, price=30)
        assert viewer.own(9_700) == 0
        place(eve, first, "NO", "buy", shares=1_000, price=70)
        assert viewer.own(9_700) == 0
        held = bet(ada, other, 100)
        assert viewer.own(held["balance_kopecks"]) == 0
        split(service, made["id"], "Dana")
        assert viewer.own(held["balance_kopecks"]) == 0


def test_traders_are_counted_along(sqlite_service: Service) -> None:
    ada, eve = (sqlite_service.user(balance_kopecks=10_000) for _ in range(2))
    event = sqlite_service.event()
    bet(ada, market_of(event), 100)
    with viewing(sqlite_service) as viewer, viewing(sqlite_service) as plain:
        plain.watch(event["id"])
        viewer.watch(event["id"], more=True)
        assert viewer.traders(1) == {"type": "traders", "events": [{"event_id": event["id"], "traders": 1}]}
        bet(ada, market_of(event), 100)
        bet(eve, market_of(event), 100)
        viewer.traders(2)
        for _ in range(2):
            plain.trade()
        plain.watch()
        assert {message["type"] for message in plain.heard} <= {"trade", "prices"}


def test_a_watch_may_begin_with_the_last_trades(sqlite_service: Service) -> None:
    ada, event = sqlite_service.user(balance_kopecks=10_000), sqlite_service.event()
    for number in range(3):
        bet(ada, market_of(event), 771 + number)
    with viewing(sqlite_service) as viewer:
        viewer.watch(tape=True, last_trades=2)
        assert [viewer.trade()["amount_kopecks"] for _ in range(2)] == [772, 773]
        viewer.watch(tape=True, last_trades=2)
        before = len(viewer.heard)
        viewer.watch(event["id"], tape=True, last_trades=2)
        bet(ada, market_of(event), 774)
        viewer.until(lambda one: one["type"] == "trade" and one["trade"]["amount_kopecks"] == 774)
        again = [one["trade"]["amount_kopecks"] for one in viewer.heard[before:] if one["type"] == "trade"]
        assert again == [774]


def test_a_new_trade_comes_right_after_as_many_past_ones_as_a_second_may_have(sqlite_service: Service) -> None:
    ada, event = sqlite_service.user(balance_kopecks=10_000), sqlite_service.event()
    for number in range(20):
        bet(ada, market_of(event), 300 + number)
    with viewing(sqlite_service) as viewer:
        viewer.watch(tape=True, last_trades=20)
        bet(ada, market_of(event), 400)
        viewer.until(lambda one: one["type"] == "trade" and one["trade"]["amount_kopecks"] == 400)
        # The newest of the past ones may be the new one.
        amounts = [one["trade"]["amount_kopecks"] for one in viewer.heard if one["type"] == "trade"]
        assert amounts[-20:] == [*range(301, 320), 400]


def test_what_only_the_page_shows_is_a_state_too(sqlite_service: Service) -> None:
    """A decision within its dispute window, its correction, and added liquidity: messages look as before."""
    disputed = pool(b=1_000, metadata={"resolution": {"kind": "manual", "dispute_minutes": 60}})
    event = sqlite_service.event(pools=[disputed, pool(b=1_000)])
    first, second = (row["id"] for row in event["pools"])
    with viewing(sqlite_service) as viewer:
        (now,) = viewer.watch(event["id"])
        deeper = {"lmsr_b_kopecks": 2_000, "probabilities": [0.5]}
        expect(sqlite_service.creator.client.post(f"/pools/{second}/liquidity", json=deeper), 200)
        assert viewer.state() == now
        expect(sqlite_service.creator.client.post(f"/pools/{first}/resolve", json={"won_side": 0}), 200)
        assert viewer.state() == now
        expect(sqlite_service.admin.post(f"/pools/{first}/resolve", json={"won_side": 1}), 200)
        assert viewer.state() == now
