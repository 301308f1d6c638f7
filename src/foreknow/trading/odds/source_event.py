"""An event of a source in the form that all sources are converted to."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from decimal import Decimal


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
