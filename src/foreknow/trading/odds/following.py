"""Whether a pool follows what a round found. Pure.

A pool follows nothing of a source that is closed, that does not match, whose prices make no sense, or whose spread is
over 0.1. A price that is over 0.25 from the last one used is followed only when three rounds in a row say so.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec

from foreknow.market.pools.odds_names import given_names, names_as_sent
from foreknow.market.pools.store import PoolRow, PricedPool
from foreknow.trading.odds.matching import Match, PoolNames, divided

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


#: Limits the names of a source that match none of ours and are kept: of a pool, of all pools of an event together but
#: for `UNMATCHED_LEAST` of each, and the characters of each name.
UNMATCHED_MAX = 100
UNMATCHED_OF_EVENT_MAX = 1_000
UNMATCHED_LEAST = 5
UNMATCHED_LENGTH_MAX = 200


class FoundOutcome(msgspec.Struct, frozen=True):
    """A market's outcome at the source; both None where nothing matches."""

    external_name: str | None = None
    price: float | None = None


class FoundPool(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the last round found for a pool. Prices of its history are decimals, as text."""

    follows: bool = False
    #: One per market.
    outcomes: tuple[FoundOutcome, ...] = ()
    unmatched: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    jump: tuple[str, ...] = ()
    jump_rounds: int = 0

    @property
    def history(self) -> PriceHistory:
        """The prices followed last, and a jump that further rounds must confirm."""
        return PriceHistory(_decimals(self.used), _decimals(self.jump), self.jump_rounds)


class RoundResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the last round found for all pools of an event, by pool id."""

    pools: dict[int, FoundPool] = {}
    #: Rounds in a row whose prices made no sense.
    absurd_rounds: int = 0


def read_found(stored: Mapping[str, Any] | None) -> RoundResult:
    """Read what is kept; None before the first round."""
    return RoundResult() if stored is None else msgspec.convert(stored, RoundResult, strict=False)


def written(found: RoundResult) -> Any:
    """Return what is kept, as JSON."""
    return msgspec.to_builtins(found, str_keys=True)


def found_pool(pool: PricedPool, match: Match, decision: FollowDecision, *, pools: int) -> FoundPool:
    """Return what a round found for a pool, one of the `pools` of its event."""
    shown = max(UNMATCHED_LEAST, min(UNMATCHED_MAX, UNMATCHED_OF_EVENT_MAX // pools))
    cut = match.cut_prices()
    if cut is None:
        prices = [None if one is None or one.price is None else float(one.price) for one in match.outcomes]
    else:
        prices = list(divided(cut))
    names = [None if outcome is None else outcome.name[:UNMATCHED_LENGTH_MAX] for outcome in match.outcomes]
    markets = len(pool.markets)
    return FoundPool(
        follows=decision.prices is not None,
        outcomes=tuple(FoundOutcome(*one) for one in zip(names[:markets], prices[:markets], strict=True)),
        unmatched=tuple(name[:UNMATCHED_LENGTH_MAX] for name in match.unmatched[:shown]),
        used=_texts(decision.history.used),
        jump=_texts(decision.history.jump),
        jump_rounds=decision.history.jump_rounds,
    )


def names_of(pool: PoolRow) -> PoolNames:
    """Return what of a pool is compared with a source."""
    as_sent = names_as_sent(pool.metadata)
    # What was taken out of Other since comes after them, and its braces are text.
    markets_at_creation = len(pool.markets) - len(pool.splits)
    return PoolNames(
        pool=pool.name,
        markets=[market.name for market in pool.markets],
        markets_as_sent=as_sent if len(as_sent) == markets_at_creation else (),
        given=given_names(pool.metadata),
    )


def _decimals(texts: Sequence[str]) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, texts))


def _texts(prices: Iterable[Decimal]) -> tuple[str, ...]:
    return tuple(str(price.normalize()) for price in prices)
