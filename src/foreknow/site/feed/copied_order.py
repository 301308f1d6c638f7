"""The order of trades in a database copied from another."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.feed.sequencer import INHERITED
from foreknow.site.feed.tables import feed_leader, feed_order
from foreknow.trading.desk.tables import trades

#: Tables used on PostgreSQL only.
ORDER_TABLES = frozenset({feed_order, feed_leader})


def continue_order(tx: WriteTx, *, from_sqlite: bool) -> None:
    """Continue the feed's numbers on PostgreSQL, without a leader.

    On SQLite a trade's seq is its id: the last trades, which the feed still shows, keep it, and new ones follow. (A
    copy to SQLite needs nothing: a seq is never above its trade's id.)
    """
    if from_sqlite:
        last = sa.select(trades.c.id, trades.c.id.label("trade_id")).order_by(trades.c.id.desc()).limit(INHERITED)
        tx.execute(feed_order.insert().from_select(["seq", "trade_id"], last))
    tx.execute(feed_leader.update().values(holder="", lease_until_ms=0))


def has_leader(tx: ReadTx) -> bool:
    """Return whether a server runs on this PostgreSQL database, or did a few seconds ago; False on SQLite."""
    if tx.dialect.name == "sqlite":
        return False
    now_ms = sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000
    return tx.scalar(sa.select(sa.func.count()).where(feed_leader.c.lease_until_ms > now_ms)) != 0
