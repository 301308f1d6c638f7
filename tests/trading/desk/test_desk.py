"""The trade desk in a running service: many orders per commit, each with its own outcome."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import Any

import httpx
import pytest

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError, InternalError
from foreknow.kernel.prompt_future import PromptFuture
from foreknow.money.pricing import Side
from foreknow.trading.desk.desk import BATCH_MAX
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.entry.bet_routes import bet_receipt
from tests.support.kinds import ONCE
from tests.support.orders import at_the_desk, balance
from tests.support.service import Person, Service, expect, pool


def bet(market_id: int, amount_kopecks: int, token_type: str = "YES", **limits: int) -> dict[str, Any]:
    """Describe a bet."""
    return {"market_id": market_id, "token_type": token_type, "amount_kopecks": amount_kopecks, **limits}


def only_market(service: Service, **fields: Any) -> int:
    """Publish an event with one yes/no market and return the market's id."""
    return int(service.event(pools=[pool(**fields)])["pools"][0]["markets"][0]["id"])


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    """Count responses by status."""
    return Counter(answer.status_code for answer in answers)


def test_orders_that_arrive_together_share_commits(service: Service) -> None:
    market_id, trader = only_market(service), service.user(balance_kopecks=1_000_000)
    metrics = service.app.services.desk.metrics
    before = (metrics.batches, metrics.orders)

    answers = service.together([("POST", "/market/bets", {"json": bet(market_id, 100)})] * 100, tokens=[trader.token])

    assert statuses(answers) == {201: 100}
    assert metrics.orders - before[1] == 100
    assert metrics.batches - before[0] < 100


def test_two_hundred_bets_over_one_balance_spend_it_exactly(service: Service) -> None:
    market_id, trader = only_market(service), service.user(balance_kopecks=12_345)

    answers = service.together([("POST", "/market/bets", {"json": bet(market_id, 100)})] * 200, tokens=[trader.token])

    assert statuses(answers) == {201: 123, 409: 77}
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"insufficient_funds"}
    assert expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == 45


def test_a_refused_bet_moves_no_money_and_no_price(service: Service) -> None:
    market_id, trader = only_market(service), service.user(balance_kopecks=1_000)
    before = expect(trader.client.get(f"/markets/{market_id}"), 200)

    for order in (bet(market_id, 2_000), bet(market_id, 500, min_shares=10**9), bet(market_id, 500, max_price_bps=1)):
        assert trader.client.post("/market/bets", json=order).status_code == 409

    assert expect(trader.client.get(f"/markets/{market_id}"), 200) == before
    assert expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == 1_000


def test_prices_of_one_market_follow_each_other_without_a_gap(service: Service) -> None:
    market_id = only_market(service)
    traders = [service.user(balance_kopecks=100_000) for _ in range(4)]
    shots = [("POST", "/market/bets", {"json": bet(market_id, 777, "YES" if n % 3 else "NO")}) for n in range(60)]

    answers = [expect(one, 201) for one in service.together(shots, tokens=[trader.token for trader in traders])]

    in_order = sorted(answers, key=lambda answer: answer["id"])
    for earlier, later in itertools.pairwise(in_order):
        assert later["probability_before"] == earlier["probability_after"]


class BrokenReceipt(Exception):
    """Raised in the middle of a batch."""


def test_an_order_that_breaks_its_batch_hurts_no_other(service: Service) -> None:
    market_id = only_market(service)
    traders = [service.user(balance_kopecks=1_000) for _ in range(3)]
    callers = [caller_of(service, trader) for trader in traders]

    def broken(_fill: Fill) -> Any:
        raise BrokenReceipt

    async def place() -> list[Receipt | BaseException]:
        orders = [
            Buy(
                caller=caller,
                market_id=market_id,
                side=Side.YES,
                stake_kopecks=400,
                idempotency_key=None,
                receipt=broken if index == 1 else bet_receipt,
            )
            for index, caller in enumerate(callers)
        ]
        return await asyncio.gather(*map(service.app.services.desk.place, orders), return_exceptions=True)

    first, second, third = service.server.run(place())

    assert isinstance(first, Receipt)
    assert isinstance(second, InternalError)
    assert isinstance(third, Receipt)
    assert [balance(trader) for trader in traders] == [600, 1_000, 600]


