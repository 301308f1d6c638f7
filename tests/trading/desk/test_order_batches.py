"""What orders do depends on their order alone, not on how they are cut into batches (orders.md, "Matching")."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError
from foreknow.market.markets.tables import markets
from foreknow.money.holds.tables import limit_orders
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.desk import BATCH_MAX
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.kinds import Buy, PlaceLimit, Sell
from foreknow.trading.entry.bet_routes import bet_receipt, sale_receipt
from foreknow.trading.entry.order_routes import placed_order
from foreknow.trading.entry.order_schemas import PlacedOrder
from foreknow.trading.entry.routes import UserVoice
from foreknow.trading.positions.tables import positions
from tests.support.lengths import LONG, length
from tests.support.limit_orders import stop_worker
from tests.support.orders import open_market
from tests.support.proofs import proves
from tests.support.service import Service

#: More than one batch holds.
ORDERS = BATCH_MAX + 60
#: (trader, outcome, side, kind of order with its terms)
Step = tuple[int, int, Side, partial[Any]]


def draw_step(random: Random) -> Step:
    """Draw an order of one of four people in one of three markets."""
    kind = random.choice(("bet", "sale", "limit", "limit", "limit", "limit"))
    side = random.choice((Side.YES, Side.NO))
    made: partial[Any]
    if kind == "bet":
        made = partial(Buy, stake_kopecks=random.randint(100, 3_000), receipt=bet_receipt)
    elif kind == "sale":
        made = partial(Sell, shares=random.randint(1, 2_000), receipt=sale_receipt)
    else:
        near = 33 if side == Side.YES else 67
        made = partial(
            PlaceLimit,
            is_buy=random.random() < 0.8,
            shares=100 * random.choice((10, 10, 20, 40)),
            price_bps=100 * (near + random.randint(-6, 4)),
            time_in_force=random.choice(("gtc", "gtc", "gtc", "ioc")),
        )
    return random.randrange(4), random.randrange(3), side, made


@LONG
@proves(
    "orders: A pool is one queue: its orders (bets, sales,",
    "orders: are decided one by one, each whole, from the pool's state, the order and the time of its batch alone, "
    "however they are cut into commits. Ids of a pool's limit orders grow in that order, from all servers.",
)
@pytest.mark.parametrize("seed", range(length(short=1, long=20)))
def test_orders_do_the_same_however_they_are_batched(fresh_service: Service, seed: int) -> None:
    service, random = fresh_service, Random(seed)
    # While it has locked a pool, orders of its markets wait apart, and may be decided in another order than they came.
    stop_worker(service)
    steps = [draw_step(random) for _ in range(ORDERS)]
    callers = [caller_of(service) for _ in range(4)]
    found = []
    for sizes in ((ORDERS,), (1,), (7, 30, 2)):
        market_ids = open_market(service, names=["A", "B", "C"], b=3_000)
        answers = service.server.run(send(service, callers, market_ids, steps, sizes))
        found.append((answers, *service.look(partial(state_of, market_ids=market_ids))))

    assert found[0] == found[1] == found[2]
    rows = found[0][1]
    assert sum(shares > 0 for shares, *_ in rows) > 20
    assert any(reason == "self_trade" for *_, reason in rows)


def caller_of(service: Service) -> UserCaller:
    """Sign a person up who can pay whatever there is."""
    person = service.user(balance_kopecks=10**8)
    caller = service.server.run(service.app.services.authenticator.user(person.token))
    assert isinstance(caller, UserCaller)
    return caller


async def send(
    service: Service, callers: list[UserCaller], market_ids: list[int], steps: list[Step], sizes: tuple[int, ...]
) -> list[str]:
    """Queue orders in groups of these sizes in turn, each once the one before is answered; return the errors."""
    errors, at, turn = [], 0, 0
    while at < len(steps):
        group = steps[at : at + sizes[turn % len(sizes)]]
        queued = [service.app.services.desk.queue(order_of(callers, market_ids, step)) for step in group]
        for one in queued:
            try:
                await one
                errors.append("")
            except DomainError as error:
                errors.append(error.code)
        at, turn = at + len(group), turn + 1
    return errors


def order_of(callers: list[UserCaller], market_ids: list[int], step: Step) -> OrderKind:
    """Return the order of a step as the desk takes it."""
    who, outcome, side, made = step
    caller = callers[who]
    receipt = made.keywords.get("receipt", partial(placed_order, PlacedOrder, UserVoice(caller)))
    order: OrderKind = made(caller=caller, market_id=market_ids[outcome], side=side, receipt=receipt)
    return order


def state_of(tx: ReadTx, market_ids: list[int]) -> list[list[tuple[Any, ...]]]:
    """Return a pool's orders in the order of their ids, what people hold, and what has been sold."""
    order, held, sold = limit_orders.c, positions.c, markets.c
    queries = (
        sa.select(order.filled_shares, order.amount_kopecks, order.fee_kopecks, order.status, order.reason)
        .where(order.market_id.in_(market_ids))
        .order_by(order.id),
        sa.select(held.user_id, held.side, held.shares, held.cost_kopecks, held.reserved_shares, held.pnl_kopecks)
        .join_from(positions, markets, sold.id == held.market_id)
        .where(held.market_id.in_(market_ids))
        .order_by(held.user_id, sold.outcome_index, held.side, held.id),
        sa.select(sold.q_yes, sold.q_no, sold.volume_kopecks, sold.probability)
        .where(sold.id.in_(market_ids))
        .order_by(sold.id),
    )
    return [[tuple(row) for row in tx.execute(query)] for query in queries]
