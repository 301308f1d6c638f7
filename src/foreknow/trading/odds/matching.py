"""Which outcome of a source's event is which outcome of a pool of ours. Pure.

A single-market pool matches the only question yes/no of the event, or the one that is named like the pool or its
market; any other pool matches a set of outcomes that exclude each other. What could be two is neither: a name that
occurs twice on either side matches nothing, and of two sets that both match completely none does.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from foreknow.kernel.text import fold
from foreknow.trading.odds.sources.base import OutcomeResult, SourceEvent, SourceOutcome

#: Limits the names of a source that are compared: longer ones equal none of ours, which have at most 200 characters.
NAME_MAX = 1_000
#: Prices are cut to these bounds.
PRICE_MIN, PRICE_MAX = Decimal("0.001"), Decimal("0.999")
#: The sums of cut prices that make sense.
SUM_MIN, SUM_MAX = Decimal("0.9"), Decimal("1.1")
#: The widest spread that is followed.
SPREAD_MAX = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNames:
    """What of a pool is compared with a source."""

    pool: str
    #: Names of its markets, in outcome order.
    markets: Sequence[str]
    #: The same as they were sent, where placeholders in them have been filled since; of a list without those that were
    #: taken out of its Other since.
    markets_as_sent: Sequence[str] = ()
    #: `metadata.odds.names`: the source's name of an outcome by ours.
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A pool's outcomes at a source."""

    #: One per outcome, the implicit other one of a single-market pool included; None where nothing matches.
    outcomes: tuple[SourceOutcome | None, ...]
    #: Names of the source's outcomes, or of its questions, that match none of ours.
    unmatched: tuple[str, ...]

    @property
    def matched(self) -> tuple[SourceOutcome, ...] | None:
        """All outcomes; None where one of them matches nothing."""
        whole = tuple(outcome for outcome in self.outcomes if outcome is not None)
        return whole if len(whole) == len(self.outcomes) else None

    def is_closed(self) -> bool:
        """Return whether all matched outcomes are traded no more."""
        return all(outcome.closed for outcome in self.outcomes if outcome is not None)

    def cut_prices(self) -> tuple[Decimal, ...] | None:
        """Return the prices of all outcomes, each cut to 0.001 … 0.999.

        None where one is missing, or where the prices do not sum to 0.9 … 1.1.
        """
        prices = [outcome.price for outcome in self.matched or ()]
        cut = [min(max(price, PRICE_MIN), PRICE_MAX) for price in prices if price is not None]
        if not cut or len(cut) != len(prices) or not SUM_MIN <= sum(cut) <= SUM_MAX:
            return None
        return tuple(cut)

    def has_wide_spread(self) -> bool:
        """Return whether an outcome that is still traded has a spread over 0.1."""
        return any(
            outcome is not None and not outcome.closed and outcome.spread is not None and outcome.spread > SPREAD_MAX
            for outcome in self.outcomes
        )

    def results(self) -> tuple[OutcomeResult, ...] | None:
        """Return the final results of all outcomes; None while one of them has none."""
        results = [outcome.result for outcome in self.matched or ()]
        final = tuple(result for result in results if result is not None)
        return final if final and len(final) == len(results) else None


def divided(prices: Sequence[Decimal]) -> tuple[float, ...]:
    """Return prices divided by their sum."""
    total = sum(map(Fraction, prices), start=Fraction(0))
    return tuple(float(Fraction(price) / total) for price in prices)


def name_key(name: str) -> str | None:
    """Return what is equal for equal names (NFKC, case folding, white space); None for one that equals no other."""
    if len(name) > NAME_MAX:
        return None
    # Each step can bring back what the other has removed.
    for _ in range(2):
        name = unicodedata.normalize("NFKC", fold(name))
    return " ".join(name.split()) or None


def match_pool(ours: PoolNames, event: SourceEvent) -> Match:
    """Find a pool's outcomes in an event."""
    return _match_question(ours, event) if len(ours.markets) == 1 else _match_set(ours, event)


def _match_question(ours: PoolNames, event: SourceEvent) -> Match:
    questions = event.questions
    given = _given(ours)[0]
    if given is not None:
        wanted = {name_key(given)}
    elif len(questions) == 1:
        return _answered(questions[0].yes)
    else:
        wanted = {name_key(ours.markets[0]), name_key(ours.pool)}
    found = [question for question in questions if wanted & _keys(question.names)]
    if len(found) == 1:
        return _answered(found[0].yes)
    names = tuple(question.names[0] for question in questions if question.names)
    return Match(outcomes=(None, None), unmatched=names)


def _answered(yes: SourceOutcome) -> Match:
    return Match(outcomes=(yes, yes.complement("No")), unmatched=())


def _match_set(ours: PoolNames, event: SourceEvent) -> Match:
    given = _given(ours)
    wanted = [
        name_key(our_name if their_name is None else their_name)
        for our_name, their_name in zip(ours.markets, given, strict=True)
    ]
    matches = [_match_names(wanted, one) for one in event.sets]
    whole = [match for match in matches if match.matched is not None]
    if len(whole) == 1:
        return whole[0]
    nothing = Match(outcomes=(None,) * len(wanted), unmatched=())
    if whole or not matches:
        return nothing
    # For showing what is missing: the set in which most match, of several the largest.
    return max(matches, key=lambda one: (sum(map(bool, one.outcomes)), len(one.unmatched)))


def _match_names(wanted: Sequence[str | None], theirs: Sequence[SourceOutcome]) -> Match:
    keys = [name_key(outcome.name) for outcome in theirs]
    their_counts, our_counts = Counter(keys), Counter(wanted)
    by_key = {key: outcome for key, outcome in zip(keys, theirs, strict=True) if their_counts[key] == 1}
    outcomes = tuple(by_key.get(key) if key is not None and our_counts[key] == 1 else None for key in wanted)
    used = {key for key, outcome in zip(wanted, outcomes, strict=True) if outcome is not None}
    unmatched = tuple(outcome.name for key, outcome in zip(keys, theirs, strict=True) if key not in used)
    return Match(outcomes=outcomes, unmatched=unmatched)


def _given(ours: PoolNames) -> list[str | None]:
    """Return the source's name of each market that `metadata.odds.names` gives, None where it gives none."""
    names: dict[Hashable, str] = {}
    for our_name, their_name in ours.given.items():
        names[name_key(our_name)] = their_name
    names.pop(None, None)
    as_sent = [*ours.markets_as_sent, *ours.markets[len(ours.markets_as_sent) :]]
    return [
        names.get(name_key(name), names.get(name_key(sent))) for name, sent in zip(ours.markets, as_sent, strict=True)
    ]


def _keys(names: Sequence[str]) -> set[str | None]:
    return {name_key(name) for name in names} - {None}
