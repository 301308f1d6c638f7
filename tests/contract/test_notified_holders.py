"""Who holds shares is notified within 2 s of a verdict, of its hold, and of rules that were made clearer, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.market.pools.store import load_pools
from foreknow.people.follows import pool_news
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement import notifying
from tests.site.following.readers import follow, notices, wait_for_notices
from tests.support.limit_orders import rest
from tests.support.orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import let_work
from tests.trading.settlement.windows import MINUTE_MS, disputable


def resolve(by: Person, pool_id: int, **body: Any) -> dict[str, Any]:
    answer: dict[str, Any] = expect(by.client.post(f"/pools/{pool_id}/resolve", json=body), 200)
    return answer


def notified(person: Person, kind: str, *, count: int = 1) -> dict[str, Any]:
    """Return the newest notification of a kind, the last of `count`."""
    found = wait_for_notices(person, kind, count=count)
    assert len(found) == count
    return found[-1]


@proves(
    "results: **Told within 2 s**, to who holds shares of the pool: `verdict_decided` at each verdict with a window "
    "(`params.result, payouts, payout_kopecks` (what their shares will be paid), `disputable_until`; mail `now`)",
)
def test_holders_are_notified_of_each_verdict_with_a_window(service: Service) -> None:
    event = service.event(pools=[disputable(["Reds", "Blues"])])
    (made,) = event["pools"]
    reds, blues = (market["id"] for market in made["markets"])
    ann, bob, sold_out = (service.user(balance_kopecks=10_000) for _ in range(3))
    for person, market_id, side in (
        (ann, reds, "YES"),
        (ann, blues, "NO"),
        (bob, blues, "YES"),
        (sold_out, reds, "YES"),
    ):
        expect(bet(person, market_id, side, 1_000), 201)
    expect(sell(sold_out, reds, "YES"), 201)
    mine = expect(ann.client.get("/market/positions"), 200)["positions"]

    answer = resolve(service.creator, made["id"], won_side=0)
    one = notified(ann, "verdict_decided")
    params = one["params"]
    assert one["event_id"] == event["id"]
    assert (params["result"], params["payouts"]) == ("Reds", [1, 0])
    assert params["payout_kopecks"] == sum(position["amount"] for position in mine)
    assert params["disputable_until"] == answer["resolution"]["disputable_until"]
    assert notified(bob, "verdict_decided")["params"]["payout_kopecks"] == 0

    resolve(service.user(admin=True), made["id"], void=True)
    params = notified(ann, "verdict_decided", count=2)["params"]
    assert (params["result"], params["payouts"]) == ("", None)
    assert 0 < params["payout_kopecks"] < sum(position["amount"] for position in mine)
    assert notices(sold_out, "verdict_decided") == notices(service.creator, "verdict_decided") == []
    choice = expect(ann.client.get("/users/me/notification-settings"), 200)["verdict_decided"]
    assert choice == {"app": True, "email": "now"}


def test_a_verdict_without_a_window_is_paid_and_notified_so(service: Service) -> None:
    (made,) = service.event(pools=[pool()])["pools"]
    ann = service.user(balance_kopecks=1_000)
    expect(bet(ann, made["markets"][0]["id"], "YES", 1_000), 201)
    resolve(service.creator, made["id"], won_side=0)
    assert wait_for_notices(ann, "position_settled")
    assert notices(ann, "verdict_decided") == []


@proves("results: `verdict_held` (once a verdict, `params.held_until`)")
def test_holders_are_notified_of_a_hold(service: Service) -> None:
    (made,) = service.event(pools=[disputable()])["pools"]
    ann, other = service.user(balance_kopecks=1_000), service.user()
    expect(bet(ann, made["markets"][0]["id"], "NO", 1_000), 201)
    resolve(service.creator, made["id"], won_side=0)

    def hold(tx: WriteTx) -> str:
        held_until_ms = now_ms(tx) + MINUTE_MS
        notifying.write_held(
            tx, load_pools(tx, [made["id"]])[made["id"]], held_until_ms=held_until_ms, at_ms=now_ms(tx)
        )
        return iso(held_until_ms)

    held_until = service.server.run(service.app.db.write(hold))
    assert notified(ann, "verdict_held")["params"]["held_until"] == held_until
    assert notices(other, "verdict_held") == []


@proves(
    "results: to who holds shares, has open orders or follows `rules_clarified` (one an event and person in 60 minutes)"
)
def test_holders_orderers_and_followers_are_notified_of_clearer_rules(service: Service) -> None:
    event = service.event(pools=[pool(["Reds", "Blues"])])
    (made,) = event["pools"]
    reds = made["markets"][0]["id"]
    holder, orderer, follower, other = (service.user(balance_kopecks=1_000) for _ in range(4))
    expect(bet(holder, reds, "YES", 500), 201)
    rest(orderer, reds, "YES", "buy", price=1, shares=1_000)
    expect(orderer.client.delete(f"/events/{event['id']}/follow"), 200)
    for person in (holder, follower, service.creator):
        follow(person, f"events/{event['id']}")

    def clarify(tx: WriteTx) -> None:
        row = load_pools(tx, [made["id"]])[made["id"]]
        pool_news.write_clarified(tx, row, by_id=service.creator.id, at_ms=now_ms(tx))

    service.server.run(service.app.db.write(clarify))
    for person in (holder, orderer, follower):
        assert notified(person, "rules_clarified")["event_id"] == event["id"]
    service.server.run(service.app.db.write(clarify))
    let_work()
    assert [len(notices(one, "rules_clarified")) for one in (holder, orderer, follower)] == [1, 1, 1]
    assert notices(other, "rules_clarified") == notices(service.creator, "rules_clarified") == []


@proves(
    "results: `event_resolved`, `position_settled` + `params.result` (names of what won; YES of one market: its name, "
    'NO: ""; else "") and `params.payouts`.',
)
@pytest.mark.parametrize(
    ("names", "resolution", "result", "payouts"),
    [
        (["Reds", "Blues"], {"won_side": 1}, "Blues", [0, 1]),
        (None, {"won_side": 0}, "its name", [1, 0]),
        (None, {"won_side": 1}, "", [0, 1]),
        (["Reds", "Blues"], {"payouts": [0.5, 0.5]}, "", [0.5, 0.5]),
        (["Reds", "Blues"], {"void": True}, "", None),
    ],
)
def test_what_is_settled_says_what_won(
    service: Service, names: list[str] | None, resolution: dict[str, Any], result: str, payouts: list[float] | None
) -> None:
    event = service.event(pools=[pool(names)])
    (made,) = event["pools"]
    ann = service.user(balance_kopecks=1_000)
    expect(bet(ann, made["markets"][0]["id"], "YES", 1_000), 201)
    follow(ann, f"events/{event['id']}")
    resolve(service.creator, made["id"], **resolution)
    wanted = (made["markets"][0]["name"] if result == "its name" else result, payouts)
    for kind in ("position_settled", "event_resolved"):
        (one,) = wait_for_notices(ann, kind)
        assert (one["params"]["result"], one["params"]["payouts"]) == wanted
