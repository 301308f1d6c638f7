"""JSON Schema of a rule of resolution, for the API page; `resolution_rules` checks."""

from __future__ import annotations

from typing import Any

from foreknow.pools.resolution_rules import (
    DECIMALS,
    DECIMALS_MAX,
    DISPUTE_MINUTES_MAX,
    NUMBER_MAX,
    SOURCE_MAX,
    WAIT_MINUTES,
    WAIT_MINUTES_MAX,
    WITHIN_SECONDS,
    WITHIN_SECONDS_MAX,
)
from foreknow.validation.fields import required_text_schema


def _integer(least: int, most: int, description: str, **rest: Any) -> dict[str, Any]:
    return {"type": ["integer", "null"], "minimum": least, "maximum": most, "description": description, **rest}


def _rule(kind: str, description: str, required: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "required": ["kind", *required],
        "properties": {"kind": {"const": kind}, **fields, "dispute_minutes": _DISPUTE},
        "additionalProperties": False,
    }


def _relative(key: str) -> dict[str, Any]:
    return {"type": "object", "required": [key], "properties": {key: _PLAIN}, "additionalProperties": False}


_DISPUTE = _integer(
    0,
    DISPUTE_MINUTES_MAX,
    "Minutes in which an admin may correct the decision before it is paid; left out: FOREKNOW_DISPUTE_MINUTES.",
)
_PLAIN = {"type": "number", "minimum": -NUMBER_MAX, "maximum": NUMBER_MAX}
_NUMBER = {"anyOf": [_PLAIN, _relative("times"), _relative("plus"), {"type": "null"}]}
_INTERVAL = {
    "type": "object",
    "description": "At most one of `above` (>) and `from` (≥), and at most one of `below` (<) and `to` (≤).",
    "properties": dict.fromkeys(["above", "from", "below", "to"], _NUMBER),
    "additionalProperties": False,
}
RULE_SCHEMA: dict[str, Any] = {
    "description": "How the pool is resolved; left out: by hand.",
    "anyOf": [
        _rule("manual", "A person resolves the pool.", []),
        _rule(
            "price",
            "The first observation of an asset's price from `finish_at` on resolves the pool, which needs a "
            "`finish_at`.",
            ["symbol", "outcomes"],
            symbol={"type": "string", "pattern": "^[A-Za-z0-9._-]{1,20}$", "examples": ["BTC"]},
            outcomes={
                "type": "array",
                "items": _INTERVAL,
                "description": "One interval a market, in their order, which together hold every number exactly once; "
                "in a single-market pool one, in which YES wins. All numbers are plain, or all `times` the strike, or "
                "all `plus` the strike.",
                "examples": [[{"below": 68_000}, {"from": 68_000}]],
            },
            source={
                "type": ["string", "null"],
                **required_text_schema(SOURCE_MAX),
                "description": "Only observations of this provider, or `admin`, count.",
            },
            within_seconds=_integer(
                1,
                WITHIN_SECONDS_MAX,
                "Seconds from `finish_at` in which an observation counts.",
                default=WITHIN_SECONDS,
            ),
            decimals=_integer(
                0, DECIMALS_MAX, "Decimals of plain numbers at most, and of numbers filled in.", default=DECIMALS
            ),
        ),
        _rule(
            "external",
            "The final result of the event at `external_event_url` resolves the pool, which needs a `finish_at`.",
            [],
            wait_minutes=_integer(
                1, WAIT_MINUTES_MAX, "Minutes from `finish_at` until a person is needed.", default=WAIT_MINUTES
            ),
        ),
        {"type": "null"},
    ],
}
