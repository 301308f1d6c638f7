"""Objects are whole once made: `__init__` sets every attribute first, and no code looks into bound methods."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.support.modules import AnyFunction, Module, in_modules

#: Methods that make an object.
MAKERS = {"__init__", "__new__", "__post_init__"}
#: How Python's bound methods and functions name their insides.
INSIDES = {"__self__", "__func__", "__code__", "__closure__", "__globals__"}


@dataclass(frozen=True, slots=True)
class Class:
    """What a class says of its attributes."""

    module: str
    name: str
    #: As they are spelled, without their parameters; of another kind of expression nothing.
    bases: tuple[str, ...]
    #: What it declares, and its makers set.
    declared: frozenset[str]
    #: Name and line of what its methods set.
    assigned: tuple[tuple[str, int], ...]


Classes = dict[str, Class]


def methods(found: ast.ClassDef) -> list[AnyFunction]:
    return [one for one in found.body if isinstance(one, AnyFunction)]


def assigned(method: AnyFunction) -> Iterator[tuple[str, int]]:
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


def declared(found: ast.ClassDef) -> frozenset[str]:
    """Return the attributes that a class itself declares, or sets where it makes an object."""
    names: set[str] = set()
    for line in found.body:
        targets = [line.target] if isinstance(line, ast.AnnAssign) else getattr(line, "targets", [])
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    for method in methods(found):
        if method.name in MAKERS:
            names |= {name for name, _ in assigned(method)}
        elif any(getattr(one, "attr", "") == "setter" for one in method.decorator_list):
            names.add(method.name)
    return frozenset(names)


def base_of(base: ast.expr) -> str:
    plain = base.value if isinstance(base, ast.Subscript) else base
    return plain.id if isinstance(plain, ast.Name) else ""


@in_modules("src/foreknow")
def classes_of(module: Module) -> Iterator[Class]:
    for found in module.all(ast.ClassDef):
        sets = tuple(each for method in methods(found) for each in assigned(method))
        yield Class(module.name, found.name, tuple(map(base_of, found.bases)), declared(found), sets)


@in_modules("src/foreknow")
def insides(module: Module) -> Iterator[str]:
    for node in module.all(ast.Attribute):
        if node.attr in INSIDES:
            yield f"{module.name}:{node.lineno} {node.attr}"
    for constant, text in module.strings:
        if text in INSIDES:
            yield f"{module.name}:{constant.lineno} {text}"


def of_an_object(found: Class, classes: Classes) -> frozenset[str] | None:
    """Return the attributes that an object has once it is made, None where a base class is not in `classes`."""
    names = found.declared
    for name in found.bases:
        if name in {"ABC", "Protocol", "Generic", "Exception"}:
            continue
        inherited = of_an_object(classes[name], classes) if name in classes else None
        if inherited is None:
            return None
        names |= inherited
    return names


def late(found: Iterable[Class]) -> Iterator[str]:
    classes = {one.name: one for one in found}
    for one in found:
        if (names := of_an_object(one, classes)) is not None:
            for name, line in one.assigned:
                if name not in names:
                    yield f"{one.module}:{line} {one.name}.{name}"


def test_every_attribute_is_first_set_in_init() -> None:
    assert len(classes_of.found) > 1_000
    assert [*late(classes_of.found), *insides.found] == []


def test_what_is_set_later_and_who_looks_inside_are_found() -> None:
    module = Module(
        "late.py",
        "class Base:\n"
        "    def __init__(self):\n        self.early = 0\n"
        "class Late(Base):\n"
        "    other: int\n"
        "    def start(self):\n        self.early = 1\n        self.other = 2\n        self.late, self.last = 3, 4\n"
        "class Foreign(Thread):\n"
        "    def start(self):\n        self.unknown = 1\n"
        "def cut(send):\n    return getattr(send, '__self__').transport or send.__func__\n",
    )
    assert sorted([*late(list(classes_of(module))), *insides(module)]) == [
        "late.py:14 __func__",
        "late.py:14 __self__",
        "late.py:9 Late.last",
        "late.py:9 Late.late",
    ]
