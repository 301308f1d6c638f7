"""Mails that wait, what bounds them, and notices that wait to be gathered in one."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, Text, own_id, table

#: Mails to be sent; each row is deleted once its mail is sent or given up.
mails = table(
    "mails",
    own_id(),
    #: NULL while it is not known whose address it is.
    sa.Column("user_id", Int64, index=True),
    #: One of `outbox.MailKind`.
    sa.Column("kind", Text, nullable=False),
    sa.Column("address", Text, nullable=False),
    #: What its text is made of; NULL where the user's row has it all.
    sa.Column("params", Json),
    #: The part of its Message-ID before the @, the same at each attempt.
    sa.Column("message_id", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: From then on it is not sent any more; its link, if it has one, ends then.
    sa.Column("ends_at_ms", Int64, nullable=False),
    #: When it is to be sent; while a process sends it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    #: Attempts to send it.
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

#: When mails to a mailbox were requested, in the last day; later ones delete older rows.
mail_requests = table(
    "mail_requests",
    #: A keyed hash of the mailbox (`mailbox_key`).
    sa.Column("address_hash", Text, primary_key=True),
    #: Unix milliseconds, oldest first.
    sa.Column("asked_at_ms", Json, nullable=False),
    sa.Column("last_asked_at_ms", Int64, nullable=False, index=True),
)

#: Addresses of users whose mailboxes a server calls dead; a mail that it takes deletes the row.
dead_mailboxes = table(
    "dead_mailboxes",
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("address", Text, primary_key=True),
    #: When it did so first.
    sa.Column("since_ms", Int64, nullable=False),
    clustered=True,
)

#: One row, from the first start on: what all processes know of the sending of mails.
mail_service = table(
    "mail_service",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    #: Whether the settings name a server.
    sa.Column("is_on", Flag, nullable=False),
    #: When a server took a mail last; NULL: never.
    sa.Column("last_sent_at_ms", Int64),
)

#: Notifications to be mailed, alone or together (`notices`); each row is deleted when it becomes part of a mail.
notices = table(
    "notices",
    own_id(),
    sa.Column("user_id", Int64, nullable=False),
    #: Of the notification, which users choose by.
    sa.Column("type", Text, nullable=False),
    sa.Column("event_id", Int64),
    #: What its text is made of.
    sa.Column("params", Json, nullable=False),
    #: The comment that it is about; NULL for none.
    sa.Column("comment_id", Int64),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When to look whether it is mailed.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Index("ix_notices_user_id_due_at_ms", "user_id", "due_at_ms"),
)

#: Who was mailed notices, until the next may follow; later mails delete older rows.
notice_pauses = table(
    "notice_pauses",
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    #: "now" or "daily".
    sa.Column("mode", Text, primary_key=True),
    #: When the mail was made.
    sa.Column("mailed_at_ms", Int64, nullable=False),
    #: The first moment of the next.
    sa.Column("ends_at_ms", Int64, nullable=False, index=True),
    clustered=True,
)
