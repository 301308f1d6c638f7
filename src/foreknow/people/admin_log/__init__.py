"""The log of admins' actions: append-only, written in each action's transaction."""

from foreknow.people.admin_log.store import (
    LogEntry,
    clear_notes,
    last_actor,
    name_by_id,
    newest_entries,
    record,
    record_intervention,
)

__all__ = ["LogEntry", "clear_notes", "last_actor", "name_by_id", "newest_entries", "record", "record_intervention"]
