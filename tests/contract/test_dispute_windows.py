"""Results, "Windows": how long a verdict can be corrected, and what a cancellation may still do."""

from __future__ import annotations

from tests.contract.site_setting import change
from tests.support.disputes import DAY_MS, HOUR_MS, MINUTE_MS, asked, leap, read_time, resolution, resolve, trader
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

LEAST = (
    "results: **Windows.** `dispute_minutes` under `FOREKNOW_DISPUTE_MINUTES` counts as that, unless an admin "
    "makes the event (an instance: its series' maker, as it opens; a suggestion's maker stays its maker)."
)
CANCELLED = (
    "results: An event that was traded in a pool with a window is cancelled by an admin alone (else 403), final at "
    'once as ever; its creator resolves `{"void": true}`, which has the window.'
)
AGAIN = (
    "results: Each further verdict, objected to or not, opens a new window: the pool's `dispute_minutes`, at least 60 "
    '(so much of lifecycle.md\'s "which stays" ends).'
)
ENDED = "results: Trading ended at `history[0].decided_at`, whatever follows."
LAST = (
    "results: 14 days after the first `disputable_until` the present verdict is final, and another is 409 "
    "`already_resolved`; no `disputable_until` or `held_until` is later than that."
)
REPLACED = "results: Until it is final, confirmed or not, another verdict of an admin replaces it."


@proves(LEAST)
def test_no_creator_makes_windows_shorter_than_the_site_has(fresh_service: Service) -> None:
    service = fresh_service
    creator, admin = service.user(creator=True), service.user(creator=True, admin=True)
    change(service, dispute_minutes=30)
    for maker, minutes, counts in ((creator, 5, 30), (creator, 45, 45), (admin, 5, 5)):
        made = asked(service, maker, minutes=minutes)
        assert made["resolution"]["dispute_minutes"] == counts
        assert made["metadata"]["resolution"]["dispute_minutes"] == minutes
    assert expect(service.client().get("/site"), 200)["dispute_minutes"] == 30


@proves(CANCELLED)
def test_what_was_traded_with_a_window_is_cancelled_by_admins_alone(service: Service) -> None:
    creator = service.user(creator=True)
    untraded, traded, voided = (asked(service, creator) for _ in range(3))
    for one in (traded, voided):
        trader(service, one)
    expect(creator.client.post(f"/events/{untraded['event_id']}/cancel"), 200)
    refused(creator.client.post(f"/events/{traded['event_id']}/cancel"), 403, "forbidden")
    page = expect(creator.client.get(f"/events/{traded['event_id']}/page"), 200)
    assert "cancel" not in page["may"]
    expect(service.admin.post(f"/events/{traded['event_id']}/cancel"), 200)
    wait_until(lambda: resolution(service, traded["id"])["state"] == "paid")
    shown = resolve(creator.client, voided["id"], void=True)
    assert (shown["state"], shown["won_side"]) == ("decided", -1)
    assert shown["disputable_until"] is not None


@proves(AGAIN, ENDED, REPLACED)
def test_each_further_verdict_has_its_own_window(moving_service: Service) -> None:
    service = moving_service
    short, long = asked(service, minutes=10), asked(service, minutes=120)
    buyer = trader(service, short)
    for one in (short, long):
        resolve(service.creator.client, one["id"], won_side=0)
    service.clock.advance(9 * MINUTE_MS)
    for one, window_ms in ((short, HOUR_MS), (long, 2 * HOUR_MS)):
        second = resolve(service.admin, one["id"], won_side=1)
        first, present = second["history"]
        assert read_time(second["disputable_until"]) - read_time(second["decided_at"]) == window_ms
        assert read_time(first["decided_at"]) < read_time(present["decided_at"])
    leap(service, service.clock() + 59 * MINUTE_MS, buyer)
    third = resolve(service.admin, short["id"], won_side=0)
    assert third["state"] == "decided"
    assert [one["won_side"] for one in third["history"]] == [0, 1, 0]
    leap(service, read_time(third["disputable_until"]), buyer)
    refused(service.admin.post(f"/pools/{short['id']}/resolve", json={"won_side": 1}), 409, "already_resolved")
    wait_until(lambda: resolution(service, short["id"])["state"] == "paid")
    (closed,) = expect(buyer.client.get("/market/positions/completed"), 200)["positions"]
    assert closed["won_side"] == 0


@proves(LAST)
def test_two_weeks_after_the_first_window_a_verdict_is_final(moving_service: Service) -> None:
    service = moving_service
    made = asked(service, minutes=60 * 24 * 7)
    first = resolve(service.creator.client, made["id"], won_side=0)
    last_ms = read_time(first["disputable_until"]) + 14 * DAY_MS
    winner, shown = 0, first
    while read_time(shown["disputable_until"]) < last_ms:
        leap(service, read_time(shown["disputable_until"]) - MINUTE_MS)
        winner = 1 - winner
        shown = resolve(service.admin, made["id"], won_side=winner)
        assert shown["state"] == "decided"
    assert read_time(shown["disputable_until"]) == last_ms
    leap(service, last_ms - MINUTE_MS)
    shown = resolve(service.admin, made["id"], won_side=1 - winner)
    assert read_time(shown["disputable_until"]) == last_ms
    leap(service, last_ms)
    refused(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": winner}), 409, "already_resolved")
    assert resolution(service, made["id"])["state"] in {"paying", "paid"}
