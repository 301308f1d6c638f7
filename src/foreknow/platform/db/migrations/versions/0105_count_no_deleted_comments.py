"""Take comments that were deleted before out of their events' numbers of comments."""

from __future__ import annotations

from alembic import op

revision = "0105"
down_revision = "0104"


def upgrade() -> None:
    """Lead there. No way leads back."""
    if op.get_bind().dialect.name == "postgresql":
        # Whoever comments meanwhile waits: the count would miss what it says to have counted.
        op.execute("LOCK TABLE event_comments IN SHARE ROW EXCLUSIVE MODE")
    # Replies and others have an index each.
    op.execute(
        "UPDATE event_comments SET comments = (SELECT count(*) FROM comments WHERE deleted_at_ms IS NULL "
        "AND comments.event_id = event_comments.event_id AND id <= counted_through_id AND parent_id IS NULL) "
        "+ (SELECT count(*) FROM comments WHERE deleted_at_ms IS NULL "
        "AND comments.event_id = event_comments.event_id AND id <= counted_through_id AND parent_id IS NOT NULL) "
        "WHERE event_id IN (SELECT event_id FROM comments WHERE deleted_at_ms IS NOT NULL)"
    )
