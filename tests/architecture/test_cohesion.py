"""A file is cut by idea, not by length: one that no line and no reader holds together is two."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.modules import Module, in_modules

#: Shorter files may hold what is small.
FILE_LINES_MIN = 200
PART_LINES_MIN = 40
#: Each holds all of its package's.
KINDS = {"__init__.py", "errors.py", "schemas.py", "tables.py"}


class Part(NamedTuple):
    """Statements of a file: the names that they define and mention, and the modules that read those."""

    names: frozenset[str]
    mentions: frozenset[str]
    readers: frozenset[str]
    lines: int

    def with_(self, other: Part) -> Part:
        return Part(
            self.names | other.names,
            self.mentions | other.mentions,
            self.readers | other.readers,
            self.lines + other.lines,
        )

    def belongs_to(self, other: Part) -> bool:
        return bool(self.mentions & other.names or other.mentions & self.names or self.readers & other.readers)


class Definition(NamedTuple):
    module: str
    names: frozenset[str]
    mentions: frozenset[str]
    lines: int


class Use(NamedTuple):
    """A name of another module, as one reads it."""

    module: str
    name: str
    reader: str


@in_modules("src")
def definitions(module: Module) -> Iterator[Definition]:
    if module.text.count("\n") < FILE_LINES_MIN or Path(module.name).name in KINDS:
        return
    for statement in module.tree.body:
        mentions = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        # Types may be spelled as text.
        mentions |= {
            node.value for node in ast.walk(statement) if isinstance(node, ast.Constant) and type(node.value) is str
        }
        names = frozenset(defined(statement))
        if names:
            lines = (statement.end_lineno or 0) - statement.lineno + 1
            yield Definition(module.name, names, frozenset(mentions), lines)


def defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


@in_modules("src")
def uses(module: Module) -> Iterator[Use]:
    modules: dict[str, str] = {}
    for statement in module.all(ast.ImportFrom):
        for alias in statement.names:
            modules[alias.asname or alias.name] = file_of(f"{statement.module}.{alias.name}")
            yield Use(file_of(statement.module or ""), alias.name, module.name)
    for node in module.all(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in modules:
            yield Use(modules[node.value.id], node.attr, module.name)


def file_of(module: str) -> str:
    return f"src/{module.replace('.', '/')}.py"


def parts(found: Iterable[Definition], readers: Mapping[tuple[str, str], set[str]]) -> Sequence[Part]:
    """Return what a file's lines and readers hold together; what has no reader of its own is left out."""
    joined: list[Part] = []
    for one in found:
        of_names = frozenset(reader for name in one.names for reader in readers.get((one.module, name), ()))
        part = Part(one.names, one.mentions, of_names, one.lines)
        near = [other for other in joined if part.belongs_to(other)]
        joined = [other for other in joined if other not in near]
        for other in near:
            part = part.with_(other)
        joined.append(part)
    return [part for part in joined if part.readers and part.lines >= PART_LINES_MIN]


def cut_by_length(found: Iterable[Definition], used: Iterable[Use]) -> Iterator[str]:
    readers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for use in used:
        readers[use.module, use.name].add(use.reader)
    by_module: dict[str, list[Definition]] = defaultdict(list)
    for one in found:
        by_module[one.module].append(one)
    for module, its in by_module.items():
        several = parts(its, readers)
        if len(several) > 1:
            yield f"{module}: " + " | ".join(", ".join(sorted(part.names)) for part in several)


def test_a_long_file_holds_together() -> None:
    assert len(definitions.found) > 1_000
    assert list(cut_by_length(definitions.found, uses.found)) == []


def test_a_file_of_two_ideas_is_found() -> None:
    body = "    pass\n" * (FILE_LINES_MIN // 2)
    module = Module(
        "src/foreknow/two.py", f"def one():\n{body}\n\ndef _help():\n{body}\n\ndef other():\n    _help()\n{body}"
    )
    one, other = (Module(f"src/foreknow/{name}.py", f"from foreknow.two import {name}\n") for name in ("one", "other"))
    both = Module("src/foreknow/both.py", "from foreknow import two\n\ntwo.one(two.other)\n")
    found = list(definitions(module))
    assert list(cut_by_length(found, [*uses(one), *uses(other)])) == ["src/foreknow/two.py: one | _help, other"]
    assert list(cut_by_length(found, [*uses(one), *uses(other), *uses(both)])) == []
