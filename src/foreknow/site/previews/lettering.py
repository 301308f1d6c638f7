"""Text that fits into a box, in Golos Text, which comes with the service (SIL Open Font License, `fonts/OFL.txt`).

The files are subsets: Latin, Cyrillic, punctuation and currency signs. What they lack (pictographs, other scripts) is
left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

Weight = Literal["Regular", "SemiBold"]
Font = ImageFont.FreeTypeFont
_FONTS = Path(__file__).with_name("fonts")
#: A code point that no font has.
_NONE = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Lettering:
    """Lines of text in one font."""

    lines: list[str]
    font: Font
    size: int


@lru_cache(maxsize=32)
def font(weight: Weight, size: int) -> Font:
    """Return a font; `size` in pixels. Use it from one thread."""
    return ImageFont.truetype(str(_FONTS / f"GolosText-{weight}.ttf"), size)


@lru_cache(maxsize=2_048)
def _is_spelled(character: str) -> bool:
    probe = font("Regular", 24)
    return character == " " or bytes(probe.getmask(character)) != bytes(probe.getmask(_NONE))


def spelled(text: str) -> str:
    """Return what the font can spell of a text, in one line."""
    return " ".join("".join(character for character in " ".join(text.split()) if _is_spelled(character)).split())


def fitted(text: str, weight: Weight, forms: Sequence[tuple[int, int]], *, width: int) -> Lettering:
    """Return a text in the first form into which it fits, else in the last one, cut off.

    A form is a size in pixels and a number of lines; `width` is in pixels.
    """
    for size, lines in forms:
        found = _wrapped(text, font(weight, size), width)
        if len(found) <= lines:
            return Lettering(found, font(weight, size), size)
    size, lines = forms[-1]
    face = font(weight, size)
    found = _wrapped(text, face, width)
    cut_off = _shortened(" ".join(found[lines - 1 : lines + 1]), face, width)
    return Lettering([*found[: lines - 1], cut_off], face, size)


def _wrapped(text: str, face: Font, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if face.getlength(longer) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and face.getlength(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return lines


def _shortened(text: str, face: Font, width: int) -> str:
    while text and face.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"
