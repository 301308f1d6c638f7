"""The pages of the documentation link to pages and headings that exist, keep their width, and lead to the glossary.

A package whose docstring lists modules lists all of them, and none that is gone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.proofs import beside_contract

ROOT = Path(__file__).parents[2]
#: ARCHITECTURE.md fits one screen.
ARCHITECTURE_LINES_MAX = 60
#: Of a line of prose.
WIDTH_MAX = 120
CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


#: Files that hold the same in every package ("Where things go" of CONTRIBUTING.md): a list may leave them out.
USUAL_FILES = {"routes", "schemas", "service", "store", "tables", "errors"}


def pages() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted(
        path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "contract" or path.name == "README.md"
    )
    yield from sorted((ROOT / "src").rglob("README.md"))
    yield from (ROOT / folder / "README.md" for folder in ("web", "clients/python", "tests"))


def missing_links(page: Path) -> Iterator[str]:
    """Yield the links of a page that lead to no file, or to no heading of a page."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", CODE.sub("", page.read_text())):
        leads_to = page.parent / target if target else page
        if not leads_to.exists() or (anchor and anchor not in anchors(leads_to.read_text())):
            yield f"{page.relative_to(ROOT)}: {target}#{anchor}"


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", CODE.sub("", text), flags=re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w -]", "", shown.lower()).strip().replace(" ", "-")
        found.add(next(name for name in (anchor, *(f"{anchor}-{n}" for n in range(1, 100))) if name not in found))
    return found


def wide_lines(text: str) -> list[str]:
    """Return the lines of prose that are too wide; tables and blocks of code may be."""
    return [line for line in CODE.sub("", text).splitlines() if len(line) > WIDTH_MAX and not line.startswith("|")]


def listed_modules(docstring: str) -> list[str]:
    """Return the names in a package's list of modules: one or two columns of names, two spaces or more, and a text."""
    names = re.compile(r"(?:^|  )([a-z_]+(?:, [a-z_]+)*)/?  +\S+")
    return [name for line in docstring.splitlines() for listed in names.findall(line) for name in listed.split(", ")]


def gone(folder: Path, names: set[str]) -> list[str]:
    """Return the listed names of which a package has neither a module nor a folder."""
    return sorted(name for name in names if not (folder / f"{name}.py").exists() and not (folder / name).is_dir())


def left_out(folder: Path, names: set[str]) -> list[str]:
    """Return the modules and packages of a package that its list leaves out."""
    inside = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}
    inside |= {path.parent.name for path in folder.glob("*/__init__.py")}
    return sorted(inside - names - USUAL_FILES)


def test_a_package_that_lists_modules_lists_all_of_them() -> None:
    lists = {
        package.parent: set(listed_modules(ast.get_docstring(ast.parse(package.read_text())) or ""))
        for package in sorted((ROOT / "src" / "foreknow").rglob("__init__.py"))
    }
    listed = {folder: names for folder, names in lists.items() if names}

    assert len(listed) > 30
    assert [
        f"{folder.name}: {name} is not there" for folder, names in listed.items() for name in gone(folder, names)
    ] == []
    assert [
        f"{folder.name}: {name} is not listed" for folder, names in listed.items() for name in left_out(folder, names)
    ] == []


def test_the_pages_and_headings_that_pages_link_to_are_there() -> None:
    assert [missing for page in pages() for missing in missing_links(page)] == []


def test_the_pages_and_headings_that_files_for_operators_name_are_there() -> None:
    named: list[tuple[str, str]] = []
    for file in (*(ROOT / "deploy").rglob("*"), ROOT / "Containerfile", ROOT / "compose.yaml"):
        if file.is_file():
            text = re.sub(r"\n# ?", " ", file.read_text())
            named += re.findall(r'(docs/[\w/-]+\.md), "([^"]+)"', text)

    assert len(named) > 3
    assert [
        f"{page}: {heading}"
        for page, heading in named
        if not re.search(rf"^(#+ |\*\*){re.escape(heading)}", (ROOT / page).read_text(), re.MULTILINE)
    ] == []


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


def test_the_architecture_fits_one_screen() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= ARCHITECTURE_LINES_MAX


def test_the_diagram_names_every_package_of_a_layer() -> None:
    diagram = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    lines = [line for line in diagram.splitlines() if "<b>" in line]
    shown = {
        line.split("[")[0].strip(): re.sub(r"(admin|own|limit|forecast) (log|data|orders|scores)", r"\1_\2", line)
        for line in lines
    }
    packages = sorted((ROOT / "src" / "foreknow").glob("*/*/__init__.py"))
    layers = {package.parents[1].name for package in packages}

    assert shown.keys() >= layers
    assert [
        f"{layer}/{name}"
        for layer, name in (package.parent.parts[-2:] for package in packages)
        if not re.search(rf"\b{name}\b", shown[layer].partition("<br>")[2])
    ] == []


def test_prose_keeps_its_width() -> None:
    assert [
        f"{page.relative_to(ROOT)}: {line}"
        for page in pages()
        for line in wide_lines(beside_contract(page.read_text()))
    ] == []


def test_a_missing_heading_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page's `name`, here\n[to it](#a-pages-name-here), [away](#nowhere), [gone](gone.md#there)\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)

    assert list(missing_links(page)) == ["page.md: #nowhere", "page.md: gone.md#there"]


def test_only_prose_is_held_to_its_width() -> None:
    wide = "wide " * 30

    assert wide_lines(f"{wide}\n| {wide} |\n```sh\n{wide}\n```\n") == [wide]


def test_listed_modules_are_read_in_one_column_and_in_two() -> None:
    text = (
        "What it does.\n\n    routes, steps  checks\n    data/   files\nstore     rows          uploads   the rules\n"
    )

    assert listed_modules(text) == ["routes", "steps", "data", "store", "uploads"]


def test_modules_that_a_list_leaves_out_and_those_that_are_gone_are_found(tmp_path: Path) -> None:
    for name in ("__init__.py", "listed.py", "forgotten.py", "store.py", "data/__init__.py", "files/text.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert gone(tmp_path, {"listed", "files", "moved"}) == ["moved"]
    assert left_out(tmp_path, {"listed"}) == ["data", "forgotten"]
