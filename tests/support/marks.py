"""Text that is made to be slow to normalise, and what it costs the normaliser of the standard library.

What is counted is what costs: by how many places marks must be moved until each run of them is in canonical order.
"""

from __future__ import annotations

import bisect
import contextlib
import unicodedata
from collections.abc import Iterator

import pytest

ABOVE, BELOW = "\N{COMBINING ACUTE ACCENT}", "\N{COMBINING GRAVE ACCENT BELOW}"
_normalize = unicodedata.normalize


def marks(count: int) -> str:
    """Return a letter with `count` marks, each second of which belongs before the one that it follows."""
    return "a" + (ABOVE + BELOW) * (count // 2)


def moves(text: str) -> int:
    """Count by how many places all marks of a text must move until each run of them is in order."""
    total = 0
    run: list[int] = []
    for character in "".join(_normalize("NFD", one) for one in text):
        combining = unicodedata.combining(character)
        if combining == 0:
            run = []
            continue
        place = bisect.bisect_right(run, combining)
        total += len(run) - place
        run.insert(place, combining)
    return total


@contextlib.contextmanager
def normaliser_watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect whatever reaches the normaliser, from any thread."""
    reached: list[str] = []

    def normalize(form: str, text: str) -> str:
        reached.append(text)
        return _normalize(form, text)  # type: ignore[arg-type] # the forms are those of the caller

    with monkeypatch.context() as patch:
        patch.setattr(unicodedata, "normalize", normalize)
        yield reached
