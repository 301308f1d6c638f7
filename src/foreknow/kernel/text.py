"""Text as the contract wants it: NFC when stored, compared without regard to case in every script."""

from __future__ import annotations

import unicodedata


def nfc(text: str) -> str:
    """Normalise to NFC, the form in which all text is stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Return the key under which two texts that differ only in case are equal (Unicode caseless matching)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
