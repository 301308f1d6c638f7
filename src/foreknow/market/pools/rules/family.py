"""The kinds of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.rules.price import PriceRule

#: What gives a pool its result, as stored and shown.
Kind = Literal["manual", "price", "external"]
Rule = ManualRule | PriceRule | ExternalRule
RuleType = type[Rule]

RULE_TYPES: Mapping[str, RuleType] = {one.kind: one for one in (ManualRule, PriceRule, ExternalRule)}
RULE_SCHEMA: dict[str, Any] = {
    "description": "How the pool is resolved; left out: by hand.",
    "anyOf": [*(one.SCHEMA for one in RULE_TYPES.values()), {"type": "null"}],
}


def resolution_rule(path: str, sent: Any, *, market_count: int) -> Rule:
    """Check and read `metadata.resolution` of a pool with `market_count` markets; None is the manual rule.

    `BadRequest` names the wrong field, beginning with `path`.
    """
    if sent is None:
        return ManualRule(dispute_minutes=None)
    if not isinstance(sent, Mapping):
        raise wrong_field(path, "must be an object")
    kind = sent.get("kind")
    if kind is None:
        raise wrong_field(f"{path}.kind", "is required")
    if not isinstance(kind, str) or kind not in RULE_TYPES:
        raise wrong_field(f"{path}.kind", f"must be one of {', '.join(RULE_TYPES)}")
    return RULE_TYPES[kind].read(path, sent, market_count=market_count)
