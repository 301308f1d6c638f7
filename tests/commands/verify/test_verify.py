"""A site is worked out again from what it shows everyone, and each thing that is wrong in it is found."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.commands.cli import main
from foreknow.commands.replay.client import ApiClient
from foreknow.commands.replay.errors import ReplayFailed
from foreknow.commands.verify import Report, verify
from foreknow.commands.verify.feed import Feed
from foreknow.commands.verify.pools import Checked, check_pool
from foreknow.commands.verify.reading import EventRead, PublicTrade, event_ids, read_event
from foreknow.money.pricing import Side, average_price_bps
from tests.commands.audit.books import keep_books
from tests.contract.site_setting import send
from tests.support.crowd import Crowd
from tests.support.following import following
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.lengths import length
from tests.support.limit_orders import place, rest
from tests.support.odds import polymarket_group
from tests.support.orders import add_liquidity, bet
from tests.support.service import Service, expect, pool

#: Trades of a pool that are tried, and seeds of crowds.
SAMPLE = length(short=8, long=1_000)
SEEDS = length(short=1, long=30)


@pytest.fixture(scope="module")
def books(module_database_url: str) -> Iterator[Service]:
    """A site with trades of every kind."""
    service = Service(module_database_url)
    keep_books(service)
    yield service
    service.stop()


def verified(service: Service) -> Report:
    return asyncio.run(verify(service.url, token=None))


def read(service: Service) -> list[EventRead]:
    async def work() -> list[EventRead]:
        async with ApiClient(service.url) as client:
            events = [await read_event(client, None, event_id) for event_id in await event_ids(client, None)]
        return [event for event in events if event is not None]

    return asyncio.run(work())


def change(service: Service, statement: str) -> None:
    changed = service.server.run(service.app.db.write(lambda tx: tx.execute(sa.text(statement)).rowcount))
    assert changed > 0


def test_a_good_site_is_found_good(books: Service) -> None:
    report = verified(books)
    assert report.wrong == []
    assert report.pools > 10
    assert report.trades > 100
    assert report.results > 5
    assert report.fed == 50


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("table", "column", "by"),
    [
        ("trades", "amount_kopecks", "1"),
        ("trades", "shares", "1"),
        ("trades", "probability_after", "0.000001"),
        ("markets", "q_yes", "1"),
        ("pools", "loss_bound_kopecks", "1"),
    ],
)
def test_one_changed_row_is_found(books: Service, table: str, column: str, by: str) -> None:
    rows = f"SELECT MAX(id) FROM {table}"
    if table == "trades":
        rows += " WHERE basket_id IS NULL AND action = 'buy'"
    row = books.look(lambda tx: tx.execute(sa.text(rows)).scalar_one())
    change(books, f"UPDATE {table} SET {column} = {column} + {by} WHERE id = {row}")
    try:
        (wrong,) = verified(books).wrong
    finally:
        change(books, f"UPDATE {table} SET {column} = {column} - {by} WHERE id = {row}")
    if table == "trades":
        assert f"trade {row}: " in wrong


def variants(trade: PublicTrade) -> Iterator[PublicTrade]:
    """Yield a trade with each of its numbers changed as little as can be."""
    other = Side.NO if trade.side == Side.YES else Side.YES
    changed = [
        trade._replace(amount_kopecks=trade.amount_kopecks + 1),
        trade._replace(amount_kopecks=trade.amount_kopecks - 1),
        trade._replace(shares=trade.shares + 1),
    ]
    if not trade.legs:
        # Its price may be changed with it.
        changed = [
            one._replace(avg_price_bps=average_price_bps(money_kopecks=one.amount_kopecks, shares=one.shares))
            for one in changed
        ]
    yield from changed
    yield trade._replace(avg_price_bps=trade.avg_price_bps + 1)
    yield trade._replace(before=trade.before * 1.0000001)
    yield trade._replace(after=trade.after * 1.0000001)
    yield trade._replace(side=other)


def found(pool: Mapping[str, Any], details: Mapping[str, Any], trades: Sequence[PublicTrade]) -> Checked:
    """Work out a pool of which the page knows all trades."""
    return check_pool(pool, details, trades, known_id=max((trade.id for trade in trades), default=0))


def unnoticed(pool: Mapping[str, Any], details: Mapping[str, Any], trades: Sequence[PublicTrade]) -> list[PublicTrade]:
    """Return the changed or missing trades that are not found."""
    missed = []
    for at in Random(7).sample(range(len(trades)), min(SAMPLE, len(trades))):
        before, after = trades[:at], trades[at + 1 :]
        if found(pool, details, [*before, *after]).wrong is None:
            missed.append(trades[at])
        missed += [one for one in variants(trades[at]) if found(pool, details, [*before, one, *after]).wrong is None]
    return missed


@ONCE
def test_each_kopeck_price_and_trade_of_a_crowd_follows_and_no_other_does(service: Service) -> None:
    own = []
    for seed in range(SEEDS):
        crowd = Crowd(service, seed)
        tokens = [person.token for person in crowd.people]
        for _ in range(3):
            crowd.place_for_partner()
            crowd.note(service.together(crowd.shots(40), tokens=tokens))
            crowd.swap()
        own.append(crowd.event_id)
    met = 0
    for event in read(service):
        if event.page["event"]["id"] not in own:
            continue
        details = {one["pool_id"]: one for one in event.page["pools"]}
        for shown in event.page["event"]["pools"]:
            trades = [trade for trade in event.trades if trade.pool_id == shown["id"]]
            checked = found(shown, details[shown["id"]], trades)
            assert (checked.wrong, checked.trades) == (None, len(trades))
            met += sum(trade.before == trade.after for trade in trades)
            # Of several that followed one another only the sum is known.
            if not checked.summed:
                assert unnoticed(shown, details[shown["id"]], trades) == []
    assert met > 10


@ONCE
def test_a_result_that_pays_otherwise_is_found(books: Service) -> None:
    event = next(one for one in read(books) if one.page["event"]["pools"][0]["won_side"] == 0)
    pool, details = event.page["event"]["pools"][0], event.page["pools"][0]
    trades = [trade for trade in event.trades if trade.pool_id == pool["id"]]
    assert found(pool, details, trades).wrong is None
    for payouts in ([1, 0.01], [0, 1], [1]):
        other = pool | {"resolution": pool["resolution"] | {"payouts": payouts}}
        assert found(other, details, trades).wrong


def test_a_gap_of_the_feed_is_found() -> None:
    first = {"seq": 4, "trades": [{"token": "YES", "amount": 500}]}
    feed = Feed(first)
    feed.take({"seq": 5, "prev": 4})
    feed.find([("YES", 500), ("NO", 500)])
    assert (feed.wrong, feed.missing(), feed.trades) == ([], [], 2)
    feed.take({"seq": 8, "prev": 7})
    assert len(feed.wrong) == 1
    assert len(Feed(first).missing()) == 1


@ONCE
def test_the_command_says_what_it_checked(
    books: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "trades to the kopeck" in said(capsys, "verify", books.url)
    assert json.loads(said(capsys, "verify", f"{books.url}/api/v1", "--json"))["wrong"] == []

    expect(send(books.admin, {"read": "members"}), 200)
    try:
        with pytest.raises(SystemExit) as refused:
            main(["verify", books.url])
        assert refused.value.code == 1
        assert "401" in capsys.readouterr().err
        monkeypatch.setenv("FOREKNOW_TOKEN", books.user().token)
        assert "trades to the kopeck" in said(capsys, "verify", books.url)
    finally:
        expect(send(books.admin, {"read": "all"}), 200)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that succeeds, and return what it printed."""
    with contextlib.suppress(SystemExit):
        main(list(arguments))
    out, err = capsys.readouterr()
    assert "foreknow:" not in err
    return out


