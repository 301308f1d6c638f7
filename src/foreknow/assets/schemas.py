"""Bodies of assets and currency rates (interface, sections 2 and 4)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.assets.store import AssetRow
from foreknow.kernel.clock import iso
from foreknow.validation.fields import required_text_schema

NAME_MAX = 200

_Name = Annotated[str, Meta(extra_json_schema=required_text_schema(NAME_MAX))]
_Code = Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9._-]{1,10}$"})]
_Price = Annotated[float, Meta(ge=0, description="In US dollars.")]
_Rate = Annotated[float, Meta(gt=0, description="What one unit of `from` is worth in `to`.")]


class Asset(msgspec.Struct, frozen=True):
    """An asset with its price in US dollars; `price_updated_at` tells how old that is."""

    id: int
    symbol: str
    name: str
    asset_type: str
    price: _Price
    price_updated_at: str
    created_at: str


class AssetPage(msgspec.Struct, frozen=True):
    """A page of assets, newest first."""

    assets: list[Asset]
    next_cursor: str | None
    has_more: bool


class AssetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An asset as an admin sets it."""

    name: _Name
    asset_type: _Name
    price: _Price


class CurrencyRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one unit of a currency is worth in another; codes are answered in upper case."""

    from_: _Code = msgspec.field(name="from")
    to: _Code
    rate: _Rate


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
