"""Only `kernel/clock` and the database ask the machine for the time; a write reads the database's clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.support.modules import Module, in_modules
from tests.support.proofs import proves

SOURCE = "src/foreknow"
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


def asked(module: Module) -> Iterator[object]:
    """Yield what a module asks the machine or the server."""
    for node in module.all(ast.Attribute):
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in MACHINE:
            yield node.value.id, node.attr
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "formatdate" and not call.args:
            yield "utils", "formatdate"
    for _, text in module.strings:
        lower = text.lower()
        yield from (name for name in SQL if name in lower)


@in_modules(SOURCE)
def asks_more_than_it_may(module: Module) -> Iterator[str]:
    found = set(asked(module)) - MAY_ASK.get(module.name.removeprefix(f"{SOURCE}/"), frozenset())
    if found:
        yield f"{module.name} asks {sorted(map(str, found))}"


@in_modules(SOURCE)
def asks_in_a_write(module: Module) -> Iterator[str]:
    for function in functions_that_write(module):
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and not node.args and not node.keywords:
                called = ast.unparse(node.func)
                if called.endswith(("clock", "system_clock")):
                    yield f"{module.name}: {called}() in a write"


def test_only_the_clock_and_the_database_ask_for_the_time() -> None:
    assert list(asks_more_than_it_may.found) == []


@proves(
    "lifecycle: decides whatever a write decides by time (orders, publication, edits, verdicts, series), on "
    "every server, however wrong its own.",
)
def test_a_function_that_writes_takes_no_time_from_the_process() -> None:
    """`context.clock()` inside of a function of a `WriteTx` would decide by this server's clock."""
    assert list(asks_in_a_write.found) == []


def functions_that_write(module: Module) -> Iterator[ast.AST]:
    """Yield the functions with a parameter `tx: WriteTx`, and the lambdas handed to a database's writes."""
    for function in module.all(ast.FunctionDef):
        arguments = [*function.args.args, *function.args.kwonlyargs]
        if any(one.annotation is not None and ast.unparse(one.annotation) == "WriteTx" for one in arguments):
            yield function
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Attribute) and "write" in call.func.attr:
            yield from (argument for argument in call.args if isinstance(argument, ast.Lambda))


def test_the_search_finds_what_it_is_for() -> None:
    assert list(asked(Module("a.py", "import time\nx = time.time()"))) == [("time", "time")]
    assert list(asked(Module("a.py", 'x = "SELECT clock_timestamp()"'))) == ["clock_timestamp"]
    writes = Module("a.py", "db.write(lambda tx: f(tx, at_ms=clock()))\ndef bet(tx: WriteTx): system_clock()")
    assert len(list(functions_that_write(writes))) == 2
    assert list(asks_in_a_write(writes)) == ["a.py: system_clock() in a write", "a.py: clock() in a write"]
