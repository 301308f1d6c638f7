"""Hand-made rows of pools, for tests without a database."""

from __future__ import annotations

from typing import Any

from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.store import PoolRow, PoolState


def pool_row(outcomes: int = 1, **fields: Any) -> PoolRow:
    """Return an open pool with `outcomes` markets at equal priors."""
    markets = tuple(
        MarketRow(
            id=10 + index,
            pool_id=1,
            event_id=1,
            outcome_index=index,
            name=f"Outcome {index}",
            probability=1 / max(2, outcomes),
            q_yes=0,
            q_no=0,
            volume_kopecks=0,
        )
        for index in range(outcomes)
    )
    usual: dict[str, Any] = {
        "id": 1,
        "event_id": 1,
        "creator_id": 1,
        "position": 0,
        "name": "",
        "name_ru": "",
        "rules": "",
        "margin": 0.0,
        "live_at_ms": None,
        "finish_at_ms": None,
        "metadata": {},
        "b": 100_000,
        "weights": (1,) * max(2, outcomes),
        "state": PoolState.OPEN,
        "paused": False,
        "published_at_ms": 0,
        "resolved_at_ms": None,
        "is_decided": fields.get("decision") is not None,
        "disputable_until_ms": None,
        "liquidity": (),
        "loss_bound_kopecks": 0,
        "escrow_account_id": 1,
        "fees_account_id": 2,
        "volume_kopecks": 0,
        "trade_count": 0,
        "last_trade_at_ms": None,
        "markets": markets,
    }
    return PoolRow(**(usual | fields))
