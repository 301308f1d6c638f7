"""Reading XML and numbers of providers' responses. Pure: bytes in, numbers out, `BadResponse` for anything else."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from foreknow.fetching import BadResponse

_NUMBER = re.compile(r"[0-9]{1,20}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


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
