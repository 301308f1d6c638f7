"""The modules of this checkout, each read and parsed once for all tests that look into them.

A test says what it looks for in one module, and asks for what was found in all:

    @in_modules("src/foreknow")
    def asks_for_time(module: Module) -> Iterator[str]: ...

    assert list(asks_for_time.found) == []

The trees of all take 350 MB, so each module is shown to all who look, then forgotten. One process runs
the tests that import this module (`tests/support/units.py`).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final, Generic, TypeVar, cast

ROOT: Final = Path(__file__).parents[2]
_FOLDERS: Final = ("src", "tests", "bench", "faults", "bin", "examples", "clients")

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node", bound=ast.AST)
Found = TypeVar("Found")


class Module:
    """One file of Python."""

    def __init__(self, name: str, text: str) -> None:
        """`name`: its path from the root of the checkout."""
        self.name = name
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of its tree."""
        return nodes_of(self.tree)

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        for node in self.nodes:
            found[type(node)].append(node)
        return found

    def all(self, kind: type[Node]) -> Sequence[Node]:
        """Return the nodes of a kind."""
        return cast("Sequence[Node]", self._by_kind.get(kind, ()))

    @property
    def functions(self) -> Sequence[AnyFunction]:
        """All functions and methods, also those within others."""
        return [*self.all(ast.FunctionDef), *self.all(ast.AsyncFunctionDef)]

    @property
    def strings(self) -> Iterator[tuple[ast.Constant, str]]:
        """All strings that stand in it, docstrings included."""
        return ((node, node.value) for node in self.all(ast.Constant) if isinstance(node.value, str))


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """Return what `ast.walk` yields, in a third less time."""
    nodes = [tree]
    for node in nodes:
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif type(value) is list:
                nodes += [each for each in value if isinstance(each, ast.AST)]
    return nodes


class Reading(Generic[Found]):
    """What a test looks for in modules."""

    def __init__(self, read: Callable[[Module], Iterable[Found]], folders: tuple[str, ...]) -> None:
        self._read = read
        self._begins = tuple(f"{folder}/" for folder in folders) or ("",)
        self._found: list[Found] = []
        self._failed: Exception | None = None

    def __call__(self, module: Module) -> Iterator[Found]:
        """Look into one module."""
        return iter(self._read(module))

    @property
    def found(self) -> Sequence[Found]:
        """What was found in all modules of its folders, in the order of their names."""
        _read_all()
        if self._failed is not None:
            raise self._failed
        return self._found

    def take(self, module: Module) -> None:
        """Note what a module has."""
        if self._failed is None and module.name.startswith(self._begins):
            try:
                self._found.extend(self._read(module))
            except Exception as error:  # noqa: BLE001 - it is the failure of the test that asks, and of no other
                self._failed = error


#: What is to be looked for and was not yet.
_PENDING: list[Reading[object]] = []


def in_modules(*folders: str) -> Callable[[Callable[[Module], Iterable[Found]]], Reading[Found]]:
    """Let a function look into each module of these folders, given by their paths from the root, or into all."""

    def decorate(read: Callable[[Module], Iterable[Found]]) -> Reading[Found]:
        reading = Reading(read, folders)
        _PENDING.append(cast("Reading[object]", reading))
        return reading

    return decorate


def _read_all() -> None:
    readings, _PENDING[:] = list(_PENDING), []
    if readings:
        for module in modules():
            for reading in readings:
                reading.take(module)


def modules() -> Iterator[Module]:
    """Yield all modules: those at the root, then those of each folder."""
    folders = (sorted((ROOT / folder).rglob("*.py")) for folder in _FOLDERS)
    for path in chain(sorted(ROOT.glob("*.py")), *folders):
        yield Module(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
