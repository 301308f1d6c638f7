"""Answers of odds sources in the shapes that their APIs have, made up for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def encoded(answer: Any) -> bytes:
    """Return an answer as it comes over the wire."""
    return json.dumps(answer, ensure_ascii=False).encode()


def polymarket_market(
    yes: str = "0.5",
    *,
    title: str = "",
    question: str = "Will it?",
    outcomes: Sequence[str] = ("Yes", "No"),
    prices: Sequence[str] | None = None,
    bid: float | None = None,
    ask: float | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Describe a market with the price `yes` of its first outcome, offered half a cent to both sides."""
    first = float(yes)
    return {
        "id": "512357",
        "question": question,
        "conditionId": "0x26d06d9c6303c11bf7388cff707e4dac836e03628630720bca3d8cbf4234713d",
        "slug": "will-it",
        "endDate": "2026-12-31T12:00:00Z",
        "liquidity": "45678.1234",
        "outcomes": json.dumps(list(outcomes)),
        "outcomePrices": json.dumps(list(prices or [yes, str(round(1 - first, 6))])),
        "volume": "1234567.891234",
        "active": True,
        "closed": False,
        "groupItemTitle": title,
        "spread": 0.01,
        "lastTradePrice": first,
        "bestBid": max(0.0, first - 0.005) if bid is None else bid,
        "bestAsk": min(1.0, first + 0.005) if ask is None else ask,
        "clobTokenIds": '["11862165566757345985", "98765432123456789012"]',
        "umaResolutionStatuses": "[]",
        "negRisk": bool(title),
    } | fields


def polymarket_resolved(prices: Sequence[str], *, title: str = "", **fields: Any) -> dict[str, Any]:
    """Describe a market that is finally resolved."""
    final = {"closed": True, "umaResolutionStatus": "resolved", "bestBid": None, "bestAsk": 1}
    return polymarket_market("0.5", prices=prices) | {"groupItemTitle": title} | final | fields


def polymarket(*markets: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Describe an event."""
    return {
        "id": "16167",
        "ticker": "who-wins",
        "slug": "who-wins",
        "title": "Who wins?",
        "active": True,
        "closed": False,
        "archived": False,
        "volume": 9876543.21,
        "markets": list(markets),
        "tags": [{"id": "2", "label": "Politics", "slug": "politics"}],
        "enableNegRisk": len(markets) > 1,
    } | fields


def polymarket_group(**prices: str) -> dict[str, Any]:
    """Describe an event with a market yes/no for each title."""
    markets = [polymarket_market(yes, title=title, question=f"Will {title} win?") for title, yes in prices.items()]
    return polymarket(*markets)


def manifold_binary(probability: float = 0.5, **fields: Any) -> dict[str, Any]:
    """Describe a question yes/no."""
    return {
        "id": "aBcDeFgHiJkL",
        "creatorUsername": "someone",
        "createdTime": 1_700_000_000_000,
        "closeTime": 4_102_444_800_000,
        "question": "Will it rain?",
        "slug": "will-it-rain",
        "url": "https://manifold.markets/someone/will-it-rain",
        "pool": {"NO": 1080.5, "YES": 920.25},
        "probability": probability,
        "p": 0.5,
        "totalLiquidity": 1000,
        "outcomeType": "BINARY",
        "mechanism": "cpmm-1",
        "volume": 12345.678,
        "isResolved": False,
        "uniqueBettorCount": 42,
    } | fields


def manifold_answers(prices: Mapping[str, float], *, sum_to_one: bool = True, **fields: Any) -> dict[str, Any]:
    """Describe a question with answers, whose ids are `id-0`, `id-1` and further on."""
    answers = [
        {"id": f"id-{index}", "index": index, "text": text, "probability": probability, "pool": {"YES": 10, "NO": 10}}
        for index, (text, probability) in enumerate(prices.items())
    ]
    over: dict[str, Any] = {"outcomeType": "MULTIPLE_CHOICE", "mechanism": "cpmm-multi-1", "answers": answers}
    whole = manifold_binary() | over | {"shouldAnswersSumToOne": sum_to_one} | fields
    del whole["probability"]
    return whole


def kalshi_market(
    title: str = "Yes",
    bid: str = "0.4900",
    ask: str = "0.5100",
    *,
    last: str = "0.5000",
    status: str = "active",
    result: str = "",
    **fields: Any,
) -> dict[str, Any]:
    """Describe a market yes/no."""
    return {
        "ticker": f"KXWIN-26-{title[:3].upper()}",
        "event_ticker": "KXWIN-26",
        "market_type": "binary",
        "title": f"Will {title} win?",
        "yes_sub_title": title,
        "no_sub_title": title,
        "status": status,
        "yes_bid": 49,
        "yes_bid_dollars": bid,
        "yes_ask": 51,
        "yes_ask_dollars": ask,
        "last_price": 50,
        "last_price_dollars": last,
        "volume": 12345,
        "result": result,
        "close_time": "2026-12-31T15:00:00Z",
    } | fields


def kalshi(*markets: Mapping[str, Any], exclusive: bool = True, **fields: Any) -> dict[str, Any]:
    """Describe an event."""
    event = {
        "event_ticker": "KXWIN-26",
        "series_ticker": "KXWIN",
        "title": "Who wins?",
        "category": "Sports",
        "mutually_exclusive": exclusive,
        "markets": list(markets),
    } | fields
    return {"event": event}
