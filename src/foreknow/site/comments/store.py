"""Rows of comments and reactions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from foreknow.kernel.pagination import RankedPlace
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.comments.holdings import AuthorForecast, AuthorHolding
from foreknow.site.comments.tables import comment_reactions, comments, event_comments

Reaction = Literal["like", "dislike"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRow:
    """A comment; `user_reaction` is the reader's own reaction."""

    id: int
    event_id: int
    user_id: int
    parent_id: int | None
    content: str
    likes_count: int
    dislikes_count: int
    replies_count: int
    created_at_ms: int
    deleted_at_ms: int | None
    root_id: int | None
    #: When an operator or admin hid it.
    hidden_at_ms: int | None
    #: What its author held when they wrote it: all three, or none.
    held_market_id: int | None
    held_side: Literal["YES", "NO"] | None
    held_shares: int | None
    #: What they thought of an outcome of the main pool: all three, or none.
    forecast_pool_id: int | None
    forecast_outcome_index: int | None
    forecast_probability: float | None
    user_reaction: Reaction | None


_COLUMNS = tuple(comments.c[name] for name in CommentRow.__slots__ if name != "user_reaction")
#: What a deleted comment loses.
_CLEARED = {"content": ""} | dict.fromkeys(
    (
        *("held_market_id", "held_side", "held_shares"),
        *("forecast_pool_id", "forecast_outcome_index", "forecast_probability"),
    )
)
_COUNTERS = {"like": comments.c.likes_count, "dislike": comments.c.dislikes_count}


def load_comment(tx: ReadTx, comment_id: int, *, reader_id: int | None) -> CommentRow | None:
    """Return a comment as `reader_id` sees it, or None."""
    found = _read(tx, _select(reader_id).where(comments.c.id == comment_id))
    return found[0] if found else None


def lock_comment(tx: WriteTx, comment_id: int) -> CommentRow | None:
    """Lock a comment until the transaction ends and return it without a reaction, or None.

    Changes of its counters or content hold this lock, and never a second comment's.
    """
    query = sa.select(*_COLUMNS, sa.null().label("user_reaction")).where(comments.c.id == comment_id)
    found = _read(tx, query.with_for_update())
    return found[0] if found else None


def newest_top_level(
    tx: ReadTx, *, event_id: int, reader_id: int | None, before_id: int | None, limit: int
) -> list[CommentRow]:
    """Return an event's newest top-level comments, with ids under `before_id` if given."""
    query = _select(reader_id).where(comments.c.event_id == event_id, comments.c.parent_id.is_(None))
    if before_id is not None:
        query = query.where(comments.c.id < before_id)
    return _read(tx, query.order_by(comments.c.id.desc()).limit(limit))


def most_liked_top_level(
    tx: ReadTx, *, event_id: int, reader_id: int | None, place: RankedPlace, limit: int
) -> list[CommentRow]:
    """Return an event's top-level comments that most like, of equally liked ones the newest first, from a place on."""
    query = _select(reader_id).where(comments.c.event_id == event_id, comments.c.parent_id.is_(None))
    if place.shown:
        query = query.where(comments.c.id.not_in(place.shown))
    if place.below_id is not None:
        query = query.where(comments.c.id < place.below_id).order_by(comments.c.id.desc())
    else:
        query = query.order_by(comments.c.likes_count.desc(), comments.c.id.desc())
    return _read(tx, query.limit(limit))


def root_of(tx: ReadTx, comment: CommentRow) -> int:
    """Return the id of the top-level comment under which a comment stands; its own at the top level."""
    if comment.parent_id is None:
        return comment.id
    if comment.root_id is not None:
        return comment.root_id
    # Replies of older releases only: up to one whose root is known, or that is one.
    step = (comments.c.id, comments.c.parent_id, comments.c.root_id)
    above = sa.select(*step).where(comments.c.id == comment.parent_id).cte(recursive=True)
    above = above.union_all(
        sa.select(*step).join(above, comments.c.id == above.c.parent_id).where(above.c.root_id.is_(None))
    )
    ends = sa.select(sa.func.coalesce(above.c.root_id, above.c.id)).where(
        sa.or_(above.c.parent_id.is_(None), above.c.root_id.is_not(None))
    )
    return int(tx.execute(ends).scalars().one())


