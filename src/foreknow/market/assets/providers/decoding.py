"""Reading XML and numbers of providers' responses. Pure: bytes in, numbers out, `BadResponse` for anything else."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from foreknow.platform.fetching import BadResponse

PIECE_BYTES = 16 * 1024
_NUMBER = re.compile(r"[0-9]{1,20}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


class _NoDocumentType(TreeBuilder):
    """Refuses a document type, the only place in which entities can be declared: bombs, and what lies elsewhere."""

    def doctype(self, *_: str | None) -> None:
        """See `TreeBuilder.doctype`."""
        raise BadResponse("XML with a document type")


def parse_xml(body: bytes) -> Element:
    """Parse XML without a document type; `BadResponse`."""
    parser = XMLParser(target=_NoDocumentType())  # noqa: S314 - refuses what could harm
    try:
        # In pieces: the parser looks at no more than the one in which it has failed.
        for start in range(0, len(body), PIECE_BYTES):
            parser.feed(body[start : start + PIECE_BYTES])
        root = parser.close()
    except (ParseError, LookupError, ValueError) as broken:
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
