"""Who calls, and what they may do: callers, levels, ownership; cookies and API keys as plain data. Knows no HTTP."""
