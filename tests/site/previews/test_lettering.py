"""Text in pictures: what the font spells, and what fits."""

from __future__ import annotations

from itertools import groupby

import pytest
from PIL import Image, ImageDraw

from foreknow.site.previews.drawing import Weight, fitted, font, spelled
from foreknow.site.previews.texts import WORDS, percent


@pytest.mark.parametrize(
    "text", ["Will it rain?", "Пойдёт ли дождь – «да»?", "Łódź · Ґ · Өмір · ₽1 250,50 ≈ 3 %", "№ 1"]
)
def test_what_the_font_has_stays(text: str) -> None:
    assert spelled(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [("🚀 To the moon 🚀", "To the moon"), ("漢字", ""), ("a\n\t b", "a b"), ("x\u202ey", "xy"), ("\U0010ffff", "")],
)
def test_what_it_lacks_is_left_out(text: str, left: str) -> None:
    assert spelled(text) == left


@pytest.mark.parametrize("weight", ["Regular", "SemiBold"])
def test_the_sign_of_points_is_a_coin_as_high_as_figures(weight: Weight) -> None:
    coin, one = _drawn("¤", weight), _drawn("1", weight)
    row = coin.crop((0, coin.height // 2, coin.width, coin.height // 2 + 1)).tobytes()
    shades = [shade for shade, _ in groupby(row, key=lambda value: round(value / 255))]
    assert bytes(shades).strip(b"\0") == b"\1\0\1\0\1"
    assert abs(coin.height - one.height) <= 2


def _drawn(character: str, weight: Weight) -> Image.Image:
    picture = Image.new("L", (100, 100))
    ImageDraw.Draw(picture).text((10, 10), character, font=font(weight, 60), fill=255)
    return picture.crop(picture.getbbox())


@pytest.mark.parametrize("text", ["", "x", "word " * 40, "W" * 200, "Ш" * 90 + " " + "ж" * 90])
def test_text_never_leaves_its_box(text: str) -> None:
    forms = [(60, 1), (40, 2), (30, 3)]
    found = fitted(text, "SemiBold", forms, width=500)
    lines = dict(forms)[found.size]
    assert 1 <= len(found.lines) <= lines
    face = font("SemiBold", found.size)
    assert all(face.getlength(line) <= 500 for line in found.lines)
    whole = "".join("".join(found.lines).split())
    assert whole.endswith("…") or whole == "".join(text.split())


def test_percents_have_no_decimals_and_are_never_certain() -> None:
    english, russian = WORDS["en"], WORDS["ru"]
    assert [percent(value, english) for value in (0.0001, 0.0099, 0.01, 0.487, 0.99, 0.9999)] == [
        "<1%",
        "<1%",
        "1%",
        "49%",
        "99%",
        ">99%",
    ]
    assert percent(0.5, russian) == "50\u00a0%"
