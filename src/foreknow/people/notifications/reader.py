"""How the reader of a notification reads amounts, parts, days and sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from foreknow.kernel.clock import millis
from foreknow.kernel.currency import Currency, CurrencyLanguage
from foreknow.kernel.time_zones import UTC_NAME, local_time
from foreknow.money.pricing import Side


class _Forms(NamedTuple):
    percent: str
    decimal_point: str
    sides: Mapping[Side, str]
    months: tuple[str, ...]


_FORMS: Mapping[CurrencyLanguage, _Forms] = {
    "en": _Forms(
        percent="{number}%",
        decimal_point=".",
        sides={Side.YES: "YES", Side.NO: "NO"},
        months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    ),
    "ru": _Forms(
        percent="{number}\u00a0%",
        decimal_point=",",
        sides={Side.YES: "ДА", Side.NO: "НЕТ"},
        months=("янв.", "фев.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сен.", "окт.", "ноя.", "дек."),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who reads: in which language and time zone (IANA), and what amounts are in."""

    language: CurrencyLanguage = "en"
    zone: str = UTC_NAME
    currency: Currency

    def amount(self, kopecks: int) -> str:
        """Return an amount: ₽12.50."""
        return self.currency.written(kopecks, self.language)

    def gain(self, kopecks: int) -> str:
        """Return a profit or loss with its sign: +₽12.50."""
        return f"+{self.amount(kopecks)}" if kopecks > 0 else self.amount(kopecks)

    def percent(self, bps: int) -> str:
        """Return basis points as per cent: 6250 is 62.5%."""
        forms = _FORMS[self.language]
        number = f"{bps / 100:.2f}".rstrip("0").rstrip(".").replace(".", forms.decimal_point)
        return forms.percent.format(number=number)

    def share(self, part: float) -> str:
        """Return a part of a whole in whole per cent: 80%."""
        return self.percent(100 * round(100 * part))

    def score(self, points: float) -> str:
        """Return a score with its sign: +12.5."""
        return f"{round(points, 1) + 0.0:+.1f}".replace("-", "−").replace(".", _FORMS[self.language].decimal_point)

    def side(self, side: Side) -> str:
        """Return the side of a position or order."""
        return _FORMS[self.language].sides[side]

    def day(self, at_ms: int) -> str:
        """Return the day of a moment (Unix milliseconds) in the reader's zone: 24 Nov."""
        local = local_time(at_ms, self.zone)
        return f"{local.day}\u00a0{_FORMS[self.language].months[local.month - 1]}"

    def moment(self, time: str) -> str:
        """Return an ISO 8601 time in the reader's zone: 24 Nov, 18:00."""
        at_ms = millis(datetime.fromisoformat(time))
        local = local_time(at_ms, self.zone)
        return f"{self.day(at_ms)}, {local.hour:02}:{local.minute:02}"
