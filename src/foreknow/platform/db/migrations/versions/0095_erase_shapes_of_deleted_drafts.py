"""Erase the shapes of drafts whose creators' accounts are deleted: their texts stayed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0095"
down_revision = "0094"

_pools = sa.table("pools", sa.column("event_id"), sa.column("shape"), sa.column("other_index"))
_events = sa.table("events", sa.column("id"), sa.column("creator_id"), sa.column("published_at_ms"))
_users = sa.table("users", sa.column("id"), sa.column("deleted_at_ms"))


def upgrade() -> None:
    """Lead there. No way leads back."""
    deleted = sa.select(_users.c.id).where(_users.c.deleted_at_ms.is_not(None))
    drafts = sa.select(_events.c.id).where(_events.c.published_at_ms.is_(None), _events.c.creator_id.in_(deleted))
    op.execute(_pools.update().where(_pools.c.event_id.in_(drafts)).values(shape=None, other_index=None))
