"""How soon the crowd of many forecasters follows what they say, and how long bets wait meanwhile.

python -m bench crowd --database sqlite
python -m bench crowd --database postgres --forecasters 10000 --outcomes 10

The forecasters' rows are made without the interface; some of them change what they think, 100 times a second, over
HTTP. What was said by a moment is in the crowd once the follower has done with its news. Bets in another pool come at
random moments, first alone, then beside the changes; their latency counts from the moment they were due.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import time
from collections.abc import Sequence
from functools import partial

import msgspec
import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import NextRequest, request
from bench.payments import latencies, load
from bench.service import BenchService, running
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import DAY_MS, system_clock
from foreknow.market.pools.tables import forecast_news
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecasts.probabilities import raised
from foreknow.site.forecasts.tables import forecast_crowd_points, forecasts

#: Who change what they think: each may 60 times in 60 minutes.
CHANGING = 100
LOOK_S = 0.05
ROWS_AT_ONCE = 2_000


def main(arguments: list[str]) -> None:
    """Measure bets alone, then beside forecasts, and how late the crowd is."""
    parser = argparse.ArgumentParser(
        prog="bench crowd", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--forecasters", type=int, default=10_000)
    parser.add_argument("--outcomes", type=int, default=1)
    parser.add_argument("--changes-per-second", type=float, default=100.0)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator = service.trader(98, creator=True)
    pool_id = _open_pool(service, creator, options.outcomes)
    changing = [service.trader(1_000 + number, balance_kopecks=0) for number in range(CHANGING)]
    database = open_database(service.database)
    try:
        await _fill(database, pool_id, options.forecasters - CHANGING, options.outcomes)
        bets = order_requests(BETS, traders(service), open_markets(service, 1))
        # Warm up: the first bets create positions and load pages.
        await load(service, bets, options.bets_per_second, 2.0)
        print("bets alone:", latencies(await load(service, bets, options.bets_per_second, options.seconds)), flush=True)
        changes = load(
            service, _changes(changing, pool_id, options.outcomes), options.changes_per_second, options.seconds
        )
        late, said, beside = await asyncio.gather(
            _lateness(database, options.seconds), changes, load(service, bets, options.bets_per_second, options.seconds)
        )
        points = await database.read(lambda tx: _count_points(tx, pool_id))
    finally:
        await database.close()
    print("beside it: ", latencies(beside))
    print(f"forecasts: {said.per_second:.0f}/s, {said.refused} refused, p99 {said.percentile_ms(0.99):.1f} ms")
    late.sort()
    print(
        f"{options.database}: of {options.forecasters:,} forecasters of {options.outcomes} outcomes, what is said shows"
        f" after {late[len(late) // 2]:.2f} s in the middle, {late[-1]:.2f} s at the latest; {points} points"
    )


def _open_pool(service: BenchService, token: str, outcomes: int) -> int:
    """Publish a pool: a yes/no question, or a number with a range for each outcome."""
    metadata: dict[str, object] = {}
    if outcomes > 1:
        metadata["shape"] = {"kind": "number", "edges": list(range(1, outcomes))}
    headers = {"Authorization": f"Bearer {token}"}
    body = {"name": "Crowd", "pools": [{"name": "Crowd", "metadata": metadata}]}
    made = service.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
    service.admin.post(f"/events/{made['id']}/publish", headers=headers).raise_for_status()
    return int(made["pools"][0]["id"])


async def _fill(database: Database, pool_id: int, count: int, outcomes: int) -> None:
    """Let people whose accounts are two days old have said what they think, those who change theirs, too."""
    at_ms, source = system_clock(), random.Random(1)

    def make_older(tx: WriteTx) -> None:
        tx.execute(users.update().values(created_at_ms=users.c.created_at_ms - 2 * DAY_MS))

    def add(tx: WriteTx, *, numbers: Sequence[int]) -> None:
        people = [{"name": f"Forecaster {number}", "created_at_ms": at_ms - 2 * DAY_MS} for number in numbers]
        ids = tx.execute(users.insert().returning(users.c.id), people).scalars().all()
        rows = [_row(pool_id, user_id, _thought(source, outcomes), at_ms) for user_id in ids]
        tx.execute(forecasts.insert(), rows)

    await database.write(make_older)
    for numbers in chunks(range(count), ROWS_AT_ONCE):
        await database.write(partial(add, numbers=numbers))


def _row(pool_id: int, user_id: int, sent: Sequence[float], at_ms: int) -> dict[str, object]:
    times = {"since_ms": at_ms, "created_at_ms": at_ms, "accepted": [at_ms]}
    said = {"sent": sent, "probabilities": raised(sent), "market": sent, "note": ""}
    return {"pool_id": pool_id, "user_id": user_id, **said, **times}


def _thought(source: random.Random, outcomes: int) -> list[float]:
    parts = [source.random() for _ in range(max(2, outcomes))]
    shares = [part / sum(parts) for part in parts]
    return shares[:1] if outcomes == 1 else shares


def _changes(tokens: Sequence[str], pool_id: int, outcomes: int) -> NextRequest:
    """Return a source of changed minds: people in turn."""
    source, turn = random.Random(2), itertools.cycle(tokens)

    def next_request(_connection: int) -> bytes:
        headers = {"Authorization": f"Bearer {next(turn)}"}
        body = msgspec.json.encode({"probabilities": _thought(source, outcomes)})
        return request("PUT", f"/api/v1/pools/{pool_id}/forecast", headers=headers, body=body)

    return next_request


async def _lateness(database: Database, seconds: float) -> list[float]:
    """Return after how many seconds the crowd had what was said by a moment, at moments one after the other."""
    found: list[float] = []
    until_s = time.monotonic() + seconds
    newest, began_s = None, 0.0
    while time.monotonic() < until_s:
        if newest is not None and not await database.read(partial(_is_waiting, through_id=newest)):
            found.append(time.monotonic() - began_s)
            newest = None
        if newest is None:
            began_s, newest = time.monotonic(), await database.read(_newest_news)
        await asyncio.sleep(LOOK_S)
    return found


def _newest_news(tx: ReadTx) -> int | None:
    found: int | None = tx.execute(sa.select(sa.func.max(forecast_news.c.id))).scalar()
    return found


def _is_waiting(tx: ReadTx, through_id: int) -> bool:
    return (
        tx.execute(sa.select(forecast_news.c.id).where(forecast_news.c.id <= through_id).limit(1)).first() is not None
    )


def _count_points(tx: ReadTx, pool_id: int) -> int:
    count = sa.select(sa.func.count()).where(forecast_crowd_points.c.pool_id == pool_id)
    return int(tx.execute(count).scalar_one())
