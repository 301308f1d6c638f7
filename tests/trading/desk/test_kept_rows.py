"""On SQLite a batch reads nothing again that the one before has left, and everything once another has written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from foreknow.kernel.errors import DomainError
from foreknow.money.pricing import Side
from foreknow.site.activity.tables import activity_cursor
from foreknow.trading.desk import ahead, resting
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.kinds import Sell
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.desk.resting import PoolBook
from foreknow.trading.entry.bet_routes import sale_receipt
from tests.support.kinds import ON_SQLITE
from tests.support.limit_orders import cancel, rest
from tests.support.orders import at_the_desk, balance, bet, open_market, sell
from tests.support.service import Person, Service, expect, refused

#: Tables that a batch would read under its locks.
TABLES = (" accounts", " positions", " pools", " markets", " sessions", "sqlite_sequence")

pytestmark = ON_SQLITE


@contextmanager
def selects() -> Iterator[list[str]]:
    """Collect the reads of write transactions from one of these tables."""
    seen: list[str] = []

    def note(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        is_read = statement.startswith("SELECT") and any(table in statement for table in TABLES)
        if is_read and connection.in_transaction() and connection.engine.pool is not None:
            seen.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def place(service: Service, *orders: OrderKind) -> list[Receipt]:
    """Place orders at one moment, past HTTP."""

    async def all_at_once() -> list[Receipt]:
        queued = [service.app.services.desk.queue(order) for order in orders]
        return [await one for one in queued]

    return list(service.server.run(all_at_once()))


def a_bet(service: Service, person: Person, market_id: int, stake_kopecks: int = 100) -> OrderKind:
    """Return a bet of a person's."""
    return service.server.run(at_the_desk(service, person, market_id, Side.YES, stake_kopecks))


def in_a_row(service: Service, *batches: list[OrderKind]) -> list[str]:
    """Place batches one after the other, with nothing between; return what the last one read."""

    async def one_by_one() -> list[str]:
        desk = service.app.services.desk
        for number, orders in enumerate(batches):
            with selects() as seen:
                for queued in [desk.queue(order) for order in orders]:
                    await queued
            if number == len(batches) - 1:
                return seen
        return []

    return list(service.server.run(one_by_one()))


def test_the_next_batch_reads_nothing_again(service: Service) -> None:
    markets = open_market(service, names=["A", "B", "C"])
    people = [service.user(balance_kopecks=10_000) for _ in range(3)]
    orders = [a_bet(service, person, market_id) for person in people for market_id in markets]

    # A job may write between two batches: not each time.
    reads = [len(in_a_row(service, orders, orders)) for _ in range(5)]

    assert min(reads) == 0
    assert [balance(person) for person in people] == [10_000 - 10 * 3 * 100] * 3


class Asked(int):
    """An id that counts how often anything looks at it: a set that takes or finds it asks for its hash."""

    count = 0

    def __hash__(self) -> int:
        Asked.count += 1
        return super().__hash__()


def test_a_batch_goes_through_none_of_what_it_does_not_need(service: Service) -> None:
    (market_id,) = open_market(service)
    order = a_bet(service, service.user(balance_kopecks=10_000), market_id)

    async def asked() -> int | None:
        desk = service.app.services.desk
        await desk.queue(order)
        kept: Any = desk._kept
        for number in range(1, 101):
            other = Asked(-number)
            for rows in (kept.pools, kept.accounts, kept.session_ends_ms):
                rows[other] = None
            kept.positions[other, other, "YES"] = None
        Asked.count = 0
        await desk.queue(order)
        is_kept = desk._kept is kept
        # No later batch may use these rows.
        desk._kept = None
        return Asked.count if is_kept else None

    # A job may write between two batches: not each time.
    assert {service.server.run(asked()) for _ in range(5)} - {None} == {0}


def test_a_position_that_was_sold_and_bought_again_is_a_new_one(service: Service) -> None:
    (market_id,) = open_market(service)
    person = service.user(balance_kopecks=10_000)
    buy = a_bet(service, person, market_id)
    sale = Sell(
        caller=buy.caller,
        market_id=market_id,
        side=Side.YES,
        idempotency_key=None,
        receipt=sale_receipt,
    )

    for _ in range(3):
        in_a_row(service, [buy, buy], [sale], [buy, sale])

    page = expect(person.client.get("/market/positions/completed"), 200)
    assert len(page["positions"]) == 6
    refused(sell(person, market_id, "YES"), 409, "insufficient_shares")


def test_what_is_written_of_other_tables_leaves_the_rows(service: Service) -> None:
    (market_id,) = open_market(service)
    order = a_bet(service, service.user(balance_kopecks=10_000), market_id)

    async def follow_between() -> list[str]:
        desk, db = service.app.services.desk, service.app.db
        await desk.queue(order)
        await db.write_private(lambda tx: tx.execute(activity_cursor.update().values(seq=activity_cursor.c.seq)))
        with selects() as seen:
            await desk.queue(order)
        return seen

    # Another worker may write between two batches: not each time.
    assert min(len(service.server.run(follow_between())) for _ in range(5)) == 0


