"""Rules of resolution: which are accepted, what they mean, and which outcome wins."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreknow.kernel.errors import BadRequest
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.family import Rule, resolution_rule
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.rules.price import PriceRule
from tests.support.proofs import proves

PATH = "pools[0].metadata.resolution"
TWO = [{"below": 68_000}, {"from": 68_000}]
LARGEST = 1.7976931348623157e308


def rule_of(sent: Any, *, markets: int = 2) -> Rule:
    return resolution_rule(PATH, sent, market_count=markets)


def price(outcomes: Any = TWO, **rest: Any) -> dict[str, Any]:
    return {"kind": "price", "symbol": "BTC", "outcomes": outcomes, **rest}


def price_rule(outcomes: list[dict[str, Any]], **rest: Any) -> PriceRule:
    rule = rule_of(price(outcomes, **rest), markets=len(outcomes))
    assert isinstance(rule, PriceRule)
    return rule


def wrong(sent: Any, *, markets: int = 2) -> dict[str, str]:
    with pytest.raises(BadRequest) as caught:
        rule_of(sent, markets=markets)
    fields = caught.value.details["fields"]
    assert isinstance(fields, dict)
    return fields


def wrong_path(sent: Any, *, markets: int = 2) -> str:
    (path,) = wrong(sent, markets=markets)
    assert path.startswith(PATH)
    return path.removeprefix(PATH)


def test_a_pool_without_a_rule_is_resolved_by_hand() -> None:
    assert rule_of(None) == rule_of({"kind": "manual"}) == ManualRule(dispute_minutes=None)
    assert rule_of({"kind": "manual", "dispute_minutes": None}) == ManualRule(dispute_minutes=None)


@proves(
    'lifecycle: "source"?, "within_seconds"? (300;',
    'lifecycle: "decimals"? (2;',
    'lifecycle: "wait_minutes"? (1,440;',
)
def test_what_is_left_out_has_its_default() -> None:
    rule = price_rule(TWO)
    read = (rule.symbol, rule.source, rule.within_seconds, rule.decimals, rule.dispute_minutes)
    assert read == ("BTC", None, 300, 2, None)
    assert price_rule(TWO, source=None, within_seconds=None, decimals=None, dispute_minutes=None) == rule
    assert rule_of({"kind": "external"}) == ExternalRule(wait_minutes=1_440, dispute_minutes=None)


def test_a_symbol_is_read_without_regard_to_case() -> None:
    assert price_rule(TWO, symbol="eth.x").symbol == "ETH.X"


@pytest.mark.parametrize("minutes", [0, 1, 43_200])
def test_every_kind_takes_a_dispute_window(minutes: int) -> None:
    for sent in ({"kind": "manual"}, price(), {"kind": "external"}):
        assert rule_of({**sent, "dispute_minutes": minutes}).dispute_minutes == minutes


@pytest.mark.parametrize("bad", [-1, 43_201, 1.0, 1.5, True, "5", [], {}])
def test_a_dispute_window_of_another_length_is_refused_in_every_kind(bad: Any) -> None:
    for sent in ({"kind": "manual"}, price(), {"kind": "external"}):
        assert wrong_path({**sent, "dispute_minutes": bad}) == ".dispute_minutes"


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ([], ""),
        ("manual", ""),
        (7, ""),
        (False, ""),
        ({}, ".kind"),
        ({"kind": None}, ".kind"),
        ({"kind": "Manual"}, ".kind"),
        ({"kind": ["price"]}, ".kind"),
        ({"kind": True}, ".kind"),
        ({"dispute_minutes": 5}, ".kind"),
        ({"kind": "manual", "symbol": "BTC"}, ".symbol"),
        ({"kind": "manual", "dispute": 5}, ".dispute"),
        ({"kind": "external", "within_seconds": 5}, ".within_seconds"),
        ({"kind": "external", "wait_minutes": 0}, ".wait_minutes"),
        ({"kind": "external", "wait_minutes": 43_201}, ".wait_minutes"),
        ({"kind": "external", "wait_minutes": 1.0}, ".wait_minutes"),
        ({"kind": "external", "wait_minutes": True}, ".wait_minutes"),
        ({"kind": "external", "url": "https://example.org"}, ".url"),
        ({"kind": "price", "outcomes": TWO}, ".symbol"),
        ({"kind": "price", "symbol": "BTC"}, ".outcomes"),
        (price(symbol=None), ".symbol"),
        (price(symbol=""), ".symbol"),
        (price(symbol="B C"), ".symbol"),
        (price(symbol="X" * 21), ".symbol"),
        (price(symbol="ВТС"), ".symbol"),
        (price(source=""), ".source"),
        (price(source=" "), ".source"),
        (price(source="x" * 101), ".source"),
        (price(source=5), ".source"),
        (price(within_seconds=0), ".within_seconds"),
        (price(within_seconds=86_401), ".within_seconds"),
        (price(within_seconds=300.0), ".within_seconds"),
        (price(decimals=-1), ".decimals"),
        (price(decimals=9), ".decimals"),
        (price(decimals=False), ".decimals"),
        (price(wait_minutes=5), ".wait_minutes"),
        (price(None), ".outcomes"),
        (price({}), ".outcomes"),
        (price([]), ".outcomes"),
        (price(TWO[:1]), ".outcomes"),
        (price([*TWO, {}]), ".outcomes"),
        (price([None, TWO[1]]), ".outcomes[0]"),
        (price([TWO[0], 5]), ".outcomes[1]"),
        (price([TWO[0], {"form": 68_000}]), ".outcomes[1].form"),
        (price([TWO[0], {"from": "68000"}]), ".outcomes[1].from"),
        (price([TWO[0], {"from": True}]), ".outcomes[1].from"),
        (price([TWO[0], {"from": [68_000]}]), ".outcomes[1].from"),
        (price([TWO[0], {"from": float("nan")}]), ".outcomes[1].from"),
        (price([TWO[0], {"from": float("inf")}]), ".outcomes[1].from"),
        (price([{"below": float("-inf")}, TWO[1]]), ".outcomes[0].below"),
        (price([TWO[0], {"from": 1e308}]), ".outcomes[1].from"),
        (price([TWO[0], {"from": 10**15 + 1}]), ".outcomes[1].from"),
        (price([{"below": -(10**15) - 1}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": 68_000.001}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": 1e-300}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": 0.5}, {"from": 0.5}], decimals=0), ".outcomes[0].below"),
        (price([{"below": 5e-324}, {"from": 5e-324}], decimals=8), ".outcomes[0].below"),
        (price([{"below": {}}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": {"times": None}}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": {"times": 1, "plus": 0}}, TWO[1]]), ".outcomes[0].below"),
        (price([{"below": {"minus": 1}}, TWO[1]]), ".outcomes[0].below.minus"),
        (price([{"below": {"times": "1"}}, TWO[1]]), ".outcomes[0].below.times"),
        (price([{"below": {"times": True}}, TWO[1]]), ".outcomes[0].below.times"),
        (price([{"below": {"times": {"times": 1}}}, TWO[1]]), ".outcomes[0].below.times"),
        (price([{"below": {"plus": 1e16}}, {"from": {"plus": 1e16}}]), ".outcomes[0].below.plus"),
        (price([{"below": 1}, {"from": {"times": 1}}]), ".outcomes[1].from.times"),
        (price([{"below": {"times": 1}}, {"from": 1}]), ".outcomes[1].from"),
        (price([{"below": {"times": 1}}, {"from": {"plus": 1}}]), ".outcomes[1].from.plus"),
        (price([{"below": 1, "to": 1}, {"above": 1}]), ".outcomes[0].to"),
        (price([{"to": 1}, {"above": 1, "from": 1}]), ".outcomes[1].from"),
    ],
)
def test_an_error_names_the_field(sent: Any, path: str) -> None:
    assert wrong_path(sent) == path


@pytest.mark.parametrize(
    ("outcomes", "path"),
    [
        ([{"below": 5}, {"above": 5}], ".outcomes[1]"),
        ([{"to": 5}, {"from": 5}], ".outcomes[1]"),
        ([{"below": 5}, {"from": 6}], ".outcomes[1]"),
        ([{"below": 6}, {"from": 5}], ".outcomes[1]"),
        ([{"from": 5}, {"below": 4}], ".outcomes[0]"),
        ([{"from": 5}, {"from": 5}], ".outcomes[0]"),
        ([{"below": 5}, {"below": 5}], ".outcomes[1]"),
        ([{}, {"from": 5}], ".outcomes[1]"),
        ([{}, {}], ".outcomes[1]"),
        ([{"below": 5}, {"from": 5, "below": 9}], ".outcomes[1]"),
        ([{"from": 1, "below": 5}, {"from": 5}], ".outcomes[0]"),
        ([{"below": 5}, {"from": 5, "below": 5}, {"from": 5}], ".outcomes[1]"),
        ([{"below": 5}, {"from": 9, "below": 6}, {"from": 5}], ".outcomes[1]"),
        ([{"below": 5}, {"from": 5, "to": 5}, {"from": 5}], ".outcomes[2]"),
    ],
)
def test_intervals_that_miss_a_number_or_hold_one_twice_are_refused(outcomes: list[Any], path: str) -> None:
    assert wrong_path(price(outcomes), markets=len(outcomes)) == path


@proves("lifecycle: One an outcome, in order:")
def test_the_intervals_may_stand_in_any_order() -> None:
    rule = price_rule([{"above": 9.5}, {"below": -0.0}, {"from": 0, "below": 9.5}, {"from": 9.5, "to": 9.5}])
    assert [rule.outcome_of(at, strike=None) for at in (10, 0.0, 9.49, 9.5, -0.0)] == [0, 2, 2, 3, 2]


def test_the_bounds_of_every_number_are_allowed() -> None:
    price_rule([{"to": -(10**15)}, {"above": -(10**15), "below": 10**15}, {"from": 10**15}])
    price_rule([{"to": 1e-8}, {"above": 1e-8}], decimals=8, within_seconds=86_400, source="x" * 100)
    price_rule([{"to": 5.0}, {"above": 5}], decimals=0, within_seconds=1)
    price_rule([{"to": {"times": 1e-300}}, {"above": {"times": 1e-300}}], decimals=0)
    assert rule_of({"kind": "external", "wait_minutes": 43_200}) == ExternalRule(43_200, None)


def test_inside_the_interval_of_a_single_market_is_yes() -> None:
    rule = price_rule([{"from": 100, "below": 200}])
    assert [rule.outcome_of(at, strike=None) for at in (99.99, 100.0, 199.999999, 200.0)] == [1, 0, 0, 1]
    assert price_rule([{}]).outcome_of(0.0, strike=None) == 0
    assert wrong_path(price([{"from": 200, "below": 100}]), markets=1) == ".outcomes[0]"
    assert wrong_path(price([{"from": 200, "below": 200}]), markets=1) == ".outcomes[0]"


@proves("lifecycle: Prices compare unrounded, as shortest decimals.")
def test_prices_compare_unrounded_as_shortest_decimals() -> None:
    rule = price_rule([{"to": 0.3}, {"above": 0.3}], decimals=1)
    # The double nearest to 0.3 lies below three tenths, and that of 0.1 + 0.2 above it.
    assert rule.outcome_of(0.3, strike=None) == 0
    assert rule.outcome_of(0.1 + 0.2, strike=None) == 1
    assert price_rule([{"below": 68_000}, {"from": 68_000}]).outcome_of(67_999.999999999, strike=None) == 0


def test_relative_numbers_are_filled_in_from_the_strike() -> None:
    times = price_rule(
        [{"below": {"times": 0.99}}, {"from": {"times": 0.99}, "to": {"times": 1}}, {"above": {"times": 1}}]
    )
    assert [one.as_json() for one in times.at(68_123.4)] == [
        {"below": 67_442.17},
        {"from": 67_442.17, "to": 68_123.4},
        {"above": 68_123.4},
    ]
    plus = price_rule([{"below": {"plus": -100}}, {"from": {"plus": -100}}])
    assert [one.as_json() for one in plus.at(68_100)] == [{"below": 68_000}, {"from": 68_000}]
    assert [one.as_json() for one in plus.at(50.5)] == [{"below": -49.5}, {"from": -49.5}]


@pytest.mark.parametrize(
    ("strike", "decimals", "filled"),
    [
        (2.5, 0, 2),
        (3.5, 0, 4),
        (0.125, 2, 0.12),
        (0.375, 2, 0.38),
        (1.005, 2, 1),
        (1e-9, 8, 0),
        (5.000000015, 8, 5.00000002),
    ],
)
def test_filled_in_numbers_are_rounded_halves_to_even(strike: float, decimals: int, filled: float) -> None:
    rule = price_rule([{"below": {"times": 1}}, {"from": {"times": 1}}], decimals=decimals)
    assert [one.as_json() for one in rule.at(strike)] == [{"below": filled}, {"from": filled}]
    # A rounded bound decides, while the price is not rounded.
    assert rule.outcome_of(strike, strike=strike) == int(Fraction(str(strike)) >= Fraction(str(filled)))


def test_relative_numbers_without_a_strike_have_no_intervals() -> None:
    rule = price_rule([{"below": {"times": 1}}, {"from": {"times": 1}}])
    assert rule.needs_strike
    with pytest.raises(ValueError, match="strike"):
        rule.at(None)
    assert not price_rule(TWO).needs_strike
    assert price_rule(TWO).at(None) == price_rule(TWO).at(5.0)


def test_where_rounding_makes_bounds_equal_exactly_one_outcome_wins() -> None:
    narrow: list[dict[str, Any]] = [
        {"to": {"plus": 0}},
        {"above": {"plus": 0}, "below": {"plus": 0.001}},
        {"from": {"plus": 0.001}},
    ]
    rule = price_rule(narrow)
    assert [one.as_json() for one in rule.at(10)] == [{"to": 10}, {"above": 10, "below": 10}, {"from": 10}]
    # The empty one cannot win, and the lower of the two that hold 10 does.
    assert [rule.outcome_of(at, strike=10) for at in (9.9999, 10, 10.0001)] == [0, 0, 2]
    assert [price_rule(narrow[::-1]).outcome_of(at, strike=10) for at in (9.9999, 10, 10.0001)] == [2, 2, 0]


@pytest.mark.parametrize("sent", [{"times": 10**15}, {"plus": 10**15}, {"times": -(10**15)}, {"times": 1e-300}])
def test_the_largest_and_the_smallest_strike_can_be_filled_in(sent: dict[str, Any]) -> None:
    rule = price_rule([{"below": sent}, {"from": sent}])
    for strike in (0.0, 5e-324, LARGEST):
        below, above = (one.as_json() for one in rule.at(strike))
        assert below["below"] == above["from"]
        assert json.loads(json.dumps(below, allow_nan=False)) == below
        assert {rule.outcome_of(at, strike=strike) for at in (0.0, LARGEST)} <= {0, 1}


_NUMBERS = st.integers(-200, 200).map(lambda cents: cents / 100)


@st.composite
def _partitions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw intervals that hold every number exactly once, in any order."""
    lowers: list[dict[str, Any]] = [{}]
    uppers: list[dict[str, Any]] = []
    for number in sorted(draw(st.sets(_NUMBERS, max_size=6))):
        # The number itself belongs below, above, or to an interval of its own.
        side = draw(st.sampled_from(["below", "above", "alone"]))
        uppers.append({"to": number} if side == "below" else {"below": number})
        lowers.append({"from": number} if side != "below" else {"above": number})
        if side == "alone":
            uppers.append({"to": number})
            lowers.append({"above": number})
    uppers.append({})
    return draw(st.permutations([lower | upper for lower, upper in zip(lowers, uppers, strict=True)]))


