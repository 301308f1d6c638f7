"""Reading providers' responses. Pure: bytes in, numbers out, `BadResponse` for anything else."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TypeVar
from xml.etree.ElementTree import Element, ParseError

import msgspec
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

Decoded = TypeVar("Decoded")
_NUMBER = re.compile(r"[0-9]{1,20}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


class BadResponse(ValueError):
    """A provider's response cannot be used; the text says why."""


def decode_json(body: bytes, kind: type[Decoded]) -> Decoded:
    """Decode JSON of one type; `BadResponse`."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadResponse(f"not the JSON we expect: {broken}") from broken


def parse_xml(body: bytes) -> Element:
    """Parse XML without a DTD; `BadResponse`."""
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError) as broken:
        raise BadResponse(f"not the XML we expect: {broken!r}") from broken
    assert isinstance(root, Element)
    return root


def positive(text: str) -> float | None:
    """Read a positive finite number; None for anything else."""
    number = decimal(text)
    return float(number) if number and 0 < float(number) < math.inf else None


def decimal(text: str | None) -> Decimal | None:
    """Read a number with a decimal point or comma; None for anything else, NaN and Infinity included."""
    clean = (text or "").strip()
    return Decimal(clean.replace(",", ".")) if _NUMBER.fullmatch(clean) else None
