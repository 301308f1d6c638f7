"""Only `kernel/clock` and the database ask the machine for the time; a write reads the database's clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.proofs import proves

SOURCE = Path(__file__).parents[2] / "src" / "foreknow"
#: Functions that return the machine's time. Timers (`time.monotonic`, `loop.time`) measure durations and are free.
MACHINE = {
    ("time", "time"),
    ("time", "time_ns"),
    ("time", "gmtime"),
    ("time", "localtime"),
    ("time", "ctime"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("utils", "formatdate"),
}
#: SQL that reads the server's time.
SQL = ("current_timestamp", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "localtimestamp")
#: Where the machine or the server is asked; the log's own times are those of the machine.
MAY_ASK: dict[str, frozenset[object]] = {"kernel/clock.py": frozenset(MACHINE), "platform/db/clock.py": frozenset(SQL)}


def asked(tree: ast.AST) -> Iterator[object]:
    """Yield what a module asks the machine or the server."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if (node.value.id, node.attr) in MACHINE:
                yield node.value.id, node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "formatdate":
            if not node.args:
                yield "utils", "formatdate"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (name for name in SQL if name in node.value.lower())


def test_only_the_clock_and_the_database_ask_for_the_time() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        found = set(asked(ast.parse(path.read_text(encoding="utf-8"))))
        assert found <= MAY_ASK.get(name, frozenset()), f"{name} asks {sorted(map(str, found))}"


@proves(
    "lifecycle: decides whatever a write decides by time (orders, publication, edits, verdicts, series), on "
    "every server, however wrong its own.",
)
def test_a_function_that_writes_takes_no_time_from_the_process() -> None:
    """`context.clock()` inside of a function of a `WriteTx` would decide by this server's clock."""
    for path in sorted(SOURCE.rglob("*.py")):
        for function in functions_that_write(ast.parse(path.read_text(encoding="utf-8"))):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and not node.args and not node.keywords:
                    called = ast.unparse(node.func)
                    assert not called.endswith(("clock", "system_clock")), f"{path.name}: {called}() in a write"


def functions_that_write(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions with a parameter `tx: WriteTx`, and the lambdas handed to a database's writes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.args, *node.args.kwonlyargs]
            if any(one.annotation is not None and ast.unparse(one.annotation) == "WriteTx" for one in arguments):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "write" in node.func.attr:
            yield from (argument for argument in node.args if isinstance(argument, ast.Lambda))


def test_the_search_finds_what_it_is_for() -> None:
    assert list(asked(ast.parse("import time\nx = time.time()"))) == [("time", "time")]
    assert list(asked(ast.parse('x = "SELECT clock_timestamp()"'))) == ["clock_timestamp"]
    assert len(list(functions_that_write(ast.parse("db.write(lambda tx: f(tx, at_ms=clock()))")))) == 1
