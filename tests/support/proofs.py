"""Which line of the contract a test proves: `@proves("decisions: a trailing slash is 404")`.

The text after the page's name stands in that page word for word, so that a line that no test names can be found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
#: Pages of the contract: whole in docs/contract, or the last section of their topic's page in docs.
PAGES = (
    "interface",
    "decisions",
    "lifecycle",
    "client",
    "site",
    "bots",
    "partners",
    "orders",
    "baskets",
    "lists",
    "administration",
    "results",
    "forecasts",
)
#: Heads that section. What stands above it is no contract.
HEADING = "## The contract"


def page_of(name: str) -> Path:
    """Return where a page of the contract stands."""
    alone = DOCS / "contract" / f"{name}.md"
    return alone if alone.exists() else DOCS / f"{name}.md"


def beside_contract(text: str) -> str:
    """Return a page of a topic without its section of the contract, which stands word for word."""
    return text.partition(f"\n{HEADING}\n")[0]


def proves(*lines: str) -> pytest.MarkDecorator:
    """Mark a test with the lines it proves, each `interface: …`, `decisions: …` or another page's."""
    assert all(line.startswith(tuple(f"{page}: " for page in PAGES)) for line in lines), lines
    return pytest.mark.proves(*lines)
