"""How amounts are written, and which currencies there are."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.kernel.settings import Settings

POINTS = Currency(sign="¤", name="points", name_ru="очки", decimals=0)
LETTERS = Currency(sign="pts", name="points")


@pytest.mark.parametrize(
    ("currency", "hundredths", "english", "russian"),
    [
        (ROUBLES, 0, "₽0.00", "0,00\u00a0₽"),
        (ROUBLES, 123_450, "₽1,234.50", "1\u00a0234,50\u00a0₽"),
        (ROUBLES, -205, "\u2212₽2.05", "\u22122,05\u00a0₽"),
        (POINTS, 123_499, "¤1,234", "1\u00a0234\u00a0¤"),
        (POINTS, -199, "\u2212¤1", "\u22121\u00a0¤"),
        (POINTS, -99, "¤0", "0\u00a0¤"),
        (LETTERS, 9 * 10**15, "90,000,000,000,000.00\u00a0pts", "90\u00a0000\u00a0000\u00a0000\u00a0000,00\u00a0pts"),
    ],
)
def test_an_amount_is_written_as_people_read_it(
    currency: Currency, hundredths: int, english: str, russian: str
) -> None:
    assert (currency.written(hundredths), currency.written(hundredths, "ru")) == (english, russian)


@pytest.mark.parametrize(
    "wrong",
    [
        "roubles",
        "[]",
        "{}",
        '{"sign": "$"}',
        '{"sign": "", "name": "points"}',
        '{"sign": " ", "name": "points"}',
        '{"sign": "p2", "name": "points"}',
        '{"sign": "¤", "name": "points", "decimals": 1}',
        '{"sign": "¤", "name": "points", "colour": "red"}',
        '{"sign": "¥", "name": "yen", "code": "JPY"}',
        '{"sign": "€", "name": "euros", "code": "eur"}',
    ],
)
def test_what_is_no_currency_is_no_setting(wrong: str) -> None:
    with pytest.raises(ValidationError, match="currency"):
        Settings(currency=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        "100",
        "{}",
        '{"kopecks": 0, "every": "week", "up_to": 5}',
        '{"kopecks": 1.5, "every": "week", "up_to": 5}',
        '{"kopecks": "5", "every": "week", "up_to": 5}',
        '{"kopecks": 5, "every": "year", "up_to": 5}',
        '{"kopecks": 5, "every": "week"}',
        json.dumps({"kopecks": 5, "every": "week", "up_to": 10**16}),
    ],
)
def test_what_is_no_allowance_is_no_setting(wrong: str) -> None:
    with pytest.raises(ValidationError, match="allowance"):
        Settings(allowance=wrong)
