"""Sessions of the support chat and their messages."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

chat_sessions = table(
    "chat_sessions",
    own_id(),
    #: The owner; NULL while it belongs to the browser that has the cookie.
    sa.Column("user_id", Int64, sa.ForeignKey("users.id")),
    #: SHA-256 of the cookie's value. It opens the session only while no user has it.
    sa.Column("cookie_hash", Text, nullable=False, unique=True),
    #: open, waiting, answered or closed
    sa.Column("status", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    # Of the newest message; 0 and NULL where there is none.
    sa.Column("last_message_id", Int64, nullable=False, server_default="0"),
    sa.Column("last_message_at_ms", Int64),
    #: Since when the visitor waits for an operator's message; NULL while no one does.
    sa.Column("waiting_since_ms", Int64),
    #: Of the last change that operators see.
    sa.Column("changed_at_ms", Int64),
    sa.Index("ix_chat_sessions_status_id", "status", "id"),
    sa.Index("ix_chat_sessions_user_id", "user_id"),
)
_IS_CHANGED = chat_sessions.c.changed_at_ms.is_not(None)
partial_index("ix_chat_sessions_changed_at_ms", chat_sessions.c.changed_at_ms, where=_IS_CHANGED)
#: Its visitor waits for an operator.
IS_WAITING = chat_sessions.c.waiting_since_ms.is_not(None)
partial_index("ix_chat_sessions_waiting", chat_sessions.c.id, where=IS_WAITING)
_ACTIVE_OF_A_USER = sa.and_(chat_sessions.c.user_id.is_not(None), chat_sessions.c.status != "closed")
# One active session a user, also where two devices begin one, or sign in, at the same moment.
partial_index("uq_chat_sessions_active_user_id", chat_sessions.c.user_id, where=_ACTIVE_OF_A_USER, unique=True)

chat_messages = table(
    "chat_messages",
    own_id(),
    sa.Column("session_id", Int64, sa.ForeignKey("chat_sessions.id"), nullable=False),
    #: user, operator or system
    sa.Column("sender", Text, nullable=False),
    #: The operator, or the user where one was signed in.
    sa.Column("author_id", Int64, sa.ForeignKey("users.id")),
    sa.Column("text", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Index("ix_chat_messages_session_id_id", "session_id", "id"),
)


#: A literal, so that the partial index matches.
IS_OPERATORS = chat_messages.c.sender == sa.literal_column("'operator'")
partial_index("ix_chat_messages_operator", chat_messages.c.author_id, chat_messages.c.id, where=IS_OPERATORS)
