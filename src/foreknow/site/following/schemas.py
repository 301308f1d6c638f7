"""Request and response bodies of follows and price alerts."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import EventId, EventName, MarketId, PoolId
from foreknow.market.pools.schemas import NameRu
from foreknow.people.users.schemas import PublicUser
from foreknow.site.portfolio.schemas import MarketName

_BPS = Meta(ge=1, le=9999)
_ABOVE = Meta(description="Be notified at this price of YES or a higher one, basis points; null: not.", examples=[6200])
_BELOW = Meta(description="Be notified at this price of YES or a lower one, basis points; null: not.", examples=[3800])


class Following(msgspec.Struct, frozen=True):
    """What you follow: at most 1,000 of each."""

    events: Annotated[list[int], Meta(description="Ids of events, the newest first.", examples=[[3]])]
    users: Annotated[list[PublicUser], Meta(description="Users.")]
    tags: Annotated[list[str], Meta(description="Tags.", examples=[["football"]])]


class AlertBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At which prices to notify you once; at least one of them."""

    above: Annotated[Annotated[int, _BPS] | None, _ABOVE] = None
    below: Annotated[Annotated[int, _BPS] | None, _BELOW] = None


#: `AlertBody` with the rule that JSON Schema cannot express in its fields.
AlertRequest = Annotated[
    AlertBody,
    Meta(
        extra_json_schema={
            "anyOf": [{"required": [name], "properties": {name: {"type": "integer"}}} for name in ("above", "below")]
        }
    ),
]


class MarketAlert(msgspec.Struct, frozen=True):
    """A price alert: each of its prices is notified of once, and then gone."""

    market_id: MarketId
    above: Annotated[int | None, _ABOVE]
    below: Annotated[int | None, _BELOW]


class ListedAlert(MarketAlert, frozen=True):
    """A price alert, and what it is of."""

    event_id: EventId
    event_name: EventName
    event_name_ru: NameRu
    pool_id: PoolId
    market_name: MarketName


class MarketAlerts(msgspec.Struct, frozen=True):
    """Your price alerts."""

    alerts: Annotated[
        list[ListedAlert], Meta(max_length=200, description="Those of markets that have not ended, by market.")
    ]
