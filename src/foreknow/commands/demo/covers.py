"""Draws the demo's cover images: a pattern for each topic, in the web client's colours, different for each event."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 960, 540
#: Drawn twice as large, then reduced: Pillow draws without smoothing.
_SCALE = 2
#: The motif is inside of the central square, which is all that a small size shows.
_X, _Y, _SIDE = WIDTH / 2, HEIGHT / 2, HEIGHT


@dataclass(frozen=True, slots=True)
class _Palette:
    """A ground, and what is drawn on it."""

    ground: str
    middle: str
    pale: str
    accent: str


_PALETTES = (
    _Palette("#00606C", "#3F9CA6", "#DDF0F1", "#F2A762"),
    _Palette("#2F5CB0", "#6F94DA", "#E3EBFA", "#E7C15A"),
    _Palette("#7A3E8E", "#AE78C0", "#F3E6F7", "#9BD07A"),
    _Palette("#B03A55", "#D97C90", "#FBE6EA", "#E7C15A"),
    _Palette("#4B7714", "#86AF4F", "#ECF4E0", "#F2A762"),
    _Palette("#8A4600", "#C2803F", "#F9EADB", "#63CBD6"),
    _Palette("#14211D", "#3D5750", "#F5F7F4", "#63CBD6"),
    _Palette("#7A6200", "#B59C3A", "#F7F0D5", "#63CBD6"),
)


def draw(topic: str, seed: int) -> bytes:
    """Return a cover of 960 × 540 pixels as PNG: always the same of a topic and a seed."""
    random = Random(f"{topic} {seed}")  # noqa: S311 - a drawing
    palette = _PALETTES[(seed + sum(topic.encode())) % len(_PALETTES)]
    canvas = _Canvas(palette, random)
    canvas.rays()
    _MOTIFS.get(topic, _ruler)(canvas)
    return canvas.png()


class _Canvas:
    """A picture being drawn; coordinates are those of the finished one."""

    def __init__(self, palette: _Palette, random: Random) -> None:
        self.palette = palette
        self.random = random
        self._picture = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), palette.ground)
        self._pen = ImageDraw.Draw(self._picture)

    def rays(self) -> None:
        """Draw the quiet part: wide bands beside the motif, a shade off the ground."""
        shade = _mixed(self.palette.ground, self.palette.middle, 0.28)
        slant = self.random.choice([-1, 1]) * self.random.uniform(60, 220)
        step = self.random.choice([64, 80, 96])
        for x in range(-300, WIDTH + 300, step * 2):
            self.shape([(x, 0), (x + step, 0), (x + step + slant, HEIGHT), (x + slant, HEIGHT)], shade)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fill a circle."""
        self._pen.ellipse(self._scaled([(x - radius, y - radius), (x + radius, y + radius)]), fill=colour)

    def ring(self, x: float, y: float, radius: float, width: float, colour: str) -> None:
        """Draw a circle's line."""
        box = self._scaled([(x - radius, y - radius), (x + radius, y + radius)])
        self._pen.ellipse(box, outline=colour, width=round(width * _SCALE))

    def arc(
        self, x: float, y: float, radius: float, *, degrees: tuple[float, float], width: float, colour: str
    ) -> None:
        """Draw a part of a circle's line, clockwise from the right."""
        box = self._scaled([(x - radius, y - radius), (x + radius, y + radius)])
        self._pen.arc(box, *degrees, fill=colour, width=round(width * _SCALE))

    def quarter(self, box: tuple[float, float, float, float], corner: int, colour: str) -> None:
        """Fill a quarter of a circle with its centre in a corner of a square: 0 top left, then clockwise."""
        left, top, right, bottom = box
        side = right - left
        x, y = [(left, top), (right, top), (right, bottom), (left, bottom)][corner]
        start = corner * 90
        self._pen.pieslice(self._scaled([(x - side, y - side), (x + side, y + side)]), start, start + 90, fill=colour)

    def box(self, left: float, top: float, right: float, bottom: float, colour: str, *, radius: float = 0) -> None:
        """Fill a rectangle."""
        self._pen.rounded_rectangle(self._scaled([(left, top), (right, bottom)]), radius * _SCALE, fill=colour)

    def shape(self, points: list[tuple[float, float]], colour: str) -> None:
        """Fill a polygon."""
        self._pen.polygon(self._scaled(points), fill=colour)

    def line(self, points: list[tuple[float, float]], width: float, colour: str) -> None:
        """Draw a line with round ends."""
        self._pen.line(self._scaled(points), fill=colour, width=round(width * _SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            self.circle(x, y, width / 2, colour)

    def png(self) -> bytes:
        """Return the finished picture."""
        file = io.BytesIO()
        self._picture.resize((WIDTH, HEIGHT), Image.Resampling.BOX).save(file, format="PNG", compress_level=6)
        return file.getvalue()

    def _scaled(self, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x * _SCALE, y * _SCALE) for x, y in points]


def _people(canvas: _Canvas) -> None:
    """Draw two circles that overlap."""
    palette, random = canvas.palette, canvas.random
    apart, radius = random.uniform(70, 120), random.uniform(130, 160)
    angle = random.uniform(-0.5, 0.5)
    dx, dy = apart * math.cos(angle), apart * math.sin(angle)
    canvas.circle(_X - dx, _Y - dy, radius, palette.pale)
    canvas.circle(_X + dx, _Y + dy, radius * random.uniform(0.75, 1), palette.accent)
    canvas.ring(_X - dx, _Y - dy, radius, 10, palette.pale)


def _faces(canvas: _Canvas) -> None:
    """Draw an eye."""
    palette, random = canvas.palette, canvas.random
    width, height = random.uniform(200, 235), random.uniform(110, 150)
    waves = [(t / 40 - 1, math.cos((t / 40 - 1) * math.pi / 2)) for t in range(81)]
    lids = [(_X + x * width, _Y - y * height) for x, y in waves]
    lids += [(_X + x * width, _Y + y * height) for x, y in reversed(waves)]
    canvas.shape(lids, palette.pale)
    x = _X + random.uniform(-70, 70)
    canvas.circle(x, _Y, height * 0.72, palette.ground)
    canvas.circle(x, _Y, height * 0.42, palette.accent)
    canvas.circle(x + height * 0.2, _Y - height * 0.22, height * 0.13, palette.pale)


def _memory(canvas: _Canvas) -> None:
    """Draw a grid of dots in which some fade and one stands out."""
    palette, random = canvas.palette, canvas.random
    count = random.choice([4, 5])
    step = 400 / count
    marked = random.randrange(count * count)
    for index in range(count * count):
        x = _X - 200 + step * (index % count + 0.5)
        y = _Y - 200 + step * (index // count + 0.5)
        faded = _mixed(palette.ground, palette.pale, random.choice([0.25, 0.55, 1, 1]))
        canvas.circle(x, y, step * 0.34, palette.accent if index == marked else faded)


def _language(canvas: _Canvas) -> None:
    """Draw lines of words."""
    palette, random = canvas.palette, canvas.random
    rows = random.choice([4, 5])
    step = 380 / rows
    marked = random.randrange(rows * 2)
    for row in range(rows):
        y, x, word = _Y - 190 + row * step, _X - 205, 0
        while x < _X + 150:
            width = min(random.choice([70, 110, 160, 210]), _X + 205 - x)
            colour = palette.accent if row * 2 + word == marked else palette.pale
            canvas.box(x, y + step * 0.2, x + width, y + step * 0.8, colour, radius=step * 0.3)
            x, word = x + width + 22, word + 1


def _mind(canvas: _Canvas) -> None:
    """Draw arcs around a point, each turned on."""
    palette, random = canvas.palette, canvas.random
    rings = random.choice([4, 5, 6])
    for ring in range(rings):
        radius = 52 + ring * (170 / rings)
        start = random.uniform(0, 360)
        colour = palette.accent if ring == rings // 2 else palette.pale
        turn = (start, start + random.uniform(150, 290))
        canvas.arc(_X, _Y, radius, degrees=turn, width=98 / rings, colour=colour)
    canvas.circle(_X, _Y, 26, palette.accent)


def _choice(canvas: _Canvas) -> None:
    """Draw paths that part, one of them taken."""
    palette, random = canvas.palette, canvas.random
    ends = random.choice([3, 4, 5])
    taken = random.randrange(ends)
    fork = (_X, _Y + random.uniform(20, 70))
    targets = [(_X - 190 + 380 * end / (ends - 1), _Y - 170 + 26 * (end % 2)) for end in range(ends)]
    for number in [*(n for n in range(ends) if n != taken), taken]:
        colour = palette.accent if number == taken else palette.pale
        x, y = targets[number]
        canvas.line([(_X, _Y + 200), fork, (x, y + 70), (x, y)], 26, colour)
        canvas.circle(x, y, 34, colour)


def _games(canvas: _Canvas) -> None:
    """Draw a payoff table of quarters."""
    palette, random = canvas.palette, canvas.random
    count = random.choice([2, 3])
    side = 400 / count
    marked = random.randrange(count * count)
    for index in range(count * count):
        left, top = _X - 200 + side * (index % count), _Y - 200 + side * (index // count)
        inner = (left + 6, top + 6, left + side - 6, top + side - 6)
        canvas.box(*inner, palette.middle)
        canvas.quarter(inner, random.randrange(4), palette.accent if index == marked else palette.pale)


def _markets(canvas: _Canvas) -> None:
    """Draw a price that holds between trades."""
    palette, random = canvas.palette, canvas.random
    y = _Y + random.uniform(-60, 90)
    corners = [(_X - 215, y)]
    for step in range(1, 7):
        x = _X - 215 + 430 * step / 6
        corners.append((x, y))
        y = min(_Y + 130, max(_Y - 170, y + random.choice([-1, -1, 1]) * random.uniform(40, 110)))
        corners.append((x, y))
    canvas.shape([*corners, (_X + 215, _Y + 200), (_X - 215, _Y + 200)], palette.middle)
    canvas.line(corners, 18, palette.pale)
    canvas.circle(*corners[-1], 34, palette.accent)


def _work(canvas: _Canvas) -> None:
    """Draw stairs."""
    palette, random = canvas.palette, canvas.random
    steps = random.choice([4, 5, 6])
    falls = random.random() < 0.3
    width = 410 / steps
    marked = random.randrange(1, steps)
    for step in range(steps):
        height = 390 * ((steps - step) if falls else (step + 1)) / steps
        left = _X - 205 + width * step
        colour = palette.accent if step == marked else palette.pale
        canvas.box(left + 5, _Y + 200 - height, left + width - 5, _Y + 200, colour, radius=6)


def _ruler(canvas: _Canvas) -> None:
    """Draw the scale: ticks at tenths, a bar, a needle."""
    palette, random = canvas.palette, canvas.random
    needle = _X - 210 + 420 * random.uniform(0.25, 0.8)
    canvas.box(_X - 210, _Y - 60, needle, _Y + 30, palette.pale)
    canvas.box(needle - 9, _Y - 120, needle + 9, _Y + 120, palette.accent)
    for tenth in range(11):
        x = _X - 210 + 42 * tenth
        canvas.box(x - 3, _Y + 60, x + 3, _Y + (120 if tenth % 5 == 0 else 94), palette.pale)


def _coin(canvas: _Canvas) -> None:
    """Draw a coin with a wave."""
    palette = canvas.palette
    canvas.circle(_X, _Y, 200, palette.accent)
    canvas.ring(_X, _Y, 172, 10, palette.ground)
    wave = [(_X - 120 + t, _Y - 55 * math.sin(t / 240 * 2 * math.pi)) for t in range(0, 241, 6)]
    canvas.line(wave, 26, palette.ground)


def _count(canvas: _Canvas) -> None:
    """Draw ten marks, some of them ticked."""
    palette, random = canvas.palette, canvas.random
    ticked = random.randrange(3, 8)
    for mark in range(10):
        x, y = _X - 170 + 85 * (mark % 5), _Y - 75 + 150 * (mark // 5)
        if mark < ticked:
            canvas.circle(x, y, 36, palette.accent)
            canvas.line([(x - 16, y + 1), (x - 4, y + 14), (x + 18, y - 13)], 9, palette.ground)
        else:
            canvas.ring(x, y, 36, 9, palette.pale)


_MOTIFS: Mapping[str, Callable[[_Canvas], None]] = {
    "people": _people,
    "faces": _faces,
    "memory": _memory,
    "language": _language,
    "mind": _mind,
    "choice": _choice,
    "games": _games,
    "markets": _markets,
    "work": _work,
    "coin": _coin,
    "count": _count,
}


def _mixed(one: str, other: str, share: float) -> str:
    """Return a colour (#RRGGBB) between two: `share` of the way to the second."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(a + (b - a) * share) for a, b in pairs).hex()
