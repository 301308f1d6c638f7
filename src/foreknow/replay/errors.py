"""Why a replay fails."""

from __future__ import annotations


class ReplayFailed(Exception):
    """The replay cannot go on; the text says why, in one line."""
