"""Daily tables of central banks: the Bank of Russia and the European Central Bank."""

from __future__ import annotations

from foreknow.market.assets.codes import currency_code
from foreknow.market.assets.providers.base import Rates, collect_rates
from foreknow.market.assets.providers.decoding import decimal, parse_xml
from foreknow.platform.fetching import BadResponse

_ROW = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


def cbr_rates(body: bytes) -> Rates:
    """Return roubles per unit of each currency, from `XML_daily.asp`; `BadResponse`.

    It is in windows-1251, with decimal commas, and gives the roubles for `Nominal` units.
    """
    root = parse_xml(body)
    if root.tag != "ValCurs":
        raise BadResponse("this is not a daily table of the Bank of Russia")
    found: list[tuple[tuple[str, str], float]] = []
    for row in root.findall("Valute"):
        code = currency_code((row.findtext("CharCode") or "").strip())
        nominal, value = decimal(row.findtext("Nominal")), decimal(row.findtext("Value"))
        # Divided as decimals, so that 7,8123 roubles for ten units are exactly 0.78123 for one.
        if code and code != "RUB" and nominal and value:
            found.append(((code, "RUB"), float(value / nominal)))
    return collect_rates(found)


def ecb_rates(body: bytes) -> Rates:
    """Return units of each currency per euro, from `eurofxref-daily.xml`; `BadResponse`."""
    found: list[tuple[tuple[str, str], float]] = []
    for row in parse_xml(body).iter(_ROW):
        code, value = currency_code(row.get("currency", "")), decimal(row.get("rate"))
        if code and code != "EUR" and value:
            found.append((("EUR", code), float(value)))
    return collect_rates(found)
