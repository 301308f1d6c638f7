"""The log of admins' actions: append-only, written in each action's transaction."""

from foreknow.people.admin_log.store import LogEntry, newest_entries, record, record_intervention

__all__ = ["LogEntry", "newest_entries", "record", "record_intervention"]
