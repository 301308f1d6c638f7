"""Makes mutants of source lines.

Of each comparison, sum, division, condition, whole number, raised error, lock and call for its effect one small change.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.entries import ROOT, SOURCE

#: Declarations, which the tests of the schema compare, and texts.
NOT_MADE_OF: Final = {"tables.py", "errors.py", "__init__.py", "schemas.py"}
#: Calls whose effect is only a line for operators.
QUIET: Final = ("log.", "logger.")
OPERATOR: Final = re.compile(
    r"(?<=[\s)])(?:<=|>=|==|!=|<|>|is\s+not|is|not\s+in|in|and|or|\+|-)(?=[\s(])",
)
COMPARED: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True, slots=True)
class Made:
    """One change: `source[begin:end]` of a file becomes another text."""

    path: Path
    line: int
    #: The lines of its statement, or of what a statement with a body begins with.
    lines: range
    begin: int
    end: int
    was: str
    becomes: str
    tests: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What tells this change and its tests from others."""
        parts = (str(self.path), self.begin, self.was, self.becomes, self.tests)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def applied(self, source: str) -> str:
        """Return the source with the change."""
        return source[: self.begin] + self.becomes + source[self.end :]

    def __str__(self) -> str:
        was, becomes = (" ".join(text.split())[:60] for text in (self.was, self.becomes))
        return f"{self.path.relative_to(SOURCE)}:{self.line}  {was} → {becomes}"


class Maker:
    """Finds what can be changed in a source."""

    def __init__(self, source: str) -> None:
        """Look through it; `found` has begin, end, what it becomes, the line, and the lines of its statement."""
        self.found: list[tuple[int, int, str, int, range]] = []
        self._statement = range(0)
        self._source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0, *itertools.accumulate(map(len, self._lines))]
        self._look(ast.parse(source))

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            self._statement = _lines_of(node)
        self._change_operator(node)
        self._change_whole(node)
        for child in self._inside(node):
            self._look(child)

    def _change_operator(self, node: ast.AST) -> None:
        match node:
            case ast.Compare():
                sides = itertools.pairwise((node.left, *node.comparators))
                for (left, right), operator in zip(sides, node.ops, strict=True):
                    self._between(left, right, COMPARED[type(operator)])
            case ast.BoolOp():
                for left, right in itertools.pairwise(node.values):
                    self._between(left, right, "or" if isinstance(node.op, ast.And) else "and")
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                self._between(node.left, node.right, "-" if isinstance(node.op, ast.Add) else "+")

    def _change_whole(self, node: ast.AST) -> None:
        match node:
            case ast.BinOp(op=ast.FloorDiv()):
                self._becomes(node, f"-(-({self._text(node.left)}) // ({self._text(node.right)}))")
            case ast.UnaryOp(op=ast.Not()):
                self._becomes(node, f"bool({self._text(node.operand)})")
            case ast.Constant(value=bool(value)):
                self._becomes(node, str(not value))
            case ast.Constant(value=int(value)):
                self._becomes(node, str(value + 1))
            case ast.Call(func=ast.Attribute(attr="with_for_update", value=rows)):
                self._becomes(node, self._text(rows))
            case ast.Raise(exc=ast.expr()):
                self._becomes(node, "pass")
            case ast.Expr(value=ast.Await() | ast.Call()) if not self._is_quiet(node):
                self._becomes(node, "pass")

    def _inside(self, node: ast.AST) -> Iterable[ast.AST]:
        """Return what is looked at in a node: no annotation, no line of the log, no text of an error, no example.

        Nor what makes a class frozen, slotted or given by names, or `zip` strict, which guards who writes code.
        """
        match node:
            case ast.ClassDef():
                return node.body
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body)
            case ast.AnnAssign():
                return (node.value,) if node.value is not None else ()
            case ast.Raise() | ast.keyword(arg="strict" | "examples"):
                return ()
            case ast.Expr() if self._is_quiet(node):
                return ()
        return ast.iter_child_nodes(node)

    def _is_quiet(self, node: ast.Expr) -> bool:
        return self._text(node).removeprefix("await ").startswith(QUIET)

    def _between(self, left: ast.expr, right: ast.expr, becomes: str) -> None:
        # Parentheses round either side belong to it.
        begin, end = self._span(left)[1] - 1, self._span(right)[0] + 1
        operator = OPERATOR.search(self._source[begin:end])
        if operator is not None:
            self.found.append((begin + operator.start(), begin + operator.end(), becomes, left.lineno, self._statement))

    def _becomes(self, node: ast.expr | ast.stmt, text: str) -> None:
        self.found.append((*self._span(node), text, node.lineno, self._statement))

    def _text(self, node: ast.expr | ast.stmt) -> str:
        begin, end = self._span(node)
        return self._source[begin:end]

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end = self._at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self._at(node.lineno, node.col_offset), end

    def _at(self, line: int, byte: int) -> int:
        """Return the place of a column, which counts bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:byte].decode())


def make(path: Path, tests: tuple[str, ...], lines: set[int] | None = None) -> Iterator[Made]:
    """Yield the mutants of a file, by their place; of these lines alone, if any are named."""
    source = (ROOT / path).read_text()
    tree = ast.dump(ast.parse(source))
    for begin, end, becomes, line, around in sorted(set(Maker(source).found), key=lambda one: one[:4]):
        changed = source[:begin] + becomes + source[end:]
        if (lines is None or line in lines) and ast.dump(ast.parse(changed)) != tree:
            yield Made(path, line, around, begin, end, source[begin:end], becomes, tests)


def _lines_of(node: ast.stmt | ast.excepthandler | ast.match_case) -> range:
    body: list[ast.stmt] = getattr(node, "body", [])
    begins = node.pattern if isinstance(node, ast.match_case) else node
    return range(begins.lineno, body[0].lineno if body else (begins.end_lineno or begins.lineno) + 1)


def places_of(source: str, line: str) -> set[str]:
    """Return the functions in which a line stands, by `functions_of`."""
    lines = zip(source.splitlines(), functions_of(source), strict=True)
    return {function for other, function in lines if other.strip() == line}


@functools.cache
def functions_of(source: str) -> Sequence[str]:
    """Return of each line the function or class in which it stands: `Desk.place`; outside of any, an empty text."""
    found = [""] * len(source.splitlines())

    def look(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = within
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{within}.{child.name}".lstrip(".")
                lines = slice(child.lineno - 1, child.end_lineno)
                found[lines] = [name] * len(found[lines])
            look(child, name)

    look(ast.parse(source), "")
    return found


def tests_of(path: Path) -> tuple[str, ...]:
    """Return the tests of the package that a file is of."""
    folder = Path("tests") / path.relative_to(SOURCE).parent
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return (folder.as_posix(),)


def changed_lines(base: str) -> dict[Path, set[int]]:
    """Return the lines of the source that differ from a commit, by file."""
    command = ["git", "diff", "--unified=0", "--no-color", base, "--", SOURCE.as_posix()]
    found: dict[Path, set[int]] = {}
    lines: set[int] = set()
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        if line.startswith("+++ b/"):
            lines = found.setdefault(Path(line.removeprefix("+++ b/")), set())
        elif hunk := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines |= set(range(first, first + count))
    return {path: lines for path, lines in found.items() if lines and is_made_of(path)}


def is_made_of(path: Path) -> bool:
    """Tell whether mutants are made of a file."""
    return path.suffix == ".py" and path.name not in NOT_MADE_OF and "versions" not in path.parts
