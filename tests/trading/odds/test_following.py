"""A pool follows prices that make sense, and a jump only when three rounds say so."""

from __future__ import annotations

from decimal import Decimal

import pytest

from foreknow.trading.odds.following import FollowDecision, OddsStatus, PriceHistory, decide, event_status
from foreknow.trading.odds.matching import Match
from foreknow.trading.odds.sources.base import SourceOutcome
from tests.support.proofs import proves


def outcome(price: str | None, *, spread: str = "0.01", closed: bool = False) -> SourceOutcome:
    return SourceOutcome(
        name="x", price=None if price is None else Decimal(price), spread=Decimal(spread), closed=closed, result=None
    )


def match(*prices: str | None, closed: bool = False, spread: str = "0.01") -> Match:
    return Match(outcomes=tuple(outcome(price, closed=closed, spread=spread) for price in prices), unmatched=())


class Rounds:
    """The rounds of one pool."""

    def __init__(self) -> None:
        self._history = PriceHistory()

    def see(self, *prices: str) -> FollowDecision:
        return self.find(match(*prices))

    def find(self, found: Match) -> FollowDecision:
        decision = decide(found, self._history, event_closed=False)
        self._history = decision.history
        return decision

    def follows(self, *prices: str) -> bool:
        decision = self.see(*prices)
        assert decision.status is (OddsStatus.ABSURD if decision.prices is None else OddsStatus.OK)
        return decision.prices is not None


def test_the_first_prices_are_followed_wherever_they_are() -> None:
    assert Rounds().see("0.9", "0.1").prices == (Decimal("0.9"), Decimal("0.1"))


@proves("lifecycle: or a price over 0.25 from the last used")
def test_a_move_of_a_quarter_is_followed_and_a_larger_one_is_not() -> None:
    assert Rounds().follows("0.5", "0.5")
    rounds = Rounds()
    assert rounds.follows("0.55", "0.45")
    assert rounds.follows("0.8", "0.2")
    assert not rounds.follows("0.549", "0.451")


def test_a_jump_is_followed_in_the_third_round_that_says_so() -> None:
    rounds = Rounds()
    assert rounds.follows("0.2", "0.8")
    assert [rounds.follows("0.7", "0.3"), rounds.follows("0.75", "0.25"), rounds.follows("0.72", "0.28")] == [
        False,
        False,
        True,
    ]
    assert rounds.follows("0.7", "0.3")


def test_a_jump_that_is_taken_back_counts_from_the_beginning() -> None:
    rounds = Rounds()
    assert rounds.follows("0.2", "0.8")
    assert not rounds.follows("0.7", "0.3")
    assert not rounds.follows("0.7", "0.3")
    assert rounds.follows("0.25", "0.75")
    assert not rounds.follows("0.7", "0.3")
    assert not rounds.follows("0.7", "0.3")
    assert rounds.follows("0.7", "0.3")


def test_rounds_that_contradict_each_other_confirm_nothing() -> None:
    rounds = Rounds()
    assert rounds.follows("0.05", "0.95")
    for _ in range(4):
        assert not rounds.follows("0.4", "0.6")
        assert not rounds.follows("0.9", "0.1")


@pytest.mark.parametrize("between", [match("0.7", None), match("0.7", "0.3", spread="0.11"), match("0.7", "0.9")])
def test_a_round_that_makes_no_sense_interrupts_those_that_confirm_a_jump(between: Match) -> None:
    rounds = Rounds()
    assert rounds.follows("0.2", "0.8")
    assert not rounds.follows("0.7", "0.3")
    assert not rounds.follows("0.7", "0.3")
    assert rounds.find(between).prices is None
    assert [rounds.follows("0.7", "0.3") for _ in range(3)] == [False, False, True]


def test_small_steps_reach_any_price() -> None:
    rounds = Rounds()
    assert all(rounds.follows(f"0.{first}", f"0.{10 - first}") for first in (1, 3, 5, 7, 9))


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        (Match(outcomes=(outcome("0.5"), None), unmatched=()), OddsStatus.UNMATCHED),
        (match("0.5", "0.5", closed=True), OddsStatus.CLOSED),
        (match("0.5", "0.5", spread="0.11"), OddsStatus.ABSURD),
        (match("0.5", "0.2"), OddsStatus.ABSURD),
        (match("0.5", None), OddsStatus.ABSURD),
        (match("0.5", "0.5"), OddsStatus.OK),
    ],
)
def test_what_is_not_followed_changes_nothing(seen: Match, status: OddsStatus) -> None:
    history = PriceHistory(used=(Decimal("0.5"), Decimal("0.5")))
    decision = decide(seen, history, event_closed=False)
    assert decision.status is status
    assert decision.history == history
    assert (decision.prices is not None) is (status is OddsStatus.OK)
    closed = decide(seen, history, event_closed=True)
    assert closed.prices is None
    assert closed.status is (OddsStatus.UNMATCHED if status is OddsStatus.UNMATCHED else OddsStatus.CLOSED)


def test_an_events_status_is_what_a_person_should_know_first() -> None:
    assert event_status([]) is OddsStatus.UNMATCHED
    assert event_status([OddsStatus.UNMATCHED, OddsStatus.OK]) is OddsStatus.OK
    assert event_status([OddsStatus.OK, OddsStatus.ABSURD]) is OddsStatus.ABSURD
    assert event_status([OddsStatus.UNMATCHED, OddsStatus.CLOSED]) is OddsStatus.CLOSED
