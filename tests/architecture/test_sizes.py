"""Files and functions stay as short as CONTRIBUTING.md wants them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60


def sources() -> Iterator[Path]:
    """Yield the modules that people write: not migrations, nor what `just client` writes."""
    for folder in ("src", "tests", "bench", "faults", "examples", "bin", "clients"):
        for path in (ROOT / folder).rglob("*.py"):
            docstring = path.read_text().partition("\n\nfrom ")[0]
            if path.parent.name != "versions" and "Written by `just client`" not in docstring:
                yield path


def too_long(path: Path) -> Iterator[str]:
    text = path.read_text()
    if text.count("\n") > FILE_LINES_MAX:
        yield f"{path}: {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield f"{path}:{node.lineno} {node.name}: {lines} lines"


def test_nothing_is_too_long_to_be_read() -> None:
    assert [finding for path in sources() for finding in too_long(path)] == []


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    pass\n" * FILE_LINES_MAX)
    assert [finding.removeprefix(str(path)) for finding in too_long(path)] == [": 401 lines", ":1 f: 401 lines"]
