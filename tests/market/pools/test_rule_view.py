"""A pool's rule as it is stored, and as responses show it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.resolution_view import resolution_view
from foreknow.market.pools.resolutions import VOID, Decision
from foreknow.market.pools.rule_view import rule_of, rule_view
from foreknow.market.pools.rules.base import RuleView
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.family import RULE_TYPES, Kind
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, PoolState

STRIKE = {"price": 68_123.4, "observed_at": "2026-11-20T14:45:00.000Z", "source": "binance"}


def pool(rule: Any, *, kind: Kind, markets: int = 2, strike: dict[str, Any] | None = None) -> PoolRow:
    return PoolRow(
        id=7,
        event_id=3,
        creator_id=1,
        position=0,
        name="Pool",
        name_ru="",
        rules="",
        margin=0.0,
        live_at_ms=None,
        finish_at_ms=1_000,
        metadata={"resolution": rule},
        b=1_000,
        weights=(1,) * max(markets, 2),
        state=PoolState.NEW,
        paused=False,
        published_at_ms=None,
        resolved_at_ms=None,
        is_decided=False,
        disputable_until_ms=None,
        liquidity=(),
        loss_bound_kopecks=1,
        escrow_account_id=1,
        fees_account_id=2,
        volume_kopecks=0,
        trade_count=0,
        last_trade_at_ms=None,
        markets=tuple(MarketRow(number, 7, 3, number, "", 0.5, 0, 0, 0) for number in range(markets)),
        rule_type=RULE_TYPES[kind],
        dispute_minutes=5,
        strike=strike,
    )


def price(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "price", "symbol": "btc", "outcomes": outcomes, "source": "binance"}


@pytest.mark.parametrize("kept", [None, {"kind": "manual"}, "by the jury", {"kind": "price"}, {"kind": "dice"}])
def test_a_pool_from_before_there_were_rules_is_resolved_by_hand_whatever_its_metadata_hold(kept: Any) -> None:
    row = pool(kept, kind="manual")
    assert rule_of(row) == ManualRule(dispute_minutes=5)
    assert rule_view(row) == RuleView(symbol=None, source=None, outcomes=None, strike=None)


def test_an_external_rule_shows_nothing_of_prices() -> None:
    row = pool({"kind": "external", "wait_minutes": 7}, kind="external")
    assert rule_of(row) == ExternalRule(wait_minutes=7, dispute_minutes=None)
    assert rule_view(row) == RuleView()


def test_plain_numbers_are_shown_at_any_time_as_they_were_sent() -> None:
    sent: list[dict[str, int | float]] = [{"below": 68_000}, {"from": 68_000, "to": 69_000.5}, {"above": 69_000.5}]
    row = pool(price(sent), kind="price", markets=3)
    assert isinstance(rule_of(row), PriceRule)
    assert rule_view(row) == RuleView(symbol="BTC", source="binance", outcomes=sent, strike=None)


def test_relative_numbers_are_shown_once_there_is_a_strike() -> None:
    row = pool(price([{"below": {"plus": 0.6}}, {"from": {"plus": 0.6}}]), kind="price")
    assert rule_view(row) == RuleView(symbol="BTC", source="binance")
    filled: list[dict[str, int | float]] = [{"below": 68_124}, {"from": 68_124}]
    assert rule_view(replace(row, strike=STRIKE)) == RuleView(
        symbol="BTC", source="binance", outcomes=filled, strike=STRIKE
    )
    # Each pool has its own strike.
    other = replace(row, id=8, strike=STRIKE | {"price": 1.0})
    assert rule_view(other).outcomes == [{"below": 1.6}, {"from": 1.6}]
    assert rule_view(replace(row, strike=STRIKE)).outcomes == filled


@pytest.mark.parametrize(
    ("state", "is_shown"),
    [({}, False), ({"attention_reason": "no_single_winner"}, True)],
)
def test_what_one_round_said_is_no_evidence_yet(state: dict[str, Any], *, is_shown: bool) -> None:
    said = {"url": "https://api.example.org/events/x", "result": "b", "fetched_at": "2026-11-20T15:00:00.000Z"}
    row = replace(pool({"kind": "external"}, kind="external"), evidence=said, **state)
    assert resolution_view(row, now_ms=0).evidence == (said if is_shown else None)


def test_a_decision_shows_what_it_was_read_from() -> None:
    decision = Decision(resolution=VOID, at_ms=5, by="rule", disputable_until_ms=None, evidence=STRIKE)
    row = replace(pool(None, kind="manual"), decision=decision, is_decided=True)
    assert resolution_view(row, now_ms=5).evidence == STRIKE
