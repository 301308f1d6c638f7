"""A service moved to another database answers as before, and goes on where it was."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.commands.copying import copy
from foreknow.platform.db.ids import draw_ids, has_own_ids, last_id, set_last_id
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import WriteTx
from foreknow.service.tables import metadata
from foreknow.trading.desk.tables import trades
from tests.commands.audit.books import keep_books
from tests.commands.copying.conftest import EmptyDatabase
from tests.commands.copying.stages import Stages
from tests.site.feed.listening import listening
from tests.support import forks
from tests.support.baskets import change, markets_of
from tests.support.books import audit_database
from tests.support.kinds import ONCE
from tests.support.limit_orders import work
from tests.support.lists import twice_split
from tests.support.postgres import Postgres
from tests.support.schema import prepare
from tests.support.service import ADMIN_EMAIL, PASSWORD, Person, Service, expect, pool
from tests.support.transactions import look
from tests.support.waiting import let_work

# One of the two sides is always on it.
pytestmark = pytest.mark.postgres


@dataclass(frozen=True, slots=True)
class Inhabited:
    """A service in which people did all that can be done, and what they see of it."""

    service: Service
    person: Person
    market_id: int
    #: A basket, as the person sent it under the key `basket`.
    basket: dict[str, Any]
    admin_token: str
    partner_key: str
    pages: dict[str, Any]

    def open(self, service: Service) -> httpx.Client:
        """Return the person's client, chat and sign-in included, on a service with the same database or a copy."""
        client = service.client(token=self.person.token)
        client.cookies.update(self.person.client.cookies)
        return client

    def read(self, service: Service) -> dict[str, Any]:
        """Return everything the person, the admin and the partner see on a service."""
        clients = (
            ("person", self.open(service), PERSONAL),
            ("admin", service.client(token=self.admin_token), ADMINS),
            ("partner", service.client(partner_key=self.partner_key), PARTNERS),
        )
        pages = {
            f"{who} {path}": expect(client.get(path.format(basket=self.basket["id"])), 200)
            for who, client, paths in clients
            for path in paths
        }
        pages["stats"] = expect(self.open(service).get("/admin/stats"), 200)["total"]
        with listening(service) as feed:
            pages["feed"] = feed.message()
        return pages


PERSONAL = (
    "/users/me",
    "/users/me/pnl/chart",
    "/market/positions",
    "/market/positions/completed",
    "/market/baskets/{basket}",
    "/users/me/trades?limit=100",
    "/users/me/transactions?limit=100",
    "/notifications",
    "/chat/messages",
    "/events?limit=100",
    "/events/1/comments",
    "/comments/1/replies",
    "/market/orderbook/1",
    "/assets/BTC/price",
    "/currency/rate?from=USD&to=RUB",
)
ADMINS = ("/admin/users?limit=100", "/admin/partners", "/admin/log?limit=100", "/admin/chat/sessions")
PARTNERS = ("/partner/balance", "/partner/transactions?limit=100", "/partner/users/kim", "/partner/users/lee%2F7")
BET = {"token_type": "YES", "amount_kopecks": 700}
SUB_BET = {"external_user_id": "kim", "side": "yes", "stake_kopecks": 900}


@pytest.fixture
def inhabited(fresh_service: Service) -> Inhabited:
    service = fresh_service
    keep_books(service)
    # So that nothing is left to be done that would change what is shown.
    work(service)
    ann, bob = service.user(balance_kopecks=100_000, stats_viewer=True), service.user(balance_kopecks=100_000)
    partner = service.partner(float_kopecks=100_000)
    event = service.event(name="Will it move?", tags=["move"], name_ru="Переедет ли?")
    market_id = event["pools"][0]["markets"][0]["id"]
    comment = expect(ann.client.post("/comments", json={"event_id": 1, "content": "It will. 🚚"}), 201)
    reply = {"event_id": 1, "parent_id": comment["id"], "content": "It will not."}
    expect(bob.client.post("/comments", json=reply), 201)
    expect(bob.client.put(f"/comments/{comment['id']}/reaction", json={"type": "like"}), 200)
    expect(ann.client.post("/chat/session"), 201)
    expect(ann.client.post("/chat/message", json={"text": "Where is my money?"}), 200)
    admin = service.admin
    expect(admin.put("/admin/assets/BTC", json={"name": "Bitcoin", "asset_type": "crypto", "price": 0.1}), 200)
    expect(admin.put("/admin/currency-rates", json={"from": "USD", "to": "RUB", "rate": 91.7}), 200)
    bet = {"market_id": market_id} | BET
    expect(ann.client.post("/market/bets", json=bet, headers={"Idempotency-Key": "once"}), 201)
    expect(partner.client.post("/partner/bets", json={"market_id": market_id} | SUB_BET), 201)
    three = markets_of(service.event(pools=[pool(["A", "B", "C"])])["pools"][0])
    basket = {"market_ids": three[:2], "amount_kopecks": 800}
    placed = expect(ann.client.post("/market/baskets", json=basket, headers={"Idempotency-Key": "basket"}), 201)
    expect(change(ann, {three[0]: -100, three[2]: 300}), 201)
    admin_token = service.sign_in(ADMIN_EMAIL, PASSWORD)
    made = Inhabited(service, ann, market_id, {"id": placed["id"], **basket}, admin_token, partner.key, {})
    made.pages.update(made.read(service))
    return made


