"""Shapes of pools, and pools with them, as tests send them."""

from __future__ import annotations

from typing import Any

from tests.support.observed import Asset

NUMBER = {"kind": "number", "edges": [10, 20], "unit": "°C"}
DATE = {"kind": "date", "edges": ["2027-01-01T00:00:00Z", "2027-04-01T00:00:00Z"]}
QUESTIONS = [
    {"name": "A", "outcomes": ["Yes", "No"]},
    {"name": "B", "name_ru": "Б", "outcomes": ["Yes", "No", "Maybe"], "outcomes_ru": ["Да", "Нет", "Может быть"]},
]
JOINT = {"kind": "joint", "questions": QUESTIONS}
JOINT_NAMES = ["Yes · Yes", "Yes · No", "Yes · Maybe", "No · Yes", "No · No", "No · Maybe"]
FINISH_AT = "2096-11-20T15:00:00.000Z"


def names(pool: Any) -> list[str]:
    return [market["name"] for market in pool["markets"]]


def priced(asset: Asset, outcomes: list[dict[str, Any]], **shape: Any) -> dict[str, Any]:
    """Describe a pool that an asset's price resolves."""
    market_names = [f"Outcome {index}" for index in range(len(outcomes))]
    metadata = {"resolution": asset.rule(outcomes), "shape": {"kind": "number"} | shape, "market_names": market_names}
    return {"metadata": metadata, "finish_at": FINISH_AT}
