"""Why a copy is refused."""

from __future__ import annotations


class CannotCopy(Exception):
    """Nothing was copied; the text says why and what to do."""


class TargetInUse(CannotCopy):
    """Another process holds locks on the target."""

    def __init__(self) -> None:
        """Set the text."""
        super().__init__("the target is in use: a service runs on it, or another copy goes into it; stop that first")
