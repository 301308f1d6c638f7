"""Pools with dispute windows and rules, on running services."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from foreknow.market.pools.tables import pools
from foreknow.platform.db.transactions import WriteTx
from tests.support.service import Service, expect, pool

MINUTE_MS = 60_000


def set_pool(service: Service, pool_id: int, **columns: Any) -> None:
    """Change columns of a pool's row."""
    change = pools.update().where(pools.c.id == pool_id).values(**columns)
    service.server.run(service.app.db.write(lambda tx: tx.execute(change)))


def disputable(names: Iterable[str] | None = None, *, minutes: int = 10, **fields: Any) -> dict[str, Any]:
    """Describe a pool with a dispute window; otherwise as `pool` of `tests.support.service`."""
    described = pool(names, **fields)
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": minutes}
    return described


def stop_payments(service: Service) -> None:
    """Let the service decide, and pay nothing."""
    service.server.run(service.app.services.payments.stop())


def shown(service: Service, pool_id: int) -> dict[str, Any]:
    """Return a pool as anyone sees it."""
    found: dict[str, Any] = expect(service.client().get(f"/pools/{pool_id}"), 200)
    return found


def state(service: Service, pool_id: int) -> str:
    """Return the state of a pool's resolution."""
    return str(shown(service, pool_id)["resolution"]["state"])


#: Of `give_window`.
DISPUTABLE_MINUTES = 10


def give_window(tx: WriteTx, pool_id: int) -> None:
    """Give a pool that has no result a dispute window."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(dispute_minutes=DISPUTABLE_MINUTES))
