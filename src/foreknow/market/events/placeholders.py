"""Placeholders in names and rules, such as `{finish_at:time:Europe/Moscow}` (lifecycle.md, "Placeholders").

A text is checked when it is written and filled when its event is published. `{{` and `}}` stand for braces.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from foreknow.kernel.text import nfc
from foreknow.kernel.time_zones import MONTH_NAMES, LocalTime, local_time, zone_names
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.price_intervals import rounded

TIMES = frozenset({"live_at", "finish_at", "opened_at"})
PRICES = frozenset({"price", "low", "high"})

_PIECE = re.compile(r"\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]")
#: Longest placeholder that an error repeats.
_SHOWN_MAX = 60
_NO_BREAK_SPACE = "\u00a0"


class Language(enum.Enum):
    """How times and prices are written: Russian in `name_ru`, English elsewhere."""

    ENGLISH = "en"
    RUSSIAN = "ru"


_MONTHS = {
    Language.ENGLISH: MONTH_NAMES,
    #: In the genitive: 20 ноября.
    Language.RUSSIAN: (
        *("января", "февраля", "марта", "апреля", "мая", "июня"),
        *("июля", "августа", "сентября", "октября", "ноября", "декабря"),
    ),
}
_RUSSIAN_MARKS = str.maketrans({",": _NO_BREAK_SPACE, ".": ","})


_FORMATS: Mapping[str, Callable[[LocalTime, str], str]] = {
    "datetime": lambda at, month: f"{at.day} {month} {at.year}, {at.hour:02}:{at.minute:02}",
    "date": lambda at, month: f"{at.day} {month} {at.year}",
    "day": lambda at, month: f"{at.day} {month}",
    "time": lambda at, _month: f"{at.hour:02}:{at.minute:02}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What the placeholders of a text stand for; None for one that has no value there."""

    #: Of the event in its series, from 1.
    number: int
    live_at_ms: int | None
    finish_at_ms: int | None
    #: When the event was published.
    opened_at_ms: int
    #: The strike.
    price: Decimal | None = None
    #: Bounds of an outcome.
    low: Decimal | None = None
    high: Decimal | None = None
    #: Digits after the point of prices.
    decimals: int = 0


def check_placeholders(path: str, text: str, *, known: Collection[str]) -> set[str]:
    """Return the names of the placeholders in a text; `BadRequest` for braces that are none of those `known`."""
    names: set[str] = set()
    for piece in _PIECE.findall(text):
        if piece in {"{", "}"}:
            raise wrong_field(path, "must double braces that belong to no placeholder")
        if not _is_placeholder(piece):
            continue
        name, *arguments = piece[1:-1].split(":", 2)
        if name not in known:
            raise wrong_field(path, f"{_shown(piece)} has no value here; known are {', '.join(sorted(known))}")
        if arguments and name not in TIMES:
            raise wrong_field(path, f"{_shown(piece)}: only times have a format")
        if arguments and arguments[0] not in _FORMATS:
            raise wrong_field(path, f"{_shown(piece)}: a format is one of {', '.join(_FORMATS)}")
        if len(arguments) > 1 and arguments[1] not in zone_names():
            raise wrong_field(path, f"{_shown(piece)}: no such time zone")
        names.add(name)
    return names


def placeholder_names(text: str) -> set[str]:
    """Return the names of the placeholders in a text that was checked."""
    return {piece[1:-1].split(":", 1)[0] for piece in _PIECE.findall(text) if _is_placeholder(piece)}


def fill_placeholders(text: str, values: Values, *, language: Language, most: int) -> str:
    """Fill in a text that was checked, and cut it after `most` code points."""
    return nfc("".join(_filled(text, values, language)))[:most]


def _filled(text: str, values: Values, language: Language) -> Iterator[str]:
    for piece in _PIECE.findall(text):
        if _is_placeholder(piece):
            yield _value(piece[1:-1].split(":", 2), values, language)
        else:
            yield {"{{": "{", "}}": "}"}.get(piece, piece)


def _is_placeholder(piece: str) -> bool:
    return piece[0] == "{" and piece[-1] == "}"


def _shown(piece: str) -> str:
    return piece if len(piece) <= _SHOWN_MAX else f"{piece[:_SHOWN_MAX]}…"


def _value(parts: list[str], values: Values, language: Language) -> str:
    name, *arguments = parts
    if name == "number":
        return str(values.number)
    if name in PRICES:
        price = {"price": values.price, "low": values.low, "high": values.high}[name]
        assert price is not None
        return _price(price, values.decimals, language)
    times = {"live_at": values.live_at_ms, "finish_at": values.finish_at_ms, "opened_at": values.opened_at_ms}
    at_ms = times[name]
    assert at_ms is not None
    form, zone = [*arguments, *("datetime", "UTC")[len(arguments) :]]
    local = local_time(at_ms, zone)
    return _FORMATS[form](local, _MONTHS[language][local.month - 1])


def _price(price: Decimal, decimals: int, language: Language) -> str:
    number = rounded(price, decimals)
    # Not −0.
    text = f"{number or abs(number):,f}"
    return text.translate(_RUSSIAN_MARKS) if language is Language.RUSSIAN else text
