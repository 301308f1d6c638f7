"""The log of what admins did: written beside the deed, by whichever room it is done in, and never changed."""

from foreknow.admin_log.store import LogEntry, newest_entries, record, record_intervention

__all__ = ["LogEntry", "newest_entries", "record", "record_intervention"]
