"""A trader's trades are followed from the newest, and are the same as those of a look through all trades."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trader_trades import TradesPlace, traded_between, trades_from
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.service import Person, Service, expect, pool

_FORGET = sa.text("UPDATE accounts SET last_trade_id = NULL WHERE kind = 'user' AND owner_id = :id")


def trade(service: Service, people: list[Person]) -> None:
    """Let people trade, several of one person in a batch, with sales that close a position and new bets after them."""
    market_id = int(service.event(pools=[pool()])["pools"][0]["markets"][0]["id"])
    for token_type in ("YES", "NO"):
        bet = {"market_id": market_id, "token_type": token_type, "amount_kopecks": 300}
        shots: list[Any] = [("POST", "/market/bets", {"json": bet})] * 9
        for answer in service.together(shots, tokens=[person.token for person in people]):
            expect(answer, 201)
        sale = {"market_id": market_id, "token_type": token_type}
        expect(people[0].client.post("/market/positions/sell", json=sale), 201)


def all_of(service: Service, person: Person) -> list[int]:
    """Return the ids of a person's trades, newest first, from all trades."""
    query = sa.select(trades.c.id).where(trades.c.user_id == person.id).order_by(trades.c.id.desc())
    return list(service.server.run(service.app.db.read(lambda tx: tx.execute(query).scalars().all())))


def paged(service: Service, person: Person, limit: int) -> list[int]:
    """Return the same by pages."""

    def read(tx: ReadTx) -> list[int]:
        found: list[int] = []
        place: TradesPlace | None = None
        while page := trades_from(tx, person.id, place=place, limit=limit):
            found += [trade.id for trade in page]
            place = page[-1].place
        return found

    return list(service.server.run(service.app.db.read(read)))


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_pages_follow_one_another_without_a_gap(service: Service, limit: int) -> None:
    people = [service.user(balance_kopecks=10_000) for _ in range(2)]
    trade(service, people)

    for person in people:
        assert len(all_of(service, person)) >= 8
        assert paged(service, person, limit) == all_of(service, person)


def test_trades_of_before_they_named_one_another_follow_the_newer_ones(service: Service) -> None:
    person = service.user(balance_kopecks=20_000)
    trade(service, [person])

    def forget(tx: WriteTx) -> None:
        tx.execute(trades.update().where(trades.c.user_id == person.id).values(previous_trade_id=None))
        tx.execute(
            sa.text("UPDATE accounts SET last_trade_id = NULL WHERE kind = 'user' AND owner_id = :id"),
            {"id": person.id},
        )

    service.server.run(service.app.db.write(forget))
    trade(service, [person])

    for limit in (1, 7, 100):
        assert paged(service, person, limit) == all_of(service, person)


def test_no_one_elses_trades_are_found(service: Service) -> None:
    person, other, idle = (service.user(balance_kopecks=20_000) for _ in range(3))
    trade(service, [person, other])

    assert paged(service, idle, 100) == []
    assert not set(paged(service, person, 100)) & set(paged(service, other, 100))


@pytest.mark.parametrize("is_chained", [True, False])
def test_who_traded_in_a_time_is_found_behind_later_trades(service: Service, is_chained: bool) -> None:
    person, idle = service.user(balance_kopecks=20_000), service.user()
    trade(service, [person])
    moments = {2: 1_000, 5: 2_000}
    ids = all_of(service, person)[::-1]

    def move(tx: WriteTx) -> None:
        for place, trade_id in enumerate(ids):
            at_ms = moments.get(place, 500 if place < 2 else 1_500 if place < 5 else 3_000)
            tx.execute(trades.update().where(trades.c.id == trade_id).values(created_at_ms=at_ms))
        if not is_chained:
            # As fills of resting orders are.
            tx.execute(trades.update().where(trades.c.id.in_(ids)).values(previous_trade_id=None))

    service.server.run(service.app.db.write(move))

    def between(start_ms: int, end_ms: int) -> set[int]:
        return set(
            service.server.run(
                service.app.db.read(
                    lambda tx: traded_between(tx, [person.id, idle.id], start_ms=start_ms, end_ms=end_ms)
                )
            )
        )

    assert between(900, 1_001) == {person.id}
    assert between(2_500, 9_000) == {person.id}
    assert between(2_001, 3_000) == set()
    assert between(501, 1_000) == set()
    assert between(0, 501) == {person.id}
