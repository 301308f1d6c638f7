"""Orders that succeed, for tests of positions and PnL."""

from __future__ import annotations

from typing import Any

from tests.support.service import Person, expect


def bet(person: Person, market_id: int, amount_kopecks: int, token_type: str = "YES") -> dict[str, Any]:
    """Place a bet that succeeds."""
    body = {"market_id": market_id, "token_type": token_type, "amount_kopecks": amount_kopecks}
    answer: dict[str, Any] = expect(person.client.post("/market/bets", json=body), 201)
    return answer


def sell(person: Person, market_id: int, shares: int | None = None, token_type: str = "YES") -> dict[str, Any]:
    """Sell shares, by default all."""
    body = {"market_id": market_id, "token_type": token_type, "shares": shares}
    answer: dict[str, Any] = expect(person.client.post("/market/positions/sell", json=body), 201)
    return answer
