"""Paths that pages, docstrings and comments name are there, spelled with their layer: `trading/desk/batch.py`.

So are the members of classes that pages name: `Database.write`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.modules import ROOT, Module, in_modules

PACKAGE = ROOT / "src" / "foreknow"
#: A path may begin at one of these, or at its own file's folder.
BASES = (ROOT, PACKAGE, ROOT / "docs", ROOT / "web", ROOT / "web" / "src", ROOT / "clients" / "python")
SUFFIXES = "py|md|mako|toml|json|ya?ml|ts|svelte|js|mjs|conf|env|txt|csv|service|timer"
#: No part of an address, an absolute path or a pattern: `https://…`, `/etc/foreknow.env`, `tests/…/{name}.py`.
FILE = re.compile(rf"(?<![\w/.…:@~{{}}*<>-])((?:\.\./)*(?:[\w@.-]+/)*[\w@.-]+\.(?:{SUFFIXES}))(?![\w{{*-]|\.\w|/)")
#: A folder or a file without a suffix, in backticks: `trading/desk/`, `deploy/backup`.
QUOTED = re.compile(r"`([\w.@-]+/[\w.@/-]*)`")
#: Without backticks, in a comment: src/foreknow/site.
ROOTED = re.compile(
    r"(?<![\w/.…:@~`-])((?:src|tests|docs|bench|deploy|examples|faults|clients)/[\w./@-]*[\w@-])(?![\w./*{…-])"
)
#: Made by commands and builds, by what is installed, or by a reader.
MADE = {
    ".env",
    "about.en.md",
    "about.ru.md",
    "alembic.ini",
    "chrony.conf",
    "Data.csv",
    "dist/.stamp",
    "constraints.txt",
    "licences.txt",
    "model.txt",
    "receiver.py",
    "reconcile.py",
    "rules.en.md",
    "src/foreknow/site/client/dist",
    "src/api/live-schema.d.ts",
    "src/api/schema.d.ts",
    "src/messages/types.d.ts",
    "terms.en.md",
    "terms.ru.md",
    "theme.json",
    "TRADES.csv",
    "types.d.ts",
    "webhook.json",
}
#: Folders of what is installed, built or kept by a running service.
INSTALLED = {"__pycache__", "build", "dist", "foreknow-data", "node_modules"}
#: Not ours, or examples of what is not there.
LEFT_OUT = (
    "src/foreknow/web/swagger/",
    "tests/architecture/test_documentation.py",
    "tests/architecture/test_paths.py",
)
COMMENTED = {".ts", ".svelte", ".css", ".toml", ".yml", ".yaml", ".conf", ".env", ".service", ".timer", ".mako", ""}
COMMENT = re.compile(r"^\s*(?:#|//|/?\*+|<!--)(.*)$", re.MULTILINE)
#: Of Python; it finds what stands in a string and looks like one, too.
PYTHON_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.MULTILINE)


@cache
def tracked() -> frozenset[str]:
    """Return the files of this checkout, by their paths from its root; what is hidden, installed or built apart."""
    found: list[str] = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in INSTALLED and (name == ".ci" or not name.startswith("."))]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in files]
    return frozenset(found)


@cache
def names() -> frozenset[str]:
    return frozenset(Path(name).name for name in tracked())


@cache
def first_folders() -> frozenset[str]:
    """Return what our paths begin with: folders of the checkout, layers and, in old spellings, packages and modules."""
    folders = {Path(name).parts[0] for name in tracked() if "/" in name}
    inside = [Path(name).relative_to("src/foreknow").parts for name in tracked() if name.startswith("src/foreknow/")]
    return frozenset(folders | {part for parts in inside for part in parts[:2] if "." not in part})


def missing(text: str, *, beside: Path) -> Iterator[str]:
    """Yield the paths in a text that are not there; `beside` is the file that holds it, or another of its folder."""
    files = FILE.findall(text)
    quoted = [name for name in QUOTED.findall(text) if name.split("/")[0] in first_folders()]
    for name in sorted({*files, *quoted, *ROOTED.findall(text)} - MADE):
        known = name in names() if "/" not in name else is_there(name, folder=beside.parent)
        if not known and not name.startswith("."):
            yield name


@cache
def is_there(name: str, *, folder: Path) -> bool:
    return any((base / name).exists() for base in (*BASES, folder))


@cache
def modules_of_classes() -> dict[str, str]:
    """Return, for each class of ours, the text of the modules that define one of its name."""
    found: dict[str, str] = {}
    for name in tracked():
        if name.startswith(("src/", "bench/", "clients/")) and name.endswith(".py"):
            text = (ROOT / name).read_text()
            for defined in re.findall(r"^class (\w+)", text, flags=re.MULTILINE):
                found[defined] = found.get(defined, "") + text
    return found


def missing_members(text: str) -> Iterator[str]:
    """Yield each `Class.member` of a page whose class is ours and whose member is not in that class's module."""
    for owner, member in re.findall(r"`(\w+)\.(\w+)", text):
        module = modules_of_classes().get(owner)
        if module is not None and not re.search(rf"\b{member}\b", module):
            yield f"{owner}.{member}"


