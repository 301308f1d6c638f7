"""docs/performance.md has one figure in a cell, in bold where it misses its bar, and commands that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from bench.__main__ import BENCHMARKS, LONG
from tests.support.modules import ROOT

PAGE = (ROOT / "docs" / "performance.md").read_text()
#: Of a figure or a bar: a number and its unit, or minutes and seconds.
FIGURE = re.compile(r"(?:(?P<min>\d+) min ?)?(?:(?P<number>[\d,.]+)(?: (?P<unit>\w+|%))?)?")
#: What is not a benchmark.
OTHERS = ("bin/test", ".ci/run", "just quick")


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell of a row with its bar, "" where there is none."""

    row: str
    cell: str
    bar: str

    @property
    def is_bold(self) -> bool:
        return self.cell.startswith("**")

    def misses(self) -> bool:
        """Tell whether it misses its bar: `≤ 0.9`, `≥ 95`, `≤ 1 ± 0.05`."""
        if not (found := re.fullmatch(r"([≤≥]) (.+?)(?: ± ([\d.]+))?", self.bar)):
            return False
        most = found[1] == "≤"
        least_or_most = value(found[2]) + float(found[3] or 0) * (1 if most else -1)
        return value(self.cell) > least_or_most if most else value(self.cell) < least_or_most


def value(cell: str) -> float:
    """Return the number of a cell, in seconds where it has minutes. `ValueError` for more than one number, or none."""
    found = FIGURE.fullmatch(cell.strip("*"))
    if found is None or not found[0]:
        raise ValueError(f"no single figure: {cell}")
    return 60 * int(found["min"] or 0) + float((found["number"] or "0").replace(",", ""))


def rows(page: str) -> Iterator[list[str]]:
    """Yield the cells of the tables whose last column is the command."""
    for table in re.findall(r"^\| \|.* Command \|\n\|[-|]+\n((?:\|.*\n)+)", page, flags=re.MULTILINE):
        yield from ([cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines())


def figures(page: str) -> Iterator[Figure]:
    for row, *cells, bar, _ in rows(page):
        bars = bar.split(", ") if ", " in bar else [bar] * len(cells)
        yield from (Figure(row, cell, "" if b == "–" else b) for cell, b in zip(cells, bars, strict=True) if cell)


def test_each_cell_has_one_figure() -> None:
    found = list(figures(PAGE))

    assert len(found) > 50
    assert [value(figure.cell) for figure in found]
    assert [figure.bar for figure in found if figure.bar and figure.bar[0] not in "≤≥"] == []


def test_a_figure_is_bold_where_it_misses_its_bar() -> None:
    found = list(figures(PAGE))

    assert [figure for figure in found if figure.is_bold != figure.misses()] == []
    assert any(figure.bar for figure in found)


def test_the_commands_are_there() -> None:
    commands = [row[-1].strip("`") for row in rows(PAGE)]

    assert [
        command
        for command in commands
        if command.split()[0] not in {*BENCHMARKS, *LONG} and not command.startswith(OTHERS)
    ] == []


@pytest.mark.parametrize(
    ("cell", "bar", "misses"),
    [
        ("0.9", "≤ 0.9", False),
        ("0.91", "≤ 0.9", True),
        ("1.04", "≤ 1 ± 0.05", False),
        ("0.94", "≥ 1 ± 0.05", True),
        ("1,411", "≥ 1,000", False),
        ("20 min 25 s", "≤ 9 min", True),
        ("36 s", "≤ 60 s", False),
        ("14 ms", "", False),
    ],
)
def test_a_miss_is_found(cell: str, bar: str, misses: bool) -> None:
    assert Figure("", cell, bar).misses() == misses


@pytest.mark.parametrize("cell", ["0.62 and 0.63", "0.65 (0.63–0.65)", "54, 57 ms", "–"])
def test_a_cell_of_several_figures_is_found(cell: str) -> None:
    with pytest.raises(ValueError, match="no single figure"):
        value(cell)
