"""Unicode normalisation (NFC), case folding and what readers see, in time linear in the text's length; base64url."""

from __future__ import annotations

import base64
import re
import unicodedata

#: Longest run of combining marks left to the normaliser, which sorts them in quadratic time (before Python's releases
#: of 2026). UAX #15, "Stream-Safe Text Format", allows 30, far more than any language uses.
MARKS_MAX = 30
#: Most code points that NFC composes into one.
_NFC_SHRINK_MAX = 4
_LONG_RUN = re.compile(rb"(?<![^\0])[^\0]{%d,}" % (MARKS_MAX + 1))
#: The only marks of combining class 0 that decompose into marks of another class.
_HIDDEN_MARKS = {mark: unicodedata.normalize("NFD", mark) for mark in "\u0f73\u0f75\u0f81"}
#: Letters and symbols that show nothing: Hangul fillers, Braille without dots, a note without its head, a placeholder.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159\ufffc")
#: Planes of Unicode in which later versions than Python's add letters and symbols; those of ours have no category yet.
_LETTERS_END = 0x40000
#: Control characters, line and paragraph separators, halves of surrogate pairs.
_CONTROLS = {"Cc", "Zl", "Zp", "Cs"}
#: Characters that turn the direction of what follows, beyond their text too (UAX #9, "Explicit Directional
#: Embedding, Override and Isolate").
_OVERRIDES = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def nfc(text: str) -> str:
    """Normalise to NFC, the form of all stored text."""
    return text if text.isascii() else unicodedata.normalize("NFC", _sort_long_mark_runs(text))


def nfc_within(text: str, most: int) -> str | None:
    """Normalise to NFC; None if that has over `most` code points. A far longer text is not normalised."""
    if not may_be_within(text, most):
        return None
    clean = nfc(text)
    return clean if len(clean) <= most else None


def may_be_within(text: str, most: int) -> bool:
    """Return whether a text may have at most `most` code points in NFC, judged by its length."""
    return len(text) <= _NFC_SHRINK_MAX * most


def is_seen(text: str) -> bool:
    """Return whether a text shows at least one letter, digit, symbol or mark of punctuation."""
    return any(map(_is_seen, text))


def _is_seen(character: str) -> bool:
    category = unicodedata.category(character)
    if category == "Cn":
        # Not default-ignorable, and no noncharacter.
        code = ord(character)
        return code < _LETTERS_END and code & 0xFFFE != 0xFFFE and not (code == 0x2065 or 0xFDD0 <= code <= 0xFFF8)
    return category[0] in "LNPS" and character not in _BLANK


def without_overrides(text: str) -> str:
    """Return a text without U+202A … U+202E and U+2066 … U+2069, which turn the direction of what follows."""
    return text if text.isascii() else text.translate(_OVERRIDES)


def one_line(text: str) -> str:
    """Return a text on one line: a space for each line break, control character, and for each white space."""
    plain = without_overrides(text)
    return " ".join("".join(" " if unicodedata.category(c) in _CONTROLS else c for c in plain).split())


def fold(text: str) -> str:
    """Return a key that is equal for texts that differ only in case (Unicode caseless matching)."""
    if text.isascii():
        return text.lower()
    return nfc(unicodedata.normalize("NFD", _sort_long_mark_runs(text)).casefold())


def search_fold(text: str) -> str:
    """Return what searches compare: `fold`, and е for ё, which most people write so."""
    return fold(text).replace("ё", "е")


def _sort_long_mark_runs(text: str) -> str:
    """Return a canonically equivalent text whose long runs of marks are sorted: the normaliser passes these at once."""
    if len(text) <= MARKS_MAX:
        return text
    for mark, decomposed in _HIDDEN_MARKS.items():
        text = text.replace(mark, decomposed)
    classes = bytes(map(unicodedata.combining, text))
    pieces: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(classes):
        start, stop = run.span()
        # A stable sort, as the canonical ordering algorithm requires.
        pieces += (text[end:start], *sorted(text[start:stop], key=unicodedata.combining))
        end = stop
    return "".join((*pieces, text[end:])) if pieces else text


def base64url(raw: bytes) -> str:
    """Encode as base64url without padding (RFC 4648, section 5)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes | None:
    """Decode base64url; None for any text that `base64url` does not write.

    Python's decoder accepts several spellings: it ignores other characters and surplus bits.
    """
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return raw if base64url(raw) == text else None
