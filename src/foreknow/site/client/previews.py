"""What a link to an event shows where it is shared: its name, and its leading outcomes with their chances."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.service import visible_event
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx

#: Further outcomes would be cut off where links are shown.
_OUTCOMES_MAX = 3
_YES_NO = ("Yes", "No")


class LinkTexts(msgspec.Struct, frozen=True):
    """The texts of an event's link."""

    event_id: int
    title: str
    description: str


def read_preview(tx: ReadTx, event_id: int, *, now_ms: int) -> tuple[LinkTexts, Sequence[int]]:
    """Return the preview of a public event, and the pools that it shows; `EventNotFound` for any other."""
    event = visible_event(tx, event_id, None)
    main_id = main_pool_id(event, pool_ids_of_events(tx, [event_id])[event_id])
    return LinkTexts(event_id, event.name, _outcomes(load_pools(tx, [main_id])[main_id], now_ms)), [main_id]


def _outcomes(pool: PoolRow, now_ms: int) -> str:
    """Return the result of a resolved pool, else its leading outcomes."""
    is_yes_no = len(pool.markets) == 1
    names = _YES_NO if is_yes_no else tuple(market.name for market in pool.markets)
    result = pool.final_result(now_ms)
    if result is not None:
        return "Settled without a winner" if result.winner is None else f"Result: {names[result.winner]}"
    chances = sorted(zip(pool.lmsr().probabilities(), names, strict=False), key=lambda one: one[0], reverse=True)
    return " · ".join(f"{name} {_percent(chance)}" for chance, name in chances[:_OUTCOMES_MAX])


def _percent(chance: float) -> str:
    """Return a chance in whole percent; an open outcome is neither certain nor impossible."""
    percent = round(chance * 100)
    return "<1%" if percent < 1 else ">99%" if percent > 99 else f"{percent}%"
