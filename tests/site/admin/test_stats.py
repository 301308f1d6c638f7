"""GET /admin/stats."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from foreknow.kernel.clock import DAY_MS, iso
from foreknow.money import stats as statistics
from foreknow.money.stats import DayStats
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.admin.schemas import Stats
from foreknow.site.admin.statistics import TRUSTED_S, StatsHistory, read_stats, stats_view
from tests.support.kinds import ONCE
from tests.support.service import Service, expect, pool, refused

FIGURES = {
    "users",
    "active_traders",
    "volume_kopecks",
    "fees_kopecks",
    "open_interest_kopecks",
    "house_result_kopecks",
    "grants_kopecks",
}


def stats(service: Service) -> Any:
    return expect(service.user(stats_viewer=True).client.get("/admin/stats"), 200)


def test_days_are_shown_without_gaps_newest_first() -> None:
    days = [
        DayStats(day=10, sign_ups=2, traders=1, new_traders=1, fees_kopecks=3, open_interest_change_kopecks=50),
        DayStats(day=12, traders=1, open_interest_change_kopecks=-20, settlement_result_kopecks=-7),
    ]

    shown = stats_view(days, now_ms=13 * DAY_MS + 5)

    assert [day.date for day in shown.days] == ["1970-01-14", "1970-01-13", "1970-01-12", "1970-01-11"]
    assert [day.open_interest_kopecks for day in shown.days] == [30, 30, 50, 50]
    assert [day.house_result_kopecks for day in shown.days] == [0, -7, 0, 3]
    assert [day.users for day in shown.days] == [0, 0, 0, 2]
    assert [day.active_traders for day in shown.days] == [0, 1, 0, 1]
    assert (shown.total.users, shown.total.active_traders) == (2, 1)
    assert (shown.total.open_interest_kopecks, shown.total.house_result_kopecks) == (30, -4)


async def test_the_last_days_show_what_all_days_show(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        for day, change in ((10, 50), (12, -20), (40, 7)):
            statistics.record_sign_up(tx, at_ms=day * DAY_MS)
            statistics.record_settlement(tx, at_ms=day * DAY_MS, settled_shares=-change, house_result_kopecks=day)
        for now_ms in (40 * DAY_MS + 5, 45 * DAY_MS, 39 * DAY_MS):
            whole = read_stats(tx, now_ms=now_ms, count=None)
            for count in (1, 2, 29, 31, 366):
                assert read_stats(tx, now_ms=now_ms, count=count) == Stats(whole.total, whole.days[:count])

    await db.write(work)


async def test_days_that_are_kept_show_what_is_read(db: Database) -> None:
    seconds = [0.0]
    history = StatsHistory(timer=lambda: seconds[0])

    def add(tx: WriteTx, day: int) -> None:
        statistics.record_sign_up(tx, at_ms=day * DAY_MS)
        statistics.record_settlement(tx, at_ms=day * DAY_MS, settled_shares=-3, house_result_kopecks=day)

    async def check(*, today: int) -> None:
        now_ms = today * DAY_MS + 5

        def work(tx: ReadTx) -> None:
            assert msgspec.json.decode(history.encoded(tx, now_ms=now_ms), type=Stats) == read_stats(
                tx, now_ms=now_ms, count=None
            )

        await db.read(work)

    await check(today=40)
    for day in (40, 41, 45, 38):
        await db.write(partial(add, day=day))
        seconds[0] += TRUSTED_S
        await check(today=day)
        await check(today=45)
    # The newest days may change at any time; older ones only by an import, which is seen a little later.
    for day in (45, 44, 50):
        await db.write(partial(add, day=day))
        await check(today=45)
    await db.write(partial(add, day=12))
    seconds[0] += TRUSTED_S
    await check(today=45)
    await check(today=46)


def test_of_an_empty_service_today_is_shown() -> None:
    shown = stats_view([], now_ms=DAY_MS)

    assert [(day.date, day.users) for day in shown.days] == [("1970-01-02", 0)]


def test_the_figures_follow_what_happens(start_service: Callable[..., Service]) -> None:
    service = start_service(begins_midweek=True)
    viewer = service.user(stats_viewer=True)
    ada, bob = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    partner = service.partner(5_000)
    made = service.event(pools=[pool(margin=0.1)])["pools"][0]
    market = made["markets"][0]["id"]
    # The administrator, the creator, the viewer, Ada and Bob.
    users = 5

    def check(**expected: int) -> None:
        shown = expect(viewer.client.get("/admin/stats"), 200)
        assert shown.keys() == {"total", "days"}
        assert shown["total"] == {"users": users, "grants_kopecks": 0, **expected}
        today = shown["days"][0]
        assert today.keys() == FIGURES | {"date"}
        assert today["date"] == iso(service.clock())[:10]
        assert {**today, "date": ""} == {**shown["total"], "date": ""}

    nothing = dict.fromkeys(FIGURES - {"users"}, 0)
    check(**nothing)

    order = {"market_id": market, "token_type": "YES"}
    first = expect(ada.client.post("/market/bets", json={**order, "amount_kopecks": 1_000}), 201)
    sub_order = {"external_user_id": "u", "market_id": market, "side": "no"}
    second = expect(partner.client.post("/partner/bets", json={**sub_order, "stake_kopecks": 500}), 201)
    refused(bob.client.post("/market/bets", json={**order, "amount_kopecks": 10**6}), 409, "insufficient_funds")
    sold_shares = first["shares"] // 2
    sold = expect(ada.client.post("/market/positions/sell", json={**order, "shares": sold_shares}), 201)
    held = first["shares"] + second["shares"] - sold_shares
    traded = {
        "active_traders": 2,
        "volume_kopecks": 1_500 + sold["payout_kopecks"],
        "fees_kopecks": 150,
    }
    check(**traded, open_interest_kopecks=held, house_result_kopecks=150)

    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    paid_in = 1_500 - 150
    paid_out = sold["payout_kopecks"] + first["shares"] - sold_shares
    check(**traded, open_interest_kopecks=0, house_result_kopecks=150 + paid_in - paid_out)


def test_a_cancelled_event_counts_as_settled_and_an_unpublished_one_not_at_all(fresh_service: Service) -> None:
    service = fresh_service
    viewer, ada = service.user(stats_viewer=True), service.user(balance_kopecks=10_000)
    event, unpublished = service.event(), service.event(publish=False)
    market = event["pools"][0]["markets"][0]["id"]
    order = {"market_id": market, "token_type": "NO", "amount_kopecks": 1_000}
    expect(ada.client.post("/market/bets", json=order), 201)

    for one in (event, unpublished):
        expect(service.creator.client.post(f"/events/{one['id']}/cancel"), 200)

    total = expect(viewer.client.get("/admin/stats"), 200)["total"]
    got_back = expect(ada.client.get("/users/me"), 200)["balance_kopecks"] - 9_000
    assert (total["open_interest_kopecks"], total["house_result_kopecks"]) == (0, 1_000 - got_back)


@ONCE
def test_only_stats_viewers_see_them(service: Service) -> None:
    refused(service.client().get("/admin/stats"), 401, "unauthorized")
    refused(service.admin.get("/admin/stats"), 403, "forbidden")
    assert stats(service)["days"]
