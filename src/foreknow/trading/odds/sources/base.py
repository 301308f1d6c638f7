"""What a source is: the address of an event in its API, and the form to which all convert the response.

What is not needed of a market is not judged, and a market that cannot be read has no price and no result, while the
rest of its event goes on.
"""

from __future__ import annotations

import enum
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from foreknow.platform.fetching import BadResponse


class OutcomeResult(enum.StrEnum):
    """How an outcome ended, finally."""

    WON = "won"
    LOST = "lost"
    #: Neither: split, cancelled, or resolved to a number.
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOutcome:
    """An outcome that either happens or does not."""

    name: str
    #: 0 … 1; None where the source has no price that makes sense.
    price: Decimal | None
    #: Between the best offers, 0 … 1, where an empty side counts as 0 or 1; None where a source knows no offers.
    spread: Decimal | None = None
    #: Whether it is traded there no more.
    closed: bool
    #: None while its end is open or may still change.
    result: OutcomeResult | None

    def complement(self, name: str) -> SourceOutcome:
        """Return the outcome that this one does not happen."""
        opposite = {OutcomeResult.WON: OutcomeResult.LOST, OutcomeResult.LOST: OutcomeResult.WON}
        return SourceOutcome(
            name=name,
            price=None if self.price is None else 1 - self.price,
            spread=self.spread,
            closed=self.closed,
            result=None if self.result is None else opposite.get(self.result, self.result),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuestion:
    """A question with the answers yes and no; `yes` is the outcome yes."""

    #: What the source calls it, such as the question's text and its short title in a group.
    names: tuple[str, ...]
    yes: SourceOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEvent:
    """An event of a source; one without questions and sets is of a kind that no pool can follow."""

    #: Whether all of it is traded no more.
    closed: bool
    questions: tuple[SourceQuestion, ...]
    #: Sets of two or more outcomes of which exactly one happens.
    sets: tuple[tuple[SourceOutcome, ...], ...]

    @property
    def is_supported(self) -> bool:
        """Whether a pool could follow it."""
        return bool(self.questions or self.sets)


T = TypeVar("T")
M = TypeVar("M", bound=msgspec.Struct)

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
        """Convert a response that came at `now_ms`; `BadResponse` where none of its markets can be read."""


def read_each(markets: Sequence[Any], read: Callable[[Any], T], unread: Callable[[Any], T]) -> list[T]:
    """Read each market, by `unread` where `read` raises `BadResponse`, which is raised where it does for all."""
    found: list[T] = []
    failures: list[BadResponse] = []
    for market in markets:
        try:
            found.append(read(market))
        except BadResponse as failure:
            failures.append(failure)
            found.append(unread(market))
    if markets and len(failures) == len(markets):
        raise failures[0]
    return found


def fields_of(market: Any, kind: type[M]) -> M:
    """Return the fields of a market, whose types are `Any`; `BadResponse` for what is no object."""
    if not isinstance(market, dict):
        raise BadResponse("a market is no object")
    return msgspec.convert(market, kind)


def text(value: Any) -> str:
    """Return a text, "" for null; `BadResponse` for anything else."""
    if value is not None and not isinstance(value, str):
        raise BadResponse("something else stands for a text")
    return value or ""


def flag(value: Any) -> bool:
    """Return a boolean, false for null; `BadResponse` for anything else."""
    if value is not None and not isinstance(value, bool):
        raise BadResponse("something else stands for a boolean")
    return bool(value)


def names_in(*values: Any) -> tuple[str, ...]:
    """Return those of several names that are there and can be read."""
    return tuple(value for value in values if value and isinstance(value, str))


def price(written: str) -> Decimal:
    """Read a price of 0 … 1 written as a decimal; `BadResponse` for anything else."""
    value = Decimal(written) if _PRICE.fullmatch(written) else Decimal(-1)
    if not 0 <= value <= 1:
        raise BadResponse("a price is not between 0 and 1")
    return value.quantize(_DIGITS)


def price_of_number(value: Any) -> Decimal:
    """Return a price of 0 … 1 written as a number: its shortest decimal; `BadResponse` for anything else."""
    return price(repr(number(value)))


def number(value: Any) -> float:
    """Return a number; `BadResponse` for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadResponse("something else stands for a number")
    try:
        return float(value)
    except OverflowError as beyond:
        raise BadResponse("a number is too large") from beyond


@dataclass(frozen=True, slots=True)
class SourcePrices:
    """Cut prices, one per outcome; `checked_at_ms`: when the request began, by the database's clock."""

    prices: tuple[Decimal, ...]
    checked_at_ms: int
    stale_ms: int

    def is_fresh(self, at_ms: int) -> bool:
        """Return whether they may still be followed at `at_ms`."""
        return at_ms - self.checked_at_ms <= self.stale_ms
