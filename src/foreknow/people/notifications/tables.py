"""Notifications of users, and what they want to be notified of."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, Text, own_id, partial_index, table

notifications = table(
    "notifications",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: One of `kinds.KINDS`.
    sa.Column("type", Text, nullable=False),
    #: No foreign key: a settlement inserts thousands of rows, and each would lock the event's row.
    sa.Column("event_id", Int64),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: NULL while unread.
    sa.Column("read_at_ms", Int64),
    #: Of its kind; NULL in rows of older releases.
    sa.Column("params", Json),
    #: The comment that it is about. No foreign key, as of the event.
    sa.Column("comment_id", Int64),
    sa.Index("ix_notifications_user_id_id", "user_id", "id"),
)
# Counting and marking read unread rows only. `read_at_ms`, though always NULL here, makes the index covering, so that
# SQLite prefers it to the other one.
partial_index(
    "ix_notifications_unread",
    notifications.c.user_id,
    notifications.c.id,
    notifications.c.read_at_ms,
    where=notifications.c.read_at_ms.is_(None),
)

#: What people have chosen; a kind without a row is as its declaration says.
notification_settings = table(
    "notification_settings",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: One of `kinds.KINDS`.
    sa.Column("type", Text, primary_key=True),
    #: Whether it is listed.
    sa.Column("app", Flag, nullable=False),
    #: One of `kind.MailChoice`.
    sa.Column("email", Text, nullable=False),
    #: When it was changed, and what it was before; NULL for the default.
    sa.Column("changed_at_ms", Int64),
    sa.Column("app_before", Flag),
    sa.Column("email_before", Text),
    clustered=True,
)
