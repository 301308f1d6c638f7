"""Text as the contract wants it: NFC when stored, compared without regard to case in every script. Bytes as text.

Both take time in proportion to the text's length, whatever is in it.
"""

from __future__ import annotations

import base64
import re
import unicodedata

#: So many combining marks in a row the normaliser puts in order by itself, in a time that grows with the square of
#: their number (before Python's releases of 2026). UAX #15, "Stream-Safe Text Format", allows 30 of them, far more than
#: any language writes.
MARKS_MAX = 30
#: One code point in NFC is written with at most so many.
_NFC_SHRINKS = 4
_LONG_RUN = re.compile(rb"(?<![^\0])[^\0]{%d,}" % (MARKS_MAX + 1))
#: The only marks that are of combining class 0 themselves and of another once decomposed.
_HIDDEN_MARKS = {mark: unicodedata.normalize("NFD", mark) for mark in "\u0f73\u0f75\u0f81"}


def nfc(text: str) -> str:
    """Normalise to NFC, the form in which all text is stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", _marks_in_order(text))


def nfc_within(text: str, most: int) -> str | None:
    """Normalise to NFC; None where that has over `most` code points, and then at no cost where it is plain to see."""
    if not may_be_within(text, most):
        return None
    clean = nfc(text)
    return clean if len(clean) <= most else None


def may_be_within(text: str, most: int) -> bool:
    """Tell whether a text may have at most `most` code points in NFC, from its length alone."""
    return len(text) <= _NFC_SHRINKS * most


def fold(text: str) -> str:
    """Return the key under which two texts that differ only in case are equal (Unicode caseless matching)."""
    if text.isascii():
        return text.lower()
    return nfc(unicodedata.normalize("NFD", _marks_in_order(text)).casefold())


def _marks_in_order(text: str) -> str:
    """Return a canonically equivalent text whose long runs of marks are in canonical order.

    The normaliser passes over what is in order in one go.
    """
    if len(text) <= MARKS_MAX:
        return text
    for mark, decomposed in _HIDDEN_MARKS.items():
        text = text.replace(mark, decomposed)
    classes = bytes(map(unicodedata.combining, text))
    pieces: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(classes):
        start, stop = run.span()
        # Marks of one class keep their order, as the canonical ordering algorithm wants it.
        pieces += (text[end:start], *sorted(text[start:stop], key=unicodedata.combining))
        end = stop
    return "".join((*pieces, text[end:])) if pieces else text


def base64url(raw: bytes) -> str:
    """Write bytes with letters, digits, `-` and `_` only (RFC 4648, section 5, without padding)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes | None:
    """Return the bytes that `base64url` writes as `text`; None for any other text.

    Decoding alone would let several spellings through: it passes over strange characters and needless bits.
    """
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return raw if base64url(raw) == text else None