def oldest_replies(tx: ReadTx, *, parent_id: int, reader_id: int | None, offset: int, limit: int) -> list[CommentRow]:
    """Return replies to a comment, oldest first, after the first `offset` of them."""
    query = _select(reader_id).where(comments.c.parent_id == parent_id, comments.c.place > offset)
    return _read(tx, query.order_by(comments.c.place).limit(limit))


def insert_comment(
    tx: WriteTx,
    *,
    event_id: int,
    user_id: int,
    parent: CommentRow | None,
    content: str,
    held: AuthorHolding | None = None,
    thought: AuthorForecast | None = None,
    at_ms: int,
) -> int:
    """Write a comment and count it, also as a reply to `parent`, which is locked; return its id."""
    apply(tx, _LOCK_COUNT, [(event_id, 0, 0)])
    place: int | None = None
    if parent is not None:
        place = parent.replies_count + 1
        tx.execute(comments.update().where(comments.c.id == parent.id).values(replies_count=place))
    row = comments.insert().values(
        event_id=event_id,
        user_id=user_id,
        parent_id=None if parent is None else parent.id,
        place=place,
        root_id=None if parent is None else root_of(tx, parent),
        content=content,
        created_at_ms=at_ms,
        held_market_id=None if held is None else held.market_id,
        held_side=None if held is None else held.side,
        held_shares=None if held is None else held.shares,
        forecast_pool_id=None if thought is None else thought.pool_id,
        forecast_outcome_index=None if thought is None else thought.outcome_index,
        forecast_probability=None if thought is None else thought.probability,
    )
    comment_id = int(tx.execute(row.returning(comments.c.id)).scalar_one())
    tx.execute(_COUNT, {"of_event": event_id, "through_id": comment_id})
    return comment_id


def counts(tx: ReadTx, event_ids: Collection[int]) -> dict[int, int]:
    """Return how many comments each event has, replies included, deleted ones not."""
    found = dict.fromkeys(event_ids, 0)
    found.update((event_id, count) for event_id, count in _COUNTS.fetch(tx, {"ids": event_ids}))
    return found


def unread_among(tx: ReadTx, comment_ids: Collection[int]) -> set[int]:
    """Return which of these comments are deleted or hidden."""
    is_gone = sa.or_(comments.c.deleted_at_ms.is_not(None), comments.c.hidden_at_ms.is_not(None))
    return set(tx.execute(sa.select(comments.c.id).where(comments.c.id.in_(comment_ids), is_gone)).scalars())


def reaction_of(tx: ReadTx, *, comment_id: int, user_id: int) -> Reaction | None:
    """Return a user's reaction to a comment; under the comment's lock it is the newest."""
    query = sa.select(comment_reactions.c.type).where(*_reaction_conditions(comment_id, user_id))
    found: Reaction | None = tx.execute(query).scalar()
    return found


def replace_reaction(tx: WriteTx, *, comment_id: int, user_id: int, old: Reaction | None, new: Reaction | None) -> None:
    """Replace `old`, read under the comment's lock, by a different reaction, and update both counters."""
    table = comment_reactions
    if new is None:
        tx.execute(table.delete().where(*_reaction_conditions(comment_id, user_id)))
    elif old is None:
        tx.execute(table.insert().values(comment_id=comment_id, user_id=user_id, type=new))
    else:
        tx.execute(table.update().where(*_reaction_conditions(comment_id, user_id)).values(type=new))
    changes = {}
    if old is not None:
        changes[_COUNTERS[old]] = _COUNTERS[old] - 1
    if new is not None:
        changes[_COUNTERS[new]] = _COUNTERS[new] + 1
    tx.execute(comments.update().where(comments.c.id == comment_id).values(changes))


def clear_content(tx: WriteTx, comment: CommentRow, *, at_ms: int) -> None:
    """Clear the content of a locked comment, which is not deleted, and count it no more."""
    tx.execute(comments.update().where(comments.c.id == comment.id).values(deleted_at_ms=at_ms, **_CLEARED))
    _count_no_more(tx, [(comment.event_id, comment.id)])


def targets_of(user_id: int) -> sa.Select[Any]:
    """Return the query of a user's comments as the admin log names them."""
    return sa.select(sa.literal("comment:").concat(sa.cast(comments.c.id, Text))).where(comments.c.user_id == user_id)


