"""Prose does not count our own files, tests, folders, …: a count that nothing checks is wrong after the next change."""

from __future__ import annotations

import re

import pytest

from tests.support.modules import ROOT, Module, in_modules

WORDS = "three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|a hundred"
OURS = "files|tests|folders|layers|modules|packages|migrations|recipes|benchmarks|bots|endpoints"
COUNT = re.compile(
    rf"(?<![\w.,])(?:{WORDS}|[3-9]|[1-9][\d,]+)\s(?:more\s|other\s|of our\s)?(?:{OURS})\b", re.IGNORECASE
)
#: What happened once, and what others wrote or count.
LEFT_OUT = ("docs/adr/", "docs/contract/", "docs/performance-history.md", "docs/licences.md")


def counts(text: str) -> list[str]:
    return [" ".join(found.split()) for found in COUNT.findall(text)]


@in_modules("src", "bench", "faults", "tests/support")
def counts_in_docstrings(module: Module) -> list[str]:
    return [f"{module.name}: {count}" for _, text in module.strings if "\n" in text for count in counts(text)]


def test_no_page_and_no_docstring_counts_our_files() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/foreknow/**/README.md")]
    names = [page.relative_to(ROOT).as_posix() for page in sorted(pages)]
    read = [name for name in names if not name.startswith(LEFT_OUT)]

    assert len(read) > 30
    assert [f"{name}: {count}" for name in read for count in counts((ROOT / name).read_text())] == []
    assert list(counts_in_docstrings.found) == []


@pytest.mark.parametrize("text", ["has ten\nfolders", "Seven files by hand", "96 migrations", "with 4 more tests"])
def test_a_count_is_found(text: str) -> None:
    assert len(counts(text)) == 1
    assert counts("two files, 20,000 users, files of ten kinds, 1.3 files") == []
