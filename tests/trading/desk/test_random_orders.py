"""Random limit orders among bets, sales, baskets and cancels, many at a time: what is held stays exact."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from tests.support.books import Auditor
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import length
from tests.support.service import PartnerAccount, Person, Service, Shot, expect, pool
from tests.support.waiting import let_work

ROUNDS = length(short=4, long=200)
AT_ONCE = 40
POOLS: tuple[dict[str, Any], ...] = (
    {"probabilities": [0.4], "b": 3_000},
    {"names": ["A", "B"], "b": 5_000, "margin": 0.02},
    {"names": ["A", "B", "C"], "b": 4_000},
)

#: Each query counts what must not be, in the pools and of the partner of a crowd: others left what they like.
WRONG = {
    "order accounts": """
        SELECT COUNT(*) FROM accounts a
        LEFT JOIN (SELECT pool_id, SUM(held_kopecks) AS held FROM limit_orders GROUP BY pool_id) o
          ON o.pool_id = a.owner_id
        WHERE a.kind = 'orders' AND a.owner_id IN :pools AND a.balance_kopecks <> COALESCE(o.held, 0)""",
    "holds": """
        SELECT COUNT(*) FROM limit_orders WHERE pool_id IN :pools AND held_kopecks - owed_kopecks <> CASE
            WHEN status = 'open' AND action = 'buy'
            THEN CAST(price_bps AS NUMERIC) * (shares - filled_shares) / 10000 ELSE 0 END""",
    "reserved shares": """
        SELECT COUNT(*) FROM (
            SELECT p.id, p.reserved_shares, COALESCE(SUM(o.shares - o.filled_shares), 0) AS offered
            FROM positions p LEFT JOIN limit_orders o
              ON o.user_id = p.user_id AND o.market_id = p.market_id AND o.side = p.side
             AND o.status = 'open' AND o.action = 'sell'
            WHERE p.closed_at_ms IS NULL AND p.pool_id IN :pools GROUP BY p.id, p.reserved_shares
        ) b WHERE reserved_shares <> offered""",
    "counts of open orders": """
        SELECT COUNT(*) FROM pools p WHERE p.id IN :pools AND open_orders <>
            (SELECT COUNT(*) FROM limit_orders o WHERE o.pool_id = p.id AND o.status = 'open')""",
    "fills": """
        SELECT COUNT(*) FROM (
            SELECT o.id, o.filled_shares, o.amount_kopecks, COALESCE(SUM(t.shares), 0) AS shares,
                   COALESCE(SUM(t.amount_kopecks), 0) AS amount
            FROM limit_orders o LEFT JOIN trades t ON t.order_id = o.id
            WHERE o.pool_id IN :pools GROUP BY o.id, o.filled_shares, o.amount_kopecks
        ) b WHERE filled_shares <> shares OR amount_kopecks <> amount""",
    "crossed markets": """
        SELECT COUNT(*) FROM limit_orders up JOIN limit_orders down
          ON down.market_id = up.market_id AND down.status = 'open' AND up.status = 'open'
        WHERE up.pool_id IN :pools AND up.is_up AND NOT down.is_up AND 100 - up.rank >= down.rank""",
    "totals of partners": """
        SELECT COUNT(*) FROM statement_totals s JOIN partners p ON p.id = s.partner_id
        WHERE p.name = :partner AND held_kopecks <> (
            SELECT COALESCE(SUM(held_kopecks), 0) FROM limit_orders o WHERE o.partner_id = s.partner_id)""",
}
#: What must be: trades that resting orders made, and baskets that both bought and sold.
FILLS = "SELECT COUNT(*) FROM trades WHERE role = 'maker' AND pool_id IN :pools"
BOTH_WAYS = """
    SELECT COUNT(*) FROM (
        SELECT basket_id FROM trades WHERE basket_id IS NOT NULL AND pool_id IN :pools
        GROUP BY basket_id HAVING COUNT(*) = 2
    ) AS both_ways"""


class Crowd:
    """People and a partner with its users, who trade at random."""

    def __init__(self, service: Service, seed: int) -> None:
        """Make them, and the pools."""
        self._random = random.Random(seed)
        pools = [pool(fields.get("names"), **{k: v for k, v in fields.items() if k != "names"}) for fields in POOLS]
        event = service.event(pools=pools)
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


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_held_stays_exact_whatever_is_traded(service: Service, seed: int) -> None:
    crowd, auditor = Crowd(service, seed), Auditor(service)
    tokens = [person.token for person in crowd.people]
    statuses: set[int] = set()
    for _ in range(ROUNDS):
        crowd.place_for_partner()
        answers = service.together(crowd.shots(AT_ONCE), tokens=tokens)
        statuses |= {answer.status_code for answer in answers}
        assert all(answer.status_code < 500 for answer in answers), [a.text for a in answers if a.status_code >= 500]
        crowd.note(answers)
        crowd.swap()
        assert {name: crowd.count(query, service) for name, query in WRONG.items()} == dict.fromkeys(WRONG, 0)
        auditor.audit()
    assert statuses >= {200, 201, 409}
    assert crowd.count(FILLS, service) > ROUNDS
    assert crowd.count(BOTH_WAYS, service) >= ROUNDS
    # Nothing is paid any more while it is added up.
    let_work()
    for person in crowd.people:
        _check_sums(person)


def _check_sums(person: Person) -> None:
    """A person's movements add up to the balance, and each trade is listed once, the newest first."""
    rows = _all(person, "/users/me/transactions", "transactions")
    shown = expect(person.client.get("/users/me"), 200)
    assert len({row["id"] for row in rows}) == len(rows)
    assert sum(row["change_kopecks"] for row in rows) == shown["balance_kopecks"]
    trades = [row["id"] for row in _all(person, "/users/me/trades", "trades")]
    assert trades == sorted(set(trades), reverse=True)
    orders = [row["id"] for row in _all(person, "/market/orders", "orders")]
    assert orders == sorted(set(orders), reverse=True)


def _all(person: Person, path: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 7}
    while True:
        page = expect(person.client.get(path, params=query), 200)
        rows += page[name]
        if page["next_cursor"] is None:
            return rows
        query["cursor"] = page["next_cursor"]