@dataclass(frozen=True, slots=True)
class Traded:
    """A service with one trade, and who made it."""

    service: Service
    trader: Person
    market_id: int

    def bet(self, service: Service) -> None:
        """Bet once more, on a service with the same database or a copy."""
        bet = {"market_id": self.market_id} | BET
        expect(service.client(token=self.trader.token).post("/market/bets", json=bet), 201)


@pytest.fixture
def traded(fresh_service: Service) -> Traded:
    trader = fresh_service.user(balance_kopecks=100_000)
    made = Traded(fresh_service, trader, fresh_service.event()["pools"][0]["markets"][0]["id"])
    made.bet(fresh_service)
    return made


@ONCE
def test_a_service_moved_there_and_back_answers_as_before_and_goes_on(
    inhabited: Inhabited, target_url: str, database_kind: str, empty_database: EmptyDatabase
) -> None:
    """Into the other kind; and from there, with what it did meanwhile, into another database of its own kind."""
    pages = inhabited.pages
    source, last = inhabited.service, last_ids(inhabited.service)
    source.stop()
    for url in (target_url, empty_database(database_kind)):
        stages = Stages()
        copied = copy(source_url=source.database_url, target_url=url, watcher=stages)
        assert not copied.moved_on
        assert copied.rows == sum(stages.steps.values()) > 500
        assert stages.steps["trades"] > 50
        moved = Service(url)
        try:
            assert inhabited.read(moved) == pages
            goes_on(inhabited, moved, last)
            work(moved)
            let_work()
            pages, last = inhabited.read(moved), last_ids(moved)
        finally:
            moved.stop()
        audit_database(url)
        source = moved


def last_ids(service: Service) -> dict[str, int]:
    """Return the highest id of each table."""
    found: dict[str, int] = service.look(lambda tx: {table.name: last_id(tx, table) for table in _numbered()})
    return found


def goes_on(inhabited: Inhabited, moved: Service, last: Mapping[str, int]) -> None:
    """Make sure that people go on where they were, on a copy of a database in which these ids were the last ones."""
    client = inhabited.open(moved)
    # The first answer to this key came from another database.
    bet = {"market_id": inhabited.market_id} | BET
    again = client.post("/market/bets", json=bet, headers={"Idempotency-Key": "once"})
    assert again.headers["Idempotency-Replayed"] == "true"
    assert expect(again, 201)["id"] <= last["trades"]
    basket = {name: value for name, value in inhabited.basket.items() if name != "id"}
    again = client.post("/market/baskets", json=basket, headers={"Idempotency-Key": "basket"})
    assert again.headers["Idempotency-Replayed"] == "true"
    assert expect(again, 201)["id"] == inhabited.basket["id"]
    assert expect(client.post("/market/baskets", json=basket), 201)["id"] > last["baskets"]
    with listening(moved, "?seq=1") as feed:
        seq = feed.message()["seq"]
        assert expect(client.post("/market/bets", json=bet), 201)["id"] > last["trades"]
        assert feed.message()["prev"] == seq
    sub_bet = {"market_id": inhabited.market_id} | SUB_BET
    partner = moved.client(partner_key=inhabited.partner_key)
    assert expect(partner.post("/partner/bets", json=sub_bet), 201)["bet_id"] > last["trades"]
    said = expect(client.post("/comments", json={"event_id": 1, "content": "It has."}), 201)
    assert said["id"] > last["comments"] > 1
    asked = expect(client.post("/chat/message", json={"text": "There it is."}), 200)["messages"]
    assert asked[0]["id"] > last["chat_messages"] > 0
    newcomer = moved.user(balance_kopecks=5_000, creator=True)
    assert newcomer.id > last["users"]
    event = moved.event(newcomer)
    assert event["id"] > last["events"]
    expect(newcomer.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)


