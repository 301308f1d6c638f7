"""The error of a failed start, in a module of its own so that commands can catch it without importing the server."""

from __future__ import annotations


class CannotServe(Exception):
    """The service cannot start; the text says why."""
