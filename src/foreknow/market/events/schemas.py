"""Events as requests bring them and as responses show them (interface, sections 2 and 4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import NATURAL, STATUS, CreatedAt, HasMore, Id, NextCursor
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.kernel.validation.urls import URL_SCHEMA
from foreknow.market.events.store import EventRow, EventStatus, Neighbours
from foreknow.market.pools.hiding import FORECASTS_SCHEMA
from foreknow.market.pools.odds_names import ODDS_SCHEMA
from foreknow.market.pools.rules.family import RULE_SCHEMA
from foreknow.market.pools.schemas import FINISH_AT, LIVE_AT, Margin, Metadata, NameRu, Pool, PoolName, Rules, pool_view
from foreknow.market.pools.shapes.family import SHAPE_SCHEMA
from foreknow.market.pools.store import PoolRow

POOLS_MAX = 100
MARKETS_MAX = 100
#: Of all pools of an event together.
EVENT_MARKETS_MAX = 1_000
TAGS_MAX = 50
VERSUS_NAMES_MAX = 100
NAME_MAX = 200
TAG_MAX = 100
RULES_MAX = 20_000
SOURCES_MAX = 10
MARGIN_MAX = 0.5
B_MIN = 100
B_MAX = 10**12
PROBABILITY_MIN = 0.0001
#: Of a single-market pool, whose implicit other outcome needs its share too.
PROBABILITY_MAX = 0.9999

_URL_FORM = Meta(extra_json_schema=URL_SCHEMA)
_NAME_LENGTH = Meta(extra_json_schema={"maxLength": NAME_MAX})
_Tag = Annotated[str, Meta(extra_json_schema=required_text_schema(TAG_MAX))]
_SideName = Annotated[str, _NAME_LENGTH]

EventStatusName = Annotated[Literal["new", "active", "closed", "resolved", "cancelled"], STATUS]
_EventName = Annotated[str, Meta(description="Its name.", examples=["Who wins the derby?"])]
HasDraw = Annotated[bool, Meta(description="Whether a draw is possible.", examples=[False])]
_PICTURE_EXAMPLE = "https://example.org/picture.png"
#: Description of the field in events and in the answer of an upload.
IMAGE_URL = 'Address of the cover image; "" where none is set.'
_ImageUrl = Annotated[str, Meta(description=IMAGE_URL, examples=[_PICTURE_EXAMPLE])]
EVENT_TAGS = Meta(description="Tags, for `?tag=`.", examples=[["football"]])
EventTags = Annotated[list[_Tag], EVENT_TAGS, Meta(max_length=TAGS_MAX)]
_VERSUS_NAMES = Meta(description="Names of the sides.", examples=[["Reds", "Blues"]])
_VERSUS_IMAGES = Meta(
    description="Picture of each side, an absolute address.", examples=[[_PICTURE_EXAMPLE, _PICTURE_EXAMPLE]]
)
ExternalEventUrl = Annotated[
    str,
    Meta(description="Address of an event elsewhere that this one follows.", examples=["https://example.org/derby"]),
]
_MainPoolIndex = Annotated[int, NATURAL, Meta(description="Index of the main pool, from 0.", examples=[0])]
LoopIntervalMinutes = Annotated[
    int, NATURAL, Meta(description="Minutes between repetitions; 0 for an event that happens once.", examples=[0])
]


SeriesInterval = Annotated[int, Meta(description="Minutes between two instances.", examples=[60])]


class MarketConfiguration(msgspec.Struct, frozen=True):
    """What is read in a pool's `metadata`; whatever else it holds is kept and given back."""

    market_names: Annotated[list[str], Meta(min_length=1, max_length=MARKETS_MAX)] | None = None
    market_probabilities: Annotated[list[float], Meta(min_length=1, max_length=MARKETS_MAX)] | None = None
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
        "sources": {
            "description": "Addresses where the result will stand, shown beside the rules.",
            "type": ["array", "null"],
            "items": {"type": "string", "minLength": 1, **URL_SCHEMA},
            "maxItems": SOURCES_MAX,
        },
        "resolution": RULE_SCHEMA,
        "odds": ODDS_SCHEMA,
        "forecasts": FORECASTS_SCHEMA,
        "shape": SHAPE_SCHEMA,
    }
}


class PoolBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of a new event. Without names and probabilities it has one market, named like the pool, at 0.5."""

    name: Annotated[PoolName, _NAME_LENGTH] | None = None
    name_ru: Annotated[NameRu, _NAME_LENGTH] | None = None
    margin: Annotated[Margin, Meta(extra_json_schema={"minimum": 0, "maximum": MARGIN_MAX, "default": 0})] | None = None
    finish_at: Annotated[datetime, Meta(tz=True), FINISH_AT] | None = None
    live_at: Annotated[datetime, Meta(tz=True), LIVE_AT] | None = None
    rules: Annotated[Rules, Meta(extra_json_schema={"maxLength": RULES_MAX})] | None = None
    metadata: Annotated[Metadata, Meta(extra_json_schema=_METADATA_SCHEMA)] | None = None


class EventFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Fields of an event that may be left out."""

    name_ru: Annotated[NameRu, _NAME_LENGTH] | None = None
    tags: EventTags | None = None
    versus_names: Annotated[list[_SideName], _VERSUS_NAMES, Meta(max_length=VERSUS_NAMES_MAX)] | None = None
    versus_images: Annotated[list[Annotated[str, _URL_FORM]], _VERSUS_IMAGES] | None = None
    has_draw: HasDraw | None = None
    image_url: Annotated[_ImageUrl, _URL_FORM] | None = None
    external_event_url: Annotated[ExternalEventUrl, _URL_FORM] | None = None
    main_pool_index: _MainPoolIndex | None = None


