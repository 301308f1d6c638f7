"""What followers cost a bet: 1,000 price alerts on its market and 100,000 people who follow its event, against none.

python -m bench followers --database sqlite
python -m bench followers --database postgres --followers 10000

Two servers of this checkout, each on a database of its own, are driven in turn with the same bets; one has the alerts,
which no bet reaches, and the followers. Then all of them are notified of something, and bets come at random moments;
their latency counts from the moment they were due.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial

import sqlalchemy as sa
import uvloop

from bench.bets import BETS, order_requests, traders
from bench.load import Figures, Load, NextRequest
from bench.payments import SLICE_S, latencies, load
from bench.service import BenchService, running
from bench.spread import Spread
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import system_clock
from foreknow.people.follows import news
from foreknow.people.follows.tables import event_follows, follower_news, price_alerts
from foreknow.people.notifications.kinds.followed import EventClosing
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import WriteTx

#: Of YES, where bets in turn on both sides keep the price near 0.5.
ABOVE_BPS, BELOW_BPS = 9_900, 100
#: Measured without notifications, of `SLICE_S` each.
IDLE_SLICES = 10
_NAME = "Bench follower"


def main(arguments: list[str]) -> None:
    """Measure bets with and without followers in turn, then beside their notifications, and print the figures."""
    parser = argparse.ArgumentParser(
        prog="bench followers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--followers", type=int, default=100_000)
    parser.add_argument("--alerts", type=int, default=1_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each load")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bets-per-second", type=float, default=50.0, help="while followers are notified")
    options = parser.parse_args(arguments)
    with running(options.database) as alone, running(options.database) as followed:
        uvloop.run(_measure(alone, followed, options))


async def _measure(alone: BenchService, followed: BenchService, options: argparse.Namespace) -> None:
    database = open_database(followed.database)
    try:
        event_id, requests = _prepare(followed)
        await database.write(partial(_follow, event_id=event_id, count=options.followers, alerts=options.alerts))
        await _compare([(alone, _prepare(alone)[1]), (followed, requests)], options)
        offer = partial(load, followed, requests, options.bets_per_second, SLICE_S)
        idle = Figures()
        for _ in range(IDLE_SLICES):
            _add(idle, await offer())
        print("bets alone:", latencies(idle), flush=True)
        await _notify(database, event_id, offer, options)
    finally:
        await database.close()


def _prepare(service: BenchService) -> tuple[int, NextRequest]:
    """Open a market and sign up traders; return its event, and a source of bets."""
    event = service.event(service.trader(0, creator=True))
    return event["id"], order_requests(BETS, traders(service), [event["pools"][0]["markets"][0]["id"]])


def _follow(tx: WriteTx, *, event_id: int, count: int, alerts: int) -> None:
    """Let people, made in the database alone, follow an event, and some of them have alerts on its market."""
    own = {"name": _NAME, "created_at_ms": system_clock()}
    for chunk in chunks(range(count)):
        tx.execute(users.insert(), [{**own, "email": f"follower{n}@example.org", "email_key": None} for n in chunk])
    ids = tx.execute(sa.select(users.c.id).where(users.c.name == _NAME).order_by(users.c.id)).scalars().all()
    for chunk in chunks(ids):
        row = {"event_id": event_id, "is_on": True, "by_trade": False, "followed_at_ms": 1}
        tx.execute(event_follows.insert(), [row | {"user_id": user_id} for user_id in chunk])
    found = sa.text("SELECT p.id, m.id FROM pools p JOIN markets m ON m.pool_id = p.id WHERE p.event_id = :event_id")
    pool_id, market_id = tx.execute(found, {"event_id": event_id}).one()
    row = {"pool_id": pool_id, "market_id": market_id, "trades": 0, "set_at_ms": 1}
    limits = {"above_bps": ABOVE_BPS, "below_bps": BELOW_BPS}
    tx.execute(price_alerts.insert(), [row | limits | {"user_id": user_id} for user_id in ids[:alerts]])


async def _compare(sides: Sequence[tuple[BenchService, NextRequest]], options: argparse.Namespace) -> None:
    cpu_us: list[list[float]] = [[], []]
    for number in range(1 + options.rounds):
        order = (0, 1) if number % 2 else (1, 0)
        for side in order:
            service, requests = sides[side]
            before_s = service.database_cpu_s()
            drive = await service.drive(requests, connections=options.connections, seconds=options.seconds)
            # The worker of followers reads what is left after the load, too: at most its last second.
            each_us = drive.cpu_us + 1e6 * (service.database_cpu_s() - before_s) / max(1, drive.answers)
            if number:
                cpu_us[side].append(each_us)
    without, with_ = (Spread(values) for values in cpu_us)
    ratio = Spread.of_ratios(cpu_us[1], cpu_us[0])
    print(
        f"{options.database}: CPU of a bet, server's and database's, {with_} µs with {options.alerts:,} alerts and "
        f"{options.followers:,} followers, {without} µs with none: {ratio}",
        flush=True,
    )


async def _notify(database: Database, event_id: int, offer: Load, options: argparse.Namespace) -> None:
    at_ms = system_clock()
    await database.write(
        lambda tx: news.write(tx, event_id, EventClosing(finish_at="2030-01-01T00:00:00Z"), without=(), at_ms=at_ms)
    )
    beside, began_s = Figures(), time.perf_counter()
    of_news = sa.select(follower_news.c.id).limit(1)
    while await database.read(lambda tx: tx.execute(of_news).first()):
        _add(beside, await offer())
    print(f"beside {options.followers:,} notifications, {time.perf_counter() - began_s:.0f} s: {latencies(beside)}")


def _add(total: Figures, some: Figures) -> None:
    total.latencies_ms += some.latencies_ms
    total.statuses += some.statuses
    total.seconds += some.seconds
