"""Text as the contract wants it: NFC when stored, compared without regard to case in every script. Bytes as text."""

from __future__ import annotations

import base64
import unicodedata


def nfc(text: str) -> str:
    """Normalise to NFC, the form in which all text is stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Return the key under which two texts that differ only in case are equal (Unicode caseless matching)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


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
