"""Outcomes match by name, and only where no two could be meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.trading.odds.matching import Match, PoolNames, divided, match_pool, name_key
from foreknow.trading.odds.sources import SOURCES
from foreknow.trading.odds.sources.base import OutcomeResult, SourcePrices
from tests.support.odds import (
    encoded,
    kalshi,
    kalshi_market,
    manifold_answers,
    manifold_binary,
    polymarket,
    polymarket_group,
    polymarket_market,
    polymarket_resolved,
)
from tests.support.proofs import proves


def match(
    source: str,
    answer: Any,
    *markets: str,
    pool: str = "Who wins?",
    names: Mapping[str, str] | None = None,
    as_sent: Sequence[str] = (),
) -> Match:
    event = SOURCES[source]("https://api.example.org").read(encoded(answer), now_ms=0)
    ours = PoolNames(pool=pool, markets=markets, markets_as_sent=as_sent, given=names or {})
    return match_pool(ours, event)


def theirs(found: Match) -> list[str | None]:
    return [None if outcome is None else outcome.name for outcome in found.outcomes]


@proves("lifecycle: A single-market pool matches the only yes/no question,")
def test_a_single_market_matches_the_only_question_whatever_its_name() -> None:
    for source, answer in (
        ("polymarket", polymarket(polymarket_market("0.6"))),
        ("manifold", manifold_binary(0.6)),
        ("kalshi", kalshi(kalshi_market("Rain", "0.59", "0.61"))),
    ):
        assert match(source, answer, "Something else").cut_prices() == (Decimal("0.6"), Decimal("0.4"))


@proves("lifecycle: or that named like it;")
def test_a_single_market_matches_the_question_named_like_it_or_its_pool() -> None:
    group = polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2")
    assert match("polymarket", group, "Blues").cut_prices() == (Decimal("0.3"), Decimal("0.7"))
    assert match("polymarket", group, "x", pool="Blues").cut_prices() == (Decimal("0.3"), Decimal("0.7"))
    assert match("polymarket", group, "will  blues win?").cut_prices() == (Decimal("0.3"), Decimal("0.7"))
    assert match("polymarket", group, "x", names={"x": "Blues"}).cut_prices() == (Decimal("0.3"), Decimal("0.7"))
    nothing = match("polymarket", group, "Greens")
    assert nothing.matched is None
    assert nothing.unmatched == ("Reds", "Blues", "Draw")
    # The pool's name and the market's mean two questions.
    assert match("polymarket", group, "Blues", pool="Reds").matched is None


@proves("lifecycle: others a set of exclusive outcomes (`groupItemTitle`, `text`, `yes_sub_title`;")
def test_several_markets_match_outcomes_that_exclude_each_other() -> None:
    group = polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2")
    found = match("polymarket", group, "draw", "Reds", "BLUES")
    assert theirs(found) == ["Draw", "Reds", "Blues"]
    assert found.cut_prices() == (Decimal("0.2"), Decimal("0.5"), Decimal("0.3"))
    answers = {"Reds": 0.5, "Blues": 0.3, "Other": 0.2}
    assert theirs(match("manifold", manifold_answers(answers), "Blues", "Reds", "Other")) == ["Blues", "Reds", "Other"]
    assert match("manifold", manifold_answers(answers, sum_to_one=False), "Blues", "Reds", "Other").matched is None
    markets = [kalshi_market("Reds"), kalshi_market("Blues")]
    assert theirs(match("kalshi", kalshi(*markets), "Blues", "Reds")) == ["Blues", "Reds"]
    assert match("kalshi", kalshi(*markets, exclusive=False), "Blues", "Reds").matched is None


@proves("lifecycle: of one question its `outcomes`).")
def test_the_outcomes_of_one_question_are_a_set_too() -> None:
    one = polymarket(polymarket_market("0.7", outcomes=("Reds", "Blues")))
    assert match("polymarket", one, "Blues", "Reds").cut_prices() == (Decimal("0.3"), Decimal("0.7"))
    assert match("manifold", manifold_binary(0.7), "No", "yes").cut_prices() == (Decimal("0.3"), Decimal("0.7"))


def test_of_two_sets_that_match_none_is_taken() -> None:
    line = polymarket_market("0.7", outcomes=("Over", "Under"))
    other = polymarket_market("0.4", outcomes=("Over", "Under"))
    assert match("polymarket", polymarket(line), "Over", "Under").matched is not None
    assert match("polymarket", polymarket(line, other), "Over", "Under").matched is None
    winner = polymarket_market("0.6", outcomes=("Reds", "Blues"))
    assert match("polymarket", polymarket(line, other, winner), "Reds", "Blues").matched is not None


@proves("lifecycle: Names are equal after NFKC, case folding and white space,")
def test_names_are_equal_whatever_their_case_form_and_spaces() -> None:
    for ours, their in (
        ("Straße", "STRASSE"),
        ("ﬁnland", "Finland"),
        ("Ａ  team", "a\tTEAM "),
        ("é", "e\u0301"),
        ("Спартак", "СПАРТАК"),
        ("no\u00a0space", "No Space"),
    ):
        assert name_key(ours) == name_key(their), (ours, their)
    for ours, their in (("Reds", "Red"), ("1", "l"), ("a b", "ab"), ("Й", "И")):
        assert name_key(ours) != name_key(their)


@given(st.text(max_size=60))
def test_a_names_key_is_stable(name: str) -> None:
    key = name_key(name)
    assert key is None or name_key(key) == key
    assert name_key(f"  {name}\n") == key


def test_names_that_are_white_space_or_very_long_equal_nothing() -> None:
    assert name_key(" \u3000\n") is None
    assert name_key("a" * 1_001) is None
    long = polymarket_group(**{"a" * 1_001: "0.5", "b": "0.5"})
    assert match("polymarket", long, "a" * 200, "b").matched is None


@proves("lifecycle: `metadata.odds.names` `{ours: theirs}` first;")
def test_given_names_come_first() -> None:
    group = polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2")
    found = match("polymarket", group, "X", "Reds", "Blues", names={"x": "draw"})
    assert theirs(found) == ["Draw", "Reds", "Blues"]
    swapped = match("polymarket", group, "Reds", "Blues", "Draw", names={"Reds": "Blues", "Blues": "Reds"})
    assert theirs(swapped) == ["Blues", "Reds", "Draw"]
    # What is given is not replaced by a name that would match.
    assert theirs(match("polymarket", group, "Reds", "Blues", "Draw", names={"Reds": "Scarlets"}))[0] is None


def test_given_names_may_be_those_from_before_placeholders_were_filled() -> None:
    group = polymarket_group(Reds="0.5", Blues="0.5")
    found = match(
        "polymarket", group, "Below 5", "Blues", names={"Below {high}": "Reds"}, as_sent=["Below {high}", "Blues"]
    )
    assert theirs(found) == ["Reds", "Blues"]


@proves("lifecycle: one there twice matches nothing.")
def test_a_name_that_is_there_twice_matches_nothing() -> None:
    markets = [polymarket_market("0.5", title=title) for title in ("Reds", "REDS", "Blues")]
    assert theirs(match("polymarket", polymarket(*markets), "Reds", "Blues")) == [None, "Blues"]
    group = polymarket_group(Reds="0.5", Blues="0.5")
    assert theirs(match("polymarket", group, "Reds", "reds")) == [None, None]
    assert theirs(match("polymarket", group, "Reds", "Blues", names={"Blues": "Reds"})) == [None, None]
    assert match("polymarket", polymarket(*markets), "Reds").matched is None


def test_outcomes_of_theirs_that_match_none_of_ours_are_listed() -> None:
    group = polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2")
    found = match("polymarket", group, "Reds", "Greens")
    assert theirs(found) == ["Reds", None]
    assert found.unmatched == ("Blues", "Draw")


@proves("lifecycle: and their prices (cut to 0.001 … 0.999) sum to 0.9 … 1.1,")
def test_prices_are_cut_and_must_sum_to_about_1() -> None:
    def cut(**prices: str) -> tuple[float, ...] | None:
        found = match("polymarket", polymarket_group(**prices), *prices).cut_prices()
        return None if found is None else tuple(map(float, found))

    assert cut(a="1", b="0") == (0.999, 0.001)
    assert cut(a="0.5", b="0.4") == (0.5, 0.4)
    assert cut(a="0.5", b="0.399") is None
    assert cut(a="0.6", b="0.5") == (0.6, 0.5)
    assert cut(a="0.6", b="0.501") is None
    missing = polymarket(polymarket_market("0.5", title="a"), polymarket_market(title="b", outcomePrices=None))
    assert match("polymarket", missing, "a", "b").cut_prices() is None


@proves("lifecycle: by which they are divided.")
def test_prices_are_divided_by_their_sum() -> None:
    assert divided([Decimal("0.6"), Decimal("0.3"), Decimal("0.1")]) == (0.6, 0.3, 0.1)
    assert divided([Decimal("0.5"), Decimal("0.5"), Decimal("0.1")]) == (5 / 11, 5 / 11, 1 / 11)


@proves("lifecycle: a spread over 0.1,")
@pytest.mark.parametrize(("bid", "ask", "is_wide"), [(0.45, 0.55, False), (0.45, 0.5501, True), (0.0, 0.1, False)])
def test_a_spread_over_a_tenth_is_wide(bid: float, ask: float, is_wide: bool) -> None:
    market = polymarket_market("0.05", title="a", bid=bid, ask=ask)
    found = match("polymarket", polymarket(market, polymarket_market("0.95", title="b")), "a", "b")
    assert found.has_wide_spread() is is_wide
    closed = polymarket(market | {"closed": True}, polymarket_market("0.95", title="b"))
    assert not match("polymarket", closed, "a", "b").has_wide_spread()


def test_an_event_with_closed_outcomes_is_closed_once_all_are() -> None:
    out = polymarket_resolved(["0", "1"], title="Greens")
    left = [polymarket_market("0.6", title="Reds"), polymarket_market("0.4", title="Blues")]
    found = match("polymarket", polymarket(out, *left), "Reds", "Blues", "Greens")
    assert found.cut_prices() == (Decimal("0.6"), Decimal("0.4"), Decimal("0.001"))
    assert not found.is_closed()
    assert found.results() is None
    done = polymarket(
        out, polymarket_resolved(["1", "0"], title="Reds"), polymarket_resolved(["0", "1"], title="Blues")
    )
    ended = match("polymarket", done, "Reds", "Blues", "Greens")
    assert ended.is_closed()
    assert ended.results() == (OutcomeResult.WON, OutcomeResult.LOST, OutcomeResult.LOST)


def test_no_of_a_single_market_ends_the_other_way() -> None:
    answer = manifold_binary(0, isResolved=True, resolution="NO")
    assert match("manifold", answer, "x").results() == (OutcomeResult.LOST, OutcomeResult.WON)
    answer = manifold_binary(0.4, isResolved=True, resolution="MKT")
    assert match("manifold", answer, "x").results() == (OutcomeResult.OTHER, OutcomeResult.OTHER)


_NAMES = st.lists(st.sampled_from(["Reds", "reds", "Blues", "Draw", "", "  "]), min_size=1, max_size=4)


@given(_NAMES, _NAMES, st.dictionaries(st.sampled_from(["Reds", "Blues"]), st.sampled_from(["Draw", "Reds"])))
def test_no_outcome_of_theirs_is_ever_two_of_ours(ours: list[str], their: list[str], names: dict[str, str]) -> None:
    answer = polymarket(*(polymarket_market("0.5", title=title, question="") for title in their))
    found = match("polymarket", answer, *ours, names=names, pool="")
    matched = [outcome for outcome in found.outcomes if outcome is not None]
    assert len({id(outcome) for outcome in matched}) == len(matched)


@proves("lifecycle: Nothing follows what is older than `FOREKNOW_ODDS_STALE_S` (120),")
def test_prices_are_followed_until_they_are_older_than_the_setting() -> None:
    found = SourcePrices((Decimal("0.5"), Decimal("0.5")), checked_at_ms=1_000, stale_ms=120_000)
    assert [found.is_fresh(at_ms) for at_ms in (1_000, 121_000, 121_001)] == [True, True, False]
