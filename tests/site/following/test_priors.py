"""New priors of a pool without trades reach price alerts and move its event, as trades do."""

from __future__ import annotations

from typing import Any

from foreknow.market.pools.store import load_priced_pools, lock_priced_pools
from foreknow.people.follows import news
from foreknow.platform.db.clock import now_ms
from tests.site.following.readers import follow, wait_for_notices
from tests.support.proofs import proves
from tests.support.service import Service, expect


@proves(
    "site: Each is told once, however soon it is replaced or taken back after it was reached, at the first trade or "
    "new priors that leave the price at or past it, then gone, as at the market's end."
)
def test_priors_that_come_back_at_once_have_reached_an_alert(service: Service) -> None:
    ann, event = service.user(), service.event()
    pool = event["pools"][0]
    follow(ann, f"events/{event['id']}")
    market_id = pool["markets"][0]["id"]
    expect(ann.client.put(f"/markets/{market_id}/alert", json={"above": 6200}), 200)

    def move(tx: Any) -> None:
        # As `trading/odds/rounds.py` notes it, there and back.
        row = lock_priced_pools(tx, [pool["id"]])[pool["id"]]
        for before, after in ((0.5, 0.7), (0.7, 0.5)):
            news.note_prior(tx, row, [after], before=[before], at_ms=now_ms(tx))

    service.server.run(service.app.db.write(move))
    (notice,) = wait_for_notices(ann, "price_alert")
    assert notice["params"]["after_bps"] == 7000
    assert service.look(lambda tx: load_priced_pools(tx, [pool["id"]]))[pool["id"]].trade_count == 0
