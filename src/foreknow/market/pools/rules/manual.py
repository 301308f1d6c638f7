"""The rule of a pool that a person resolves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import msgspec

from foreknow.market.pools.rules.base import DisputeMinutes, RuleView, read_body, rule_schema


class ManualRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person resolves the pool."""

    kind: Literal["manual"]
    dispute_minutes: DisputeMinutes | None = None


@dataclass(frozen=True, slots=True)
class ManualRule:
    """A person resolves the pool."""

    kind: ClassVar[Literal["manual"]] = "manual"
    gives_result: ClassVar = False
    needs_external_event: ClassVar = False
    SCHEMA: ClassVar = rule_schema(kind, "A person resolves the pool.", [])

    #: None for the default of the settings.
    dispute_minutes: int | None

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any], *, market_count: int) -> Self:
        """Check and read what was sent; `BadRequest`."""
        del market_count
        return cls(read_body(path, sent, ManualRuleBody).dispute_minutes)

    def view(self, strike: dict[str, Any] | None) -> RuleView:
        """Show the rule of a pool with this strike."""
        del strike
        return RuleView()
