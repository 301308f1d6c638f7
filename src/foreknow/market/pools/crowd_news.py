"""Pools whose crowd may have changed, for the follower of forecasts: by a forecast, an account, or a split."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.market.pools.tables import forecast_news
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import WriteTx


def note_for_crowds(tx: WriteTx, pool_ids: Collection[int], *, user_id: int | None = None) -> None:
    """Let the follower look at what the crowds of these pools think; None: not because of a user."""
    insert_rows(tx, forecast_news, ("pool_id", "user_id"), [(pool_id, user_id) for pool_id in pool_ids])
