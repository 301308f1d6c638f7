"""Callers and auth levels: who calls, and what they may do. Knows no HTTP."""
