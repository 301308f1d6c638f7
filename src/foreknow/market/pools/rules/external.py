"""The rule of a pool that the result of an event elsewhere resolves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import Meta

from foreknow.market.pools.rules.base import (
    DisputeMinutes,
    RuleView,
    integer_schema,
    number_or,
    read_body,
    rule_schema,
)

WAIT_MINUTES = 1_440
WAIT_MINUTES_MAX = 43_200


class ExternalRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The final result of the event at `external_event_url` resolves the pool."""

    kind: Literal["external"]
    wait_minutes: Annotated[int, Meta(ge=1, le=WAIT_MINUTES_MAX)] | None = None
    dispute_minutes: DisputeMinutes | None = None


@dataclass(frozen=True, slots=True)
class ExternalRule:
    """The final result of the event at `external_event_url` resolves the pool."""

    kind: ClassVar[Literal["external"]] = "external"
    gives_result: ClassVar = True
    needs_external_event: ClassVar = True
    SCHEMA: ClassVar = rule_schema(
        kind,
        "The final result of the event at `external_event_url` resolves the pool, which needs a `finish_at`.",
        [],
        wait_minutes=integer_schema(
            1, WAIT_MINUTES_MAX, "Minutes from `finish_at` until a person is needed.", default=WAIT_MINUTES
        ),
    )

    #: From `finish_at` on; without a result by then a person resolves it.
    wait_minutes: int
    #: None for the default of the settings.
    dispute_minutes: int | None

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any], *, market_count: int) -> Self:
        """Check and read what was sent; `BadRequest`."""
        del market_count
        body = read_body(path, sent, ExternalRuleBody)
        return cls(number_or(body.wait_minutes, WAIT_MINUTES), body.dispute_minutes)

    def view(self, strike: dict[str, Any] | None) -> RuleView:
        """Show the rule of a pool with this strike."""
        del strike
        return RuleView()
