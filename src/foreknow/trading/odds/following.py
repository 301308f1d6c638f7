"""Whether a pool follows what a round found. Pure.

A pool follows nothing of a source that is closed, that does not match, whose prices make no sense, or whose spread is
over 0.1. A price that is over 0.25 from the last one used is followed only when three rounds in a row say so.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from foreknow.trading.odds.matching import Match

#: A larger move of a price needs `JUMP_ROUNDS` rounds.
JUMP_MAX = Fraction(1, 4)
JUMP_ROUNDS = 3


class OddsStatus(enum.StrEnum):
    """What can be said of an event's source, or of a pool's part of it."""

    #: No source is set up for it, or it names none.
    OFF = "off"
    OK = "ok"
    #: The last response is too old.
    STALE = "stale"
    #: It is traded there no more.
    CLOSED = "closed"
    #: Its prices are missing, make no sense together, have a wide spread, or have jumped.
    ABSURD = "absurd"
    #: Its outcomes are not ours.
    UNMATCHED = "unmatched"
    #: It is of a kind that no pool can follow, or its address is no page of a known source.
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class PriceHistory:
    """What a pool remembers from round to round; prices are cut, one per outcome."""

    #: The prices followed last; empty before the first.
    used: tuple[Decimal, ...] = ()
    #: The prices of the last round, where they are a jump, and how many rounds in a row have said so.
    jump: tuple[Decimal, ...] = ()
    jump_rounds: int = 0


class FollowDecision(NamedTuple):
    """The status of a pool, the prices that it follows (None: it does not), and its history afterwards."""

    status: OddsStatus
    prices: tuple[Decimal, ...] | None
    history: PriceHistory


def decide(match: Match, history: PriceHistory, *, event_closed: bool) -> FollowDecision:
    """Decide whether a pool follows the outcomes that it matches."""
    # A round without prices interrupts those in a row that confirm a jump.
    unconfirmed = PriceHistory(history.used)
    if match.matched is None:
        return FollowDecision(OddsStatus.UNMATCHED, None, unconfirmed)
    if event_closed or match.is_closed():
        return FollowDecision(OddsStatus.CLOSED, None, unconfirmed)
    prices = match.cut_prices()
    if prices is None or match.has_wide_spread():
        return FollowDecision(OddsStatus.ABSURD, None, unconfirmed)
    if not _is_jump(history.used, prices):
        return FollowDecision(OddsStatus.OK, prices, PriceHistory(used=prices))
    # Rounds that contradict each other do not confirm a jump.
    rounds = 1 if _is_jump(history.jump, prices) else history.jump_rounds + 1
    if rounds < JUMP_ROUNDS:
        return FollowDecision(OddsStatus.ABSURD, None, PriceHistory(history.used, prices, rounds))
    return FollowDecision(OddsStatus.OK, prices, PriceHistory(used=prices))


def event_status(pools: Sequence[OddsStatus]) -> OddsStatus:
    """Return the status of an event whose pools have these: the first that a person should know of."""
    for status in (OddsStatus.ABSURD, OddsStatus.OK, OddsStatus.CLOSED):
        if status in pools:
            return status
    return OddsStatus.UNMATCHED


def _is_jump(before: Sequence[Decimal], after: Sequence[Decimal]) -> bool:
    """Return whether a price, divided by the sum, moved by over 0.25. Nothing is no jump from nothing."""
    if len(before) != len(after):
        return False
    return any(abs(new - old) > JUMP_MAX for old, new in zip(_divided(before), _divided(after), strict=True))


def _divided(prices: Sequence[Decimal]) -> list[Fraction]:
    total = sum(map(Fraction, prices), start=Fraction(0))
    return [Fraction(price) / total for price in prices]
