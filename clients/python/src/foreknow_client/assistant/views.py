"""What the tools show of the service's answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from foreknow_client import models


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    return msgspec.to_builtins(value)


def record(value: Any) -> dict[str, Any]:
    """Return an answer as JSON has it."""
    found: dict[str, Any] = plain(value)
    return found


def position(one: models.Position) -> dict[str, Any]:
    """Return a position of the owner's."""
    return {
        "event_id": one.event_id,
        "event": one.event_name,
        "market_id": one.market_id,
        "outcome": one.market_name,
        "side": one.token_type,
        "shares": one.amount,
        "cost_kopecks": one.cost_kopecks,
        "value_kopecks": one.value_kopecks,
    }


def card(card: models.Card) -> dict[str, Any]:
    """Return an event as a search lists it."""
    return {
        "event_id": card.event_id,
        "name": card.name,
        "status": card.status,
        "tags": card.tags,
        "trading_ends": plain(card.finish_at),
        "volume_kopecks": card.volume_kopecks,
        "question": card.pool.name,
        "outcomes": [
            {"market_id": one.market_id, "name": one.name, "probability": one.probability} for one in card.pool.top
        ],
        "outcomes_in_all": card.pool.outcomes,
    }


def pool(pool: models.Pool, clarifications: Sequence[models.Clarification]) -> dict[str, Any]:
    """Return a question, what made its rules clearer, its result so far, and its markets."""
    resolution = pool.resolution
    return {
        "pool_id": pool.id,
        "question": pool.name,
        "rules": pool.rules,
        "clarifications": [
            {"text": one.text, "by": plain(one.by), "at": plain(one.created_at)} for one in clarifications
        ],
        "result": None
        if resolution.decided_at is None
        else {
            "won_side": resolution.won_side,
            "payouts": resolution.payouts,
            "note": resolution.note,
            "source_url": resolution.source_url,
            "disputable_until": plain(resolution.disputable_until),
            "held_until": plain(resolution.held_until),
        },
        "fee": pool.margin,
        "trading_ends": plain(pool.finish_at),
        "won_side": pool.won_side,
        "other_market_id": next((one.id for one in pool.markets if one.outcome_index == pool.other), None),
        "markets": [
            {"market_id": one.id, "name": one.name, "probability": one.yes_probability, "paused": one.paused}
            for one in pool.markets
        ],
    }


def forecasts(pool: models.Pool, found: models.PoolForecastPage) -> dict[str, Any]:
    """Return what people think of a question beside its prices."""
    return {
        "pool_id": pool.id,
        "question": pool.name,
        "forecasters": found.forecasters,
        "hidden": found.hidden,
        "outcomes": [market.name for market in pool.markets],
        "market": [market.yes_probability for market in pool.markets],
        "crowd": plain(found.crowd),
        "mine": plain(found.mine),
    }
