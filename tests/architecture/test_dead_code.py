"""Every name that the source defines is used, and every file is reached.

A name counts as used where code reads it, a string or a page of the documentation spells it, or an interface of another
library calls it. A name that only its own definition and a comment mention is dead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.modules import ROOT, Module, in_modules

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
    *("model_config", "settings_customise_sources"),  # pydantic
    *("_split_scope",),  # xdist
    *("handle_RCPT", "handle_DATA"),  # aiosmtpd
    *("handle_request",),  # httpx
    *("_run_once", "_process_events", "_write_to_self", "_timer_handle_cancelled"),  # asyncio
    *("getpeername",),  # anyio
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


@in_modules(*USED_IN)
def uses(module: Module) -> set[str]:
    """Return each name that a module reads, and each word in its strings but docstrings.

    What a package's `__init__` imports to offer it is not used by that.
    """
    not_counted = offered(module.tree) if module.name.endswith("/__init__.py") else set()
    for owner in (module.tree, *module.all(ast.ClassDef), *module.functions):
        if owner.body and isinstance(owner.body[0], ast.Expr):
            not_counted.add(owner.body[0].value)
    found = {node.id for node in module.all(ast.Name) if isinstance(node.ctx, ast.Load)}
    found |= {node.attr for node in module.all(ast.Attribute)}
    found |= {node.arg for node in module.all(ast.keyword) if node.arg is not None}
    for alias in module.all(ast.alias):
        if alias not in not_counted:
            found.update(alias.name.split("."))
    for match in module.all(ast.MatchClass):
        found.update(match.kwd_attrs)
    texts = {text for node, text in module.strings if node not in not_counted}
    return found.union(re.findall(r"\w+", "\n".join(texts)))


def offered(tree: ast.Module) -> set[ast.AST]:
    """Return what a package imports to offer it, and the names in its `__all__`."""
    nodes = [node for node in tree.body if isinstance(node, ast.ImportFrom) or "__all__" in targets(node)]
    return {part for node in nodes for part in ast.walk(node)}


def dead(defined: Definitions, used: set[str]) -> list[str]:
    return [
        f"{path}:{line}: {name}"
        for path, line, name in defined
        if name not in used and not re.fullmatch(r"__\w+__|_|test_\w+", name)
    ]


@in_modules(*DEFINED_IN)
def defined(module: Module) -> Definitions:
    is_migration = "/versions/" in module.name
    return [] if is_migration else [(module.name, line, name) for line, name in definitions(module.tree)]


def documented() -> set[str]:
    """Return the words of the documentation, the configuration and the scripts."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "pyproject.toml", ROOT / "justfile"]
    return {word for path in paths for word in re.findall(r"\w+", path.read_text())}


def test_every_name_is_used() -> None:
    findings = dead(list(defined.found), documented() | CALLED_BY_LIBRARIES | set(uses.found))

    assert not findings, "\n".join(["", *findings])


def test_every_module_is_imported_or_run() -> None:
    scripts = "".join((ROOT / name).read_text() for name in ("justfile", "bin/migration", "CONTRIBUTING.md"))
    mentioned = set(re.findall(r"[\w.]*\w", scripts)) | set(imports.found)
    findings = [name for name in to_import.found if not {Path(name).name, module_of(name)} & mentioned]

    assert not findings, "\n".join(["", *findings])


@in_modules(*DEFINED_IN)
def to_import(module: Module) -> list[str]:
    """Return the name of a module that nothing runs."""
    file = module.name.rpartition("/")[2]
    is_run = file in RUN or file.startswith("test_") or module.name.startswith(RUN_IN)
    return [] if is_run else [module.name]


def module_of(name: str) -> str:
    return name.removesuffix(".py").replace("/", ".").removeprefix("src.")


@in_modules(*USED_IN)
def imports(module: Module) -> Iterator[str]:
    for node in module.all(ast.Import):
        yield from (alias.name for alias in node.names)
    for imported in module.all(ast.ImportFrom):
        if imported.module is not None:
            yield imported.module
            yield from (f"{imported.module}.{alias.name}" for alias in imported.names)
    yield from (text for _, text in module.strings if re.fullmatch(r"\w+(\.\w+)+", text))


def test_a_dead_name_is_found_and_a_used_one_is_not() -> None:
    source = '''
LIMIT = 1
class Kept:
    """Mentions unused."""
    def unused(self): ...
    def used(self): return LIMIT
async def also_unused(): "also_unused"
'''
    used = set(uses(Module("src/a.py", source + "Kept().used()")))

    assert dead(list(defined(Module("a.py", source))), used) == ["a.py:7: also_unused", "a.py:5: unused"]