def prose_of_page(text: str) -> str:
    """Return a page without its blocks of code and the targets of its links, which other tests follow."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", text)


def prose_of_python(module: Module) -> str:
    """Return the docstrings and comments of a module, and its other strings that name a page."""
    docstrings = [text for _, text in module.strings if "\n" in text or ".md" in text]
    return "\n".join([*docstrings, *PYTHON_COMMENT.findall(module.text)])


def prose(name: str) -> str:
    """Return what a file that is no module says in words."""
    text = (ROOT / name).read_text()
    return prose_of_page(text) if name.endswith(".md") else "\n".join(COMMENT.findall(text))


@in_modules()
def missing_in(module: Module) -> list[str]:
    if module.name.startswith(LEFT_OUT):
        return []
    return [f"{module.name}: {path}" for path in missing(prose_of_python(module), beside=ROOT / module.name)]


def test_the_paths_that_pages_docstrings_and_comments_name_are_there() -> None:
    names = [
        name for name in sorted(tracked()) if not name.startswith(LEFT_OUT) and Path(name).suffix in COMMENTED | {".md"}
    ]

    assert len(names) > 300
    assert [f"{name}: {path}" for name in names for path in missing(prose(name), beside=ROOT / name)] == []
    assert list(missing_in.found) == []


def test_the_members_of_classes_that_pages_name_are_there() -> None:
    pages = [name for name in sorted(tracked()) if name.endswith(".md")]

    assert [f"{name}: {member}" for name in pages for member in missing_members((ROOT / name).read_text())] == []


def test_a_member_that_is_not_there_is_noticed() -> None:
    assert list(missing_members("`Database.write`, `Database.turn(x)`, `Nothing.of_ours`")) == ["Database.turn"]


def test_a_path_that_is_not_there_is_noticed() -> None:
    text = (
        "`web/pipeline.py`, `docs/nothing.md`, `web/nowhere.py`, `application/json`, kernel/clock.py, trading/desk.py, "
        "`feed/hub.py`, `site/feed/`, `feed/`, nothing.md, https://example.org/a.py, `/etc/a.conf`, src/foreknow/desk"
    )

    assert list(missing(text, beside=ROOT / "README.md")) == [
        "docs/nothing.md",
        "feed/",
        "feed/hub.py",
        "nothing.md",
        "src/foreknow/desk",
        "trading/desk.py",
        "web/nowhere.py",
    ]


def test_prose_is_read_from_docstrings_and_comments() -> None:
    source = 'def f() -> str:\n    """Does.\n\n    As `web/pipeline.py`."""\n    return "x"  # As web/steps.py.\n'

    prose = prose_of_python(Module("a.py", source))

    assert "web/pipeline.py" in prose
    assert "web/steps.py" in prose
    assert "x" not in prose.split()
