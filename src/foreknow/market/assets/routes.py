"""Endpoints of assets and currency rates."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import formatdate

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.errors import BadRequest, NotFound
from foreknow.kernel.validation.fields import required_text, wrong_field
from foreknow.market.assets import observations, service, store
from foreknow.market.assets.codes import asset_symbol, currency_code
from foreknow.market.assets.observations import Observation
from foreknow.market.assets.schemas import (
    NAME_MAX,
    Asset,
    AssetBody,
    AssetPage,
    CurrencyRate,
    PricePage,
    StoredRatePage,
    asset_view,
    observation_view,
    rate_view,
)
from foreknow.market.assets.service import NewAsset
from foreknow.market.assets.store import AssetRow
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PathRequest, QueryRequest, Request, get, put
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, Param, parameters, path_text, required
from foreknow.web.responses import Response, json_response

_CODE_SCHEMA = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,10}$"}
FROM = Param("from", str, _CODE_SCHEMA, "The source currency's code, in any case.")
TO = Param("to", str, _CODE_SCHEMA, "The target currency's code, in any case.")
_SYMBOL_SCHEMA = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,20}$", "examples": ["BTC"]}
_SYMBOL = "The asset's symbol, in any case."


def _sought_symbol(text: str) -> str:
    symbol = asset_symbol(text)
    if symbol is None:
        raise NotFound("There is no asset with this symbol.")
    return symbol


def _given_symbol(text: str) -> str:
    symbol = asset_symbol(text)
    if symbol is None:
        raise BadRequest("A symbol has 1 to 20 letters, digits and . _ -")
    return symbol


@parameters
class AssetPath:
    symbol: str = path_text(_sought_symbol, _SYMBOL_SCHEMA, _SYMBOL)


@parameters
class NewAssetPath:
    symbol: str = path_text(_given_symbol, _SYMBOL_SCHEMA, _SYMBOL)


@parameters
class RateQuery:
    source: str = required(FROM)
    target: str = required(TO)


class AssetRoutes:
    """Reading prices and rates, and setting them."""

    def __init__(self, context: RouteContext, *, hold_ms: int) -> None:
        """Answer from `context`; what an admin sets holds against providers for `hold_ms`."""
        self._context = context
        self._hold_ms = hold_ms

    @get("/assets", AuthLevel.NONE)
    async def list_assets(self, request: QueryRequest[PageQuery]) -> AssetPage:
        """List assets, newest first."""
        page = await newest_first(self._context, request, "assets", _assets, may_be_stale=True)
        return AssetPage([asset_view(row) for row in page.rows], page.next_cursor, page.has_more)

    @get("/assets/{symbol}/price", AuthLevel.NONE, response=Asset, errors=(NotFound,), cached=True)
    async def get_asset_price(self, request: PathRequest[AssetPath]) -> Response:
        """An asset with its price.

        `price_updated_at` tells how old the price is: while no provider answers, it stays.
        """
        symbol = request.path.symbol

        def read(tx: ReadTx) -> tuple[Asset, tuple[int, ...]]:
            row = store.asset_by_symbol(tx, symbol)
            if row is None:
                raise NotFound("There is no asset with this symbol.")
            return asset_view(row), ()

        return await self._context.responses.get(("asset", symbol), read)

    @get("/assets/{symbol}/prices", AuthLevel.NONE, errors=(NotFound,))
    async def list_asset_prices(self, request: Request[AssetPath, PageQuery, None]) -> PricePage:
        """Past prices of an asset, newest first.

        Every price that a provider returned or an admin set, in the order in which they were recorded, for 30 days or
        more. Prices that never became the asset's, for want of priority, are among them.
        """
        symbol = request.path.symbol

        def read(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[Observation]:
            if store.asset_by_symbol(tx, symbol) is None:
                raise NotFound("There is no asset with this symbol.")
            return observations.page(tx, symbol, before_id=before_id, limit=limit)

        page = await newest_first(self._context, request, f"asset_prices:{symbol}", read, may_be_stale=True)
        return PricePage([observation_view(row) for row in page.rows], page.next_cursor, page.has_more)

    @get("/currency/rate", AuthLevel.NONE, response=CurrencyRate, errors=(NotFound,), cached=True)
    async def get_currency_rate(self, request: QueryRequest[RateQuery]) -> Response:
        """What one unit of a currency is worth in another.

        As given, inverted, or across a currency that both are given against (of several the first by code). The header
        `Last-Modified` tells how old the rate is.
        """
        source, target = currency_code(request.query.source), currency_code(request.query.target)
        if source is None or target is None:
            raise NotFound("A currency's code has 1 to 10 letters, digits and . _ -")

        def read(tx: ReadTx) -> tuple[Response, tuple[int, ...]]:
            rate = service.rate_between(tx, source=source, target=target, now_ms=self._context.clock())
            if rate is None:
                raise NotFound("There is no rate for this pair.")
            modified = formatdate(rate.updated_at_ms / SECOND_MS, usegmt=True).encode()
            headers = ((b"last-modified", modified),)
            return json_response(CurrencyRate(source, target, rate.rate), headers=headers), ()

        return await self._context.responses.get(("rate", source, target), read)

    @put("/admin/assets/{symbol}", AuthLevel.ADMIN)
    async def set_asset(self, request: Request[NewAssetPath, None, AssetBody]) -> Asset:
        """Set an asset and its price.

        It holds against providers for the time of FOREKNOW_ADMIN_PRICE_HOURS.
        """
        body = request.body
        new = NewAsset(
            required_text("name", body.name, most=NAME_MAX),
            required_text("asset_type", body.asset_type, most=NAME_MAX),
        )
        return await self._context.db.write(
            lambda tx: service.set_asset(
                tx,
                request.user,
                request.path.symbol,
                new,
                price_usd=body.price,
                hold_ms=self._hold_ms,
            )
        )

    @get("/admin/currency-rates", AuthLevel.ADMIN)
    async def list_currency_rates(self, request: QueryRequest[PageQuery]) -> StoredRatePage:
        """List the rates of currencies, by their codes.

        As they were given: the inverse and rates across a common currency follow from them.
        """
        limit, cursor, cursors = request.query.limit, request.query.cursor, self._context.cursors
        binding = f"currency_rates:{request.user.scope}"
        low, high = ("", "") if cursor is None else cursors.decode(cursor, binding=binding)
        rows = await self._context.db.lookup(lambda tx: store.rates_after(tx, (str(low), str(high)), limit=limit + 1))
        page = cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.low_code, row.high_code))
        return StoredRatePage(list(map(rate_view, page.rows)), page.next_cursor, page.has_more)

    @put("/admin/currency-rates", AuthLevel.ADMIN)
    async def set_currency_rate(self, request: BodyRequest[CurrencyRate]) -> CurrencyRate:
        """Set the rate of two currencies.

        In place of its inverse, too. It holds against providers for the time of FOREKNOW_ADMIN_PRICE_HOURS.
        """
        body = request.body
        source, target = _given_code("from", body.from_), _given_code("to", body.to)
        if source == target:
            raise wrong_field("to", "must be another currency than from")
        await self._context.db.write(
            lambda tx: service.set_rate(
                tx,
                request.user,
                source=source,
                target=target,
                rate=body.rate,
                hold_ms=self._hold_ms,
            )
        )
        return CurrencyRate(source, target, body.rate)


def _assets(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[AssetRow]:
    return store.newest_assets(tx, before_id=before_id, limit=limit)


def _given_code(field: str, text: str) -> str:
    code = currency_code(text)
    if code is None:
        raise wrong_field(field, "must have 1 to 10 letters, digits and . _ -")
    return code
