"""A pool's row, and the part of it that prices and orders depend on."""

from __future__ import annotations

import pytest
from msgspec.structs import asdict

from foreknow.market.pools.store import PricedPool, load_pools, load_priced_pools, lock_priced_pools
from foreknow.market.pools.tables import pools
from foreknow.platform.db.transactions import ReadTx, WriteTx
from tests.support.orders import bet
from tests.support.service import Service, expect
from tests.trading.settlement.windows import disputable


@pytest.mark.parametrize("is_decided", [False, True])
def test_orders_meet_the_pool_that_its_whole_row_describes(fresh_service: Service, *, is_decided: bool) -> None:
    service = fresh_service
    (made,) = service.event(pools=[disputable(["a", "b", "c"])])["pools"]
    expect(bet(service.user(balance_kopecks=10_000), made["markets"][1]["id"], "YES", 5_000), 201)
    if is_decided:
        expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)

    def both(tx: ReadTx) -> tuple[PricedPool, PricedPool]:
        return load_pools(tx, [made["id"]])[made["id"]], load_priced_pools(tx, [made["id"]])[made["id"]]

    whole, part = service.look(both)
    locked = service.server.run(service.app.db.write(lambda tx: lock_priced_pools(tx, [made["id"]])))[made["id"]]

    assert part == locked
    assert type(part) is PricedPool
    assert asdict(part) == {name: asdict(whole)[name] for name in PricedPool.__struct_fields__}
    assert part.is_decided is is_decided
    assert part.lmsr().probabilities() == whole.lmsr().probabilities()


def test_a_pool_resolved_before_decisions_were_noted_was_decided_when_it_was_resolved(fresh_service: Service) -> None:
    service = fresh_service
    pool_id = service.event()["pools"][0]["id"]
    shown = expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)["resolution"]

    def forget(tx: WriteTx) -> None:
        tx.execute(pools.update().where(pools.c.id == pool_id).values(decided_at_ms=None, decided_by=None))

    service.server.run(service.app.db.write(forget))

    expected = shown | {"decided_by": None}
    assert expect(service.creator.client.get(f"/pools/{pool_id}"), 200)["resolution"] == expected
