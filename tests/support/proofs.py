"""Which line of the contract a test proves: `@proves("decisions: a trailing slash is 404")`.

The text after the page's name stands in that page word for word, so that a line that no test names can be found.
"""

from __future__ import annotations

import pytest

#: Pages of docs/contract.
PAGES = (
    "interface",
    "decisions",
    "lifecycle",
    "client",
    "developers",
    "partners",
    "site",
    "orders",
    "baskets",
    "lists",
)


def proves(*lines: str) -> pytest.MarkDecorator:
    """Mark a test with the lines it proves, each `interface: …`, `decisions: …` or another page's."""
    assert all(line.startswith(tuple(f"{page}: " for page in PAGES)) for line in lines), lines
    return pytest.mark.proves(*lines)
