"""Who calls, and what they may do: callers, auth levels, ownership; cookies as plain data. Knows no HTTP."""
