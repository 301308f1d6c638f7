"""Pools that were resolved before their verdicts were kept."""

from __future__ import annotations

import importlib
from typing import Any

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from tests.support.orders import bet
from tests.support.service import Person, Service, expect

STEP = importlib.import_module("foreknow.platform.db.migrations.versions.0116_verdicts")


def ended(service: Service, creator: Person, decider: Any, *, trader: Person | None, cancel: bool = False) -> int:
    """Return a pool with a result of `decider`'s, in which `trader` has a position."""
    event = service.event(creator=creator)
    (pool,) = event["pools"]
    if trader is not None:
        expect(bet(trader, pool["markets"][0]["id"], "YES", 100), 201)
    if cancel:
        expect(decider.post(f"/events/{event['id']}/cancel"), 200)
    else:
        expect(decider.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)
    return int(pool["id"])


def test_they_have_their_one_verdict_with_who_gave_it_and_whether_they_traded(service: Service) -> None:
    creator = service.user(creator=True, balance_kopecks=10_000)
    other = service.user(balance_kopecks=10_000)
    ids = [
        ended(service, creator, decider, trader=trader, cancel=cancel)
        for decider in (creator.client, service.admin)
        for trader in (None, creator, other)
        for cancel in (False, True)
    ]
    query = sa.select(pools.c.id, pools.c.verdicts).where(pools.c.id.in_(ids)).order_by(pools.c.id)
    written = service.look(lambda tx: tx.execute(query).all())

    def fill(tx: Any) -> None:
        tx.execute(pools.update().where(pools.c.id.in_(ids)).values(verdicts=None))
        STEP.fill(tx)

    service.server.run(service.app.db.write(fill))

    filled = service.look(lambda tx: tx.execute(query).all())
    shown = [{**verdict, "void_at_ms": None} for _, (verdict,) in written]
    for one in shown:
        del one["reasons"]
    assert [verdict for _, (verdict,) in filled] == shown
    by = [(one["by"], one["decider_trades"]) for one in shown]
    theirs = [("creator", trades) for trades in (False, False, True, True, False, False)]
    assert by == [*theirs, *[("admin", False)] * 6]
