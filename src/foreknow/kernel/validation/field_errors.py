"""Turns msgspec's validation errors into the contract's `details.fields`: the field's path, and what it must be."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import inspect

_PATH_IN_MESSAGE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
#: Of a literal, and of the field that says which of several objects a body is.
_BAD_CHOICES = ("Invalid enum value", "Invalid value")
#: An index into a list or mapping, or a field's name.
_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
#: Path of an error of the whole body.
WHOLE_BODY = "body"


def field_error(error: msgspec.ValidationError, kind: Any) -> tuple[str, str]:
    """Return the path of the invalid field of a body of type `kind`, such as `pools[0].name`, and what it must be."""
    match = _PATH_IN_MESSAGE.match(str(error))
    what, path = (match["what"], match["path"] or "") if match else (str(error), "")
    for pattern, message in ((_MISSING, "is required"), (_UNKNOWN, "is no field of this body")):
        field = pattern.fullmatch(what)
        if field is not None:
            return f"{path}.{field[1]}" if path else field[1], message
    if what.startswith(_BAD_CHOICES):
        choices = _choices(inspect.type_info(kind), _STEP.findall(path))
        if choices:
            return path or WHOLE_BODY, f"must be one of {', '.join(map(str, choices))}"
    return path or WHOLE_BODY, what


def _choices(kind: inspect.Type, steps: list[str]) -> tuple[Any, ...]:
    """Return the values allowed at the end of a path; empty if the type there is not a literal."""
    match kind:
        case inspect.UnionType():
            structs = [member for member in kind.types if isinstance(member, inspect.StructType)]
            tags = tuple(struct.tag for struct in structs if steps == [struct.tag_field])
            return tags or next(filter(None, (_choices(member, steps) for member in kind.types)), ())
        case inspect.Metadata():
            return _choices(kind.type, steps)
        case inspect.LiteralType() if not steps:
            return kind.values
        case inspect.StructType() if steps:
            return next((_choices(field.type, steps[1:]) for field in kind.fields if field.encode_name == steps[0]), ())
        case inspect.ListType() | inspect.VarTupleType() if steps:
            return _choices(kind.item_type, steps[1:])
        case inspect.DictType() if steps:
            return _choices(kind.value_type, steps[1:])
    return ()
