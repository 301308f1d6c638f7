"""Rates of any two currencies follow from the pairs that are recorded."""

from __future__ import annotations

from foreknow.market.assets.service import find_rate, pair_of
from foreknow.market.assets.store import RateRow


def row(source: str, target: str, rate: float, at_ms: int = 0) -> RateRow:
    (low, high), inverted = pair_of(source, target)
    return RateRow(low, high, rate, inverted, at_ms, "", 0)


def rate(rows: list[RateRow], source: str, target: str) -> float | None:
    found = find_rate(rows, source=source, target=target)
    return None if found is None else found.rate


def test_a_pair_is_answered_as_recorded_whichever_way_round_the_alphabet_has_it() -> None:
    assert rate([row("USD", "RUB", 90.1)], "USD", "RUB") == 90.1
    assert rate([row("RUB", "USD", 0.0111)], "RUB", "USD") == 0.0111


def test_a_pair_is_inverted() -> None:
    assert rate([row("USD", "RUB", 80.0)], "RUB", "USD") == 1 / 80
    assert rate([row("RUB", "USD", 0.1)], "USD", "RUB") == 10.0


def test_a_common_base_joins_two_pairs_whichever_way_round_they_stand() -> None:
    assert rate([row("USD", "RUB", 90.0), row("EUR", "RUB", 99.0)], "EUR", "USD") == 1.1
    assert rate([row("EUR", "USD", 1.1), row("EUR", "GBP", 0.88)], "USD", "GBP") == 0.8
    assert rate([row("EUR", "USD", 1.25), row("USD", "RUB", 80.0)], "EUR", "RUB") == 100.0
    assert rate([row("EUR", "USD", 1.25), row("USD", "RUB", 80.0)], "RUB", "EUR") == 0.01


def test_of_several_common_bases_the_first_by_code_counts() -> None:
    rows = [row("USD", "RUB", 90.0), row("GBP", "RUB", 110.0), row("USD", "EUR", 0.9), row("GBP", "EUR", 1.2)]
    for shuffled in (rows, rows[::-1]):
        assert rate(shuffled, "USD", "GBP") == 0.75


def test_a_recorded_pair_counts_before_a_joined_one() -> None:
    rows = [row("USD", "RUB", 90.0), row("EUR", "RUB", 99.0), row("EUR", "USD", 1.2)]
    assert rate(rows, "EUR", "USD") == 1.2


def test_two_pairs_are_joined_and_not_three() -> None:
    assert rate([row("A", "B", 2.0), row("B", "C", 2.0), row("C", "D", 2.0)], "A", "D") is None


def test_what_no_double_can_hold_is_no_rate() -> None:
    assert rate([row("A", "B", 5e-324)], "A", "B") == 5e-324
    assert rate([row("A", "B", 5e-324)], "B", "A") is None
    assert rate([row("A", "B", 1e-300), row("B", "C", 1e-300)], "A", "C") is None
    assert rate([row("A", "B", 1e300), row("B", "C", 1e300)], "A", "C") is None


def test_a_joined_rate_is_as_old_as_the_older_of_its_two() -> None:
    found = find_rate([row("USD", "RUB", 90.0, 500), row("EUR", "RUB", 99.0, 300)], source="EUR", target="USD")
    assert found is not None
    assert found.updated_at_ms == 300
