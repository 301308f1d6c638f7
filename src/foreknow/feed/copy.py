"""The order of trades in a database that was copied from another."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.feed.sequencer import INHERITED
from foreknow.feed.tables import feed_leader, feed_order
from foreknow.trading.tables import trades

#: What only PostgreSQL keeps, and only PostgreSQL can take over.
ORDER_TABLES = frozenset({feed_order, feed_leader})


def take_over_order(tx: WriteTx, *, from_sqlite: bool) -> None:
    """Let the feed's numbers go on growing on PostgreSQL where they were; nobody leads yet.

    On SQLite a trade's seq is its id. The last trades, which the feed still shows, keep theirs, and new ones come
    after them. (The other way round nothing need be done: a seq is never above its trade's id.)
    """
    if from_sqlite:
        last = sa.select(trades.c.id, trades.c.id.label("trade_id")).order_by(trades.c.id.desc()).limit(INHERITED)
        tx.execute(feed_order.insert().from_select(["seq", "trade_id"], last))
    tx.execute(feed_leader.update().values(holder="", lease_until_ms=0))


def is_led(tx: ReadTx) -> bool:
    """Tell whether a server is running on this PostgreSQL database, or was a moment ago."""
    now_ms = sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000
    return tx.scalar(sa.select(sa.func.count()).where(feed_leader.c.lease_until_ms > now_ms)) != 0
