"""People and a partner's users who trade at random: limit orders among bets, sales, baskets and cancels."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import httpx
import sqlalchemy as sa

from tests.support.service import PartnerAccount, Service, Shot, expect, pool

POOLS: tuple[dict[str, Any], ...] = (
    {"probabilities": [0.4], "b": 3_000},
    {"names": ["A", "B"], "b": 5_000, "margin": 0.02},
    {"names": ["A", "B", "C"], "b": 4_000},
)


class Crowd:
    """People and a partner with its users, who trade at random."""

    def __init__(self, service: Service, seed: int) -> None:
        """Make them, and the pools."""
        self._random = random.Random(seed)
        pools = [pool(fields.get("names"), **{k: v for k, v in fields.items() if k != "names"}) for fields in POOLS]
        event = service.event(pools=pools)
        self.event_id: int = event["id"]
        self.markets = [market["id"] for each in event["pools"] for market in each["markets"]]
        #: Of the pools that take baskets.
        self._baskets = [[market["id"] for market in each["markets"]] for each in event["pools"][1:]]
        self.people = [service.user(balance_kopecks=40_000) for _ in range(4)]
        self.partner: PartnerAccount = service.partner(float_kopecks=60_000)
        pool_ids = [each["id"] for each in event["pools"]]
        self._bound: tuple[sa.BindParameter[Any], ...] = (
            sa.bindparam("pools", pool_ids, expanding=True),
            sa.bindparam("partner", self.partner.name),
        )
        #: Orders of people, some of which are open.
        self._orders: list[int] = []
        #: Who swaps one outcome for another, and comes to it.
        self._swapper = service.user(balance_kopecks=40_000)

    def shots(self, count: int) -> list[Shot]:
        """Return requests of people."""
        return [self._shot() for _ in range(count)]

    def _shot(self) -> Shot:
        chance = self._random
        market, side = chance.choice(self.markets), chance.choice(["YES", "NO"])
        about = {"market_id": market, "token_type": side}
        kind = chance.random()
        if kind < 0.55:
            return "POST", "/market/orders", {"json": about | self.terms()}
        if kind < 0.65:
            return "POST", "/market/baskets", {"json": self.basket("amount_kopecks")}
        if kind < 0.77:
            return "POST", "/market/bets", {"json": about | {"amount_kopecks": chance.randint(50, 3_000)}}
        if kind < 0.85:
            return "POST", "/market/positions/sell", {"json": about | {"shares": chance.randint(100, 2_000)}}
        if kind < 0.95 and self._orders:
            return "DELETE", f"/market/orders/{chance.choice(self._orders)}", {}
        return "POST", "/market/orders/cancel", {"json": {"market_id": market}}

    def note(self, answers: Iterable[httpx.Response]) -> None:
        """Know the orders that were placed, so that they are cancelled at times."""
        made = [answer for answer in answers if answer.status_code == 201 and answer.url.path.endswith("/orders")]
        self._orders += [answer.json()["id"] for answer in made]

    def count(self, query: str, service: Service) -> int:
        """Return what a query counts in its pools."""
        text = sa.text(query).bindparams(*[bound for bound in self._bound if f":{bound.key}" in query])
        return int(service.look(lambda tx: tx.execute(text).scalar_one()))

    def basket(self, stake: str) -> dict[str, Any]:
        """Return what a basket asks for; `stake` is the name of its stake."""
        chance = self._random
        markets = chance.choice(self._baskets)
        if chance.random() < 0.5:
            given = markets[:2] if len(markets) > 2 and chance.random() < 0.5 else None
            return {"market_ids": markets[:1], "given": given, stake: chance.randint(50, 2_000)}
        shares = [chance.randint(10, 900) * chance.choice([1, 1, -1]) for _ in markets]
        return {"changes": [{"market_id": one, "shares": some} for one, some in zip(markets, shares, strict=True)]}

    def terms(self) -> dict[str, Any]:
        """Return what an order asks for."""
        chance = self._random
        terms: dict[str, Any] = {
            "action": chance.choice(["buy", "buy", "sell"]),
            "shares": 100 * chance.randint(10, 40),
            "price_bps": 100 * chance.randint(10, 90),
        }
        if chance.random() < 0.2:
            terms["time_in_force"] = chance.choice(["ioc", "fok"])
        elif chance.random() < 0.1:
            terms["post_only"] = True
        return terms

    def place_for_partner(self) -> None:
        """Let users of the partner place orders and bet."""
        for _ in range(6):
            user = f"u-{self._random.randint(1, 3)}"
            market, side = self._random.choice(self.markets), self._random.choice(["yes", "no"])
            body = {"external_user_id": user, "market_id": market, "side": side, **self.terms()}
            answer = self.partner.client.post("/partner/orders", json=body)
            assert answer.status_code in (201, 409), answer.text
            bet = {"external_user_id": user, "market_id": market, "side": side, "stake_kopecks": 500}
            answer = self.partner.client.post("/partner/bets", json=bet)
            assert answer.status_code in (201, 400, 409), answer.text
        basket = {"external_user_id": "u-1", **self.basket("stake_kopecks")}
        answer = self.partner.client.post("/partner/baskets", json=basket)
        assert answer.status_code in (201, 400, 409), answer.text

    def swap(self) -> None:
        """Buy shares of one outcome, and exchange some of them for shares of another in one basket."""
        client, (bought, other, *_) = self._swapper.client, self._random.choice(self._baskets)
        bet = {"market_id": bought, "token_type": "YES", "amount_kopecks": 500}
        expect(client.post("/market/bets", json=bet), 201)
        changes = [{"market_id": bought, "shares": -100}, {"market_id": other, "shares": 50}]
        expect(client.post("/market/baskets", json={"changes": changes}), 201)
