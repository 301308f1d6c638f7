"""What is read before the orders of a batch are executed, so that nothing need be read to write them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from foreknow.market import charts
from foreknow.market.charts import LastPoint
from foreknow.money import statements
from foreknow.platform.db.bulk import Fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.trading.desk.tables import baskets as baskets_table
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import positions as positions_table


@dataclass(slots=True)
class Ahead:
    """What was read so.

    The ids are enough for all orders, those that are not executed included.
    """

    trade_ids: Sequence[int]
    position_ids: Sequence[int]
    #: By id of the users who sell.
    last_points: Mapping[int, LastPoint]
    #: The partners whose statements have begun.
    partner_ids: set[int]
    basket_ids: Sequence[int] = ()


class LastIds(NamedTuple):
    """The highest ids ever used."""

    trade_id: int
    position_id: int


class AheadFetch:
    """The queries of an `Ahead`, to be fetched with others under the locks of the traders' accounts."""

    def __init__(
        self,
        orders: int,
        *,
        seller_ids: Collection[int],
        partner_ids: Collection[int],
        last_ids: LastIds | None = None,
        trades_more: int = 0,
        positions_more: int = 0,
        baskets: int = 0,
    ) -> None:
        """Read what `orders` orders need; `last_ids` where they are known, and none can have been drawn since.

        `baskets` of them may make more trades, and need more positions, than one each.
        """
        self._counts, self._last_ids = (orders + trades_more, orders + positions_more), last_ids
        drawn = self._counts if last_ids is None else (0, 0)
        self._trade_ids, self._position_ids = ids_fetch(trades, drawn[0]), ids_fetch(positions_table, drawn[1])
        self._basket_ids = ids_fetch(baskets_table, baskets)
        self._last_points = charts.last_points_fetch(seller_ids)
        self._begun = statements.begun_fetch(partner_ids)
        self.fetches: tuple[Fetch[Any], ...] = (self._trade_ids, self._position_ids, self._last_points, self._begun)
        if baskets:
            self.fetches += (self._basket_ids,)

    @property
    def result(self) -> Ahead:
        """What was read."""
        trade_ids: Sequence[int]
        position_ids: Sequence[int]
        if self._last_ids is None:
            trade_ids, position_ids = self._trade_ids.result, self._position_ids.result
        else:
            trade_ids, position_ids = (
                range(last + 1, last + 1 + count) for last, count in zip(self._last_ids, self._counts, strict=True)
            )
        basket_ids = () if self._basket_ids.is_empty else self._basket_ids.result
        return Ahead(trade_ids, position_ids, self._last_points.result, self._begun.result, basket_ids)
