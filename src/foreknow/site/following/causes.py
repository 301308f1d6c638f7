"""News of followed events without a trade: new priors, comments, and the end of trading."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.store import EventStatus, load_events
from foreknow.market.events.tables import events
from foreknow.market.pools import tables as pool_tables
from foreknow.market.pools.store import PricedPool, load_priced_pools, pool_ids_of_events
from foreknow.people.follows import news
from foreknow.people.follows.store import IS_OR_WAS_FOLLOWED, was_followed
from foreknow.people.follows.tables import event_follows, event_news, followed_comments, prior_moves
from foreknow.people.notifications.kinds.followed import EventClosing, EventComment
from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.comments.tables import comments
from foreknow.site.following import alerts, moves
from foreknow.site.following.alerts import PricePoint, ReachedAlert
from foreknow.site.following.trades import CURSOR

#: How long before the end of trading followers are notified.
CLOSING_MS = DAY_MS
#: How often the cursor of ends of trading is moved where no trading ends.
MOVE_ON_MS = 5 * MINUTE_MS
#: Least time between two notifications of comments on an event.
COMMENTS_EVERY_MS = HOUR_MS
#: Events, or new priors, that one transaction looks at.
PIECE_ROWS = 100
_F, _N = followed_comments.c, event_news.c


class PriorEffects(NamedTuple):
    """What follows from new priors."""

    ids: Sequence[int]
    reached: Sequence[ReachedAlert]
    pools: Mapping[int, PricedPool]
    #: By event, the prices of its main pool before, and when they changed last.
    before: Mapping[int, Sequence[float]]
    moved_at_ms: Mapping[int, int]


def next_priors(tx: ReadTx) -> PriorEffects | None:
    """Return what follows from the next new priors; None where there are none."""
    rows = tx.execute(sa.select(prior_moves).order_by(prior_moves.c.id).limit(PIECE_ROWS)).all()
    if not rows:
        return None
    pools = load_priced_pools(tx, {row.pool_id for row in rows})
    points: dict[int, list[PricePoint]] = {}
    before: dict[int, Sequence[float]] = {}
    events_by_id = load_events(tx, {row.event_id for row in rows})
    pool_ids = pool_ids_of_events(tx, events_by_id.keys())
    main = {event_id: main_pool_id(event, pool_ids[event_id]) for event_id, event in events_by_id.items()}
    for row in rows:
        # A list may have more markets since.
        for market, probability in zip(pools[row.pool_id].markets, row.after, strict=False):
            points.setdefault(market.id, []).append(PricePoint(probability, 0, row.moved_at_ms))
        # Where an outcome was added no price has moved that is to be compared.
        if row.pool_id == main[row.event_id] and len(row.before) == len(row.after):
            before.setdefault(row.event_id, row.before)
    reached = alerts.reached(tx, points, most=PIECE_ROWS * PIECE_ROWS)
    moved_at_ms = {row.event_id: row.moved_at_ms for row in rows}
    return PriorEffects([row.id for row in rows], reached, pools, before, moved_at_ms)


def forget_priors(tx: WriteTx, of: PriorEffects) -> None:
    """Delete the notes of these priors; later prices are compared with those before."""
    for event_id, prices in sorted(of.before.items()):
        moves.compare_from(tx, event_id, prices)
    tx.execute(prior_moves.delete().where(prior_moves.c.id.in_(of.ids)))


def commented_events(tx: ReadTx) -> Sequence[int] | None:
    """Return some events with new comments of which followers may be notified; None for none."""
    due = sa.or_(_N.comments_due_at_ms.is_(None), _N.comments_due_at_ms <= now_ms(tx))
    joined = followed_comments.join(event_news, _N.event_id == _F.event_id, isouter=True)
    query = sa.select(_F.event_id).select_from(joined).where(due).distinct().limit(PIECE_ROWS)
    return tx.execute(query).scalars().all() or None


def write_comments(tx: WriteTx, event_ids: Collection[int]) -> None:
    """Write news of new comments on events; those that were deleted or hidden are none."""
    at_ms = now_ms(tx)
    for event_id in sorted(event_ids):
        noted = tx.execute(sa.select(_F.comment_id).where(_F.event_id == event_id)).scalars().all()
        new = shown_comments(tx, noted)
        written_ms = [one.created_at_ms for one in new]
        if new and was_followed(tx, event_id, from_ms=min(written_ms), until_ms=max(written_ms)):
            ids, number = [one.id for one in new], EventComment(count=len(new))
            news.write(tx, event_id, number, without=(), at_ms=max(written_ms), comment_ids=ids)
            apply(tx, _COMMENTED, [(event_id, at_ms + COMMENTS_EVERY_MS)])
        tx.execute(followed_comments.delete().where(_F.comment_id.in_(noted)))


class ShownComment(NamedTuple):
    """A comment that is neither deleted nor hidden."""

    id: int
    user_id: int
    created_at_ms: int


def shown_comments(tx: ReadTx, comment_ids: Collection[int]) -> list[ShownComment]:
    """Return those of these comments that are shown."""
    is_shown = sa.and_(comments.c.deleted_at_ms.is_(None), comments.c.hidden_at_ms.is_(None))
    query = sa.select(comments.c.id, comments.c.user_id, comments.c.created_at_ms)
    rows = tx.execute(query.where(in_array(comments.c.id), is_shown), {"ids": comment_ids}) if comment_ids else ()
    return [ShownComment(*row) for row in rows]


class ClosingEvents(NamedTuple):
    """Followed events whose trading ends in a day from a moment, `PIECE_ROWS` at most."""

    #: `(id, finish_at_ms)`
    rows: Sequence[Any]
    #: Up to when they were looked for before, and are now.
    since_ms: int
    at_ms: int


def closing_events(tx: ReadTx) -> ClosingEvents | None:
    """Return the next events whose trading ends; None for none, where the cursor is not to be moved on either.

    Only followed ones are counted: the others stay as they are, and would be found again in place of those after them.
    """
    since_ms, at_ms = CURSOR.get(tx, "closing_ms"), now_ms(tx)
    finish_at_ms, pool = events.c.finish_at_ms, pool_tables.pools.c
    query = sa.select(events.c.id, finish_at_ms).where(
        events.c.status == EventStatus.ACTIVE.value,
        finish_at_ms > max(since_ms - OVERLAP_MS + CLOSING_MS, at_ms),
        finish_at_ms <= at_ms + CLOSING_MS,
        events.c.published_at_ms <= finish_at_ms - CLOSING_MS,
        # What has a result ends no more.
        sa.exists().where(pool.event_id == events.c.id, pool.finish_at_ms == finish_at_ms, alerts.is_open(at_ms)),
        sa.exists().where(event_follows.c.event_id == events.c.id, IS_OR_WAS_FOLLOWED),
        sa.not_(sa.exists().where(_N.event_id == events.c.id, _N.closing)),
    )
    rows = tx.execute(query.order_by(finish_at_ms).limit(PIECE_ROWS)).all()
    return ClosingEvents(rows, since_ms, at_ms) if rows or are_ends_old(since_ms, at_ms=at_ms) else None


def are_ends_old(closing_ms: int, *, at_ms: int) -> bool:
    """Return whether the cursor of ends is to be moved on; also back, where the clock was ahead."""
    return abs(at_ms - closing_ms) >= MOVE_ON_MS


def write_closing(tx: WriteTx, found: ClosingEvents) -> None:
    """Write news that trading ends, and that followers are notified of all ends up to a day from then."""
    rows, since_ms, at_ms = found
    for row in sorted(rows):
        if tx.execute(sa.select(_N.event_id).where(_N.event_id == row.id, _N.closing)).first() is None:
            # An end that was moved to here is news from about now on.
            closing_ms = max(row.finish_at_ms - CLOSING_MS, since_ms)
            news.write(tx, row.id, EventClosing(finish_at=iso(row.finish_at_ms)), without=(), at_ms=closing_ms)
            apply(tx, _CLOSING, [(row.id, True)])
    if len(rows) < PIECE_ROWS:
        CURSOR.move(tx, closing_ms=at_ms)


_COMMENTED = Insert(
    event_news,
    ("event_id", "comments_due_at_ms"),
    conflict=on_conflict(event_news, comments_due_at_ms="excluded.comments_due_at_ms"),
)
_CLOSING = Insert(event_news, ("event_id", "closing"), conflict=on_conflict(event_news, closing="excluded.closing"))
