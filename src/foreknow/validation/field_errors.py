"""What msgspec says of a body, as `details.fields` of the contract: under the field's own name, in words to act on."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import inspect

_PATH_IN_MESSAGE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_BAD_CHOICE = "Invalid enum value"
#: A step into a list or a mapping, or the name of a field.
_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
#: Where it is the body as a whole that is wrong.
WHOLE = "body"


def field_and_fault(wrong: msgspec.ValidationError, kind: Any) -> tuple[str, str]:
    """Return which field of a body of type `kind` is wrong, such as `pools[0].name`, and what it must be."""
    match = _PATH_IN_MESSAGE.match(str(wrong))
    what, path = (match["what"], match["path"] or "") if match else (str(wrong), "")
    for message, fault in ((_MISSING, "is required"), (_UNKNOWN, "is no field of this body")):
        named = message.fullmatch(what)
        if named is not None:
            return f"{path}.{named[1]}" if path else named[1], fault
    if what.startswith(_BAD_CHOICE):
        choices = _choices(inspect.type_info(kind), _STEP.findall(path))
        if choices:
            return path or WHOLE, f"must be one of {', '.join(map(str, choices))}"
    return path or WHOLE, what


def _choices(found: inspect.Type, steps: list[str]) -> tuple[Any, ...]:
    """Return the values allowed at the end of a path; none where it leads to no closed set."""
    match found:
        case inspect.UnionType():
            return next(filter(None, (_choices(one, steps) for one in found.types)), ())
        case inspect.Metadata():
            return _choices(found.type, steps)
        case inspect.LiteralType() if not steps:
            return found.values
        case inspect.StructType() if steps:
            return next((_choices(one.type, steps[1:]) for one in found.fields if one.encode_name == steps[0]), ())
        case inspect.ListType() | inspect.VarTupleType() if steps:
            return _choices(found.item_type, steps[1:])
        case inspect.DictType() if steps:
            return _choices(found.value_type, steps[1:])
    return ()
