"""Unused images: objects in our storage that no event shows. The image that an event shows is in the event's row."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, table

#: Each is deleted when it is due, unless its upload ends before: then its event shows it and the row goes.
unused_images = table(
    "unused_images",
    sa.Column("object", Text, primary_key=True),
    #: The event it was uploaded to.
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), nullable=False),
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    #: Attempts to delete it. An upload whose object a process has tried to delete has failed.
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
