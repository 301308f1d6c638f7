"""Which line of the contract a test proves: `@proves("decisions: a trailing slash is 404")`.

The text after the page's name stands in that page word for word, so that a line that no test names can be found.
"""

from __future__ import annotations

import pytest


def proves(*lines: str) -> pytest.MarkDecorator:
    """Mark a test with the lines it proves, each `interface: …`, `decisions: …` or `client: …`."""
    pages = (
        "interface: ",
        "decisions: ",
        "lifecycle: ",
        "client: ",
        "developers: ",
        "partners: ",
        "site: ",
        "orders: ",
    )
    assert all(line.startswith(pages) for line in lines), lines
    return pytest.mark.proves(*lines)
