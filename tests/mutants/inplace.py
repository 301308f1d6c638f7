"""Changes functions of modules that are imported already, by giving them the code of the changed source.

To import the service again takes longer than nearly all tests that notice a mutant. What is done while a module is
imported, such as its constants, classes and defaults, cannot be changed so.
"""

from __future__ import annotations

import gc
import inspect
import types
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.entries import ROOT, SOURCE

#: A file, a function's qualified name, and its first line, by which it differs from those of the same name.
Key = tuple[str, str, int]
#: A function, and the code that it is to have.
Function = tuple[types.FunctionType, types.CodeType]
Change = list[Function]


class Functions:
    """The functions of the source that are there."""

    def __init__(self) -> None:
        """Find them, and let the garbage collector spare what is there."""
        self._found: defaultdict[Key, list[types.FunctionType]] = defaultdict(list)
        below = f"{ROOT / SOURCE}/"
        # What it spares already is not listed.
        gc.unfreeze()
        for one in gc.get_objects():
            # Not `isinstance`, which asks a weak proxy for what may be gone.
            if type(one) is types.FunctionType and one.__code__.co_filename.startswith(below):
                self._found[_key(one.__code__)].append(one)
        gc.freeze()

    def change(self, path: Path, source: str, changed: str) -> Change | None:
        """Return what makes a file as if its source had been the changed one.

        None where more than functions differ, or where one that differs is not there.
        """
        name = str(ROOT / path)
        pairs = differing(_compiled(source, name), _compiled(changed, name))
        if not pairs or not all(self._found[_key(before)] for before, _ in pairs):
            return None
        return [one for before, after in pairs for one in self._with_those_within(before, after)]

    def _with_those_within(self, before: types.CodeType, after: types.CodeType) -> Iterator[Function]:
        """Yield the functions of a piece of code, and those that it has made, such as what builds a statement later."""
        for function in self._found[_key(before)]:
            yield function, after
        for one, other in zip(_nested(before), _nested(after), strict=False):
            if (one.co_flags, one.co_freevars) == (other.co_flags, other.co_freevars):
                yield from self._with_those_within(one, other)


def differing(before: types.CodeType, after: types.CodeType) -> list[tuple[types.CodeType, types.CodeType]] | None:
    """Return the outermost functions of a module or class that differ; None where it differs itself."""
    if _own(before) != _own(after):
        return None
    found = []
    for one, other in zip(_nested(before), _nested(after), strict=True):
        if not one.co_flags & inspect.CO_NEWLOCALS:
            within = differing(one, other)
            if within is None:
                return None
            found += within
        elif _whole(one) != _whole(other):
            if (one.co_flags, one.co_freevars) != (other.co_flags, other.co_freevars):
                return None
            found.append((one, other))
    return found


def _compiled(source: str, name: str) -> types.CodeType:
    return compile(source, name, "exec", dont_inherit=True)


def _key(code: types.CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _nested(code: types.CodeType) -> list[types.CodeType]:
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


def _own(code: types.CodeType) -> tuple[object, ...]:
    """Return what a piece of code does, whatever lines it stands in, but for those within it."""
    constants = [(type(one), None if isinstance(one, types.CodeType) else repr(one)) for one in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars, code.co_exceptiontable


def _whole(code: types.CodeType) -> tuple[object, ...]:
    return *_own(code), code.co_flags, code.co_freevars, [_whole(one) for one in _nested(code)]
