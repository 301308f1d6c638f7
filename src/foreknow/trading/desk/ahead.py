"""What is read before the orders of a batch are executed, so that nothing need be read to write them.

On SQLite, rows as the last batch left them are kept for the next one, as long as nothing else has written their tables.
On PostgreSQL other servers write the same rows, so that each batch reads what it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foreknow.market import charts
from foreknow.market.charts import LastPoint
from foreknow.money import statements
from foreknow.money.ledger import AccountRow, LedgerTransaction
from foreknow.platform.db.bulk import Fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.sqlite.file_version import FileVersion, file_version
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.desk.tables import baskets as baskets_table
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.store import OpenPosition, PositionKey
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


#: Rows of each kind, of up to 850 bytes with their keys (positions: 42 MB in all); beyond, none are kept.
ROWS_MAX = 50_000
#: The tables of all that is kept, and of the last ids.
TABLES = (
    *("accounts", "limit_orders", "markets", "pools", "positions", "sessions", "site_settings", "sqlite_sequence"),
    "trades",
)


@dataclass(slots=True)
class KeptRows:
    """Rows of one version of their tables. A batch changes them in place: they are worth nothing where it fails."""

    #: None where none can be kept.
    version: FileVersion | None = None
    pools: dict[int, TradedPool] = field(default_factory=dict)
    accounts: dict[int, AccountRow] = field(default_factory=dict)
    positions: dict[PositionKey, OpenPosition] = field(default_factory=dict)
    #: Of sessions that are not revoked.
    session_ends_ms: dict[int, int] = field(default_factory=dict)
    last_ids: LastIds | None = None
    settings_version: int | None = None

    def after(
        self, tx: WriteTx, ledger_tx: LedgerTransaction, trades: Sequence[MadeTrade], ahead: Ahead
    ) -> KeptRows | None:
        """Return them as the batch has left them; `ahead` has the ids that it could use."""
        counts = (len(self.pools), len(self.accounts), len(self.positions), len(self.session_ends_ms))
        if self.version is None or max(counts) > ROWS_MAX:
            return None
        trade_id, position_id = ahead.trade_ids[0] - 1, ahead.position_ids[0] - 1
        trade_id = max([trade_id, *[trade.trade_id for trade in trades]])
        position_id = max([position_id, *[position.id for trade in trades for position in trade.positions]])
        self.accounts.update((row[0], row) for row in ledger_tx.held())
        self.last_ids = LastIds(trade_id, position_id)
        self.version = self.version.now(tx)
        return self


def still_true(kept: KeptRows | None, tx: WriteTx) -> KeptRows:
    """Return what was kept if none of its tables was written since, or else no rows of the file as it is now."""
    version = file_version(tx, TABLES)
    return kept if kept is not None and version is not None and kept.version == version else KeptRows(version)
