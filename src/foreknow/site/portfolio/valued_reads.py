"""Reads that value positions: on the event loop where few prices decide, else beside it."""

from __future__ import annotations

from functools import partial
from typing import Protocol, TypeVar

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.positions.valuation import BRIEF_MARKETS, TooManyMarkets

Result_co = TypeVar("Result_co", covariant=True)


class ValuingRead(Protocol[Result_co]):
    """A read that raises `TooManyMarkets` where it depends on the prices of more than `markets_max` markets."""

    def __call__(self, tx: ReadTx, markets_max: int | None = None) -> Result_co:
        """Read."""
        ...


async def valued(db: Database, read: ValuingRead[Result_co]) -> Result_co:
    """Run a read most of whose work is its prices."""
    try:
        return await db.lookup(partial(read, markets_max=BRIEF_MARKETS))
    except TooManyMarkets:
        return await db.read(read)
