"""Events, their tags, their search index, and the series of those that recur."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Flag, Int64, Json, Text, own_id, partial_index, table

events = table(
    "events",
    own_id(),
    sa.Column("creator_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("name", Text, nullable=False),
    sa.Column("name_ru", Text, nullable=False),
    #: Both names as `search_fold` has them.
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
    #: End of the last dispute window, if every unresolved pool has a result: the event is resolved from then on.
    sa.Column("resolves_at_ms", Int64),
    #: Texts as written, with their placeholders; NULL where none are read.
    sa.Column("templates", Json),
    #: The series it is an instance of, and its index there.
    sa.Column("series_id", Int64),
    sa.Column("series_index", Int64),
    #: False for an instance of a series that has a later one.
    sa.Column("is_newest", Flag, nullable=False, server_default=sa.text("true")),
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

#: Events that were published, closed or ended, or whose end was moved, until `activity` has counted that.
event_changes = table("event_changes", own_id(), sa.Column("event_id", Int64, nullable=False))

#: All suffixes of an event's names, for the search (see `search`).
event_names_from = table(
    "event_names_from",
    #: UTF-8, as in the search key.
    sa.Column("letters", Bytes, primary_key=True),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), primary_key=True),
    clustered=True,
)
_IN_SERIES = events.c.series_id.is_not(None)
partial_index("uq_events_series", events.c.series_id, events.c.series_index, where=_IN_SERIES, unique=True)
# For lists: of one series, and without the older instances of series (`current=true`), whatever their number.
for _suffix, _columns in (
    ("id", (events.c.id,)),
    ("volume", (events.c.volume_kopecks, events.c.id)),
    ("finish", (events.c.finish_at_ms, events.c.id)),
):
    partial_index(f"ix_events_series_{_suffix}", events.c.series_id, events.c.status, *_columns, where=_IN_SERIES)
    partial_index(f"ix_events_newest_{_suffix}", events.c.status, *_columns, where=events.c.is_newest)

series = table(
    "series",
    own_id(),
    sa.Column("creator_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    #: running, stopped or ended
    sa.Column("status", Text, nullable=False),
    sa.Column("loop_interval_minutes", Int64, nullable=False),
    sa.Column("first_event_id", Int64, nullable=False),
    sa.Column("newest_event_id", Int64, nullable=False),
    sa.Column("newest_index", Int64, nullable=False),
    #: What later instances are made of: fields of the event and its pools, texts with their placeholders.
    sa.Column("draft", Json, nullable=False),
    #: The instance whose times the draft holds.
    sa.Column("draft_index", Int64, nullable=False),
    #: creator_role, house_limit or price: why the next instance has not been opened; NULL where nothing prevents it.
    sa.Column("waiting", Text),
    #: Index of the instance that its creator was last notified about.
    sa.Column("waiting_index", Int64),
    #: False for the series of a suggestion, which an admin runs.
    sa.Column("waits_for_role", Flag, nullable=False, server_default=sa.text("true")),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When the next instance can be opened at the earliest; NULL unless running.
    sa.Column("due_at_ms", Int64, index=True),
    #: Failures in a row that nothing explains, such as a database's; not the waiting of an instance.
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

#: Events whose address is a page of a source of odds, and what the last round found there.
odds_events = table(
    "odds_events",
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), primary_key=True, autoincrement=False),
    #: polymarket, manifold or kalshi, and the event's id there.
    sa.Column("source", Text, nullable=False),
    sa.Column("external_id", Text, nullable=False),
    #: When its next round begins; while a process works on one, the end of the lease. NULL: never.
    sa.Column("due_at_ms", Int64),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
    #: When the request began whose response was read last; NULL before the first.
    sa.Column("checked_at_ms", Int64),
    #: The status that the last round found, and what it found for each pool; NULL before the first.
    sa.Column("status", Text),
    sa.Column("round", Json),
    sa.Index("ix_odds_events_source_due_at_ms", "source", "due_at_ms"),
)
