"""The European Central Bank's daily table (`eurofxref-daily.xml`): what one euro buys."""

from __future__ import annotations

from foreknow.market.assets.codes import currency_code
from foreknow.market.assets.providers.base import Rates, collect_rates
from foreknow.market.assets.providers.decoding import decimal, parse_xml

_ROW = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


def ecb_rates(body: bytes) -> Rates:
    """Return units of each currency per euro; `BadResponse`."""
    found: list[tuple[tuple[str, str], float]] = []
    for row in parse_xml(body).iter(_ROW):
        code, value = currency_code(row.get("currency", "")), decimal(row.get("rate"))
        if code and code != "EUR" and value:
            found.append((("EUR", code), float(value)))
    return collect_rates(found)
