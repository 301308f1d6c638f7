"""The recipes ("How to add" of CONTRIBUTING.md) name files that exist and show code that these files contain.

CONTRIBUTING.md leads to each of them, and stays short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "foreknow"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
CONTRIBUTING_BYTES_MAX = 10_000
#: Each stands in the package that it is about.
RECIPES = tuple(page for page in sorted(PACKAGE.rglob("README.md")) if page.read_text().startswith("# Add "))
#: A numbered step of a recipe, with its indented blocks.
STEP = re.compile(r"^\d+\. .*\n(?:(?:   .*)?\n)*", re.MULTILINE)
CODE = re.compile(r"^   ```\w+\n(.*?)^   ```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:toml|md))`")
#: Where a path may begin.
BASES = (ROOT, PACKAGE)
#: Stands for code that the recipe leaves out.
GAP = "…"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a recipe: the files it names and its blocks of code."""

    files: tuple[str, ...]
    blocks: tuple[str, ...]


def steps() -> Iterator[Step]:
    for page in RECIPES:
        for step in STEP.findall(page.read_text()):
            yield Step(tuple(NAMED.findall(CODE.sub("", step))), tuple(CODE.findall(step)))


def missing_code(block: str, source: str) -> Iterator[str]:
    """Yield each line of a block that does not occur in the source below the line before it, white space apart."""
    source, at = _without_space(source), 0
    for line in block.splitlines():
        for part in line.split(GAP):
            found = source.find(_without_space(part), at)
            if found < 0:
                yield line.strip()
                break
            at = found + len(_without_space(part))


def _without_space(text: str) -> str:
    return re.sub(r"\s+", "", text)


def sources(files: tuple[str, ...]) -> Iterator[str]:
    """Yield the text of each file, and of a folder's files together."""
    for path in (base / name for name in files for base in BASES):
        if path.is_dir():
            yield "\n".join(each.read_text() for each in sorted(path.glob("*.py")))
        elif path.exists():
            yield path.read_text()


def test_contributing_leads_to_every_recipe_and_stays_short() -> None:
    assert len(RECIPES) > 5
    assert [page for page in RECIPES if f"({page.relative_to(ROOT).as_posix()})" not in CONTRIBUTING] == []
    assert len(CONTRIBUTING.encode()) <= CONTRIBUTING_BYTES_MAX


def test_the_files_that_steps_name_exist() -> None:
    named = [name for step in steps() for name in step.files]

    assert len(named) > 30
    assert [name for name in named if not any((base / name).exists() for base in BASES)] == []


def test_the_code_of_each_step_stands_in_a_file_that_it_names() -> None:
    blocks = [(step.files, block) for step in steps() for block in step.blocks]
    missing = [
        (files, best)
        for files, block in blocks
        if (best := min((list(missing_code(block, source)) for source in sources(files)), key=len, default=[block]))
    ]

    assert len(blocks) > 10
    assert missing == []


def test_code_that_a_file_does_not_contain_is_found() -> None:
    source = "def first(number: int) -> int:\n    # Why.\n    return (\n        number + 1\n    )\n"

    assert list(missing_code("def first(…) -> int:\n    return (number + 1)\n", source)) == []
    assert list(missing_code("def first(…) -> str:\n", source)) == ["def first(…) -> str:"]
    assert list(missing_code("return (number + 1)\n…\ndef first(", source)) == ["def first("]
