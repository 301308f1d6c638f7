"""The descriptions of fields stand in the schemas, each text once."""

from __future__ import annotations

import ast
from collections import Counter

from tests.support.modules import Module, in_modules


@in_modules("src/foreknow")
def descriptions(module: Module) -> list[str]:
    """Return the texts that a module gives to msgspec's `Meta`."""
    return [
        keyword.value.value
        for call in module.all(ast.Call)
        if isinstance(call.func, ast.Name) and call.func.id == "Meta"
        for keyword in call.keywords
        if keyword.arg == "description"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    ]


def test_each_description_stands_once() -> None:
    found = Counter(descriptions.found)

    assert len(found) > 100
    assert [text for text, count in found.items() if count > 1] == []