def test_nothing_moves_for_a_session_that_ended_while_the_order_waited(service: Service) -> None:
    market_id, trader = only_market(service), service.user(balance_kopecks=1_000)
    caller = caller_of(service, trader)
    expect(trader.client.delete("/auth/logout"), 200)
    order = Buy(
        caller=caller,
        market_id=market_id,
        side=Side.YES,
        stake_kopecks=400,
        idempotency_key=None,
        receipt=bet_receipt,
    )

    with pytest.raises(DomainError) as error:
        service.server.run(service.app.services.desk.place(order))

    assert error.value.code == "unauthorized"


def test_orders_under_way_at_shutdown_are_answered_and_kept(fresh_service: Service) -> None:
    market_id, trader = only_market(fresh_service), fresh_service.user(balance_kopecks=100_000)

    async def place_and_stop() -> list[Receipt]:
        order = await at_the_desk(fresh_service, trader, market_id, Side.NO, 100)
        placed = [asyncio.ensure_future(fresh_service.app.services.desk.place(order)) for _ in range(50)]
        await asyncio.sleep(0)
        fresh_service.server.stop_soon()
        return list(await asyncio.gather(*placed))

    answers = fresh_service.server.run(place_and_stop())
    fresh_service.restart()

    assert len(answers) == 50
    token = fresh_service.sign_in(trader.email, trader.password)
    assert expect(fresh_service.client(token).get("/users/me"), 200)["balance_kopecks"] == 100_000 - 50 * 100


def caller_of(service: Service, person: Person) -> UserCaller:
    """Return the caller that the authenticator makes of a person's token."""
    caller = service.server.run(service.app.services.authenticator.user(person.token))
    assert isinstance(caller, UserCaller)
    return caller


@ONCE
def test_a_failing_callback_leaves_no_order_without_a_response(fresh_service: Service) -> None:
    def broken(_pool_ids: object) -> None:
        raise BrokenReceipt

    market_id, trader = only_market(fresh_service), fresh_service.user(balance_kopecks=1_000)
    desk = fresh_service.app.services.desk
    desk._on_commit = (*desk._on_commit, broken)

    for _ in range(2):
        expect(trader.client.post("/market/bets", json=bet(market_id, 100)), 201)


@ONCE
def test_orders_that_the_loop_is_just_receiving_go_into_one_batch(fresh_service: Service) -> None:
    market_id, trader = only_market(fresh_service), fresh_service.user(balance_kopecks=10_000)
    desk = fresh_service.app.services.desk

    async def place() -> int:
        order = await at_the_desk(fresh_service, trader, market_id, Side.NO, 100)
        before, placed = desk.metrics.batches, []
        for _ in range(10):
            placed.append(desk.queue(order))
            await asyncio.sleep(0)
        await asyncio.gather(*placed)
        return desk.metrics.batches - before

    assert fresh_service.server.run(place()) == 1


@ONCE
def test_an_order_is_answered_before_the_next_batch_is_executed(fresh_service: Service) -> None:
    market_id, trader = only_market(fresh_service), fresh_service.user(balance_kopecks=100_000)
    desk = fresh_service.app.services.desk
    answered_after: list[int] = []

    async def place() -> None:
        order = await at_the_desk(fresh_service, trader, market_id, Side.NO, 100)
        before = desk.metrics.batches
        placed = [desk.queue(order) for _ in range(BATCH_MAX + 1)]
        for one in placed:
            assert isinstance(one, PromptFuture)
            one.then(lambda _: answered_after.append(desk.metrics.batches - before))
        await asyncio.gather(*placed)

    fresh_service.server.run(place())

    assert answered_after == [1] * BATCH_MAX + [2]
