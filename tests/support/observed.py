"""Prices of assets as providers gave them, at times that a test chooses."""

from __future__ import annotations

import itertools
from typing import Any

from foreknow.kernel.clock import iso
from foreknow.market.assets.tables import asset_prices
from foreknow.platform.db.transactions import WriteTx
from tests.support.service import Service

_numbers = itertools.count(1)


class Asset:
    """An asset of a test's own, whose observations it records."""

    def __init__(self, service: Service) -> None:
        self.symbol = f"TEST{next(_numbers)}"
        self._service = service

    def observe(
        self, price: float, *, at_ms: int | None = None, source: str = "exchange", counts: bool = True
    ) -> dict[str, Any]:
        """Record a price whose request began at `at_ms` (now if None); return the observation as responses show it."""
        observed_at_ms = self._service.clock() if at_ms is None else at_ms
        row = {"symbol": self.symbol, "price_usd": price, "observed_at_ms": observed_at_ms, "source": source}

        def write(tx: WriteTx) -> None:
            tx.execute(asset_prices.insert().values(**row, counts=counts))

        self._service.server.run(self._service.app.db.write(write))
        return {"price": price, "observed_at": iso(observed_at_ms), "source": source}

    def rule(self, outcomes: list[dict[str, Any]], **rest: Any) -> dict[str, Any]:
        """Describe a price rule on this asset."""
        return {"kind": "price", "symbol": self.symbol, "outcomes": outcomes} | rest
