#!/usr/bin/env python3
"""Refuse a commit whose subject is too long; a hook of `.pre-commit-config.yaml` (`just hooks`)."""

from __future__ import annotations

import sys
from pathlib import Path

#: Of a commit's first line, in characters: what `git log --oneline` and forges show whole.
SUBJECT_MAX = 72


def problem(message: str) -> str | None:
    """Return what is wrong with a commit's message; None if nothing is."""
    subject = message.partition("\n")[0]
    if len(subject) <= SUBJECT_MAX:
        return None
    return f"the subject has {len(subject)} characters, {SUBJECT_MAX} at most: {subject}"


if __name__ == "__main__":
    sys.exit(problem(Path(sys.argv[1]).read_text()))