@ONCE
def test_a_trade_right_after_liquidity_was_added_is_not_yet_shown(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], b=20_000)])
    made, trader = event["pools"][0], service.user(balance_kopecks=1_000_000)
    expect(bet(trader, made["markets"][0]["id"], "YES", 100), 201)
    expect(add_liquidity(service.creator.client, made["id"], 21_000), 200)

    async def look() -> str | None:
        async with ApiClient(service.url) as client:
            before = await read_event(client, None, event["id"])
            expect(bet(trader, made["markets"][1]["id"], "YES", 100), 201)
            after = await read_event(client, None, event["id"])
        assert before is not None
        assert after is not None
        assert len(after.trades) == 2
        pool, details = before.page["event"]["pools"][0], before.page["pools"][0]
        return check_pool(pool, details, after.trades, known_id=before.known_id).wrong

    assert asyncio.run(look()) is None


@ONCE
@pytest.mark.parametrize(("margin", "makers"), [(0.02, 1), (0.0, 2), (0.02, 2)])
def test_resting_orders_that_take_added_liquidity_are_explained(service: Service, margin: float, makers: int) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], b=2_000, margin=margin)])
    made, people = event["pools"][0], [service.user(balance_kopecks=1_000_000) for _ in range(makers)]
    markets = [market["id"] for market in made["markets"]]
    for person, market in zip(people, markets, strict=False):
        expect(place(person, market, "YES", "buy", shares=20_000, price=40), 201)
    expect(add_liquidity(service.creator.client, made["id"], 20_000), 200)
    last = service.user(balance_kopecks=100)
    expect(place(last, markets[2], "NO", "buy", shares=100, price=99, time_in_force="ioc"), 201)

    page, trades = next((one.page, one.trades) for one in read(service) if one.page["event"]["id"] == event["id"])

    swept = trades[-makers - 1 : -1]
    assert [trade.market_id for trade in swept] == markets[:makers]
    assert swept[0].before < swept[0].after
    (shown,), (details,) = page["event"]["pools"], page["pools"]
    # Both of two orders followed the second's arrival, too.
    assert found(shown, details, trades) == Checked(len(trades), summed=0 if makers == 1 else 5, wrong=None)
    # What rests pays no fee. An order that arrives does, for this lot two kopecks: none may be missing.
    *earlier, lot = trades
    for kopecks in range(lot.amount_kopecks - 3, lot.amount_kopecks):
        price = average_price_bps(money_kopecks=kopecks, shares=lot.shares)
        wrong = found(shown, details, [*earlier, lot._replace(amount_kopecks=kopecks, avg_price_bps=price)]).wrong
        assert wrong == f"trade {lot.id}: {kopecks} kopecks for 100 shares are not what the curve gives"


