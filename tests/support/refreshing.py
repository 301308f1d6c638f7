"""A refresher on a test's own database, worked by hand, and its provider."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.kernel.settings import Settings
from foreknow.market.assets.observations import Observation
from foreknow.market.assets.providers import open_providers
from foreknow.market.assets.refresher import Refresher
from foreknow.market.assets.store import asset_by_symbol
from foreknow.market.assets.tables import asset_prices, currency_rates
from foreknow.platform.db.engine import Database
from foreknow.platform.fetching import Fetcher
from tests.support.clock import ShiftableClock
from tests.support.providers import Provider
from tests.support.waiting import happens

#: Long enough for a busy machine.
ANSWER_S = 10.0


class Bench:
    """A refresher on a test's own database, worked by hand, and its provider."""

    def __init__(self, db: Database, served: Provider, clock: ShiftableClock) -> None:
        self.db = db
        self.served = served
        self.clock = clock
        self._made: list[Refresher] = []

    def refresher(self, settings: dict[str, Any], *, answer_s: float = ANSWER_S) -> Refresher:
        read = Settings.model_validate(settings)
        self._made.append(
            Refresher(
                self.db,
                open_providers(read.asset_providers, read.rate_providers),
                fetcher=Fetcher(answer_s=answer_s),
                jitter=lambda: 0.5,
            )
        )
        return self._made[-1]

    def exchange(self, path: str = "/ticker", **rest: Any) -> dict[str, Any]:
        wanted = {"BTC": {"pair": "BTCUSDT", "name": "Bitcoin"}, "eth": {"pair": "ETHUSDT"}}
        return {"adapter": "binance", "url": self.served.url + path, "assets": wanted} | rest

    def bank(self, adapter: str, path: str, **rest: Any) -> dict[str, Any]:
        return {"adapter": adapter, "url": self.served.url + path} | rest

    async def refresh(self, refresher: Refresher, number: int = 0) -> bool:
        return await refresher.refresh(list(refresher._providers)[number])

    async def price(self, symbol: str) -> float | None:
        row = await self.db.read(lambda tx: asset_by_symbol(tx, symbol))
        return None if row is None else row.price_usd

    async def observations(self, symbol: str = "BTC") -> list[Observation]:
        """Return an asset's observations in the order in which they were recorded."""
        query = sa.select(asset_prices).where(asset_prices.c.symbol == symbol).order_by(asset_prices.c.id)
        return [Observation(*row) for row in await self.db.read(lambda tx: tx.execute(query).all())]

    async def recorded(self, count: int) -> list[Observation]:
        """Return the observations of BTC once there are `count`."""

        async def are_there() -> bool:
            return len(await self.observations()) >= count

        await happens(are_there)
        return await self.observations()

    async def rates(self) -> dict[tuple[str, str], tuple[float, bool]]:
        table = currency_rates.c
        query = sa.select(table.low_code, table.high_code, table.rate, table.inverted)
        rows = await self.db.read(lambda tx: tx.execute(query).all())
        return {(low, high): (rate, inverted) for low, high, rate, inverted in rows}

    async def stop(self) -> None:
        for one in self._made:
            await one.stop()
