"""What waits to be done for followers: one statement, in place of those of every step."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.events.store import EventStatus
from foreknow.market.events.tables import events
from foreknow.people.follows.tables import (
    event_news,
    followed_comments,
    follower_news,
    following_cursor,
    price_alerts,
    prior_moves,
)
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.feed.tables import feed_order
from foreknow.site.following.causes import CLOSING_MS, are_ends_old
from foreknow.trading.desk.tables import trades


class _Firsts(NamedTuple):
    """How far followers are notified, and what each step looks at first; None where there is nothing."""

    seq: int | None
    closing_ms: int | None
    newest_seq: int | None
    prior_id: int | None
    moved_due_ms: int | None
    comment_id: int | None
    #: The first end of trading after those that may have been announced.
    finish_ms: int | None
    news_id: int | None
    alert_pool_id: int | None


class WaitingSteps(NamedTuple):
    """What a look has found: of each step whether it may have something to do."""

    #: The database's time, Unix milliseconds.
    at_ms: int
    #: Up to which trade followers are notified; None before the first start.
    seq: int | None
    #: The number of the newest trade; 0 for none.
    newest_seq: int
    priors: bool
    moves: bool
    comments: bool
    ends: bool
    news: bool
    alerts: bool


def look(tx: ReadTx) -> WaitingSteps:
    """Return what waits: in one exchange with PostgreSQL."""
    now, firsts = now_fetch(tx), Fetch(_FIRSTS, {}, _as_firsts)
    fetch_together(tx, [now, firsts])
    at_ms, found = now.result, firsts.result
    return WaitingSteps(
        at_ms,
        found.seq,
        found.newest_seq or 0,
        priors=found.prior_id is not None,
        moves=found.moved_due_ms is not None and found.moved_due_ms <= at_ms,
        comments=found.comment_id is not None,
        ends=(found.finish_ms is not None and found.finish_ms <= at_ms + CLOSING_MS)
        or are_ends_old(found.closing_ms or 0, at_ms=at_ms),
        news=found.news_id is not None,
        alerts=found.alert_pool_id is not None,
    )


def _as_firsts(rows: Rows) -> _Firsts:
    return _Firsts(*rows[0])


def _firsts(dialect: str) -> sa.Select[Any]:
    newest = trades.c.id if dialect == "sqlite" else feed_order.c.seq
    finish_at_ms = events.c.finish_at_ms
    announced_ms = sa.select(following_cursor.c.closing_ms).scalar_subquery() + sa.literal_column(
        str(CLOSING_MS - OVERLAP_MS)
    )
    is_active = events.c.status == sa.literal_column(f"'{EventStatus.ACTIVE.value}'")
    values = (
        sa.select(following_cursor.c.seq),
        sa.select(following_cursor.c.closing_ms),
        sa.select(sa.func.max(newest)),
        sa.select(sa.func.min(prior_moves.c.id)),
        sa.select(sa.func.min(event_news.c.moved_due_at_ms)),
        sa.select(sa.func.min(followed_comments.c.comment_id)),
        sa.select(sa.func.min(finish_at_ms)).where(is_active, finish_at_ms > announced_ms),
        sa.select(sa.func.min(follower_news.c.id)),
        sa.select(sa.func.min(price_alerts.c.pool_id)),
    )
    return sa.select(
        *(value.scalar_subquery().label(name) for name, value in zip(_Firsts._fields, values, strict=True))
    )


_FIRSTS = CompiledQuery(_firsts)