_NewName = Annotated[_EventName, Meta(extra_json_schema=required_text_schema(NAME_MAX))]
_NewPools = Annotated[
    list[PoolBody],
    Meta(
        min_length=1,
        max_length=POOLS_MAX,
        description=f"At most {EVENT_MARKETS_MAX} markets in all of them together.",
    ),
]


class CreateEventBody(EventFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A new event with its pools."""

    name: _NewName
    pools: _NewPools
    loop_interval_minutes: LoopIntervalMinutes | None = None


class EditEventBody(EventFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Changes of an event that is new; what is left out stays. Pools are changed one by one."""

    name: _NewName | None = None


class EditPoolBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Changes of a pool; what is left out stays. After its publication only `finish_at` can change."""

    name: Annotated[PoolName, _NAME_LENGTH] | None = None
    name_ru: Annotated[NameRu, _NAME_LENGTH] | None = None
    rules: Annotated[Rules, Meta(extra_json_schema={"maxLength": RULES_MAX})] | None = None
    market_names: (
        Annotated[
            list[Annotated[str, Meta(extra_json_schema=required_text_schema(NAME_MAX))]],
            Meta(
                min_length=1,
                max_length=MARKETS_MAX,
                description="Names of the pool's markets: as many as it has, in their order.",
                examples=[["Reds", "Blues"]],
            ),
        ]
        | None
    ) = None
    live_at: Annotated[datetime, Meta(tz=True), LIVE_AT] | None = None
    finish_at: Annotated[datetime, Meta(tz=True), FINISH_AT] | None = None


class EditSeriesBody(EditEventBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Changes for the later instances of a series; what is left out stays."""

    loop_interval_minutes: Annotated[SeriesInterval, Meta(ge=1)] | None = None
    pools: (
        Annotated[_NewPools, Meta(description="Instead of all pools; their times are those of instance next_index.")]
        | None
    ) = None


class LiquidityBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The liquidity that a pool is to have, and the prices that the caller sees."""

    lmsr_b_kopecks: Annotated[
        int,
        Meta(
            description="The liquidity parameter from now on, kopecks; not below the present one.",
            examples=[200000],
            extra_json_schema={"minimum": B_MIN, "maximum": B_MAX},
        ),
    ]
    probabilities: Annotated[
        list[Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1})]],
        Meta(
            min_length=1,
            max_length=MARKETS_MAX,
            description="The YES probabilities that you see, one a market: where one is over 0.005 off, nothing is "
            "added. So a trade just before does not change what the house pays.",
            examples=[[0.6, 0.4]],
        ),
    ]


class InstanceOfSeries(msgspec.Struct, frozen=True):
    """The event's place in its series. Neighbours are the instances before and after it; some indices never exist."""

    id: Annotated[int, Meta(description="The series's id.", examples=[2])]
    index: Annotated[int, Meta(description="The event's index in it, from 0.", examples=[4])]
    previous_event_id: Annotated[
        int | None, Meta(description="The event of the instance before; null for none.", examples=[3])
    ]
    next_event_id: Annotated[
        int | None, Meta(description="The event of the instance after; null for none.", examples=[None])
    ]


class Event(msgspec.Struct, frozen=True):
    """An event with its pools, in the order in which they were created."""

    id: Id
    name: _EventName
    name_ru: NameRu
    tags: Annotated[list[str], EVENT_TAGS]
    image_url: _ImageUrl
    status: EventStatusName
    is_active: Annotated[bool, Meta(description="True exactly while the status is `active`.", examples=[True])]
    created_at: CreatedAt
    versus_names: Annotated[list[str], _VERSUS_NAMES]
    versus_images: Annotated[list[str], _VERSUS_IMAGES]
    has_draw: HasDraw
    main_pool_index: _MainPoolIndex
    loop_interval_minutes: LoopIntervalMinutes
    external_event_url: ExternalEventUrl
    series: Annotated[
        InstanceOfSeries | None,
        Meta(description="Its place in its series; null for an event that does not recur, and before publication."),
    ]
    pools: Annotated[list[Pool], Meta(description="The event's pools.")]


class EventPage(msgspec.Struct, frozen=True):
    """A page of events."""

    events: Annotated[list[Event], Meta(description="Events.")]
    next_cursor: NextCursor
    has_more: HasMore


def event_view(row: EventRow, pools: Iterable[PoolRow], neighbours: Neighbours | None, *, now_ms: int) -> Event:
    """Show an event as it is at `now_ms`; `neighbours` are those of an instance of a series."""
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
        main_pool_index=row.main_pool_index,
        loop_interval_minutes=row.loop_interval_minutes,
        external_event_url=row.external_event_url,
        series=_instance(row, neighbours),
        pools=[pool_view(pool, now_ms=now_ms) for pool in pools],
    )


def _instance(row: EventRow, neighbours: Neighbours | None) -> InstanceOfSeries | None:
    if row.series_id is None or row.series_index is None:
        return None
    neighbours = neighbours or Neighbours(None, None)
    return InstanceOfSeries(row.series_id, row.series_index, neighbours.previous_event_id, neighbours.next_event_id)