@proves("lifecycle: `above` (>), `from` (≥) and at most one of `below` (<), `to` (≤).")
@given(outcomes=_partitions(), prices=st.lists(st.one_of(_NUMBERS, st.floats(allow_nan=False, allow_infinity=False))))
def test_every_price_has_exactly_one_winner(outcomes: list[dict[str, Any]], prices: list[float]) -> None:
    rule = price_rule(outcomes)
    for at in prices:
        assert [index for index, one in enumerate(outcomes) if holds(one, at)] == (
            [rule.outcome_of(at, strike=None)] if len(outcomes) > 1 else [0]
        )


def holds(outcome: dict[str, Any], at: float) -> bool:
    """The reference: exact fractions, and the words of the contract."""
    number = Fraction(repr(at))
    tests = {
        "above": lambda bound: number > bound,
        "from": lambda bound: number >= bound,
        "below": lambda bound: number < bound,
        "to": lambda bound: number <= bound,
    }
    return all(tests[key](Fraction(repr(bound))) for key, bound in outcome.items())


_ANY_INTERVAL = st.builds(
    lambda low, high: low | high,
    st.one_of(st.just({}), st.builds(lambda key, at: {key: at}, st.sampled_from(["above", "from"]), st.integers(0, 3))),
    st.one_of(st.just({}), st.builds(lambda key, at: {key: at}, st.sampled_from(["below", "to"]), st.integers(0, 3))),
)


