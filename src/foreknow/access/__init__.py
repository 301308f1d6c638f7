"""Who calls, and what they may do: callers, auth levels, ownership; cookies and API keys as plain data. Knows no HTTP."""
