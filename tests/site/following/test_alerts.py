"""Price alerts: what can be set, and that each is notified of once, at the first price at it or past it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.market.pools.store import lock_priced_pools
from foreknow.people.follows import news
from foreknow.people.follows.tables import following_cursor, price_alerts
from foreknow.platform.db.clock import now_ms
from foreknow.platform.jobs import worker
from foreknow.site.following import FollowingService, alerts
from foreknow.site.following.alerts import ALERTS_MAX
from tests.site.following.readers import ALERTS, bet, notices, wait_for_notices
from tests.support.kinds import ONCE
from tests.support.limit_orders import rest
from tests.support.orders import sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

RICH = 10_000_000
ROW = (
    "site: PUT, DELETE /markets/{id}/alert `{above?, below?}` (bps of YES, 1 … 9999; replaces); GET /users/me/alerts | "
    "200 `{market_id, above, below}`, `{}`, `{alerts: [… + event_id, event_name, event_name_ru, pool_id, "
    "market_name]}`."
)
NOTIFIED_ONCE = (
    "site: Each is told once, however soon it is replaced or taken back after it was reached, at the first trade or "
    "new priors that leave the price at or past it, then gone, as at the market's end."
)


def market_of(event: dict[str, Any], index: int = 0) -> int:
    return int(event["pools"][0]["markets"][index]["id"])


def put(person: Person, market_id: int, **limits: Any) -> dict[str, Any]:
    found: dict[str, Any] = expect(person.client.put(f"/markets/{market_id}/alert", json=limits), 200)
    return found


def listed(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = expect(person.client.get(ALERTS), 200)["alerts"]
    return [{name: one[name] for name in ("market_id", "above", "below")} for one in found]


def price(service: Service, market_id: int) -> float:
    return float(expect(service.client().get(f"/markets/{market_id}"), 200)["yes_probability"])


@proves(ROW, "site: one in 24 h), `price_alert`,")
def test_an_alert_is_set_replaced_listed_and_deleted(service: Service) -> None:
    ann, event = service.user(), service.event()
    market_id = market_of(event)
    assert put(ann, market_id, above=6200) == {"market_id": market_id, "above": 6200, "below": None}
    assert put(ann, market_id, above=7000, below=1) == {"market_id": market_id, "above": 7000, "below": 1}
    assert expect(ann.client.get(ALERTS), 200)["alerts"] == [
        {
            "market_id": market_id,
            "above": 7000,
            "below": 1,
            "event_id": event["id"],
            "event_name": event["name"],
            "event_name_ru": event["name_ru"],
            "pool_id": event["pools"][0]["id"],
            "market_name": event["pools"][0]["markets"][0]["name"],
        }
    ]
    for _ in range(2):
        assert expect(ann.client.delete(f"/markets/{market_id}/alert"), 200) == {}
    assert listed(ann) == []


@proves(ROW)
@ONCE
@pytest.mark.parametrize("body", [{}, {"above": 0}, {"below": 10_000}, {"above": "6200"}, {"above": 1.5}, {"at": 1}, 7])
def test_a_body_without_a_price_that_can_be_is_refused(service: Service, body: Any) -> None:
    market_id = market_of(service.event())
    refused(service.user().client.put(f"/markets/{market_id}/alert", json=body), 400, "bad_request")


@proves("site: 409 `invalid_state` (past one already), `market_resolved`, `too_many_alerts` (200)")
@ONCE
def test_an_alert_that_makes_no_sense_is_refused(service: Service) -> None:
    ann, event = service.user(), service.event()
    market_id = market_of(event)
    path = f"/markets/{market_id}/alert"
    for limits in ({"above": 5000}, {"above": 4000}, {"below": 5000}, {"above": 6000, "below": 9000}):
        refused(ann.client.put(path, json=limits), 409, "invalid_state")
    refused(ann.client.put(f"/markets/{2**62}/alert", json={"above": 6000}), 404, "market_not_found")
    refused(ann.client.delete(f"/markets/{2**62}/alert"), 404, "market_not_found")
    draft = market_of(service.event(publish=False))
    refused(ann.client.put(f"/markets/{draft}/alert", json={"above": 6000}), 404, "market_not_found")
    others = [
        {
            "user_id": ann.id,
            "market_id": 2**40 + one,
            "pool_id": event["pools"][0]["id"],
            "above_bps": 9999,
            "trades": 0,
        }
        for one in range(ALERTS_MAX)
    ]
    rows = [row | {"set_at_ms": 1} for row in others]
    service.server.run(service.app.db.write(lambda tx: tx.execute(price_alerts.insert(), rows)))
    refused(ann.client.put(path, json={"above": 6000}), 409, "too_many_alerts")
    expect(ann.client.delete(f"/markets/{market_id}/alert"), 200)
    of_ann = price_alerts.c.user_id == ann.id
    service.server.run(service.app.db.write(lambda tx: tx.execute(price_alerts.delete().where(of_ann))))
    put(ann, market_id, above=6000)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    refused(ann.client.put(path, json={"above": 6000}), 409, "market_resolved")
    assert listed(ann) == []


@proves("site: gone, as at the market's end.")
def test_an_alert_is_gone_once_trading_has_ended(fresh_service: Service) -> None:
    service = fresh_service
    ann = service.user()
    finish_at = iso(service.clock() + 10 * MINUTE_MS)
    event = service.event(pools=[pool(finish_at=finish_at)])
    put(ann, market_of(event), above=6000)
    service.clock.advance(11 * MINUTE_MS)
    assert listed(ann) == []
    refused(ann.client.put(f"/markets/{market_of(event)}/alert", json={"above": 6000}), 409, "market_resolved")
    wait_until(lambda: not service.look(lambda tx: tx.execute(sa.select(price_alerts)).all()))
    assert notices(ann, "price_alert") == []


def test_prices_that_reach_no_alert_rule_a_pool_of_one_market_out_and_no_other(service: Service) -> None:
    """So no one looks at each of its trades; a price in billionths reaches what the price itself does."""
    ann = service.user()
    alone, several = service.event(), service.event(pools=[pool(["A", "B"])])
    for event in (alone, several):
        put(ann, market_of(event), above=6_000, below=4_000)
    lone, other = (event["pools"][0]["id"] for event in (alone, several))

    def reachable(lowest: float, highest: float) -> set[int]:
        left = round(lowest * 10**9), round(highest * 10**9)
        found: set[int] = service.look(lambda tx: alerts.reachable_pools(tx, {lone: left, other: left}))
        return found

    assert reachable(0.4001, 0.5999) == {other}
    assert reachable(0.4 + 5e-9, 0.6 - 5e-9) == {other}
    assert reachable(0.4001, 0.6 - 1e-9) == reachable(0.4 + 1e-9, 0.5) == {lone, other}
    assert reachable(0.41, 0.6) == reachable(0.3, 0.5) == {lone, other}
    expect(ann.client.delete(f"/markets/{market_of(several)}/alert"), 200)
    assert reachable(0.4001, 0.5999) == set()


@proves(NOTIFIED_ONCE)
def test_each_price_is_notified_of_once_and_then_gone(service: Service) -> None:
    ann, bob, event = service.user(), service.user(balance_kopecks=RICH), service.event(name="Derby?")
    market_id = market_of(event)
    put(ann, market_id, above=6000, below=4000)
    bet(bob, event, 20_000)
    assert price(service, market_id) < 0.6
    bet(bob, event, 20_000)
    (notice,) = wait_for_notices(ann, "price_alert")
    after_bps = round(price(service, market_id) * 10_000)
    assert notice["event_id"] == event["id"]
    assert notice["params"]["above_bps"] == 6000
    assert notice["params"]["after_bps"] == after_bps
    assert "below_bps" not in notice["params"]
    percent = f"{after_bps / 100:.2f}".rstrip("0").rstrip(".")
    assert notice["text"] == f"“Will it?” in “Derby?” has risen to {percent}%: your price alert was at 60%."
    assert listed(ann) == [{"market_id": market_id, "above": None, "below": 4000}]
    bet(bob, event, 150_000, side="NO")
    assert [one["params"].get("below_bps") for one in wait_for_notices(ann, "price_alert", count=2)] == [None, 4000]
    assert listed(ann) == []


@proves(NOTIFIED_ONCE)
@pytest.mark.parametrize("again", [{"above": 9000}, None], ids=["replaced", "taken back"])
def test_a_reached_alert_is_notified_of_though_it_is_gone_before_the_follower_reads_the_trade(
    fresh_service: Service, again: dict[str, int] | None
) -> None:
    service = fresh_service
    service.server.run(service.app.services.following.stop())
    ann, cat, bob = service.user(), service.user(), service.user(balance_kopecks=RICH)
    event, other = service.event(), service.event()
    market_id = market_of(event)
    put(ann, market_id, above=5500)
    put(ann, market_of(other), above=5500)
    put(cat, market_id, above=5500)
    bet(bob, event, 50_000)
    expect(sell(bob, market_id, "YES"), 201)

    if again is None:
        expect(ann.client.delete(f"/markets/{market_id}/alert"), 200)
    else:
        put(ann, market_id, **again)
    put(ann, market_of(other), above=6000)

    (notice,) = notices(ann, "price_alert")
    assert (notice["event_id"], notice["params"]["above_bps"]) == (event["id"], 5500)
    assert notices(cat, "price_alert") == []
    service.server.run(service.app.services.following.follow())
    assert len(notices(ann, "price_alert")) == len(notices(cat, "price_alert")) == 1
    assert len(listed(ann)) == (1 if again is None else 2)


@proves(NOTIFIED_ONCE)
@pytest.mark.parametrize("again", [{"above": 9000}, None], ids=["replaced", "taken back"])
def test_priors_that_reached_an_alert_are_notified_of_though_it_is_gone_at_once(
    fresh_service: Service, again: dict[str, int] | None
) -> None:
    service = fresh_service
    service.server.run(service.app.services.following.stop())
    ann, event = service.user(), service.event()
    market_id, pool_id = market_of(event), event["pools"][0]["id"]
    put(ann, market_id, above=5500)

    def move(tx: Any) -> None:
        # As `trading/odds/rounds.py` notes it, there and back.
        row = lock_priced_pools(tx, [pool_id])[pool_id]
        for before, after in ((0.5, 0.7), (0.7, 0.5)):
            news.note_prior(tx, row, [after], before=[before], at_ms=now_ms(tx))

    service.server.run(service.app.db.write(move))

    if again is None:
        expect(ann.client.delete(f"/markets/{market_id}/alert"), 200)
    else:
        put(ann, market_id, **again)
    assert [one["params"]["above_bps"] for one in notices(ann, "price_alert")] == [5500]
    service.server.run(service.app.services.following.follow())
    assert len(notices(ann, "price_alert")) == 1


@proves(NOTIFIED_ONCE)
def test_a_price_that_jumps_over_two_and_comes_back_notifies_both(service: Service) -> None:
    ann, cat, bob = service.user(), service.user(), service.user(balance_kopecks=RICH)
    event = service.event()
    market_id = market_of(event)
    put(ann, market_id, above=6000)
    put(cat, market_id, above=7000)
    bet(bob, event, 100_000)
    assert price(service, market_id) > 0.7
    expect(sell(bob, market_id, "YES"), 201)
    assert price(service, market_id) < 0.6
    for person in (ann, cat):
        (notice,) = wait_for_notices(person, "price_alert")
        assert notice["params"]["after_bps"] > 7000


@proves(NOTIFIED_ONCE)
def test_another_outcomes_trade_moves_a_price_past_its_alert(service: Service) -> None:
    ann, bob = service.user(), service.user(balance_kopecks=RICH)
    names = ["Reds", "Blues", "Draw"]
    event = service.event(pools=[pool(names, probabilities=[0.5, 0.3, 0.2])], name="Derby?")
    put(ann, market_of(event, 1), below=2500)
    put(ann, market_of(event, 2), above=3000)
    bet(bob, event, 30_000)
    (notice,) = wait_for_notices(ann, "price_alert")
    after = price(service, market_of(event, 1))
    assert notice["params"]["market_name"] == "Blues"
    assert notice["params"]["after_bps"] == round(after * 10_000)
    assert after < 0.25
    bet(bob, event, 150_000, side="NO")
    later = wait_for_notices(ann, "price_alert", count=2)[1]
    assert later["params"]["market_name"] == "Draw"
    assert later["params"]["after_bps"] == round(price(service, market_of(event, 2)) * 10_000)


@proves("site: never of one's own act")
def test_one_is_not_notified_of_a_price_that_one_has_reached_oneself(service: Service) -> None:
    ann, cat, event = service.user(balance_kopecks=RICH), service.user(), service.event()
    for person in (ann, cat):
        put(person, market_of(event), above=6000)
    bet(ann, event, 100_000)
    wait_for_notices(cat, "price_alert")
    assert listed(ann) == []
    assert notices(ann, "price_alert") == []


@proves(NOTIFIED_ONCE)
def test_a_price_from_before_it_was_set_reaches_no_alert(service: Service) -> None:
    ann, bob, event = service.user(), service.user(balance_kopecks=RICH), service.event()
    market_id = market_of(event)
    bet(bob, event, 100_000)
    expect(sell(bob, market_id, "YES"), 201)
    put(ann, market_id, above=7000)
    cat = service.user()
    put(cat, market_id, above=5100)
    bet(bob, event, 10_000)
    wait_for_notices(cat, "price_alert")
    assert listed(ann) == [{"market_id": market_id, "above": 7000, "below": None}]
    assert notices(ann, "price_alert") == []


def test_more_alerts_than_one_transaction_ends_are_all_notified_of(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alerts, "REACHED_MAX", 2)
    bob, event = service.user(balance_kopecks=RICH), service.event()
    people = [service.user() for _ in range(5)]
    for person in people:
        put(person, market_of(event), above=6000)
    bet(bob, event, 100_000)
    assert [len(wait_for_notices(person, "price_alert")) for person in people] == [1] * 5


@proves(NOTIFIED_ONCE)
def test_what_a_resting_order_fills_in_one_market_is_no_price_of_before_in_another(fresh_service: Service) -> None:
    """Two trades that are read together: the first left .33 there; counted back from the second alone it is .346."""
    service = fresh_service
    service.server.run(service.app.services.following.stop())
    ann, bob = service.user(), service.user(balance_kopecks=RICH)
    event = service.event(pools=[pool(["a", "b", "c"], b=100_000, probabilities=[0.34, 0.33, 0.33]) | {"margin": 0}])
    for index, above in ((0, 4000), (1, 3400)):
        put(ann, market_of(event, index), above=above)
    rest(service.user(balance_kopecks=RICH), market_of(event, 1), "YES", "buy", shares=100_000, price=30)
    bet(bob, event, 100)
    bet(bob, event, 20_000)
    after = expect(service.client().get(f"/events/{event['id']}"), 200)["pools"][0]["markets"]
    assert [round(one["yes_probability"], 2) for one in after] == [0.44, 0.3, 0.26]
    following = FollowingService(service.app.db)

    def is_read() -> bool:
        service.server.run(following.follow())
        return bool(notices(ann, "price_alert"))

    wait_until(is_read)

    assert [one["market_id"] for one in listed(ann)] == [market_of(event, 1)]


def test_the_first_start_begins_before_anything_is_served(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The workers look for the first time after years.
    monkeypatch.setattr(worker, "SPREAD_S", 1e9)
    assert start_service().look(lambda tx: tx.execute(sa.select(following_cursor.c.seq)).scalar()) == 0


@proves(NOTIFIED_ONCE)
def test_three_processes_notify_of_each_alert_once(service: Service) -> None:
    bob, event = service.user(balance_kopecks=RICH), service.event()
    people = [service.user() for _ in range(12)]
    for number, person in enumerate(people):
        put(person, market_of(event), above=5200 + 200 * number)
    others = [FollowingService(service.app.db, poll_s=0.05) for _ in range(2)]

    async def start() -> None:
        for one in others:
            one.start()

    async def stop() -> None:
        for one in others:
            await one.stop()

    service.server.run(start())
    for _ in range(12):
        bet(bob, event, 10_000)
    assert price(service, market_of(event)) > 0.74
    found = [wait_for_notices(person, "price_alert") for person in people]
    service.server.run(stop())
    assert [len(notices(person, "price_alert")) for person in people] == [1] * 12
    assert [one["params"]["above_bps"] for (one,) in found] == [5200 + 200 * number for number in range(12)]


@proves(
    "site: Default: app on; mail `now` for `position_settled`, `resolution_needed`, `operator_answer`, "
    "`price_alert`, else off",
    "administration: (`settings_changed`, mail `now`)",
)
def test_price_alerts_are_mailed_at_once_unless_turned_off(service: Service) -> None:
    settings = expect(service.user().client.get("/users/me/notification-settings"), 200)
    now = {"position_settled", "resolution_needed", "operator_answer", "price_alert", "settings_changed"}
    now |= {"verdict_decided", "objection_answered"}
    assert {kind for kind, choice in settings.items() if choice["email"] == "now"} == now
    assert {kind for kind, choice in settings.items() if not choice["app"]} == {"forecast_old"}
    assert {choice["email"] for kind, choice in settings.items() if kind not in now} == {"off"}
    new = {"event_closing", "event_comment", "event_moved", "creator_published", "tag_published"}
    assert new <= settings.keys()
