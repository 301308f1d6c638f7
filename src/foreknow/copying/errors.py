"""What keeps a copy from being made."""

from __future__ import annotations


class CannotCopy(Exception):
    """Nothing was copied; its text says why, and what to do."""


class TargetInUse(CannotCopy):
    """Somebody else works on the target."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the target is in use: a service runs on it, or another copy goes into it; stop that first")
