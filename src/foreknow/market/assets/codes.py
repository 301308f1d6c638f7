"""Currency codes and asset symbols: without regard to case, in upper case inside and in responses."""

from __future__ import annotations

import re

_CODE = re.compile(r"[A-Za-z0-9._-]{1,10}", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z0-9._-]{1,20}", re.ASCII)


def currency_code(text: str) -> str | None:
    """Read a currency's code, None where it is malformed."""
    return text.upper() if _CODE.fullmatch(text) else None


def asset_symbol(text: str) -> str | None:
    """Read an asset's symbol, None where it is malformed."""
    return text.upper() if _SYMBOL.fullmatch(text) else None
