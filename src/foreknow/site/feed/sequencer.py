"""PostgreSQL: the leader numbers committed trades.

A trade is numbered once it is visible; of those that become visible together, the lower id comes first. An id is
missing while its transaction is open, or because it was rolled back. A transaction that draws trade ids has locked its
pools before, so it already has a transaction id: lower than any id assigned after the gap was seen. Once every
transaction below such an id has ended (`pg_snapshot_xmin`), a remaining gap is permanent.

All of it runs in transactions that lock the leader's row, so that two processes that both believe to lead do no harm:
one waits for the other, then finds that it has lost the lead.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from foreknow.platform.db.clock import NOW_MS
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.feed.gaps import Gaps
from foreknow.site.feed.tables import feed_leader, feed_order
from foreknow.trading.desk.tables import trades

#: Lease of a leader, renewed with each batch.
LEASE_MS = 3_000
#: Trades numbered in one transaction.
BATCH_MAX = 2_000
#: Trades from before the first leader (in a database copied from SQLite) that are numbered for the feed.
INHERITED = 50

_LEADER_ROW = 1
#: Tables used on PostgreSQL only.
ORDER_TABLES = frozenset({feed_order, feed_leader})


class LeadershipLost(Exception):
    """Another process leads now."""


def acquire_lead(tx: WriteTx, holder: str) -> Gaps | None:
    """Become the leader and return the gaps in the numbered trades; None if another process leads."""
    last_ids = sa.select(trades.c.id).order_by(trades.c.id.desc()).limit(INHERITED).subquery()
    inherited = sa.select(sa.func.coalesce(sa.func.min(last_ids.c.id), 1) - 1).scalar_subquery()
    first = {"id": _LEADER_ROW, "holder": "", "lease_until_ms": 0, "complete_through_id": inherited}
    tx.execute(insert(feed_leader).values(first).on_conflict_do_nothing())
    # The database's clock: those of the servers may differ.
    now_ms = sa.literal_column(NOW_MS, Int64)
    taken = tx.execute(
        feed_leader.update()
        .where(
            feed_leader.c.id == _LEADER_ROW,
            sa.or_(feed_leader.c.lease_until_ms < now_ms, feed_leader.c.holder == holder),
        )
        .values(holder=holder, lease_until_ms=now_ms + LEASE_MS)
        .returning(feed_leader.c.complete_through_id)
    ).scalar()
    if taken is None:
        return None
    numbered = sa.select(feed_order.c.trade_id).where(feed_order.c.trade_id > taken).order_by(feed_order.c.trade_id)
    gaps = Gaps(taken)
    gaps.see(tx.execute(numbered).scalars())
    return gaps


def release_lead(tx: WriteTx, holder: str) -> None:
    """End the lease, so that another process can lead at once."""
    ours = sa.and_(feed_leader.c.id == _LEADER_ROW, feed_leader.c.holder == holder)
    tx.execute(feed_leader.update().where(ours).values(lease_until_ms=0))


def number_trades(tx: WriteTx, holder: str, gaps: Gaps) -> int:
    """Number the trades that have become visible, at most `BATCH_MAX`, and return their number.

    Renews the lease; raises `LeadershipLost` if another process has it. Updates `gaps`: if the transaction fails,
    acquire the lead again.
    """
    own, oldest = _renew(tx, holder, gaps.complete_through)
    gaps.set_barrier(own)
    # A second statement, which sees all that the transactions ended before the first statement have committed.
    found = _number(tx, gaps)
    gaps.see(found)
    if len(found) < BATCH_MAX:
        gaps.close(oldest)
    return len(found)


def newest_unnumbered(tx: ReadTx) -> Sequence[int]:
    """Return those of the newest visible trades that have no number yet."""
    newest = sa.select(trades.c.id).order_by(trades.c.id.desc()).limit(INHERITED).subquery("newest")
    query = sa.select(newest.c.id).join(feed_order, feed_order.c.trade_id == newest.c.id, isouter=True)
    return tx.execute(query.where(feed_order.c.seq.is_(None))).scalars().all()


def unnumbered(tx: ReadTx, trade_ids: Sequence[int]) -> Sequence[int]:
    """Return those of these trades that have no number yet."""
    query = sa.select(feed_order.c.trade_id).where(feed_order.c.trade_id.in_(trade_ids))
    numbered = set(tx.execute(query).scalars())
    return [trade_id for trade_id in trade_ids if trade_id not in numbered]


def _renew(tx: WriteTx, holder: str, complete_through_id: int) -> tuple[int, int]:
    """Lock the leader's row and renew the lease; return our transaction id and the oldest open one."""
    renewed = execute_raw(tx, _RENEW, (complete_through_id, holder))
    if not renewed:
        raise LeadershipLost
    return renewed[0][0], renewed[0][1]


def _number(tx: WriteTx, gaps: Gaps) -> list[int]:
    """Number the visible trades without a number, lowest id first; return their ids."""
    if gaps.ranges:
        firsts, lasts = [gap.first for gap in gaps.ranges], [gap.last for gap in gaps.ranges]
        numbered = execute_raw(tx, _NUMBER_LATE, (gaps.seen, gaps.complete_through, firsts, lasts))
    else:
        numbered = execute_raw(tx, _NUMBER, (gaps.seen, gaps.complete_through))
    return [trade_id for (trade_id,) in numbered]


# As text: these run some fifty times a second, and SQLAlchemy takes longer to find what it compiled than they take.
_RENEW = f"""
    UPDATE feed_leader
    SET lease_until_ms = {NOW_MS} + {LEASE_MS}, complete_through_id = $1
    WHERE id = {_LEADER_ROW} AND holder = $2
    RETURNING pg_current_xact_id()::text::bigint, pg_snapshot_xmin(pg_current_snapshot())::text::bigint
"""  # noqa: S608 # constants
# Up to the last one: for those above $1 PostgreSQL would keep a plan that reads them all, made while they were few.
_NEW = f"SELECT id FROM trades WHERE id > $1 AND id <= (SELECT max(id) FROM trades) ORDER BY id LIMIT {BATCH_MAX}"  # noqa: S608 # a constant
_LATE = f"""
    SELECT id FROM (
        ({_NEW})
        UNION ALL
        SELECT late.id FROM unnest($3::bigint[], $4::bigint[]) AS gap (first, last)
        JOIN trades AS late ON late.id BETWEEN gap.first AND gap.last
    ) AS visible ORDER BY id LIMIT {BATCH_MAX}
"""  # noqa: S608 # constants


def _numbering(visible: str) -> str:
    return f"""
        WITH found AS MATERIALIZED ({visible}), numbered AS (
            INSERT INTO feed_order (seq, trade_id)
            SELECT (SELECT coalesce(max(seq), $2) FROM feed_order) + row_number() OVER (ORDER BY id), id FROM found
        )
        SELECT id FROM found ORDER BY id
    """  # noqa: S608 # constants


#: There are no gaps nearly always: with them PostgreSQL would plan the statement each time.
_NUMBER, _NUMBER_LATE = _numbering(_NEW), _numbering(_LATE)


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
