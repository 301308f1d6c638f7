"""What a source is: the address of an event in its API, and the reading of the response."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from decimal import Decimal

from foreknow.platform.fetching import BadResponse
from foreknow.trading.odds.source_event import SourceEvent

#: Digits after the point of a price; the sources themselves use at most four, or doubles.
_DIGITS = Decimal("1e-12")
_PRICE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,40})?(?:[eE]-[0-9]{1,3})?", re.ASCII)


class Source(ABC):
    """A site with an API."""

    def __init__(self, api_url: str) -> None:
        """`api_url` is where its API lies, without a trailing slash."""
        self._api_url = api_url

    def url(self, event_id: str) -> str:
        """Return the address of an event in the API; the id consists of ASCII letters, digits and `. _ -`."""
        return self._api_url + self.path(event_id)

    @abstractmethod
    def path(self, event_id: str) -> str:
        """Return the path of an event below the API's address, from its slash on."""

    @abstractmethod
    def read(self, body: bytes, *, now_ms: int) -> SourceEvent:
        """Convert a response that came at `now_ms`; `BadResponse`."""


def price(text: str) -> Decimal:
    """Read a price of 0 … 1 written as a decimal; `BadResponse` for anything else."""
    number = Decimal(text) if _PRICE.fullmatch(text) else Decimal(-1)
    if not 0 <= number <= 1:
        raise BadResponse("a price is not between 0 and 1")
    return number.quantize(_DIGITS)


def price_of_float(number: float) -> Decimal:
    """Return a price of 0 … 1 written as a number: its shortest decimal; `BadResponse` for anything else."""
    return price(repr(float(number)))
