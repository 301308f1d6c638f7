"""Partners are posted each verdict that can be corrected, and its first hold, once each and in order."""

from __future__ import annotations

from typing import Any

import msgspec

from foreknow.kernel.clock import iso
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement import notifying
from foreknow_client.messages import DecidedPoolMessage, WebhookMessage
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool
from tests.support.waiting import wait_until
from tests.support.webhook import Webhook
from tests.trading.settlement.windows import MINUTE_MS, disputable


def decided(sink: Webhook, pool_id: int) -> list[dict[str, Any]]:
    """Return what was posted of a pool's verdicts, in order."""
    ours = [call.body for call in sink.requests if call.body["data"].get("pool_id") == pool_id]
    return [body["data"] for body in ours if body["type"] == "pool.decided"]


@proves(
    "results: Partners' webhooks: `pool.decided` at each verdict with a window and at its first hold, its body as "
    "`pool.resolved` (`resolved_at` null) with `disputable_until, held_until`."
)
def test_each_verdict_with_a_window_and_its_hold_are_posted(service: Service, sink: Webhook) -> None:
    partner = service.partner()
    (before,) = service.event(pools=[disputable()])["pools"]
    expect(service.creator.client.post(f"/pools/{before['id']}/resolve", json={"won_side": 0}), 200)
    expect(service.admin.put(f"/admin/partners/{partner.name}/webhook", json={"url": sink.address}), 200)
    event = service.event(pools=[disputable(["Reds", "Blues"]), pool()])
    made, plain = event["pools"]
    answer = expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)
    until = answer["resolution"]["disputable_until"]

    def hold(tx: WriteTx) -> str:
        row, at_ms = load_pools(tx, [made["id"]])[made["id"]], now_ms(tx)
        notifying.write_held(tx, row, held_until_ms=at_ms + MINUTE_MS, at_ms=at_ms)
        return iso(at_ms + MINUTE_MS)

    held_until = service.server.run(service.app.db.write(hold))
    corrected = expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"void": True}), 200)
    expect(service.creator.client.post(f"/pools/{plain['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: any(call.body["data"].get("pool_id") == plain["id"] for call in sink.requests))
    wait_until(lambda: len(decided(sink, made["id"])) >= 3)
    same = {
        "pool_id": made["id"],
        "event_id": event["id"],
        "market_ids": [market["id"] for market in made["markets"]],
        "resolved_at": None,
    }
    first = same | {"won_side": 1, "payouts": [0, 1], "disputable_until": until, "held_until": None}
    again = corrected["resolution"]["disputable_until"]
    last = same | {"won_side": -1, "payouts": None, "disputable_until": again, "held_until": None}
    assert decided(sink, made["id"]) == [first, first | {"held_until": held_until}, last]
    # What came before the webhook is not posted, nor is a result that is final at once.
    assert decided(sink, before["id"]) == decided(sink, plain["id"]) == []
    posted = [call for call in sink.requests if call.body["type"] == "pool.decided"]
    assert len({call.headers["webhook-id"] for call in posted}) == len(posted)
    read = msgspec.json.decode(posted[0].raw, type=WebhookMessage)
    assert isinstance(read, DecidedPoolMessage)
    waiting = f"/admin/partners/{partner.name}/webhook"
    wait_until(lambda: expect(service.admin.get(waiting), 200)["waiting"] == 0)
