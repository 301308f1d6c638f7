"""What the answers of providers mean. Pure: bytes in, numbers out, `BadAnswer` for anything else.

Shapes: the ticker list of Binance's public market data (`/api/v3/ticker/price`); the product ticker of Coinbase
Exchange (`/products/BTC-USD/ticker`); the Bank of Russia's daily table (`XML_daily.asp`: windows-1251, decimal commas,
rates of `Nominal` units in roubles); the European Central Bank's daily table (`eurofxref-daily.xml`: what one
euro buys).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import msgspec
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from foreknow.assets.codes import currency_code

#: A pair of currencies, and what one unit of the first is worth in the second.
Rates = Mapping[tuple[str, str], float]
_NUMBER = re.compile(r"[0-9]{1,20}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_EUROPE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


class BadAnswer(ValueError):
    """A provider answered something that we cannot use."""


class _Ticker(msgspec.Struct, frozen=True):
    symbol: str
    price: str


class _ProductTicker(msgspec.Struct, frozen=True):
    price: str


def binance_prices(body: bytes) -> dict[str, float]:
    """Return the prices of all pairs; those that are no price are left out."""
    found: dict[str, float] = {}
    for ticker in _decode(body, list[_Ticker]):
        price = _positive(ticker.price)
        if price is not None:
            found.setdefault(ticker.symbol, price)
    return found


def coinbase_price(body: bytes) -> float:
    """Return the price of the one pair that was asked for."""
    price = _positive(_decode(body, _ProductTicker).price)
    if price is None:
        raise BadAnswer("the price is no price")
    return price


def cbr_rates(body: bytes) -> Rates:
    """Return roubles per unit of each currency."""
    root = _parse(body)
    if root.tag != "ValCurs":
        raise BadAnswer("this is no daily table of the Bank of Russia")
    found: dict[tuple[str, str], float] = {}
    for row in root.findall("Valute"):
        code = currency_code((row.findtext("CharCode") or "").strip())
        nominal, value = _decimal(row.findtext("Nominal")), _decimal(row.findtext("Value"))
        # Divided as decimals, so that 7,8123 roubles for ten units are exactly 0.78123 for one.
        if code and code != "RUB" and nominal and value:
            _put(found, (code, "RUB"), float(value / nominal))
    return _some(found)


def ecb_rates(body: bytes) -> Rates:
    """Return units of each currency per euro."""
    found: dict[tuple[str, str], float] = {}
    for row in _parse(body).iter(_EUROPE):
        code, value = currency_code(row.get("currency", "")), _decimal(row.get("rate"))
        if code and code != "EUR" and value:
            _put(found, ("EUR", code), float(value))
    return _some(found)


def _some(found: dict[tuple[str, str], float]) -> Rates:
    if not found:
        raise BadAnswer("the table holds no rate")
    return found


def _put(found: dict[tuple[str, str], float], pair: tuple[str, str], rate: float) -> None:
    if 0 < rate < math.inf:
        found.setdefault(pair, rate)


def _decode(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadAnswer(f"not the JSON we expect: {broken}") from broken


def _parse(body: bytes) -> Element:
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError) as broken:
        raise BadAnswer(f"not the XML we expect: {broken!r}") from broken
    assert isinstance(root, Element)
    return root


def _positive(text: str) -> float | None:
    number = _decimal(text)
    return float(number) if number and 0 < float(number) < math.inf else None


def _decimal(text: str | None) -> Decimal | None:
    """Read a number with a decimal point or comma; None for anything else, NaN and Infinity included."""
    clean = (text or "").strip()
    return Decimal(clean.replace(",", ".")) if _NUMBER.fullmatch(clean) else None