def test_what_another_connection_writes_is_seen(service: Service) -> None:
    (market_id,) = open_market(service)
    person = service.user(balance_kopecks=1_000)
    order = a_bet(service, person, market_id, 400)
    place(service, order)

    path = service.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, timeout=10)) as other, other:
        other.execute("UPDATE sessions SET revoked_at_ms = 1 WHERE user_id = ?", (person.id,))

    with pytest.raises(DomainError) as error:
        place(service, order)
    assert error.value.code == "unauthorized"


def test_what_the_service_itself_writes_is_seen(service: Service) -> None:
    event_markets = open_market(service)
    person = service.user(balance_kopecks=400)
    order = a_bet(service, person, event_markets[0], 400)
    place(service, order)

    service.credit(person.id, 400)
    place(service, order)
    expect(person.client.delete("/auth/logout"), 200)
    with pytest.raises(DomainError) as error:
        place(service, order)

    assert error.value.code == "unauthorized"


def test_a_batch_that_fails_leaves_nothing(service: Service) -> None:
    (market_id,) = open_market(service)
    person = service.user(balance_kopecks=10_000)
    good = a_bet(service, person, market_id)

    def broken(_fill: object) -> Any:
        raise ZeroDivisionError

    bad = msgspec.structs.replace(good, receipt=broken)
    place(service, good)
    for _ in range(3):
        with pytest.raises(DomainError):
            place(service, good, bad)

    # The balance and the position are what the good ones alone have made of them.
    assert expect(bet(person, market_id, "YES", 100), 201)["balance_kopecks"] == 10_000 - 5 * 100
    sold = expect(sell(person, market_id, "YES"), 201)
    assert sold["balance_kopecks"] == balance(person)


def test_a_batch_that_makes_no_trade_leaves_the_last_ids(service: Service) -> None:
    (market_id,) = open_market(service)
    person = service.user(balance_kopecks=10_000)
    good, dear = a_bet(service, person, market_id), a_bet(service, person, market_id, stake_kopecks=1_000_000)

    async def last_ids() -> list[Any]:
        desk = service.app.services.desk
        found = []
        for order in (good, dear):
            with suppress(DomainError):
                await desk.queue(order)
            found.append(desk._kept and desk._kept.last_ids)
        return found

    # A job may write between two batches: not each time.
    seen = [service.server.run(last_ids()) for _ in range(5)]
    assert any(before and before == after for before, after in seen)
    assert all(before == after for before, after in seen if before and after)


def test_too_many_rows_are_not_kept(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "ROWS_MAX", 2)
    (market_id,) = open_market(service)
    people = [service.user(balance_kopecks=1_000) for _ in range(3)]

    for _ in range(3):
        place(service, *(a_bet(service, person, market_id) for person in people))

    assert service.app.services.desk._kept is None
    assert [balance(person) for person in people] == [700] * 3


def test_a_book_that_was_cancelled_whole_is_not_kept(service: Service) -> None:
    market_id, *_ = open_market(service, names=["A", "B", "C"], probabilities=[0.5, 0.3, 0.2])
    maker, taker = service.user(balance_kopecks=100_000), service.user(balance_kopecks=100_000)
    for number in range(20):
        rest(maker, market_id, "YES", "buy", shares=1_000, price=1 + number)
    # Another has written: the next batch reads the best of each queue, and keeps a book that knows no more.
    service.credit(taker.id, 1)
    rest(maker, market_id, "YES", "buy", shares=1_000, price=1)

    assert kept_book(service, market_id) is not None
    expect(maker.client.post("/market/orders/cancel", json={"market_id": market_id}), 200)

    # It would read what it does not know through the transaction of an earlier batch.
    assert kept_book(service, market_id) is None
    expect(bet(taker, market_id, "NO", 5_000), 201)
    assert balance(maker) == 100_000


def kept_book(service: Service, market_id: int) -> PoolBook | None:
    """Return the book that the next batch would go on with."""
    kept = service.app.services.desk._kept
    assert kept is not None
    (pool,) = [one for one in kept.pools.values() if market_id in [market.id for market in one.row.markets]]
    return pool.for_next(0).resting


def test_a_book_that_remembers_many_cancelled_orders_is_read_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resting, "REMOVED_MAX", 3)
    (market_id,) = open_market(service)
    maker = service.user(balance_kopecks=100_000)
    for number in range(20):
        rest(maker, market_id, "YES", "buy", shares=1_000, price=1 + number)
    service.credit(maker.id, 1)
    # Beyond the best of the queue, which are all that is read.
    for count in range(1, 5):
        cancel(maker, rest(maker, market_id, "YES", "buy", shares=1_000, price=1)["id"])
        assert (kept_book(service, market_id) is None) == (count > 3)
    assert expect(bet(maker, market_id, "YES", 500), 201)["shares"]