@ONCE
def test_resting_orders_that_take_new_priors_are_explained(database_url: str) -> None:
    with following(database_url) as follower:
        names = ["Reds", "Blues"]
        event = follower.event({"Reds": "0.5", "Blues": "0.5"}, pools=[pool(names, margin=0.02)])
        market, maker = event["pools"][0]["markets"][0]["id"], follower.service.user(balance_kopecks=100_000)
        rest(maker, market, "YES", "buy", shares=1_000, price=48)
        follower.answer(event, polymarket_group(Reds="0.4", Blues="0.6"))
        assert follower.round(event)
        (one,) = read(follower.service)
    assert [trade.shares for trade in one.trades] == [1_000]
    assert found(one.page["event"]["pools"][0], one.page["pools"][0], one.trades).wrong is None


@ONCE
def test_a_site_is_right_while_people_trade_and_liquidity_grows(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], b=20_000)])
    made, trader = event["pools"][0], service.user(balance_kopecks=1_000_000)
    markets = [market["id"] for market in made["markets"]]
    ended = threading.Event()

    def trade() -> None:
        for number in itertools.count(1):
            if ended.is_set():
                return
            expect(bet(trader, markets[number % 3], "YES", 100 + number), 201)
            if number % 10 == 0 and number <= 200:
                expect(add_liquidity(service.creator.client, made["id"], 20_000 + 100 * number), 200)

    async def look() -> list[str]:
        async with ApiClient(service.url) as client:
            read = [await read_event(client, None, event["id"]) for _ in range(15)]
        return [
            wrong
            for one in read
            if one is not None
            for wrong in [check_pool(one.page["event"]["pools"][0], one.page["pools"][0], one.trades, known_id=0).wrong]
            if wrong is not None
        ]

    trading = threading.Thread(target=trade)
    trading.start()
    try:
        assert asyncio.run(look()) == []
    finally:
        ended.set()
        trading.join()


@ONCE
def test_a_site_that_fails_meanwhile_is_said_in_one_line(books: Service) -> None:
    with books.without("trades"), pytest.raises(ReplayFailed):
        verified(books)


def test_what_is_no_site_cannot_be_verified() -> None:
    with pytest.raises(ReplayFailed, match="cannot be followed"):
        asyncio.run(verify("http://127.0.0.1:9", token=None))
