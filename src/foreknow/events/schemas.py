"""Events as requests bring them and as answers show them (interface, sections 2 and 4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from foreknow.events.store import EventRow, EventStatus
from foreknow.kernel.clock import iso
from foreknow.pools.schemas import Pool, pool_view
from foreknow.pools.store import PoolRow
from foreknow.validation.fields import required_text_schema
from foreknow.validation.urls import URL_SCHEMA

POOLS_MAX = 100
MARKETS_MAX = 100
#: Of all pools of an event together.
EVENT_MARKETS_MAX = 1_000
TAGS_MAX = 50
VERSUS_NAMES_MAX = 100
NAME_MAX = 200
TAG_MAX = 100
RULES_MAX = 20_000
MARGIN_MAX = 0.5
B_MIN = 100
B_MAX = 10**12
PROBABILITY_MIN = 0.0001
#: Of a single-market pool, whose implicit other outcome needs its share too.
PROBABILITY_MAX = 0.9999

_Url = Annotated[str, msgspec.Meta(extra_json_schema=URL_SCHEMA)]
_Text200 = Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": NAME_MAX})]
_Tag = Annotated[str, msgspec.Meta(extra_json_schema=required_text_schema(TAG_MAX))]
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class MarketConfiguration(msgspec.Struct, frozen=True):
    """What is read in a pool's `metadata`; whatever else it holds is kept and given back."""

    market_names: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MARKETS_MAX)] | None = None
    market_probabilities: Annotated[list[float], msgspec.Meta(min_length=1, max_length=MARKETS_MAX)] | None = None
    lmsr_b_kopecks: int | None = None


_METADATA_SCHEMA = {
    "properties": {
        "market_names": {
            "type": ["array", "null"],
            "items": {"type": "string", **required_text_schema(NAME_MAX)},
            "minItems": 1,
            "maxItems": MARKETS_MAX,
        },
        "market_probabilities": {
            "description": "One a market, summing to 1; of a single-market pool its YES probability alone.",
            "type": ["array", "null"],
            "items": {"type": "number", "minimum": PROBABILITY_MIN, "maximum": 1},
            "minItems": 1,
            "maxItems": MARKETS_MAX,
        },
        "lmsr_b_kopecks": {"type": ["integer", "null"], "minimum": B_MIN, "maximum": B_MAX, "default": 100_000},
    }
}


class PoolBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of a new event. Without names and probabilities it has one market, named like the pool, at 0.5."""

    name: _Text200 | None = None
    name_ru: _Text200 | None = None
    margin: (
        Annotated[float, msgspec.Meta(extra_json_schema={"minimum": 0, "maximum": MARGIN_MAX, "default": 0})] | None
    ) = None
    finish_at: _Time | None = None
    live_at: _Time | None = None
    rules: Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": RULES_MAX})] | None = None
    metadata: Annotated[dict[str, Any], msgspec.Meta(extra_json_schema=_METADATA_SCHEMA)] | None = None


class CreateEventBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new event with its pools."""

    name: Annotated[str, msgspec.Meta(extra_json_schema=required_text_schema(NAME_MAX))]
    pools: Annotated[
        list[PoolBody],
        msgspec.Meta(
            min_length=1,
            max_length=POOLS_MAX,
            description=f"At most {EVENT_MARKETS_MAX} markets in all of them together.",
        ),
    ]
    name_ru: _Text200 | None = None
    tags: Annotated[list[_Tag], msgspec.Meta(max_length=TAGS_MAX)] | None = None
    versus_names: Annotated[list[_Text200], msgspec.Meta(max_length=VERSUS_NAMES_MAX)] | None = None
    versus_images: list[_Url] | None = None
    has_draw: bool | None = None
    image_url: _Url | None = None
    external_event_url: _Url | None = None
    main_pool_index: Annotated[int, msgspec.Meta(ge=0)] | None = None
    loop_interval_minutes: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Event(msgspec.Struct, frozen=True):
    """An event with its pools, in the order in which they were created."""

    id: int
    name: str
    name_ru: str
    tags: list[str]
    image_url: str
    status: Literal["new", "active", "closed", "resolved", "cancelled"]
    is_active: bool
    created_at: str
    versus_names: list[str]
    versus_images: list[str]
    has_draw: bool
    pools: list[Pool]


class EventPage(msgspec.Struct, frozen=True):
    """A page of events."""

    events: list[Event]
    next_cursor: str | None
    has_more: bool


def event_view(row: EventRow, pools: Iterable[PoolRow], *, now_ms: int) -> Event:
    """Show an event as it is at `now_ms`."""
    status = row.status_at(now_ms)
    return Event(
        id=row.id,
        name=row.name,
        name_ru=row.name_ru,
        tags=row.tags,
        image_url=row.image_url,
        status=status.value,
        is_active=status is EventStatus.ACTIVE,
        created_at=iso(row.created_at_ms),
        versus_names=row.versus_names,
        versus_images=row.versus_images,
        has_draw=row.has_draw,
        pools=[pool_view(pool) for pool in pools],
    )
