"""The recipes of CONTRIBUTING.md name files that exist and show code that these files contain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
#: A numbered step of a recipe, with its indented blocks.
STEP = re.compile(r"^\d+\. .*\n(?:(?:   .*)?\n)*", re.MULTILINE)
CODE = re.compile(r"^   ```\w+\n(.*?)^   ```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:toml|md))`")
#: Stands for code that the recipe leaves out.
GAP = "…"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a recipe: the files it names and its blocks of code."""

    files: tuple[str, ...]
    blocks: tuple[str, ...]


def steps(page: str) -> Iterator[Step]:
    recipes = page.partition("## How to add …")[2].partition("\n## ")[0]
    for step in STEP.findall(recipes):
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
    for name in files:
        path = ROOT / name
        if path.is_dir():
            yield "\n".join(each.read_text() for each in sorted(path.glob("*.py")))
        elif path.exists():
            yield path.read_text()


def test_the_files_that_steps_name_exist() -> None:
    named = [name for step in steps(PAGE) for name in step.files]

    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_code_of_each_step_stands_in_a_file_that_it_names() -> None:
    blocks = [(step.files, block) for step in steps(PAGE) for block in step.blocks]
    missing = [
        (files, best)
        for files, block in blocks
        if (best := min((list(missing_code(block, source)) for source in sources(files)), key=len, default=[block]))
    ]

    assert len(blocks) > 20
    assert missing == []


def test_code_that_a_file_does_not_contain_is_found() -> None:
    source = "def first(number: int) -> int:\n    # Why.\n    return (\n        number + 1\n    )\n"

    assert list(missing_code("def first(…) -> int:\n    return (number + 1)\n", source)) == []
    assert list(missing_code("def first(…) -> str:\n", source)) == ["def first(…) -> str:"]
    assert list(missing_code("return (number + 1)\n…\ndef first(", source)) == ["def first("]
