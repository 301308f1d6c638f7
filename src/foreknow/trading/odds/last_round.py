"""What a round found, as it is kept until the next one: for each pool its outcomes there, and its price history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from foreknow.market.pools.odds_names import given_names, names_as_sent
from foreknow.market.pools.store import PoolRow, PricedPool
from foreknow.trading.odds.following import FollowDecision, PriceHistory
from foreknow.trading.odds.matching import Match, PoolNames, divided

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
