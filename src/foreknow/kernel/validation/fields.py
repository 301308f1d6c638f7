"""Validation of single fields and of whole bodies; `BadRequest` names the field."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from foreknow.kernel.clock import iso, millis
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import is_seen, nfc_within, without_overrides
from foreknow.kernel.units import INT64_MAX

T = TypeVar("T")

_MINUTE = re.compile(r"\A(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d)([Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)
#: Begins msgspec's message about a text that is no time.
_NOT_A_TIME = "Invalid RFC3339 encoded datetime"
#: Given back as it was sent.
_OPAQUE = "metadata"
_POSITIVE = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_NATURAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


def to_type(tree: Any, kind: type[T]) -> T:
    """Convert parsed JSON into a struct; `BadRequest` names the invalid field in `details.fields`.

    A time may lack its seconds (ISO 8601), which msgspec, after RFC 3339, does not take.
    """
    completed: set[str] = set()
    while True:
        try:
            return msgspec.convert(tree, kind, strict=True)
        except msgspec.ValidationError as error:
            path, what = field_error(error, kind)
            name = _name_at(path)
            # A field of a time is one everywhere in a body, so that each is completed once.
            if not what.startswith(_NOT_A_TIME) or name in completed:
                raise wrong_field(path, what) from error
            completed.add(name)
            tree = _completed(tree, name)


def with_seconds(text: str) -> str:
    """Return a time of hours and minutes with its seconds, any other text as it is."""
    return _MINUTE.sub(r"\g<1>:00\g<2>", text, count=1)


def _name_at(path: str) -> str:
    return path.rpartition(".")[2].partition("[")[0]


def _completed(tree: Any, name: str, *, is_named: bool = False) -> Any:
    """Return a tree whose fields of a name, times or lists of them, have seconds."""
    if isinstance(tree, dict):
        return {
            key: value if key == _OPAQUE else _completed(value, name, is_named=key == name)
            for key, value in tree.items()
        }
    if isinstance(tree, list):
        return [_completed(value, name, is_named=is_named) for value in tree]
    return with_seconds(tree) if is_named and isinstance(tree, str) else tree


def wrong_field(path: str, what: str) -> BadRequest:
    """Return the error of one field, with the contract's `details.fields`."""
    return BadRequest(f"{path}: {what}", fields={path: what})


def required_text(path: str, text: str, *, most: int) -> str:
    """Normalise a required text: 1 to `most` code points that show something."""
    return _shown(path, _plain(path, text, f"1 to {most}", most))


def required_text_schema(most: int) -> dict[str, Any]:
    """Return the JSON Schema of `required_text`, for the API page only: lengths count after NFC, unlike msgspec's."""
    # Python counts more characters as white space than JSON Schema's regular expressions.
    return {"minLength": 1, "maxLength": most, "pattern": r"[^\s\x1c-\x1f\x85]"}


def optional_text(path: str, text: str | None, *, most: int) -> str:
    """Normalise an optional text ("" if missing) of at most `most` code points."""
    return _plain(path, text or "", f"at most {most}", most)


def optional_name(path: str, text: str | None, *, most: int) -> str:
    """Normalise a name that may be left out ("" if missing): likewise, and it shows something."""
    clean = optional_text(path, text, most=most)
    return _shown(path, clean) if clean else ""


def _plain(path: str, text: str, bounds: str, most: int) -> str:
    clean = nfc_within(text, most)
    if clean is None:
        raise wrong_field(path, f"must have {bounds} characters")
    if without_overrides(clean) != clean:
        raise wrong_field(path, "must not turn the direction of text (U+202A … U+202E, U+2066 … U+2069)")
    return clean


def _shown(path: str, clean: str) -> str:
    if not is_seen(clean):
        raise wrong_field(path, "must show at least one letter, digit, symbol or mark of punctuation")
    return clean


def positive_int(text: str) -> int | None:
    """Parse 1 … 2^63−1 from ASCII digits without sign or leading zero; None for anything else."""
    return number if _POSITIVE.fullmatch(text) and (number := int(text)) <= INT64_MAX else None


def natural_int(text: str) -> int | None:
    """Parse 0 … 2^63−1 likewise."""
    return number if _NATURAL.fullmatch(text) and (number := int(text)) <= INT64_MAX else None


def utc_ms(path: str, moment: datetime) -> int:
    """Return a time as Unix milliseconds; `BadRequest` names the field `path` of one that UTC cannot express."""
    at_ms = millis(moment)
    try:
        iso(at_ms)
    except OverflowError as beyond:
        # An offset can move a time past the year 9999 or before the year 1, which UTC cannot express.
        raise wrong_field(path, "must lie between the years 1 and 9999") from beyond
    return at_ms


def optional_utc_ms(path: str, moment: datetime | None) -> int | None:
    """Return a time that may be left out, likewise."""
    return None if moment is None else utc_ms(path, moment)


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
