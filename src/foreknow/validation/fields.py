"""Checks of single fields: texts, whole numbers, and parsed JSON against a struct; `BadRequest` names the field."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import nfc_within
from foreknow.kernel.units import INT64_MAX
from foreknow.validation.field_errors import field_and_fault

T = TypeVar("T")


_POSITIVE = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)


_NATURAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


def to_type(tree: Any, kind: type[T]) -> T:
    """Convert a parsed body into a struct; `BadRequest` with `details.fields` names what is wrong where."""
    try:
        return msgspec.convert(tree, kind, strict=True)
    except msgspec.ValidationError as wrong:
        raise wrong_field(*field_and_fault(wrong, kind)) from wrong


def wrong_field(path: str, what: str) -> BadRequest:
    """Refuse one field by name, as `details.fields` of the contract."""
    return BadRequest(f"{path}: {what}", fields={path: what})


def required_text(path: str, text: str, *, most: int) -> str:
    """Normalise a text that must say something: 1 to `most` code points, not white space only."""
    clean = nfc_within(text, most)
    if clean is None or not clean.strip():
        raise wrong_field(path, f"must have 1 to {most} characters and not be white space only")
    return clean


def required_text_schema(most: int) -> dict[str, Any]:
    """Tell the API page what `required_text` takes; the bound holds after NFC, so that msgspec must not check it."""
    # More is white space to Python than to regular expressions of JSON Schema.
    return {"minLength": 1, "maxLength": most, "pattern": r"[^\s\x1c-\x1f\x85]"}


def optional_text(path: str, text: str | None, *, most: int) -> str:
    """Normalise a text that may be missing ("" then) and has at most `most` code points."""
    clean = nfc_within(text or "", most)
    if clean is None:
        raise wrong_field(path, f"must have at most {most} characters")
    return clean


def positive_int(text: str) -> int | None:
    """Read 1 … 2^63−1 from ASCII digits without sign or leading zero; None for anything else."""
    return number if _POSITIVE.fullmatch(text) and (number := int(text)) <= INT64_MAX else None


def natural_int(text: str) -> int | None:
    """Read 0 … 2^63−1 likewise."""
    return number if _NATURAL.fullmatch(text) and (number := int(text)) <= INT64_MAX else None
