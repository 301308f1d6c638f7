"""Draws the picture of an event: 1200 × 630, the size that link previews want, in the web client's light colours.

Its text is in Golos Text, which comes with the service (SIL Open Font License, `fonts/OFL.txt`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from foreknow.site.previews.content import LINE_X, LINE_Y, PreviewContent
from foreknow.site.previews.texts import WORDS

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


#: Counts what changes the picture of the same content: it is part of the ETag.
VERSION = 1
WIDTH, HEIGHT = 1200, 630
#: Drawn twice as large, then reduced: Pillow draws lines without smoothing.
SCALE = 2
_PAPER, _CARD = "#F5F7F4", "#FFFFFF"
_LINE, _RULE = "#D5DDD6", "#7D8A83"
_INK, _INK_2, _INK_3 = "#14211D", "#43524C", "#58675F"
_YES, _NO = "#00606C", "#8A4600"
_OUTCOMES = ("#2F5CB0", "#7A3E8E", "#4B7714", "#B03A55", "#7A6200", "#6A766F")
#: Share of the colour under the line.
_WASH = 0.09
_MARGIN = 64
#: The space of the line: left, top, right, bottom.
_CHART = (452, 338, 1044, 572)
_LEFT_WIDTH = 330
#: The space of the mark and the site's name, before that of the state.
_NAME_WIDTH = 445


def draw(content: PreviewContent) -> bytes:
    """Return the picture as PNG. Takes some 0.1 s."""
    canvas = _Canvas(content)
    canvas.head()
    canvas.question()
    canvas.leader()
    canvas.scale()
    canvas.chart()
    return canvas.png()


class _Canvas:
    """A picture being drawn; all coordinates are those of the finished one."""

    def __init__(self, content: PreviewContent) -> None:
        self._content = content
        self._words = WORDS[content.language]
        index = content.outcome_index
        side = _NO if content.is_no else _YES
        self._colour = side if index is None else _OUTCOMES[min(index, len(_OUTCOMES) - 1)]
        self._picture = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), _PAPER)
        self._pen = ImageDraw.Draw(self._picture)

    def head(self) -> None:
        """Draw the mark with the name, and the state."""
        x, y = _MARGIN, 50
        width = self._mark(x, y)
        sizes = [(30 * SCALE, 1), (22 * SCALE, 1)]
        name = fitted(spelled(self._content.site_name), "SemiBold", sizes, width=round((_NAME_WIDTH - width) * SCALE))
        self._text((x + width + 15, y + 27), name.lines[0], name.font, _INK, anchor="ls")
        state = fitted(self._content.state, "Regular", [(26 * SCALE, 1)], width=600 * SCALE)
        self._text((WIDTH - _MARGIN, y + 27), state.lines[0], state.font, _INK_3, anchor="rs")

    def _mark(self, x: int, y: int) -> float:
        """Draw the site's own mark, else the product's, with its foot near that of the name; return its width."""
        brand = self._content.brand
        if brand.mark:
            with Image.open(io.BytesIO(brand.mark)) as opened:
                mark = opened.convert("RGBA")
            middle = (y + 16) * SCALE
            self._picture.paste(mark, (x * SCALE, middle - mark.height // 2), mask=mark)
            return mark.width / SCALE
        for at, height in ((1, 5), (8, 4), (15, 7), (22, 4), (29, 5)):
            self._lines([(x + at * 1.5, y + 27), (x + at * 1.5, y + 27 - height * 1.5)], _INK, 2.4)
        self._lines([(x + 0.3, y + 27), (x + 44.7, y + 27)], _INK, 2.4)
        self._lines([(x + 28.5, y + 27), (x + 28.5, y)], _YES if brand.theme is None else brand.theme.accent_light, 4.5)
        return 45

    def question(self) -> None:
        """Draw the question in at most three lines."""
        text = spelled(self._content.question) or self._words.no_name.format(spelled(self._content.site_name)).strip()
        forms = [(60 * SCALE, 2), (52 * SCALE, 2), (48 * SCALE, 3), (44 * SCALE, 3)]
        question = fitted(text, "SemiBold", forms, width=(WIDTH - 2 * _MARGIN) * SCALE)
        self._block(question, (_MARGIN, 112), _INK, spacing=1.16)

    def leader(self) -> None:
        """Draw the leading outcome and its probability, or a tick once it has won."""
        text = spelled(self._content.outcome) or f"№ {(self._content.outcome_index or 0) + 1}"
        name = fitted(text, "SemiBold", [(34 * SCALE, 1), (28 * SCALE, 2)], width=_LEFT_WIDTH * SCALE)
        self._block(name, (_MARGIN, 358 if len(name.lines) == 1 else 340), _INK_2, spacing=1.2)
        if self._content.figure:
            figure = fitted(self._content.figure, "SemiBold", [(112 * SCALE, 1)], width=600 * SCALE)
            self._text((_MARGIN - 4, 508), figure.lines[0], figure.font, self._colour, anchor="ls")
        else:
            self._lines([(_MARGIN + 6, 468), (_MARGIN + 36, 502), (_MARGIN + 98, 432)], self._colour, 16)

    def scale(self) -> None:
        """Draw the ruler from 0 to 100 with a bar and a needle."""
        left, top, width = _MARGIN, 544, _LEFT_WIDTH
        self._lines([(left, top + 20), (left + width, top + 20)], _LINE, 2)
        for tenth in range(11):
            x = left + width * tenth / 10
            self._lines([(x, top + 20), (x, top + 28)], _RULE, 2)
        needle = left + width * self._content.permille / 1000
        self._box((left, top + 6, needle, top + 16), self._colour)
        self._box((needle - 2, top, needle + 2, top + 28), self._colour)

    def chart(self) -> None:
        """Draw the outcome's history: a price holds until the next trade."""
        left, top, right, bottom = _CHART
        for share in (0, 50, 100):
            y = bottom - (bottom - top) * share / 100
            self._lines([(left, y), (right, y)], _LINE, 1.5)
            label = f"{share}{self._words.percent_space}%"
            self._text((WIDTH - _MARGIN, y + 8), label, font("Regular", 22 * SCALE), _INK_3, anchor="rs")
        corners: list[tuple[float, float]] = []
        for x, y in self._content.line:
            at = (left + (right - left) * x / LINE_X, bottom - (bottom - top) * y / LINE_Y)
            if corners:
                corners.append((at[0], corners[-1][1]))
            corners.append(at)
        self._wash([*corners, (right, bottom), (left, bottom)])
        self._lines(corners, self._colour, 4)
        end_x, end_y = corners[-1]
        for radius, colour in ((11, _PAPER), (8, self._colour)):
            self._pen.ellipse(
                self._scaled([(end_x - radius, end_y - radius), (end_x + radius, end_y + radius)]), fill=colour
            )

    def png(self) -> bytes:
        """Return the finished picture."""
        file = io.BytesIO()
        self._picture.resize((WIDTH, HEIGHT), Image.Resampling.BOX).save(file, format="PNG", compress_level=6)
        return file.getvalue()

    def _wash(self, corners: list[tuple[float, float]]) -> None:
        mask = Image.new("L", self._picture.size, 0)
        ImageDraw.Draw(mask).polygon(self._scaled(corners), fill=round(255 * _WASH))
        self._picture.paste(self._colour, mask=mask)

    def _block(self, text: Lettering, at: tuple[float, float], colour: str, *, spacing: float) -> None:
        x, y = at
        for number, line in enumerate(text.lines):
            self._text((x, y + number * text.size / SCALE * spacing), line, text.font, colour, anchor="la")

    def _text(self, at: tuple[float, float], text: str, face: Font, colour: str, *, anchor: str) -> None:
        self._pen.text((at[0] * SCALE, at[1] * SCALE), text, font=face, fill=colour, anchor=anchor)

    def _lines(self, points: list[tuple[float, float]], colour: str, width: float) -> None:
        self._pen.line(self._scaled(points), fill=colour, width=round(width * SCALE), joint="curve")

    def _box(self, box: tuple[float, float, float, float], colour: str) -> None:
        self._pen.rectangle(self._scaled([box[:2], box[2:]]), fill=colour)

    def _scaled(self, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x * SCALE, y * SCALE) for x, y in points]
