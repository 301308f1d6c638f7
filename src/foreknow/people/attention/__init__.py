"""What waits for a person: a list for operators, who are alerted once for each entry.

store    opening, closing and listing entries
alerts   the worker that alerts operators
routes   GET /admin/attention
tables   the entries
"""

from foreknow.people.attention.alerts import AttentionAlerts
from foreknow.people.attention.store import close_entry, is_open_of, open_entry, pools_waiting

__all__ = ["AttentionAlerts", "close_entry", "is_open_of", "open_entry", "pools_waiting"]
