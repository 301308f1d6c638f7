"""The pages of the documentation name files that exist, link to pages that exist, and lead to the glossary.

The docstring of a package lists modules that exist.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Paths on a page may begin here.
BASES = (ROOT, ROOT / "src" / "foreknow", ROOT / "docs")
FOLDERS = ("bench", "bin", "clients", "deploy", "docs", "examples", "faults", "requirements", "src", "tests")
#: "ARCHITECTURE.md fits one page."
ARCHITECTURE_LINES_MAX = 100


def pages() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "contract")


def missing_files(text: str) -> Iterator[str]:
    """Yield the files in backticks, blocks of code apart, that are not there."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    for name in re.findall(r"`([\w.@/-]+/[\w.@-]*)(?:::\w+)?`", text):
        packages = {path.name for path in BASES[1].iterdir() if path.is_dir()}
        is_ours = name.split("/")[0] in {*FOLDERS, *packages}
        if is_ours and not any((base / name).exists() for base in BASES):
            yield name


def missing_links(page: Path) -> Iterator[str]:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text()):
        if not (page.parent / target).exists():
            yield f"{page.relative_to(ROOT)}: {target}"


def listed_modules(docstring: str) -> list[str]:
    """Return the names in a package's list of modules: one or two columns of names, two spaces or more, and a text."""
    names = re.compile(r"(?:^|  )([a-z_]+(?:, [a-z_]+)*)/?  +\S+")
    return [name for line in docstring.splitlines() for listed in names.findall(line) for name in listed.split(", ")]


def test_the_modules_that_packages_list_are_there() -> None:
    packages = sorted((ROOT / "src" / "foreknow").rglob("__init__.py"))
    listed = [
        (package.parent, name)
        for package in packages
        for name in listed_modules(ast.get_docstring(ast.parse(package.read_text())) or "")
    ]

    assert len(listed) > 150
    assert [
        f"{folder.name}: {name}"
        for folder, name in listed
        if not (folder / f"{name}.py").exists() and not (folder / name).is_dir()
    ] == []


def test_the_files_that_pages_name_are_there() -> None:
    assert [(page.name, missing) for page in pages() for missing in missing_files(page.read_text())] == []


def test_the_pages_that_pages_link_to_are_there() -> None:
    assert [missing for page in pages() for missing in missing_links(page)] == []


def test_the_glossary_is_linked_where_people_begin_to_read() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"):
        assert "(docs/glossary.md)" in (ROOT / name).read_text(), name


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    folders = {f"{path.parent.name}/{path.name}" for path in (ROOT / "docs").glob("*/README.md")}

    assert "(docs/index.md)" in (ROOT / "README.md").read_text()
    assert [page for page in sorted(pages | folders) if f"({page})" not in index] == []
    for folder in folders:
        text = (ROOT / "docs" / folder).read_text()
        own = {path.name for path in (ROOT / "docs" / folder).parent.glob("*.md")} - {"README.md"}
        assert [page for page in sorted(own) if f"({page})" not in text] == [], folder


def test_the_architecture_fits_one_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= ARCHITECTURE_LINES_MAX


def test_a_missing_file_is_noticed() -> None:
    text = "`web/pipeline.py`, `docs/nothing.md`, `web/nowhere.py`, `application/json`"

    assert list(missing_files(text)) == ["docs/nothing.md", "web/nowhere.py"]


def test_listed_modules_are_read_in_one_column_and_in_two() -> None:
    text = (
        "What it does.\n\n    routes, steps  checks\n    data/   files\nstore     rows          uploads   the rules\n"
    )

    assert listed_modules(text) == ["routes", "steps", "data", "store", "uploads"]
