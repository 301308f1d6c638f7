"""The list of mutants: one small change of the source each, and the tests that are to notice it.

Each area has a file beside this one, `<area>.toml`. An entry:

    [[mutant]]
    number = 1
    file = "money/pricing/amounts.py"            # below src/foreknow
    where = "fee_kopecks"                        # a function, class or method; only where `was` stands elsewhere, too
    was = "return -(-stake_kopecks"
    becomes = "return -(stake_kopecks"
    tests = ["tests/money/pricing/test_amounts.py"]
    killed_by = "tests/money/pricing/test_amounts.py::test_…"

`was` stands in the file once; how much white space it has does not matter. `killed_by` is the first test that failed
with it at `BASELINE`, under its name there.
"""

from __future__ import annotations

import ast
import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = Path("src") / "foreknow"
#: The commit at which the mutants were chosen and killed first.
BASELINE: Final = "e0911b7d"
#: In the order of their numbers.
AREAS: Final = ("pricing", "book", "desk", "settlement", "access", "keys", "mail", "lists")
EACH: Final = 25


class NotApplicable(Exception):
    """A mutant does not fit the source as it is: its entry has to follow what was changed there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change."""

    number: int
    area: str
    file: str
    where: str = ""
    was: str
    becomes: str
    tests: tuple[str, ...]
    killed_by: str

    @property
    def path(self) -> Path:
        """The changed file, from the root of the checkout."""
        return SOURCE / self.file

    @property
    def digest(self) -> str:
        """What tells this change and its tests from others."""
        return hashlib.sha256(repr((self.file, self.where, self.was, self.becomes, self.tests)).encode()).hexdigest()

    def applied(self, source: str) -> str:
        """Return the source of its file with the change; `NotApplicable` where it does not fit."""
        begin, end = self._place(source)
        pattern = r"\s+".join(map(re.escape, self.was.split()))
        found = list(re.compile(pattern).finditer(source, begin, end))
        if len(found) != 1:
            raise NotApplicable(f"{self}: `was` occurs {len(found)} times, not once: {self.was!r}")
        changed = source[: found[0].start()] + self.becomes.strip() + source[found[0].end() :]
        try:
            is_same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
        except SyntaxError as error:
            raise NotApplicable(f"{self}: with `becomes`, line {error.lineno} is no Python: {error.msg}") from None
        if is_same:
            raise NotApplicable(f"{self}: `becomes` is the same code")
        return changed

    def _place(self, source: str) -> tuple[int, int]:
        """Return where in a source `was` is looked for."""
        nodes: list[ast.AST] = [ast.parse(source)]
        for name in filter(None, self.where.split(".")):
            nodes = [node for one in nodes for node in _defined(one, name)]
        if len(nodes) != 1:
            raise NotApplicable(f"{self}: `where` occurs {len(nodes)} times, not once: {self.where!r}")
        if not self.where:
            return 0, len(source)
        first, last = _lines(nodes[0])
        starts = [0, *(found.end() for found in re.finditer(r"\n", source)), len(source)]
        return starts[first - 1], starts[last]

    def __str__(self) -> str:
        return f"mutant {self.number} ({self.area}, {self.path})"


def load(area: str) -> list[Mutant]:
    """Return the mutants of an area."""
    entries = tomllib.loads(Path(__file__).with_name(f"{area}.toml").read_text())["mutant"]
    return [Mutant(**{**entry, "area": area, "tests": tuple(entry["tests"])}) for entry in entries]


def load_all() -> list[Mutant]:
    """Return all mutants."""
    return [mutant for area in AREAS for mutant in load(area)]


def _defined(scope: ast.AST, name: str) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            yield node


def _lines(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return node.lineno, node.end_lineno or node.lineno
