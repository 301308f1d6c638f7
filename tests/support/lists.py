"""Lists that grow, and their splits, as tests send them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import httpx

from tests.support import news
from tests.support.orders import bet, sell
from tests.support.service import Person, Service, expect, pool

#: Those of the contract's example.
NAMES, PRIORS, B = ("Ann", "Bob", "Other"), (0.3, 0.2, 0.5), 1000


def list_pool(names: Any = NAMES, *, b: int = B, probabilities: Any = PRIORS, **fields: Any) -> dict[str, Any]:
    """Describe a pool that is a list."""
    described = pool(list(names), b=b, probabilities=probabilities, **fields)
    described["metadata"]["shape"] = {"kind": "list"}
    return described


def open_list(service: Service, creator: Person | None = None, **fields: Any) -> dict[str, Any]:
    """Make an event with a list and publish it; return the pool."""
    opened: dict[str, Any] = service.event(creator, pools=[list_pool(**fields)])["pools"][0]
    return opened


def read_pool(service: Service, pool_id: int) -> dict[str, Any]:
    """Return a pool as visitors see it."""
    found: dict[str, Any] = expect(service.client().get(f"/pools/{pool_id}"), 200)
    return found


def add_outcome(client: httpx.Client, pool_id: int, name: str, share: float = 0.25, **fields: Any) -> httpx.Response:
    """Take an outcome out of Other, expected where it will start unless `fields` say otherwise."""
    shown = client.get(f"/pools/{pool_id}").json()
    prices = [market["yes_probability"] for market in shown.get("markets", ())]
    other = shown.get("other")
    expected = prices[other] * share if other is not None else 0.5
    body = {"name": name, "share": share, "probability": expected, **fields}
    return client.post(f"/pools/{pool_id}/outcomes", json=body)


def split(service: Service, pool_id: int, name: str, share: float = 0.25, **fields: Any) -> dict[str, Any]:
    """Take an outcome out of Other as the creator; return the pool as it is then."""
    shown: dict[str, Any] = expect(add_outcome(service.creator.client, pool_id, name, share, **fields), 201)
    return shown


def held(person: Person) -> dict[int, dict[str, Any]]:
    """Return a person's open positions of YES by market."""
    shown = expect(person.client.get("/market/positions", params={"limit": 100}), 200)["positions"]
    return {one["market_id"]: one for one in shown if one["token_type"] == "YES"}


@dataclass(frozen=True, slots=True)
class TwiceSplit:
    """A list out of whose Other two outcomes were taken, first Dana, then Eve, and who held Other from before."""

    event_id: int
    pool_id: int
    #: Of Ann, Bob, Other, Dana and Eve.
    market_ids: list[int]
    holder: Person
    partner_key: str
    #: What the holder has of YES, by market: shares and cost.
    held: dict[int, tuple[int, int]]
    #: What is seen of it, by address.
    pages: dict[str, Any]

    def read(self, service: Service) -> dict[str, Any]:
        """Return what visitors, the holder and the partner see, on this service, a copy or a restored one."""
        holder, partner = service.client(token=self.holder.token), service.client(partner_key=self.partner_key)
        new = self.market_ids[4]
        paths = {
            service.client(): (f"/pools/{self.pool_id}", f"/markets/{new}", f"/market/orderbook/{new}"),
            holder: ("/users/me/positions?limit=100", "/users/me/transactions?limit=100", "/notifications?limit=100"),
            partner: ("/partner/transactions?limit=100", "/partner/users/u"),
        }
        return {path: expect(client.get(path), 200) for client, each in paths.items() for path in each}

    def go_on(self, service: Service) -> None:
        """Trade in it and split it a third time, on this service, a copy or a restored one; ends as Joe is in it."""
        _, _, other, dana, eve = self.market_ids
        holder = replace(self.holder, client=service.client(token=self.holder.token))
        sold = expect(sell(holder, dana, "YES", self.held[dana][0], outcomes=5), 201)
        assert sold["payout_kopecks"] > 0
        bought = expect(bet(holder, eve, "YES", 200, outcomes=5), 201)["shares"]

        grown = expect(add_outcome(service.admin, self.pool_id, "Joe", 0.5), 201)

        assert [made["outcome_index"] for made in grown["splits"]] == [3, 4, 5]
        assert grown["splits"][2]["turned"]
        shares, cost = self.held[other]
        joe = grown["markets"][5]["id"]
        assert held_of(holder) == {
            other: (shares, cost - cost // 2),
            eve: (self.held[eve][0] + bought, self.held[eve][1] + 200),
            joe: (shares, cost // 2),
        }
        expect(sell(holder, joe, "YES", shares, outcomes=6), 201)


def held_of(person: Person) -> dict[int, tuple[int, int]]:
    """Return a person's shares of YES and their cost by market."""
    shown = expect(person.client.get("/users/me/positions", params={"limit": 100}), 200)["positions"]
    return {one["market_id"]: (one["amount"], one["cost_kopecks"]) for one in shown if one["token_type"] == "YES"}


def twice_split(service: Service) -> TwiceSplit:
    """Make the contract's list, let a person and a sub-account hold Other, and split it twice; all is turned then."""
    event = service.event(pools=[list_pool()])
    (made,) = event["pools"]
    other = made["markets"][2]["id"]
    holder, partner = service.user(balance_kopecks=1_000), service.partner(float_kopecks=1_000)
    shares = expect(bet(holder, other, "YES", 300, outcomes=3), 201)["shares"]
    body = {"external_user_id": "u", "market_id": other, "side": "yes", "stake_kopecks": 100}
    expect(partner.client.post("/partner/bets", json=body), 201)
    split(service, made["id"], "Dana")
    more = expect(bet(holder, other, "YES", 100, outcomes=4), 201)["shares"]
    grown = split(service, made["id"], "Eve", 0.5)
    ids = [market["id"] for market in grown["markets"]]
    # Of 300, a quarter went to Dana; of the 325 of Other then, half to Eve.
    held = {other: (shares + more, 163), ids[3]: (shares, 75), ids[4]: (shares + more, 162)}
    assert held_of(holder) == held
    twice = TwiceSplit(event["id"], made["id"], ids, holder, partner.key, held, {})
    # What followers are notified of is on the pages, too.
    news.settled(service)
    twice.pages.update(twice.read(service))
    return twice
