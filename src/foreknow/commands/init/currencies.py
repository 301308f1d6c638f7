"""Currencies by the names that people type: points, or the code of a common one."""

from __future__ import annotations

import json
from collections.abc import Mapping

from foreknow.kernel.currency import ROUBLES, Currency

POINTS = "points"
#: By what people type. Others are given as JSON, as in FOREKNOW_CURRENCY.
KNOWN: Mapping[str, Currency] = {
    POINTS: Currency(sign="¤", name="points", name_ru="очки", decimals=0),
    "RUB": ROUBLES,
    "USD": Currency(code="USD", sign="$", name="dollars", name_ru="доллары"),
    "EUR": Currency(code="EUR", sign="€", name="euros", name_ru="евро"),
    "GBP": Currency(code="GBP", sign="£", name="pounds", name_ru="фунты"),
    "CHF": Currency(code="CHF", sign="CHF", name="francs", name_ru="франки"),
    "INR": Currency(code="INR", sign="₹", name="rupees", name_ru="рупии"),
    "KZT": Currency(code="KZT", sign="₸", name="tenge", name_ru="тенге"),
    "PLN": Currency(code="PLN", sign="zł", name="zloty", name_ru="злотые"),
    "TRY": Currency(code="TRY", sign="₺", name="lira", name_ru="лиры"),
    "UAH": Currency(code="UAH", sign="₴", name="hryvnias", name_ru="гривны"),
}


def read_currency(text: str) -> str:
    """Return the setting for what a person typed: a known name, or the setting itself; `ValueError`."""
    if text.lstrip().startswith("{"):
        return text
    for name, currency in KNOWN.items():
        if text.casefold() == name.casefold():
            return json.dumps(currency.model_dump(exclude_none=True), ensure_ascii=False)
    raise ValueError(f"it is one of {', '.join(KNOWN)}, or JSON as FOREKNOW_CURRENCY has it (docs/settings.md)")


def named(currency: Currency) -> str:
    """Return what a person types for a currency; its JSON where it is no known one."""
    known = (name for name, each in KNOWN.items() if each == currency)
    return next(known, "") or json.dumps(currency.model_dump(exclude_none=True), ensure_ascii=False)
