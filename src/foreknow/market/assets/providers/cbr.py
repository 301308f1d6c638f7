"""The Bank of Russia's daily table (`XML_daily.asp`): windows-1251, decimal commas, roubles for `Nominal` units."""

from __future__ import annotations

from foreknow.market.assets.codes import currency_code
from foreknow.market.assets.providers.base import Rates, collect_rates
from foreknow.market.assets.providers.decoding import decimal, parse_xml
from foreknow.platform.fetching import BadResponse


def cbr_rates(body: bytes) -> Rates:
    """Return roubles per unit of each currency; `BadResponse`."""
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