def erase_some(tx: WriteTx, user_id: int, *, most: int, at_ms: int) -> list[int]:
    """Clear the content of up to `most` comments of a user, and count them no more; return their ids."""
    is_left = (comments.c.user_id == user_id, comments.c.content != "")
    some = sa.select(comments.c.id, comments.c.event_id, comments.c.deleted_at_ms).where(*is_left)
    found = tx.execute(some.order_by(comments.c.id).limit(most).with_for_update()).all()
    deleted_at_ms = sa.func.coalesce(comments.c.deleted_at_ms, at_ms)
    is_found = comments.c.id.in_([row.id for row in found])
    tx.execute(comments.update().where(is_found).values(deleted_at_ms=deleted_at_ms, **_CLEARED))
    _count_no_more(tx, [(row.event_id, row.id) for row in found if row.deleted_at_ms is None])
    return [row.id for row in found]


def replied_to(tx: ReadTx, comment_ids: Collection[int]) -> list[tuple[int, int]]:
    """Return (author of the comment it replies to, reply) of those comments that are replies."""
    parents = comments.alias("parents")
    query = sa.select(parents.c.user_id, comments.c.id).join(parents, parents.c.id == comments.c.parent_id)
    return [(user_id, reply_id) for user_id, reply_id in tx.execute(query.where(comments.c.id.in_(comment_ids)))]


def _count_no_more(tx: WriteTx, deleted: Collection[tuple[int, int]]) -> None:
    """Take comments, as (event, comment), out of the counts; those of events in order, for the locks."""
    for event_id in sorted({event_id for event_id, _ in deleted}):
        own = comments.c.id.in_([comment_id for of_event, comment_id in deleted if of_event == event_id])
        is_counted = comments.c.id <= event_comments.c.counted_through_id
        count = sa.select(sa.func.count()).where(own, is_counted).correlate(event_comments).scalar_subquery()
        change = event_comments.update().where(event_comments.c.event_id == event_id)
        tx.execute(change.values(comments=event_comments.c.comments - count))


def hide(tx: WriteTx, comment_id: int, *, at_ms: int | None) -> None:
    """Hide a locked comment; None: show it again."""
    tx.execute(comments.update().where(comments.c.id == comment_id).values(hidden_at_ms=at_ms))


def _reaction_conditions(comment_id: int, user_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return comment_reactions.c.comment_id == comment_id, comment_reactions.c.user_id == user_id


def _select(reader_id: int | None) -> sa.Select[Any]:
    if reader_id is None:
        return sa.select(*_COLUMNS, sa.null().label("user_reaction"))
    is_own = sa.and_(comment_reactions.c.comment_id == comments.c.id, comment_reactions.c.user_id == reader_id)
    return sa.select(*_COLUMNS, comment_reactions.c.type.label("user_reaction")).outerjoin(comment_reactions, is_own)


def _read(tx: ReadTx, query: sa.Select[Any]) -> list[CommentRow]:
    return [CommentRow(**row) for row in tx.execute(query).mappings()]


# Locked before a comment's id is drawn: no comment with a lower id can become visible after it is counted.
_LOCK_COUNT = Insert(
    event_comments,
    ("event_id", "comments", "counted_through_id"),
    conflict=on_conflict(event_comments, comments="event_comments.comments"),
)


def _uncounted(kind: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    is_newer = comments.c.id > event_comments.c.counted_through_id
    is_shown = comments.c.deleted_at_ms.is_(None)
    query = sa.select(sa.func.count()).where(comments.c.event_id == event_comments.c.event_id, is_newer, is_shown, kind)
    return query.correlate(event_comments).scalar_subquery()


_COUNT = (
    event_comments.update()
    .where(event_comments.c.event_id == sa.bindparam("of_event"))
    .values(
        # Each has its index.
        comments=event_comments.c.comments
        + _uncounted(comments.c.parent_id.is_(None))
        + _uncounted(comments.c.parent_id.is_not(None)),
        counted_through_id=sa.bindparam("through_id"),
    )
)
_COUNTS = CompiledQuery(
    sa.select(event_comments.c.event_id, event_comments.c.comments).where(in_array(event_comments.c.event_id))
)
