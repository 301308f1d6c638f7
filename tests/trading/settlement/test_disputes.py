"""Dispute windows: a decision is shown, can be corrected, and is final at the end of the window, to the millisecond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import iso, system_clock
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance, bet, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import wait_until
from tests.trading.settlement.windows import MINUTE_MS, disputable, set_pool, shown, state, stop_payments

WINDOW_MS = 10 * MINUTE_MS
#: The window of a correction.
AGAIN_MS = 60 * MINUTE_MS


def decide(service: Service, pool_id: int, **body: Any) -> dict[str, Any]:
    """Resolve as the creator."""
    answer: dict[str, Any] = expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json=body), 200)
    return answer


def positions(person: Person) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get("/market/positions"), 200)["positions"]
    return rows


@pytest.fixture
def traded(fresh_service: Service) -> tuple[Service, dict[str, Any], Person]:
    """A service of its own with a pool of three outcomes, a dispute window of ten minutes, and one trader in it."""
    (made,) = fresh_service.event(pools=[disputable(["a", "b", "c"])])["pools"]
    trader = fresh_service.user(balance_kopecks=10_000)
    expect(bet(trader, made["markets"][1]["id"], "YES", 10_000), 201)
    return fresh_service, made, trader


@proves(
    (
        "lifecycle: With a dispute window a verdict is first `decided`: no trading (`market_closed`), no pausing "
        "(409), `won_side` null, `resolved` false, nothing paid."
    ),
)
@ONCE
def test_a_decision_is_shown_and_nothing_is_final(traded: tuple[Service, dict[str, Any], Person]) -> None:
    service, made, trader = traded
    market = made["markets"][1]["id"]
    (held,) = positions(trader)
    answer = decide(service, made["id"], won_side=1)

    assert answer["won_side"] is None
    assert not any(market["resolved"] for market in answer["markets"])
    decision = answer["resolution"]
    assert (decision["state"], decision["decided_by"]) == ("decided", "creator")
    assert (decision["won_side"], decision["payouts"]) == (1, [0, 1, 0])
    assert decision["decided_at"] < decision["disputable_until"]
    assert shown(service, made["id"]) == answer
    event = expect(service.client().get("/events", params={"status": "closed"}), 200)["events"][0]
    assert (event["pools"][0], event["is_active"]) == (answer, False)

    refused(bet(trader, market, "NO", 100), 409, "market_closed")
    refused(sell(trader, market, "YES"), 409, "market_closed")
    for action in ("pause", "resume"):
        refused(service.creator.client.post(f"/pools/{made['id']}/{action}"), 409, "invalid_state")
    assert expect(service.client().get(f"/market/orderbook/{market}"), 200)["asks"] == []
    # Worth what it was: nothing is final.
    assert positions(trader) == [{**held, "decided_kopecks": held["amount"]}]
    assert balance(trader) == 0


@proves(
    "lifecycle: No state waits for a task:",
    "lifecycle: an event that is neither `new` nor `cancelled` is at any moment `resolved` if every pool is;",
    (
        "lifecycle: Then, or at once without a window, it is final: `resolved` and `won_side` are set; another is "
        "409 `already_resolved`."
    ),
    "lifecycle: Until then it is an open one worth exactly what it will be paid",
    "lifecycle: not sellable (`market_resolved`).",
)
@ONCE
def test_the_end_of_the_window_waits_for_no_task(traded: tuple[Service, dict[str, Any], Person]) -> None:
    service, made, trader = traded
    market = made["markets"][1]["id"]
    (held,) = positions(trader)
    stop_payments(service)
    until = decide(service, made["id"], won_side=1)["resolution"]["disputable_until"]
    service.clock.advance(WINDOW_MS)

    wait_until(lambda: shown(service, made["id"])["won_side"] == 1)
    ended = shown(service, made["id"])
    assert all(market["resolved"] for market in ended["markets"])
    assert (ended["resolution"]["state"], ended["resolution"]["disputable_until"]) == ("paying", until)
    assert expect(service.client().get(f"/markets/{market}"), 200)["resolved"]
    (event,) = expect(service.client().get("/events", params={"status": "resolved"}), 200)["events"]
    assert (event["status"], event["pools"]) == ("resolved", [ended])
    assert expect(service.client().get("/events", params={"status": "closed"}), 200)["events"] == []
    refused(bet(trader, market, "NO", 100), 409, "market_resolved")
    refused(sell(trader, market, "YES"), 409, "market_resolved")
    refused(service.creator.client.post(f"/events/{event['id']}/cancel"), 409, "invalid_state")
    other = {"won_side": 0}
    for client in (service.creator.client, service.admin):
        refused(client.post(f"/pools/{made['id']}/resolve", json=other), 409, "already_resolved")
    # An open position, worth exactly what it will be paid.
    assert positions(trader) == [{**held, **dict.fromkeys(("value_kopecks", "decided_kopecks"), held["amount"])}]
    assert balance(trader) == 0


@proves(
    "lifecycle: Until `disputable_until` (which stays)",
)
def test_after_the_window_everything_is_paid(traded: tuple[Service, dict[str, Any], Person]) -> None:
    service, made, trader = traded
    (held,) = positions(trader)
    until = decide(service, made["id"], won_side=1)["resolution"]["disputable_until"]
    service.clock.advance(WINDOW_MS)
    wait_until(lambda: state(service, made["id"]) == "paid")
    assert balance(trader) == held["amount"]
    (closed,) = expect(trader.client.get("/market/positions/completed"), 200)["positions"]
    assert (closed["won_side"], closed["pnl"]) == (0, held["amount"] - 10_000)
    # The window's end stays, and a chart ends at the result, however late it was paid.
    resolution = shown(service, made["id"])["resolution"]
    assert resolution["disputable_until"] == until
    chart = expect(service.client().get(f"/markets/{made['markets'][0]['id']}/chart"), 200)
    assert chart[-1]["timestamp"] == resolution["decided_at"]
    kinds = [row["type"] for row in expect(service.creator.client.get("/notifications"), 200)["notifications"]]
    assert kinds[0] == "event_resolved"


@proves(
    (
        "lifecycle: Until `disputable_until` (which stays) an admin's other verdict replaces it (anyone else's: 403; "
        "the same: 200);"
    ),
    "decisions: another is 409 `already_resolved` (but an admin's correction within a dispute window) |",
)
def test_an_admin_corrects_within_the_window_and_opens_a_new_one(
    traded: tuple[Service, dict[str, Any], Person],
) -> None:
    service, made, trader = traded
    path = f"/pools/{made['id']}/resolve"
    first = decide(service, made["id"], won_side=0)["resolution"]
    service.clock.advance(WINDOW_MS // 2)
    refused(service.creator.client.post(path, json={"won_side": 1}), 403, "forbidden")
    corrected = expect(service.admin.post(path, json={"won_side": 1}), 200)["resolution"]
    assert (corrected["won_side"], corrected["decided_by"]) == (1, "admin")
    assert corrected["disputable_until"] > first["disputable_until"]
    assert corrected["decided_at"] > first["decided_at"]
    # The same again is fine for both, and moves nothing.
    for client in (service.creator.client, service.admin):
        assert expect(client.post(path, json={"won_side": 1}), 200)["resolution"] == corrected
    entry = expect(service.admin.get("/admin/log"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("pool.correct", f"pool:{made['id']}")
    assert entry["details"] == {"from": {"won_side": 0}, "to": {"won_side": 1}}
    (held,) = positions(trader)
    service.clock.advance(AGAIN_MS)
    service.sign_out_shared()
    trader.client.headers["Authorization"] = f"Bearer {service.sign_in(trader.email, trader.password)}"
    wait_until(lambda: state(service, made["id"]) == "paid")
    assert balance(trader) == held["amount"]


@proves(
    "lifecycle: Until `disputable_until` (which stays) an admin's other verdict replaces it",
    "lifecycle: another is 409 `already_resolved`.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("late_ms", "is_final"), [(-1, False), (0, True), (1, True)])
def test_a_correction_counts_until_the_last_millisecond_of_the_window(
    start_service: Callable[..., Service], late_ms: int, is_final: bool
) -> None:
    # The database's clock decides, not that of a slow server or of a fast one.
    slow, fast = (start_service(server_off_ms=off_ms) for off_ms in (-10_000, 10_000))
    now_ms = system_clock()
    (made,) = slow.event(pools=[disputable()])["pools"]
    for service in (slow, fast):
        stop_payments(service)
        service.clock.stop_at(now_ms)
    path = f"/pools/{made['id']}/resolve"
    until = expect(fast.admin.post(path, json={"won_side": 0}), 200)["resolution"]["disputable_until"]
    assert until == iso(now_ms + WINDOW_MS)
    for service in (slow, fast):
        service.clock.stop_at(now_ms + WINDOW_MS + late_ms)
    for service, won_side in ((slow, 1), (fast, 0)):
        answer = service.admin.post(path, json={"won_side": won_side})
        if is_final and won_side == 1:
            refused(answer, 409, "already_resolved")
        else:
            # The first is answered by the clock that decided: not final, and corrected.
            assert expect(answer, 200)["won_side"] == (0 if is_final else None)


@proves(
    "lifecycle: cancelling the event leaves it.",
)
def test_cancelling_leaves_a_decided_pool_to_its_window(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[disputable(), pool()])
    first, second = event["pools"]
    trader = service.user(balance_kopecks=2_000)
    won = expect(bet(trader, first["markets"][0]["id"], "YES", 1_000), 201)["shares"]
    expect(bet(trader, second["markets"][0]["id"], "YES", 1_000), 201)
    value = next(row for row in positions(trader) if row["pool_id"] == second["id"])["value_kopecks"]
    decide(service, first["id"], won_side=0)
    answer = expect(service.admin.post(f"/events/{event['id']}/cancel"), 200)
    assert answer["status"] == "cancelled"
    assert [made["won_side"] for made in answer["pools"]] == [None, -1]
    assert [made["resolution"]["state"] for made in answer["pools"]] == ["decided", "paid"]
    assert balance(trader) == value
    expect(service.admin.post(f"/pools/{first['id']}/resolve", json={"payouts": [0.5, 0.5]}), 200)
    service.clock.advance(AGAIN_MS)
    trader.client.headers["Authorization"] = f"Bearer {service.sign_in(trader.email, trader.password)}"
    wait_until(lambda: state(service, first["id"]) == "paid")
    assert balance(trader) == value + won // 2
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "cancelled"


@proves(
    (
        "lifecycle: an event that is neither `new` nor `cancelled` is at any moment `resolved` if every pool is; "
        "`closed` if every unresolved pool is past its `finish_at` or has a verdict; else `active`."
    ),
    (
        "decisions: `closed`: every unresolved pool is past its `finish_at` or has a verdict (lifecycle.md), none "
        "may be traded."
    ),
)
def test_an_event_closes_and_resolves_with_its_last_window(moving_service: Service) -> None:
    service = moving_service
    ending = pool(finish_at=iso(service.clock() + 3 * MINUTE_MS))
    event = service.event(pools=[disputable(minutes=5), disputable(minutes=60), ending])
    first, second, third = (made["id"] for made in event["pools"])

    def status() -> str:
        return str(expect(service.client().get(f"/events/{event['id']}"), 200)["status"])

    decide(service, first, won_side=0)
    decide(service, second, won_side=0)
    assert status() == "active"
    service.clock.advance(3 * MINUTE_MS)
    assert status() == "closed"
    decide(service, third, won_side=0)
    assert status() == "closed"
    service.clock.advance(10 * MINUTE_MS)
    assert status() == "closed"
    wait_until(lambda: state(service, first) == "paid")
    service.clock.advance(47 * MINUTE_MS)
    assert status() == "resolved"


@proves(
    (
        "lifecycle: A pool with such a rule is resolved by hand by an admin at any time, by its creator only in "
        "`attention` (else 403)."
    ),
)
def test_a_rule_is_overruled_by_admins_and_in_attention_by_the_creator(service: Service) -> None:
    owner = service.creator.client
    first, second, third = (service.event()["pools"][0]["id"] for _ in range(3))
    for pool_id in (first, second, third):
        set_pool(service, pool_id, resolution_kind="external")
    body = {"won_side": 0}
    refused(owner.post(f"/pools/{first}/resolve", json=body), 403, "forbidden")
    resolved = expect(service.admin.post(f"/pools/{first}/resolve", json=body), 200)["resolution"]
    assert (resolved["decided_by"], resolved["state"], resolved["kind"]) == ("admin", "paid", "external")
    assert expect(owner.post(f"/pools/{first}/resolve", json=body), 200)["resolution"] == resolved
    set_pool(service, second, attention_reason="no_result")
    waiting = expect(service.admin.get(f"/pools/{second}"), 200)["resolution"]
    assert (waiting["state"], waiting["reason"]) == ("attention", "no_result")
    assert expect(owner.post(f"/pools/{second}/resolve", json=body), 200)["resolution"]["decided_by"] == "creator"
    assert expect(service.admin.post(f"/pools/{third}/resolve", json={"void": True}), 200)["won_side"] == -1


def test_lists_of_resolved_events_have_those_whose_window_just_ended(fresh_service: Service) -> None:
    service = fresh_service
    trader = service.user(balance_kopecks=100_000)
    events = [
        service.event(
            pools=[
                disputable(
                    minutes=5 * (number % 2),
                    finish_at=iso(service.clock() + (9 - number % 3) * MINUTE_MS) if number else None,
                )
            ]
        )
        for number in range(6)
    ]
    for number, event in enumerate(events):
        made = event["pools"][0]
        expect(bet(trader, made["markets"][0]["id"], "YES", 1_000 + 100 * (number % 4)), 201)
    stop_payments(service)
    for event in events:
        if event is not events[0]:
            service.server.run(_decide(service, event["pools"][0]["id"]))
    service.server.run(_decide(service, events[0]["pools"][0]["id"]))
    service.clock.advance(5 * MINUTE_MS)

    def listed(sort: str, limit: int) -> list[int]:
        found: list[int] = []
        query: dict[str, Any] = {"status": "resolved", "sort": sort, "limit": limit}
        while True:
            page = expect(service.admin.get("/events", params=query), 200)
            found += [event["id"] for event in page["events"]]
            if page["next_cursor"] is None:
                return found
            query["cursor"] = page["next_cursor"]

    rows = [expect(service.admin.get(f"/events/{event['id']}"), 200) for event in events]
    assert {row["status"] for row in rows} == {"resolved"}

    for sort, rank in RANKS.items():
        expected = [row["id"] for row in sorted(rows, key=rank)]
        assert listed(sort, 100) == listed(sort, 1) == listed(sort, 4) == expected, sort


def _volume(row: dict[str, Any]) -> int:
    return sum(int(market["volume"]) for market in row["pools"][0]["markets"])


def _finish_at(row: dict[str, Any]) -> tuple[bool, str]:
    finish_at = row["pools"][0]["finish_at"]
    return finish_at is None, finish_at or ""


#: By the name of a sort: what it sorts events by.
RANKS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "new": lambda row: (-row["id"],),
    "volume": lambda row: (-_volume(row), -row["id"]),
    "closing": lambda row: (*_finish_at(row), row["id"]),
}


async def _decide(service: Service, pool_id: int) -> None:
    assert await service.app.db.write(lambda tx: settlement.decide(tx, pool_id, ResolveBody(won_side=0)))
