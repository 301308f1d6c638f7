"""Files and functions stay as short as CONTRIBUTING.md wants them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.modules import ROOT, Module, in_modules

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60


def is_written_by_people(module: Module) -> bool:
    """Not a migration, nor what `just client` writes."""
    docstring = module.text.partition("\n\nfrom ")[0]
    return "/versions/" not in module.name and "Written by `just client`" not in docstring


@in_modules()
def too_long(module: Module) -> Iterator[str]:
    if not is_written_by_people(module):
        return
    if (count := module.text.count("\n")) > FILE_LINES_MAX:
        yield f"{module.name}: {count} lines"
    for function in module.functions:
        lines = (function.end_lineno or 0) - function.lineno + 1
        if lines > FUNCTION_LINES_MAX:
            yield f"{module.name}:{function.lineno} {function.name}: {lines} lines"


def test_nothing_is_too_long_to_be_read() -> None:
    assert list(too_long.found) == []


def test_contributing_says_these_sizes() -> None:
    said = f"Files stay under {FILE_LINES_MAX} lines and functions under {FUNCTION_LINES_MAX}."
    assert said in (ROOT / "CONTRIBUTING.md").read_text()


def test_what_is_too_long_is_found() -> None:
    module = Module("long.py", "def f():\n" + "    pass\n" * FILE_LINES_MAX)
    assert list(too_long(module)) == ["long.py: 401 lines", "long.py:1 f: 401 lines"]
