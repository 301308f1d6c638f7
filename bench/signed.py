"""Cost of signed-in reads for an account with a thousand positions in its history.

python -m bench signed --database sqlite
python -m bench signed --database postgres

A user and a partner's user each open 1,000 positions by real bets, each in another market or side, and sell all but
some (`--open`) again. Printed are answers for each second of CPU time of the server process, which is what one core
gives, and what an answer costs as a multiple of the authenticated no-op POST of the same app.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpx
import uvloop

from bench.bets import NOOP, open_markets, order_requests
from bench.load import NextRequest, request
from bench.service import BenchService, running

POSITIONS = 1_000
#: Of these, by default.
LEFT_OPEN = 50
EXTERNAL_USER = "ivan"


@dataclass(frozen=True, slots=True)
class Holder:
    """The account with the history: its credentials and the form of its orders."""

    headers: dict[str, str]
    bets_path: str
    sales_path: str
    order: Callable[[int, str], dict[str, Any]]
    stake: str


def main(arguments: list[str]) -> None:
    """Make the accounts, then measure each read in turn with the no-op."""
    parser = argparse.ArgumentParser(prog="bench signed", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--open", type=int, default=LEFT_OPEN, help="positions that stay open (over 20)")
    parser.add_argument("--only", default="", help="only reads with this in their name")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    reads, noops = await prepare(service, left_open=options.open)
    load = {"connections": options.connections, "seconds": options.seconds}
    # Warm up: the first responses after a start take longer.
    await service.drive(noops, **load)
    print(
        f"{options.database}: {POSITIONS} positions in the account's history, {options.open} of them open", flush=True
    )
    for name, path, holder in reads:
        if options.only not in name:
            continue
        wanted = always(path, holder)
        length = len(service.admin.get(path, headers=holder.headers).raise_for_status().content)
        pairs, database_us = [], []
        for _ in range(options.rounds):
            before_s = service.database_cpu_s()
            read = await service.drive(wanted, **load)
            database_us.append(1e6 * (service.database_cpu_s() - before_s) / read.accepted)
            pairs.append((read, await service.drive(noops, **load)))
        cpu_us = statistics.median(read.cpu_us for read, _ in pairs)
        times_noop = statistics.median(read.cpu_us / noop.cpu_us for read, noop in pairs)
        rate = statistics.median(read.per_second for read, _ in pairs)
        database = f", PostgreSQL's {statistics.median(database_us):,.0f} µs" if service.postgres else ""
        print(
            f"{name} ({length:,} bytes): {1e6 / cpu_us:,.0f} a core's second ({cpu_us:,.0f} µs{database}),"
            f" {times_noop:.1f} × no-op, {rate:,.0f}/s here",
            flush=True,
        )


async def prepare(
    service: BenchService, *, left_open: int = LEFT_OPEN
) -> tuple[list[tuple[str, str, Holder]], NextRequest]:
    """Make the accounts; return their reads, each with its name, path and holder, and a source of no-ops."""
    market_ids = open_markets(service, POSITIONS // 2)
    token = service.trader(1)
    user = Holder(
        {"Authorization": f"Bearer {token}"}, "/market/bets", "/market/positions/sell", _own, "amount_kopecks"
    )
    partner = _partner(service)
    for holder in (user, partner):
        await _trade(service, holder, market_ids, left_open=left_open)
    return list(_reads(service, user, partner)), order_requests(NOOP, [token], market_ids)


def always(path: str, holder: Holder) -> NextRequest:
    """Return a source of one read of a holder's."""
    wanted = request("GET", "/api/v1" + path, headers=holder.headers)
    return lambda _connection: wanted


def _reads(service: BenchService, user: Holder, partner: Holder) -> Iterable[tuple[str, str, Holder]]:
    def second(path: str) -> str:
        answer = service.admin.get(path, headers=user.headers).raise_for_status().json()
        return f"{path}?cursor={answer['next_cursor']}"

    me = service.admin.get("/users/me", headers=user.headers).raise_for_status().json()
    yield "open positions", "/market/positions", user
    yield "open positions, second page", second("/market/positions"), user
    yield "open positions, page of 100", "/market/positions?limit=100", user
    yield "completed positions", "/market/positions/completed", user
    yield "completed positions, second page", second("/market/positions/completed"), user
    yield "completed positions, page of 100", "/market/positions/completed?limit=100", user
    yield "own PnL chart", "/users/me/pnl/chart", user
    yield "a user's PnL chart", f"/users/{me['id']}/pnl/chart", user
    yield "partner: a user's state", f"/partner/users/{EXTERNAL_USER}", partner
    yield "partner: balance", "/partner/balance", partner
    yield "partner: transactions", "/partner/transactions", partner


def _partner(service: BenchService) -> Holder:
    made = service.admin.post("/admin/partners", json={"name": "bench"}).raise_for_status().json()
    deposit = {"amount_kopecks": 10**12}
    service.admin.post("/admin/partners/bench/deposit", json=deposit).raise_for_status()
    headers = {"X-Partner-Key": str(made["key"])}
    return Holder(headers, "/partner/bets", "/partner/positions/sell", _partners, "stake_kopecks")


def _own(market_id: int, side: str) -> dict[str, Any]:
    return {"market_id": market_id, "token_type": side}


def _partners(market_id: int, side: str) -> dict[str, Any]:
    return {"external_user_id": EXTERNAL_USER, "market_id": market_id, "side": side.lower()}


async def _trade(service: BenchService, holder: Holder, market_ids: list[int], *, left_open: int) -> None:
    """Open a position on each side of each market, and sell all but `left_open` of them again."""
    wanted = [holder.order(market_id, side) for market_id in market_ids for side in ("YES", "NO")]
    async with httpx.AsyncClient(base_url=service.url + "/api/v1", headers=holder.headers, timeout=60) as client:
        places = asyncio.Semaphore(32)

        async def send(path: str, body: dict[str, Any]) -> None:
            async with places:
                (await client.post(path, json=body)).raise_for_status()

        bets = [wanted_one | {holder.stake: 5_000 + 7 * n} for n, wanted_one in enumerate(wanted)]
        await asyncio.gather(*(send(holder.bets_path, bet) for bet in bets))
        await asyncio.gather(*(send(holder.sales_path, sale) for sale in wanted[left_open:]))
