"""Rows as the last batch left them, for the next one: on SQLite, as long as nothing else has written their tables.

On PostgreSQL other servers write the same rows, so that each batch reads what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from foreknow.money.ledger import AccountRow, LedgerTransaction
from foreknow.platform.db.file_version import FileVersion, file_version
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.ahead import Ahead, LastIds
from foreknow.trading.desk.made import MadeTrade, TradedPool
from foreknow.trading.positions.store import OpenPosition, PositionKey

#: Rows of each kind, of up to 850 bytes with their keys (positions: 42 MB in all); beyond, none are kept.
ROWS_MAX = 50_000
#: The tables of all that is kept, and of the last ids.
TABLES = ("accounts", "limit_orders", "markets", "pools", "positions", "sessions", "sqlite_sequence", "trades")


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
