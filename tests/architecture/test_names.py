"""One name, one thing: no two modules of the service give the same name to a class or a type."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.support.modules import Module, in_modules

SOURCE = "src/foreknow"
#: A type variable has no meaning outside its module.
TYPE_VARIABLES = {"TypeVar", "ParamSpec", "TypeVarTuple"}


@in_modules(SOURCE)
def type_names(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the public classes, aliases and other types of a module: names at its top in CamelCase; and its own."""
    for node in module.tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case ast.Assign(value=ast.Call(func=ast.Name(id=maker))) if maker in TYPE_VARIABLES:
                continue
            case ast.Assign(targets=[ast.Name(id=name)]):
                pass
            case _:
                continue
        if name[0].isupper() and not name.isupper():
            yield name, module.name


def test_no_name_of_a_type_stands_for_two_things() -> None:
    modules = defaultdict(list)
    for name, module in type_names.found:
        modules[name].append(module.removeprefix(f"{SOURCE}/"))

    assert len(modules) > 1_000
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}, (
        "give all but one of them a name that tells which"
    )


def test_only_public_types_of_a_module_are_names_of_types() -> None:
    source = (
        "LIMIT = 3\n_Row = tuple[int]\nItem = TypeVar('Item')\nKind = Literal['a']\nWork: TypeAlias = Literal['b']\n"
        "class Trade:\n    class Side: ...\ndef Function(): ...\n"
    )

    assert [name for name, _ in type_names(Module("a.py", source))] == ["Kind", "Work", "Trade"]
