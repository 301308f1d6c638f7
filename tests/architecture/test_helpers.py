"""What several test modules need stands in a module of helpers, not in one of the tests."""

from __future__ import annotations

import ast

from tests.support.modules import Module, in_modules


@in_modules("tests", "bench", "faults")
def imported(module: Module) -> list[tuple[str, str]]:
    """Return the module's name with that of each module that it imports from."""
    return [(module.name, node.module or "") for node in module.all(ast.ImportFrom)]


def is_test_module(name: str) -> bool:
    return name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")


def test_no_test_module_is_imported() -> None:
    assert len({module for module, _ in imported.found}) > 200
    assert [f"{module}: {name}" for module, name in imported.found if is_test_module(name)] == []


def test_an_imported_test_module_is_noticed() -> None:
    source = "from tests.market.pools.test_charts import chart\nfrom tests.support.book import Book\n"

    assert [name for _, name in imported(Module("tests/a.py", source)) if is_test_module(name)] == [
        "tests.market.pools.test_charts"
    ]
