"""Bodies of assets and currency rates (interface, sections 2 and 4)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, TIME_EXAMPLE, CreatedAt, HasMore, Id, NextCursor, Time
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.market.assets.observations import Observation
from foreknow.market.assets.store import AssetRow, RateRow

NAME_MAX = 200

_TEXT_FORM = Meta(extra_json_schema=required_text_schema(NAME_MAX))
_Code = Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9._-]{1,10}$"})]
_Price = Annotated[float, Meta(ge=0, description="In US dollars.", examples=[97_250.5])]
_Rate = Annotated[float, Meta(gt=0, description="What one unit of `from` is worth in `to`.", examples=[80.25])]
AssetName = Annotated[str, Meta(description="The asset's name.", examples=["Bitcoin"])]
AssetType = Annotated[str, Meta(description="Its type.", examples=["crypto"])]


class Asset(msgspec.Struct, frozen=True):
    """An asset with its price in US dollars; `price_updated_at` tells how old that is."""

    id: Id
    symbol: Annotated[str, Meta(description="The asset's symbol, in upper case.", examples=["BTC"])]
    name: AssetName
    asset_type: AssetType
    price: _Price
    price_updated_at: Annotated[
        Time, Meta(description="When the price was last set, UTC.", examples=[LATER_TIME_EXAMPLE])
    ]
    created_at: CreatedAt


class AssetPage(msgspec.Struct, frozen=True):
    """A page of assets, newest first."""

    assets: Annotated[list[Asset], Meta(description="Assets.")]
    next_cursor: NextCursor
    has_more: HasMore


class PriceObservation(msgspec.Struct, frozen=True):
    """A price that was fetched or set."""

    price: _Price
    observed_at: Annotated[
        Time, Meta(description="When the request for the price began, UTC.", examples=[LATER_TIME_EXAMPLE])
    ]
    source: Annotated[
        str, Meta(description="The provider's name; `admin` for a price that an admin set.", examples=["binance"])
    ]


class PricePage(msgspec.Struct, frozen=True):
    """A page of an asset's observations, those recorded last first."""

    prices: Annotated[list[PriceObservation], Meta(description="Observations.")]
    next_cursor: NextCursor
    has_more: HasMore


class AssetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An asset as an admin sets it."""

    name: Annotated[AssetName, _TEXT_FORM]
    asset_type: Annotated[AssetType, _TEXT_FORM]
    price: _Price


class CurrencyRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one unit of a currency is worth in another; codes are answered in upper case."""

    from_: Annotated[_Code, Meta(description="A currency's code, in any case.", examples=["USD"])] = msgspec.field(
        name="from"
    )
    to: Annotated[_Code, Meta(description="Another currency's code, in any case.", examples=["RUB"])]
    rate: _Rate


class StoredRate(msgspec.Struct, frozen=True):
    """A rate as it was given: by an admin or a provider."""

    from_: Annotated[str, Meta(description="A currency's code.", examples=["USD"])] = msgspec.field(name="from")
    to: Annotated[str, Meta(description="Another currency's code.", examples=["RUB"])]
    rate: _Rate
    source: Annotated[str, Meta(description='The provider that gave it; "" where an admin did.', examples=["cbr"])]
    updated_at: Annotated[Time, Meta(description="When it was given, UTC.", examples=[TIME_EXAMPLE])]


class StoredRatePage(msgspec.Struct, frozen=True):
    """A page of rates, by the codes of their pairs."""

    rates: Annotated[list[StoredRate], Meta(description="Rates, one a pair.")]
    next_cursor: NextCursor
    has_more: HasMore


def rate_view(row: RateRow) -> StoredRate:
    """Show a rate as it was given."""
    pair = (row.high_code, row.low_code) if row.inverted else (row.low_code, row.high_code)
    return StoredRate(*pair, row.rate, row.source, iso(row.updated_at_ms))


def asset_view(row: AssetRow) -> Asset:
    """Show an asset."""
    return Asset(
        id=row.id,
        symbol=row.symbol,
        name=row.name,
        asset_type=row.asset_type,
        price=row.price_usd,
        price_updated_at=iso(row.price_updated_at_ms),
        created_at=iso(row.created_at_ms),
    )


def observation_view(row: Observation) -> PriceObservation:
    """Show an observation."""
    return PriceObservation(price=row.price_usd, observed_at=iso(row.observed_at_ms), source=row.source)
