"""A lock belongs to a write: whatever locks takes a `WriteTx` (ADR 0014), so mypy follows it up to the handler."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from tests.support.modules import AnyFunction, Module, in_modules

SOURCE = "src/foreknow"
#: What makes a statement lock, by the name of SQLAlchemy's method, or in SQL.
METHOD = "with_for_update"
SQL = re.compile(r"\bFOR (NO KEY )?UPDATE\b|\bFOR (KEY )?SHARE\b|\bLOCK TABLE\b|pg_(try_)?advisory_")
#: Helpers of `platform/db` that run such statements.
HELPERS = {"lock_rows", "lock_tables", "execute_script"}
NAMED = re.compile(r"^_?lock(_|$)")
#: Functions of other transactions than a `WriteTx`, and why.
ELSEWHERE = {
    "commands/copying/targets.py: check_apart": "asks by a lock whether two snapshots are of one server",
    "platform/db/migrate.py: _migration_lock": "runs before there are tables, on an engine of its own",
}


@dataclass(frozen=True)
class Function:
    """A function, a method, or a function within one."""

    node: AnyFunction
    #: The types of transaction that it is given: its own, or else those of what it stands in.
    transactions: frozenset[str]

    @property
    def parts(self) -> list[ast.AST]:
        """Its code, without that of functions within."""
        return list(_outside_of_functions(self.node.body))

    @property
    def makes_a_statement(self) -> bool:
        """Whether it returns a statement for others to run."""
        returns = ast.unparse(self.node.returns) if self.node.returns is not None else "None"
        return returns == "str" or returns.startswith(("sa.", "CompiledQuery", "Fetch"))


def functions(body: Iterable[ast.AST], around: frozenset[str] = frozenset()) -> Iterator[Function]:
    """Yield the functions of a module or class; methods may use what their class was given."""
    for node in _outside_of_functions(body):
        if isinstance(node, AnyFunction):
            own = transactions(node) or around
            yield Function(node, own)
            yield from functions(node.body, own)
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, frozenset().union(*map(transactions, node.body)))


def transactions(node: ast.AST) -> frozenset[str]:
    """Return the types of transaction among a function's parameters."""
    if not isinstance(node, AnyFunction):
        return frozenset()
    types = {ast.unparse(one.annotation) for one in _parameters(node) if one.annotation is not None}
    return frozenset(types & {"ReadTx", "WriteTx"})


def _parameters(node: AnyFunction) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _outside_of_functions(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in body:
        yield node
        if not isinstance(node, AnyFunction | ast.ClassDef):
            yield from _outside_of_functions(ast.iter_child_nodes(node))


def is_locking(part: ast.AST, statements: Collection[str] = ()) -> bool:
    """Return whether this piece of code locks: by SQLAlchemy or SQL, by one of the module's statements, by a helper."""
    if isinstance(part, ast.Attribute):
        return part.attr == METHOD
    if isinstance(part, ast.Name):
        return part.id in statements or part.id in HELPERS
    return isinstance(part, ast.Constant) and isinstance(part.value, str) and SQL.search(part.value) is not None


def calls_a_lock(part: ast.AST) -> bool:
    """Return whether it calls a function that locks, as its name says."""
    return isinstance(part, ast.Call) and is_named_lock(ast.unparse(part.func).rpartition(".")[2])


def is_named_lock(name: str) -> bool:
    return NAMED.match(name) is not None


def statements_of(tree: ast.Module) -> set[str]:
    """Return the names of a module's statements that lock."""
    return {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and any(map(is_locking, ast.walk(node.value)))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def holes(tree: ast.Module) -> Iterator[str]:
    """Yield the functions that lock without a `WriteTx`, and those of a `ReadTx` that call one."""
    statements = statements_of(tree)
    for function in functions(tree.body):
        parts = function.parts
        locks = is_named_lock(function.node.name) or any(is_locking(part, statements) for part in parts)
        misses = locks and not function.makes_a_statement and function.transactions != {"WriteTx"}
        if misses or ("ReadTx" in function.transactions and any(map(calls_a_lock, parts))):
            yield function.node.name


def flags(tree: ast.Module) -> Iterator[str]:
    """Yield the functions that lock or not, as a parameter says."""
    for function in functions(tree.body):
        parameters = {ast.unparse(one) for one in _parameters(function.node)}
        if function.transactions and parameters & {"lock: bool", "locked: bool", "for_update: bool"}:
            yield function.node.name


@in_modules(SOURCE)
def holes_of(module: Module) -> list[str]:
    return [] if "/migrations/" in module.name else [f"{_short(module)}: {name}" for name in holes(module.tree)]


@in_modules(SOURCE)
def flags_of(module: Module) -> list[str]:
    return [] if "/migrations/" in module.name else [f"{_short(module)}: {name}" for name in flags(module.tree)]


def _short(module: Module) -> str:
    return module.name.removeprefix(f"{SOURCE}/")


def test_what_locks_takes_a_transaction_that_writes() -> None:
    assert set(holes_of.found) == set(ELSEWHERE)


def test_no_parameter_decides_whether_a_function_locks() -> None:
    assert list(flags_of.found) == []


def test_each_hole_is_noticed() -> None:
    source = """
_LOCK = sa.select(pools).with_for_update()
_LOAD = sa.select(pools)
def by_statement(tx: ReadTx): tx.execute(_LOCK)
def by_method(tx: ReadTx): tx.execute(_LOAD.with_for_update())
def by_sql(tx: ReadTx): tx.execute(sa.text("SELECT 1 FROM pools FOR SHARE"))
def by_helper(tx: ReadTx): lock_rows(tx, [])
def lock_by_name(tx: ReadTx): helper(tx)
def by_call(tx: ReadTx): store.lock_pools(tx, [1])
def around(db):
    def within(tx: ReadTx): tx.execute(_LOCK)
    db.read(within)
def reads(tx: ReadTx): tx.execute(_LOAD)
def writes(tx: WriteTx): lock_rows(tx, [])
def lock_statement() -> str: return "SELECT id FROM pools FOR UPDATE"
class Ledger:
    def __init__(self, tx: WriteTx): self._tx = tx
    def lock(self): self._tx.execute(_LOCK)
"""
    assert list(holes(ast.parse(source))) == [
        "by_statement",
        "by_method",
        "by_sql",
        "by_helper",
        "lock_by_name",
        "by_call",
        "within",
    ]
    assert list(flags(ast.parse("def find(tx: ReadTx, *, lock: bool): ..."))) == ["find"]
