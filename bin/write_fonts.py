#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["brotli", "fonttools"]
# ///
"""Write the client's fonts, web/src/fonts, from the service's own: `just fonts`, after a change of FACES.

Each file holds the characters of one range, from weight 400 to 600, so that a page loads the letters that it shows. The
ranges stand in web/src/styles/tokens.css, too; a test of the client holds the files to them and to the client's texts.

The sign of points, ¤, is drawn here, in the service's own fonts as well: a coin with a point. Theirs is the sign of a
currency without one, which reads as none.
"""

from __future__ import annotations

from io import BytesIO
from math import cos, pi, sin
from pathlib import Path

from fontTools import subset
from fontTools.designspaceLib import AxisDescriptor, DesignSpaceDocument, SourceDescriptor
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib import build

ROOT = Path(__file__).parent.parent
FROM = ROOT / "src" / "foreknow" / "site" / "previews" / "fonts"
TO = ROOT / "web" / "src" / "fonts"
MASTERS = {400: "GolosText-Regular.ttf", 600: "GolosText-SemiBold.ttf"}
#: Of the coin, in a thousandth of the font's size: how thick its rim is by weight, how high it is, as figures are, and
#: what is free beside it.
RIMS = {400: 64, 600: 84}
HEIGHT, SPACE = 700, 60
#: Characters by the name of their file.
FACES = {
    "latin": "20-7E,A0,AB,B0,B7,BB,D7,2010-2026,2030,2039-203A,2191,2193,2212",
    "latin-1": "A1-A3,A5-AA,AC-AF,B1-B6,B8-BA,BC-D6,D8-FF",
    "russian": "401,410-44F,451,2116",
    "cyrillic": "400,402-40F,450,452-45F,490-491",
    "signs": "A4,20BD,2192,2248",
}


def draw_coin(font: TTFont, rim: int) -> None:
    """Draw the sign of points: a rim of that thickness, and a point in the middle."""
    outer = HEIGHT // 2
    pen = TTGlyphPen(None)
    for radius, direction in ((outer, -1), (outer - rim, 1), (rim * 1.7, -1)):
        # A curve of quadratic pieces that meet half-way between these points.
        angles = [direction * (number + 0.5) * pi / 4 for number in range(8)]
        points = [
            (round(SPACE + outer + radius / cos(pi / 8) * cos(angle)), round(outer + radius / cos(pi / 8) * sin(angle)))
            for angle in angles
        ]
        pen.qCurveTo(*points, None)
        pen.closePath()
    name = font.getBestCmap()[0xA4]
    font["glyf"][name] = pen.glyph()
    font["hmtx"][name] = 2 * (outer + SPACE), SPACE


def face(characters: str) -> TTFont:
    """Return a variable font of these characters."""
    space = DesignSpaceDocument()
    least, most = min(MASTERS), max(MASTERS)
    space.addAxis(AxisDescriptor(tag="wght", name="Weight", minimum=least, default=least, maximum=most))
    for weight, name in MASTERS.items():
        master = cut(TTFont(FROM / name, recalcTimestamp=False), characters)
        space.addSource(SourceDescriptor(name=name, font=master, location={"Weight": weight}))
    made: TTFont = build(space)[0]
    made["post"].formatType = 3.0  # without the glyphs' names
    made.flavor = "woff2"
    return made


def cut(font: TTFont, characters: str) -> TTFont:
    """Return what a font has for these characters, with kerning and figures of one width."""
    options = subset.Options(layout_features=["kern", "tnum"], hinting=False, name_IDs=[0, 1, 2, 13, 14])
    options.drop_tables += ["vhea", "vmtx"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(characters))
    subsetter.subset(font)
    file = BytesIO()
    font.save(file)
    return TTFont(file, recalcTimestamp=False)


def main() -> None:
    """Write all files."""
    for weight, name in MASTERS.items():
        font = TTFont(FROM / name, recalcTimestamp=False)
        draw_coin(font, RIMS[weight])
        font.save(FROM / name)
    for name, characters in FACES.items():
        path = TO / f"golos-{name}.woff2"
        face(characters).save(path)
        print(f"{path.stat().st_size:6} {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