@proves("lifecycle: together they hold every number exactly once, else 400;")
@given(outcomes=st.lists(_ANY_INTERVAL, min_size=2, max_size=5))
@example(outcomes=[{"below": 1}, {"from": 1}])
@example(outcomes=[{"below": 1}, {"from": 1, "to": 1}, {"above": 1}])
def test_a_rule_is_accepted_exactly_where_every_number_is_held_once(outcomes: list[dict[str, Any]]) -> None:
    # Between whole bounds all numbers are alike.
    probes = [half / 2 for half in range(-2, 10)]
    once = all(sum(holds(one, at) for one in outcomes) == 1 for at in probes)
    none_is_empty = all(any(holds(one, at) for at in probes) for one in outcomes)
    if once and none_is_empty:
        price_rule(outcomes)
    else:
        assert wrong_path(price(outcomes), markets=len(outcomes)).startswith(".outcomes[")


@proves('lifecycle: or all `{"times": x}`, or all `{"plus": x}` of the strike, rounded to `decimals`, halves to even.')
@given(
    outcomes=_partitions(),
    strike=st.floats(0, 1e9),
    relation=st.sampled_from(["times", "plus"]),
    decimals=st.integers(0, 8),
    at=st.floats(0, 1e9),
)
def test_relative_intervals_have_one_winner_whatever_the_strike(
    outcomes: list[dict[str, Any]], strike: float, relation: str, decimals: int, at: float
) -> None:
    relative = [{key: {relation: number} for key, number in one.items()} for one in outcomes]
    rule = price_rule(relative, decimals=decimals)
    filled = [one.as_json() for one in rule.at(strike)]
    for one, sent in zip(filled, outcomes, strict=True):
        assert {
            key: value == expected(sent[key], strike, relation, decimals) for key, value in one.items()
        } == dict.fromkeys(sent, True)
    for number in (at, strike, *(value for one in filled for value in one.values())):
        winner = rule.outcome_of(number, strike=strike)
        assert holds(filled[winner], number) if len(outcomes) > 1 else winner == 0


def expected(sent: float, strike: float, relation: str, decimals: int) -> float:
    exact = Fraction(repr(sent))
    exact = Fraction(repr(strike)) * exact if relation == "times" else Fraction(repr(strike)) + exact
    scaled = round(exact * 10**decimals)
    return float(Decimal(scaled).scaleb(-decimals))


_KEYS = st.sampled_from(
    ["kind", "symbol", "outcomes", "above", "from", "below", "to", "times", "plus", "source", "decimals", "x"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(sent=_JSON)
def test_any_other_json_is_an_error_with_a_path(sent: Any) -> None:
    for kind in ({}, {"kind": "price", "symbol": "X"}, {"kind": "price", "symbol": "X", "outcomes": sent}):
        merged = {**sent, **kind} if isinstance(sent, dict) and kind else kind or sent
        try:
            rule_of(merged)
        except BadRequest as error:
            (path,) = error.details["fields"]
            assert path.startswith(PATH)
