"""Why a replay fails."""


class ReplayFailed(Exception):
    """The replay cannot go on; the text says why, in one line."""
