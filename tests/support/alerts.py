"""Alerts that are noted as sent: a moment after they have come, as long as which their channel is leased."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from foreknow.people.alerts.tables import support_alerts
from foreknow.platform.db.engine import Database
from tests.support.waiting import happens


async def until(db: Database, query: sa.Select[Any], condition: Callable[[Any], bool]) -> None:
    """Return when the one value of a query is as wanted."""

    async def is_as_wanted() -> bool:
        return condition(await db.read(lambda tx: tx.execute(query).scalar_one()))

    await happens(is_as_wanted)


async def settled(db: Database, count: int) -> None:
    """Return when `count` alerts are noted as sent."""
    query = sa.select(sa.func.count()).where(support_alerts.c.sent_at_ms.is_not(None))
    await until(db, query, lambda found: found == count)
