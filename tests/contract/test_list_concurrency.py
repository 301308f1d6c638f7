"""What happens beside a split, and while its positions are being turned, at two servers (lists.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.support.limit_orders import money, orders_of
from tests.support.lists import add_outcome, held, list_pool, open_list, read_pool, split
from tests.support.orders import balance, bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, Shot, expect, refused
from tests.support.waiting import wait_until

RICH_KOPECKS = 10_000


def ids(pool: dict[str, Any]) -> list[int]:
    return [market["id"] for market in pool["markets"]]


def beside_a_split(
    services: tuple[Service, Service], pool: dict[str, Any], shots: list[Shot], traders: list[Person]
) -> tuple[dict[str, Any], list[tuple[Person, httpx.Response]]]:
    """Send requests to both servers while an outcome is taken out; return the list and each answer."""
    first, second = services
    new = {"json": {"name": "Dana", "share": 0.25, "probability": 0.128}}
    with ThreadPoolExecutor(3) as threads:
        sent = [
            threads.submit(one.together, shots, tokens=[trader.token for trader in traders]) for one in (first, second)
        ]
        made = threads.submit(
            second.together, [("POST", f"/pools/{pool['id']}/outcomes", new)], tokens=[first.creator.token]
        )
        answers = [
            (traders[number % len(traders)], answer) for some in sent for number, answer in enumerate(some.result())
        ]
        (answer,) = made.result()
    return expect(answer, 201), answers


def test_orders_that_rest_on_other_beside_a_split_come_back_whole(start_service: Callable[..., Service]) -> None:
    services = start_service(), start_service()
    pool = open_list(services[0], b=100_000)
    other = ids(pool)[2]
    traders = [services[0].user(balance_kopecks=RICH_KOPECKS) for _ in range(6)]
    order = {"market_id": other, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 1_000}
    shots: list[Shot] = [
        ("POST", "/market/orders", {"json": order | ({"outcomes": 3} if number % 2 else {})}) for number in range(24)
    ]
    _, answers = beside_a_split(services, pool, shots, traders)
    knew: dict[int, bool] = {}
    for position, (_, answer) in enumerate(answers):
        if answer.status_code != 201:
            assert position % 2, answer.text
            refused(answer, 409, "slippage")
        else:
            knew[answer.json()["id"]] = bool(position % 2)

    def ended() -> list[dict[str, Any]]:
        return [one for trader in traders for one in orders_of(trader, limit=100) if one["status"] != "open"]

    wait_until(lambda: not any(one["held_kopecks"] for one in ended()))
    assert {(one["status"], one["reason"], one["filled_shares"]) for one in ended()} <= {("cancelled", "split", 0)}
    shown = {one["id"]: one["status"] for trader in traders for one in orders_of(trader, limit=100)}
    assert shown.keys() == knew.keys()
    # Who said that there are three outcomes has no order on what Other means since.
    assert all(shown[order_id] == "cancelled" for order_id, said in knew.items() if said)
    for trader in traders:
        left, held_kopecks = money(trader)
        assert left + held_kopecks == RICH_KOPECKS
        assert held_kopecks == 100 * sum(one["status"] == "open" for one in orders_of(trader, limit=100))


def test_who_says_nothing_buys_what_other_means_at_that_moment(start_service: Callable[..., Service]) -> None:
    services = start_service(), start_service()
    pool = open_list(services[0], b=100_000)
    other = ids(pool)[2]
    traders = [services[0].user(balance_kopecks=RICH_KOPECKS) for _ in range(6)]
    shot: Shot = ("POST", "/market/bets", {"json": {"market_id": other, "token_type": "YES", "amount_kopecks": 100}})
    grown, answers = beside_a_split(services, pool, [shot] * 24, traders)
    bought = dict.fromkeys([trader.id for trader in traders], 0)
    for trader, answer in answers:
        bought[trader.id] += expect(answer, 201)["shares"]
    new = ids(grown)[3]
    at_the_split = grown["splits"][0]["q_yes"]
    of_new = 0
    for trader in traders:
        shown = held(trader)
        assert shown[other]["amount"] == bought[trader.id]
        of_new += shown[new]["amount"] if new in shown else 0
    # As many of the new one as were sold of Other before.
    assert of_new == at_the_split == read_pool(services[0], pool["id"])["markets"][3]["q_yes"]


class Turning:
    """A list with a crowd at two servers that turn nothing, in the middle of a split."""

    def __init__(self, services: tuple[Service, Service]) -> None:
        self.first, self.second = services
        event = self.first.event(pools=[list_pool()])
        (self.pool,) = event["pools"]
        self.event_id = event["id"]
        self.people = [self.first.user(balance_kopecks=RICH_KOPECKS) for _ in range(4)]
        self.shares = [expect(bet(one, ids(self.pool)[2], "YES", 100), 201)["shares"] for one in self.people]
        self.path = f"/pools/{self.pool['id']}"
        for service in services:
            service.server.run(service.app.services.splits.stop())

    @contextmanager
    def split(self) -> Iterator[Future[dict[str, Any]]]:
        """Take an outcome out; the block runs before its positions are turned, its request is answered after."""
        with ThreadPoolExecutor(1) as thread:
            made = thread.submit(split, self.first, self.pool["id"], "Dana")
            wait_until(lambda: len(self.read()["splits"]) == 1)
            assert self.read()["splits"][0]["turned"] is False
            yield made

    def read(self) -> dict[str, Any]:
        return read_pool(self.second, self.pool["id"])

    def turn(self) -> None:
        """Let the second server turn what is left."""
        turner = self.second.app.services.splits
        while self.second.server.run(turner.run_due()):
            pass


@pytest.fixture
def turning(start_service: Callable[..., Service]) -> Turning:
    """A list that is about to be split, at two servers."""
    return Turning((start_service(), start_service()))


@proves("lists: the last split still being turned", "lists: The POST answers when all are turned")
def test_a_second_split_and_a_deletion_in_the_middle_of_turning(turning: Turning) -> None:
    gone, *left = turning.people
    with turning.split() as made:
        refused(add_outcome(turning.second.admin, turning.pool["id"], "Eve"), 409, "invalid_state")
        expect(turning.second.admin.post(f"/admin/users/{gone.id}/delete"), 200)
        # Who trades in it meanwhile has what is theirs at once.
        expect(bet(left[0], ids(turning.read())[3], "YES", 50, outcomes=4), 201)
        assert made.running()
        turning.turn()
        grown = made.result(60)
    assert grown["splits"][0]["turned"] is True
    other, new = ids(grown)[2:]
    for person, shares in zip(left[1:], turning.shares[2:], strict=True):
        assert {market: one["amount"] for market, one in held(person).items()} == {other: shares, new: shares}
    assert held(left[0])[new]["amount"] > turning.shares[1] == held(left[0])[other]["amount"]
    assert (
        grown["markets"][3]["q_yes"] - grown["splits"][0]["q_yes"] == held(left[0])[new]["amount"] - turning.shares[1]
    )


@proves("lists: A verdict is paid after that.")
@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_result_or_a_cancellation_in_the_middle_of_turning(turning: Turning, *, is_cancelled: bool) -> None:
    with turning.split() as made:
        admin = turning.second.admin
        prices = [market["yes_probability"] for market in turning.read()["markets"]]
        if is_cancelled:
            expect(admin.post(f"/events/{turning.event_id}/cancel"), 200)
        else:
            expect(admin.post(f"{turning.path}/resolve", json={"won_side": 3, "outcomes": 4}), 200)
        made.result(60)
    wait_until(lambda: turning.read()["resolution"]["state"] == "paid")
    turning.turn()
    for person, shares in zip(turning.people, turning.shares, strict=True):
        assert held(person) == {}
        paid = sum(int(shares * prices[outcome]) for outcome in (2, 3)) if is_cancelled else shares
        assert balance(person) == RICH_KOPECKS - 100 + paid
    assert turning.read()["splits"][0]["turned"] is True
