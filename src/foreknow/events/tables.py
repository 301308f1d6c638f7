"""Events, their tags, and their search index."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Bytes, Flag, Int64, Json, Text, own_id, table

events = table(
    "events",
    own_id(),
    sa.Column("creator_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("name", Text, nullable=False),
    sa.Column("name_ru", Text, nullable=False),
    #: Both names case-folded, for the search.
    sa.Column("search_key", Text, nullable=False),
    sa.Column("tags", Json, nullable=False),
    sa.Column("versus_names", Json, nullable=False),
    sa.Column("versus_images", Json, nullable=False),
    sa.Column("has_draw", Flag, nullable=False),
    sa.Column("image_url", Text, nullable=False),
    #: The object in the image store behind image_url; NULL for an external URL.
    sa.Column("image_object", Text),
    sa.Column("external_event_url", Text, nullable=False),
    sa.Column("main_pool_index", Int64, nullable=False),
    sa.Column("loop_interval_minutes", Int64, nullable=False),
    #: new, active, resolved or cancelled; `closed` is active after closes_at_ms.
    sa.Column("status", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Column("published_at_ms", Int64),
    #: The latest finish_at of the unresolved pools; NULL if one of them has none, or none is left.
    sa.Column("closes_at_ms", Int64),
    #: The latest finish_at of all pools, for `sort=closing`; NULL without any.
    sa.Column("finish_at_ms", Int64),
    #: Kopecks of stakes and of sale payouts over all pools, for `sort=volume`.
    sa.Column("volume_kopecks", Int64, nullable=False, server_default="0"),
    sa.Index("ix_events_status_id", "status", "id"),
    sa.Index("ix_events_status_volume", "status", "volume_kopecks", "id"),
    sa.Index("ix_events_status_finish", "status", "finish_at_ms", "id"),
    sa.Index("ix_events_status_closes", "status", "closes_at_ms"),
    sa.Index("ix_events_creator_id_status_id", "creator_id", "status", "id"),
)

event_tags = table(
    "event_tags",
    sa.Column("tag", Text, primary_key=True),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), primary_key=True),
    clustered=True,
)

#: All suffixes of an event's names, for the search (see `search`).
event_names_from = table(
    "event_names_from",
    #: UTF-8, case-folded.
    sa.Column("letters", Bytes, primary_key=True),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), primary_key=True),
    clustered=True,
)
