"""Every name that the source defines is used, and every file is reached.

A name counts as used where code reads it, a string or a page of the documentation spells it, or an interface of another
library calls it. A name that only its own definition and a comment mention is dead.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
#: Where a name must be used if it is defined there.
DEFINED_IN = ("src", "bench", "faults", "bin", "examples", "tests/support")
USED_IN = ("src", "tests", "bench", "faults", "bin", "examples")
#: Names that libraries call or read.
CALLED_BY_LIBRARIES = {
    *("max_header_length",),  # joserfc
    *("_fields_",),  # ctypes
    *("handle_exit", "on_message_begin", "on_header", "on_headers_complete", "on_body"),  # uvicorn, httptools
    *("on_message_complete",),  # httptools
    *("chunked_encoding", "expected_content_length"),  # uvicorn
    *("do_GET", "log_message"),  # http.server
    *("inherit_cache", "load_dialect_impl", "self_group", "impl", "cache_ok"),  # SQLAlchemy
    *("process_bind_param", "process_result_value", "supports_statement_cache"),  # SQLAlchemy
    *("setup_asyncpg_json_codec", "setup_asyncpg_jsonb_codec"),  # SQLAlchemy
    *("model_config",),  # pydantic
    *("_split_scope",),  # xdist
    *("handle_RCPT", "handle_DATA"),  # aiosmtpd
}
#: Decorators that leave a function to be called by its name. Every other one (a command, a validator) calls it.
CALLED_BY_NAME = {
    *("abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod", "contextmanager", "fixture"),
    *("lru_cache", "overload", "override", "property", "setter", "staticmethod", "wraps"),
}
#: Modules that are run, not imported.
RUN = {"__main__.py", "__init__.py", "conftest.py", "env.py"}
RUN_IN = ("examples/", "src/foreknow/platform/db/migrations/versions/")
#: Path, line and name of each.
Definitions = list[tuple[str, int, str]]


def python_files(folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def definitions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each function, class, method, constant and attribute of a class that a module defines."""
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    if all(name_of(decorator) in CALLED_BY_NAME for decorator in node.decorator_list):
                        yield node.lineno, name
                case ast.ClassDef(name=name):
                    yield node.lineno, name
                    pending.append(node)
                case ast.Assign(targets=targets):
                    yield from ((node.lineno, target.id) for target in targets if isinstance(target, ast.Name))
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield node.lineno, name
                case ast.If() | ast.Try() | ast.With():
                    pending.append(node)


def targets(node: ast.stmt) -> list[str]:
    return [each.id for each in node.targets if isinstance(each, ast.Name)] if isinstance(node, ast.Assign) else []


def name_of(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def uses(tree: ast.Module, *, reexports: bool = False) -> Iterator[str]:
    """Yield each name that a module reads, and each word in its strings but docstrings.

    What a package's `__init__` imports to offer it is not used by that.
    """
    if reexports:
        tree.body = [
            node for node in tree.body if not isinstance(node, ast.ImportFrom) and "__all__" not in targets(node)
        ]
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.MatchClass(kwd_attrs=names):
                yield from names
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield from re.findall(r"\w+", text)


def dead(defined: Definitions, used: set[str]) -> list[str]:
    return [
        f"{path}:{line}: {name}"
        for path, line, name in defined
        if name not in used and not re.fullmatch(r"__\w+__|_|test_\w+", name)
    ]


class Code(NamedTuple):
    """What all modules use, import and define."""

    used: set[str]
    imported: set[str]
    defined: Definitions


@functools.cache
def code() -> Code:
    """Parse every module, once for all tests."""
    found = Code(set(), set(), [])
    written = {path for path in python_files(DEFINED_IN) if path.parent.name != "versions"}
    for path in python_files(USED_IN):
        tree = ast.parse(path.read_text())
        found.imported.update(imports(tree))
        if path in written:
            found.defined.extend((str(path.relative_to(ROOT)), line, name) for line, name in definitions(tree))
        found.used.update(uses(tree, reexports=path.name == "__init__.py"))
    return found


def documented() -> set[str]:
    """Return the words of the documentation, the configuration and the scripts."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "pyproject.toml", ROOT / "justfile"]
    return {word for path in paths for word in re.findall(r"\w+", path.read_text())}


def test_every_name_is_used() -> None:
    findings = dead(code().defined, documented() | CALLED_BY_LIBRARIES | code().used)

    assert not findings, "\n".join(["", *findings])


def test_every_module_is_imported_or_run() -> None:
    scripts = "".join((ROOT / name).read_text() for name in ("justfile", "bin/migration", "CONTRIBUTING.md"))
    mentioned = set(re.findall(r"[\w.]*\w", scripts))
    findings = [
        str(path.relative_to(ROOT))
        for path in python_files(DEFINED_IN)
        if not is_run(path) and not {path.name, module_of(path)} & (mentioned | code().imported)
    ]

    assert not findings, "\n".join(["", *findings])


def is_run(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return path.name in RUN or path.name.startswith("test_") or name.startswith(RUN_IN)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removeprefix("src.")


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Constant(value=str(text)) if re.fullmatch(r"\w+(\.\w+)+", text):
                yield text


def test_a_dead_name_is_found_and_a_used_one_is_not() -> None:
    source = '''
LIMIT = 1
class Kept:
    """Mentions unused."""
    def unused(self): ...
    def used(self): return LIMIT
async def also_unused(): "also_unused"
'''
    used = set(uses(ast.parse(source + "Kept().used()")))

    defined = [("a.py", line, name) for line, name in definitions(ast.parse(source))]

    assert dead(defined, used) == ["a.py:7: also_unused", "a.py:5: unused"]