@ONCE
def test_a_list_that_was_split_twice_is_moved_traded_and_split_again(fresh_service: Service, target_url: str) -> None:
    made = twice_split(fresh_service)
    fresh_service.stop()
    copy(source_url=fresh_service.database_url, target_url=target_url, watcher=Stages())
    audit_database(target_url)
    moved = Service(target_url)
    try:
        assert made.read(moved) == made.pages
        made.go_on(moved)
    finally:
        moved.stop()
    audit_database(target_url)


def test_to_postgres_the_order_of_trades_moves_too(traded: Traded, postgres: Postgres) -> None:
    source, target_url = traded.service, postgres.fresh_database(prepare)
    # As of a copy that has become the site: on SQLite the numbers of trades leap with their ids.
    look(source.database_url, lambda tx: set_last_id(tx, trades, 1_000))
    traded.bet(source)
    with listening(source, "?seq=1") as feed:
        initial = feed.message()
    assert initial["seq"] == (1_001 if source.app.db.is_sqlite else 2)
    source.stop()
    copy(source_url=source.database_url, target_url=target_url, watcher=Stages())
    moved = Service(target_url)
    try:
        with listening(moved, "?seq=1") as feed:
            assert feed.message() == initial
            traded.bet(moved)
            assert feed.message()["prev"] == initial["seq"]
    finally:
        moved.stop()
    audit_database(target_url)
    postgres.drop(target_url)


def test_a_copied_postgres_has_every_constraint_and_no_id_twice(postgres: Any, empty_database: EmptyDatabase) -> None:
    """Ids go on after the highest one that ever was, deleted or not; references are checked as before."""
    source, target, declared = empty_database("sqlite"), empty_database("postgres"), postgres.fresh_database(prepare)
    migrate(source)
    last = {table: place for place, table in enumerate(_numbered(), 7)}

    def number(tx: WriteTx) -> None:
        for table, place in last.items():
            set_last_id(tx, table, place)

    look(source, number)
    copy(source_url=source, target_url=target, watcher=Stages())
    assert look(target, lambda tx: {table: last_id(tx, table) for table in last}) == last
    drawn = look(target, lambda tx: {table: draw_ids(tx, table, 1) for table in last})
    assert drawn == {table: [place + 1] for table, place in last.items()}

    def constraints(tx: WriteTx) -> Sequence[Any]:
        query = "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint"
        return tx.execute(sa.text(f"{query} ORDER BY 1, 2")).all()

    assert look(target, constraints) == look(declared, constraints)
    postgres.drop(declared)


def test_what_is_written_during_a_copy_is_in_it_whole_or_not_at_all(traded: Traded, target_url: str) -> None:
    """A bet at every stage: the copy has none of them, its books are right, and it knows that it is behind."""
    source = traded.service
    before = source.look(_trades)
    stages = Stages(lambda _stage: traded.bet(source))
    copied = copy(source_url=source.database_url, target_url=target_url, watcher=stages)
    assert copied.moved_on
    assert source.look(_trades) == before + len(stages.steps)
    assert look(target_url, _trades) == before


def test_a_copy_killed_in_the_middle_leaves_nothing_and_can_be_made_again(traded: Traded, target_url: str) -> None:
    traded.service.stop()
    urls = {"source_url": traded.service.database_url, "target_url": target_url}
    program = f"""
import os
from foreknow.commands.copying import copy
class Killer:
    def stage(self, what, steps):
        if what == "trades":
            os.kill(os.getpid(), {signal.SIGKILL:d})
    def step(self, count):
        pass
copy(**{urls!r}, watcher=Killer())
"""
    killed = forks.run([sys.executable, "-c", program], timeout=300)
    assert killed.returncode == -signal.SIGKILL
    assert look(target_url, lambda tx: tx.scalar(sa.text("SELECT count(*) FROM accounts"))) == 0

    copy(**urls, watcher=Stages())
    assert look(target_url, _trades) == 1


def _trades(tx: WriteTx) -> int:
    return int(tx.scalar(sa.text("SELECT count(*) FROM trades")) or 0)


def _numbered() -> Iterator[sa.Table]:
    return (table for table in metadata.sorted_tables if has_own_ids(table))
