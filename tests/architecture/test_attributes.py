"""Objects are whole once made: `__init__` sets every attribute first, and no code looks into bound methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "foreknow"
#: Methods that make an object.
MAKERS = {"__init__", "__new__", "__post_init__"}
#: How Python's bound methods and functions name their insides.
INSIDES = {"__self__", "__func__", "__code__", "__closure__", "__globals__"}

Classes = dict[str, ast.ClassDef]


def methods(found: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [one for one in found.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]


def assigned(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, int]]:
    """Yield the attributes of its first argument that a method sets."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments:
        return
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == arguments[0].arg
        ):
            yield node.attr, node.lineno


def declared(found: ast.ClassDef, classes: Classes) -> set[str] | None:
    """Return the attributes that an object has once it is made, None where a base class is not in `classes`."""
    names: set[str] = set()
    for line in found.body:
        targets = [line.target] if isinstance(line, ast.AnnAssign) else getattr(line, "targets", [])
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    for method in methods(found):
        if method.name in MAKERS:
            names |= {name for name, _ in assigned(method)}
        elif any(getattr(one, "attr", "") == "setter" for one in method.decorator_list):
            names.add(method.name)
    for base in found.bases:
        plain = base.value if isinstance(base, ast.Subscript) else base
        name = plain.id if isinstance(plain, ast.Name) else ""
        if name in {"ABC", "Protocol", "Generic", "Exception"}:
            continue
        inherited = declared(classes[name], classes) if name in classes else None
        if inherited is None:
            return None
        names |= inherited
    return names


def late(path: Path, tree: ast.Module, classes: Classes) -> Iterator[str]:
    for found in ast.walk(tree):
        if isinstance(found, ast.ClassDef) and (names := declared(found, classes)) is not None:
            for method in methods(found):
                for name, line in assigned(method):
                    if name not in names:
                        yield f"{path}:{line} {found.name}.{name}"


def insides(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "value", None))
        if isinstance(node, ast.Attribute | ast.Constant) and isinstance(name, str) and name in INSIDES:
            yield f"{path}:{node.lineno} {name}"


def findings(folder: Path) -> list[str]:
    trees = {path.relative_to(folder): ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py"))}
    classes = {node.name: node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return [finding for path, tree in trees.items() for finding in (*late(path, tree, classes), *insides(path, tree))]


def test_every_attribute_is_first_set_in_init() -> None:
    assert findings(SOURCE) == []


def test_what_is_set_later_and_who_looks_inside_are_found(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "class Base:\n"
        "    def __init__(self):\n        self.early = 0\n"
        "class Late(Base):\n"
        "    other: int\n"
        "    def start(self):\n        self.early = 1\n        self.other = 2\n        self.late, self.last = 3, 4\n"
        "class Foreign(Thread):\n"
        "    def start(self):\n        self.unknown = 1\n"
        "def cut(send):\n    return getattr(send, '__self__').transport or send.__func__\n"
    )
    assert sorted(findings(tmp_path)) == [
        "late.py:14 __func__",
        "late.py:14 __self__",
        "late.py:9 Late.last",
        "late.py:9 Late.late",
    ]
