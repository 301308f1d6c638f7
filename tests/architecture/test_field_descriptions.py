"""The descriptions of fields stand in the schemas, each text once."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import foreknow

SOURCE = Path(foreknow.__file__).parent


def descriptions(module: Path) -> list[str]:
    """Return the texts that a module gives to msgspec's `Meta`."""
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    return [
        keyword.value.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "Meta"
        for keyword in call.keywords
        if keyword.arg == "description"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    ]


def test_each_description_stands_once() -> None:
    found = Counter(text for module in SOURCE.rglob("*.py") for text in descriptions(module))

    assert len(found) > 100
    assert [text for text, count in found.items() if count > 1] == []
