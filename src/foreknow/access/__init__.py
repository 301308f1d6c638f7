"""Who calls, and what they may do: callers and auth levels. Knows no HTTP."""
