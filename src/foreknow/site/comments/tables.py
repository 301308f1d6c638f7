"""Comments and reactions to them."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Float64, Int64, Text, own_id, partial_index, table

comments = table(
    "comments",
    own_id(),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), nullable=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: The comment it replies to; NULL at the top level.
    sa.Column("parent_id", Int64, sa.ForeignKey("comments.id")),
    #: A reply's number among its parent's replies, from 1 in order of time. Replies are never removed, so a page finds
    #: its offset by this number, however deep.
    sa.Column("place", Int64),
    #: "" once deleted.
    sa.Column("content", Text, nullable=False),
    # Changed under the row's lock.
    sa.Column("likes_count", Int64, nullable=False, server_default="0"),
    sa.Column("dislikes_count", Int64, nullable=False, server_default="0"),
    sa.Column("replies_count", Int64, nullable=False, server_default="0"),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Column("deleted_at_ms", Int64),
    #: The comment at the top level under which a reply stands; NULL there, and in replies of older releases.
    sa.Column("root_id", Int64),
    #: When an operator or admin hid it; NULL: it is shown.
    sa.Column("hidden_at_ms", Int64),
    #: What its author held when they wrote it and showed that; NULL: nothing, once deleted, and of older releases.
    sa.Column("held_market_id", Int64),
    sa.Column("held_side", Text),
    sa.Column("held_shares", Int64),
    #: What they thought then of the outcome of the main pool that was likeliest by its price; NULL likewise.
    sa.Column("forecast_pool_id", Int64),
    sa.Column("forecast_outcome_index", Int64),
    sa.Column("forecast_probability", Float64),
    sa.Index("ix_comments_user_id", "user_id", "id"),
    sa.CheckConstraint("(parent_id IS NULL) = (place IS NULL)", name="whole_reply"),
    sa.CheckConstraint("likes_count >= 0 AND dislikes_count >= 0", name="never_below_zero"),
)
partial_index("ix_comments_top_level", comments.c.event_id, comments.c.id, where=comments.c.parent_id.is_(None))
# To count replies. In one index with the others, a page of top-level comments would pass over its replies.
partial_index("ix_comments_replies", comments.c.event_id, comments.c.id, where=comments.c.parent_id.is_not(None))
partial_index(
    "ix_comments_most_liked",
    comments.c.event_id,
    comments.c.likes_count,
    comments.c.id,
    where=comments.c.parent_id.is_(None),
)
partial_index(
    "uq_comments_parent_id_place",
    comments.c.parent_id,
    comments.c.place,
    where=comments.c.parent_id.is_not(None),
    unique=True,
)

#: Number of each event's comments, replies too, deleted ones not. An event without a row has none.
event_comments = table(
    "event_comments",
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), primary_key=True, autoincrement=False),
    sa.Column("comments", Int64, nullable=False),
    #: The newest comment that is counted. The next one counts all after it, those too that a process of the release
    #: before this table has written.
    sa.Column("counted_through_id", Int64, nullable=False),
)

comment_reactions = table(
    "comment_reactions",
    sa.Column("comment_id", Int64, sa.ForeignKey("comments.id"), primary_key=True, autoincrement=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: like or dislike
    sa.Column("type", Text, nullable=False),
    sa.Index("ix_comment_reactions_user_id", "user_id", "comment_id"),
    clustered=True,
)

#: Whom comments name with an @.
comment_mentions = table(
    "comment_mentions",
    sa.Column("comment_id", Int64, sa.ForeignKey("comments.id"), primary_key=True, autoincrement=False),
    #: In the order of the content, from 0.
    sa.Column("place", Int64, primary_key=True, autoincrement=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    #: As the content has it, without the @; "" once the comment is deleted.
    sa.Column("nickname", Text, nullable=False),
    #: Who wrote the comment.
    sa.Column("author_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: When the person was notified; NULL: they were not.
    sa.Column("notified_at_ms", Int64),
    sa.Index("ix_comment_mentions_author_id_notified_at_ms", "author_id", "notified_at_ms"),
    clustered=True,
)
