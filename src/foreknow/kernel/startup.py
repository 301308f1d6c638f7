"""How a service fails to start: apart from what starts it, so that a command can know of it without loading that."""

from __future__ import annotations


class CannotServe(Exception):
    """The service cannot start; its text says why."""
