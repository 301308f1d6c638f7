"""Validation of single fields and of whole bodies; `BadRequest` names the field."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from foreknow.kernel.clock import iso, millis
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import nfc_within
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.field_errors import field_error

T = TypeVar("T")

_POSITIVE = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_NATURAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


def to_type(tree: Any, kind: type[T]) -> T:
    """Convert parsed JSON into a struct; `BadRequest` names the invalid field in `details.fields`."""
    try:
        return msgspec.convert(tree, kind, strict=True)
    except msgspec.ValidationError as error:
        raise wrong_field(*field_error(error, kind)) from error


def wrong_field(path: str, what: str) -> BadRequest:
    """Return the error of one field, with the contract's `details.fields`."""
    return BadRequest(f"{path}: {what}", fields={path: what})


def required_text(path: str, text: str, *, most: int) -> str:
    """Normalise a required text: 1 to `most` code points, not only white space."""
    clean = nfc_within(text, most)
    if clean is None or not clean.strip():
        raise wrong_field(path, f"must have 1 to {most} characters and not be white space only")
    return clean


def required_text_schema(most: int) -> dict[str, Any]:
    """Return the JSON Schema of `required_text`, for the API page only: lengths count after NFC, unlike msgspec's."""
    # Python counts more characters as white space than JSON Schema's regular expressions.
    return {"minLength": 1, "maxLength": most, "pattern": r"[^\s\x1c-\x1f\x85]"}


def optional_text(path: str, text: str | None, *, most: int) -> str:
    """Normalise an optional text ("" if missing) of at most `most` code points."""
    clean = nfc_within(text or "", most)
    if clean is None:
        raise wrong_field(path, f"must have at most {most} characters")
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
