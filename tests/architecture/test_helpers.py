"""What several test modules need stands in a module of helpers, not in one of the tests."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(text: str) -> list[str]:
    """Return the modules that a module imports from."""
    return [node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]


def is_test_module(name: str) -> bool:
    return name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")


def test_no_test_module_is_imported() -> None:
    modules = sorted(path for folder in ("tests", "bench", "faults") for path in (TESTS.parent / folder).rglob("*.py"))

    assert len(modules) > 200
    assert [
        f"{path.relative_to(TESTS.parent)}: {name}"
        for path in modules
        for name in imported(path.read_text())
        if is_test_module(name)
    ] == []


def test_an_imported_test_module_is_noticed() -> None:
    source = "from tests.market.pools.test_charts import chart\nfrom tests.support.book import Book\n"

    assert [name for name in imported(source) if is_test_module(name)] == ["tests.market.pools.test_charts"]
