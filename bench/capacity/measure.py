"""How many bets, readers and sockets 1, 4, 16 and 64 processes would carry, and what is saturated first each time.

python -m bench capacity
python -m bench capacity --write docs/operations/scale.md

Costs are measured here, on PostgreSQL; the rest is `bench.capacity.model`, which one and two workers check: each gets
`--share` of a core (as root), so that the machine has cores left for the database and the clients. `--write` puts the
tables between the two marks of that page.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvloop

from bench import feed, reads, workers
from bench.bets import bets_and_noops
from bench.capacity import model
from bench.capacity.model import Ceiling, Costs, Machines
from bench.listeners import listening
from bench.service import BenchService, running
from foreknow.platform.db.postgres.database import CONNECTIONS

PROCESSES = (1, 4, 16, 64)
SPREAD_POOLS = 200
#: Sockets of the measured hub.
SOCKETS = 2_000
TRADES_PER_SECOND = (1, 10, 100)
#: What takes longer where a process has but a part of a core.
_OF_PROCESS = {"bet_us", "noop_us", "spread_bet_us", "least_batch_us"}
BEGIN, END = "<!-- bench capacity -->", "<!-- end -->"


@dataclass(frozen=True, slots=True)
class _Bets:
    """What a load of bets came to: CPU times for each, and how long a batch of a single one took."""

    cpu_us: float
    database_us: float
    noop_us: float
    least_batch_us: float


def main(arguments: list[str]) -> None:
    """Measure, calculate, check, and print or write the tables."""
    parser = argparse.ArgumentParser(
        prog="bench capacity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="of each load")
    parser.add_argument("--share", type=float, default=0.3, help="of a core for each worker of the check")
    parser.add_argument("--primary-cores", type=int, default=16, help="of PostgreSQL's machine in the tables")
    parser.add_argument("--network-gigabits", type=float, default=10.0, help="a second, of the machines in the tables")
    parser.add_argument("--write", type=Path, help="a page with the two marks, whose text between them is replaced")
    options = parser.parse_args(arguments)
    costs = measured(options.seconds)
    text = "\n".join([*_costs(costs), "", *_tables(costs, options), "", *_check(costs, options)])
    if options.write is None:
        print(text)
        return
    page = options.write.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def measured(seconds: float) -> Costs:
    """Return what one process and PostgreSQL take for each thing, on this machine."""
    with running("postgres") as service:
        hot = uvloop.run(_bets(service, 1, seconds))
    with running("postgres") as service:
        spread = uvloop.run(_bets(service, SPREAD_POOLS, seconds))
    with running("postgres") as service:
        read_us, read_bytes = uvloop.run(_read(service, seconds))
    with running("postgres") as service:
        message_us, socket_kib = _message(service)
    return Costs(
        bet_us=hot.cpu_us,
        bet_database_us=hot.database_us,
        spread_bet_us=spread.cpu_us,
        spread_bet_database_us=spread.database_us,
        noop_us=hot.noop_us,
        least_batch_us=hot.least_batch_us,
        read_us=read_us,
        read_bytes=read_bytes,
        message_us=message_us,
        socket_kib=socket_kib,
    )


async def _bets(service: BenchService, markets: int, seconds: float) -> _Bets:
    bets, noops = bets_and_noops(service, markets)
    await service.drive(bets, connections=256, seconds=seconds / 2)
    before_s = service.database_cpu_s()
    figures = await service.drive(bets, connections=256, seconds=seconds)
    database_s = service.database_cpu_s() - before_s
    without = await service.drive(noops, connections=256, seconds=seconds)
    before = _batches(service)
    await service.drive(bets, connections=1, seconds=seconds / 2)
    batches, took_s = (late - early for early, late in zip(before, _batches(service), strict=True))
    return _Bets(figures.cpu_us, 1e6 * database_s / figures.accepted, without.cpu_us, 1e6 * took_s / batches)


def _batches(service: BenchService) -> tuple[float, float]:
    """Return how many batches there were, and their seconds."""
    lines = httpx.get(f"{service.url}/metrics").raise_for_status().text.splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines if line.startswith("foreknow_desk_commit_seconds"))
    return float(found["foreknow_desk_commit_seconds_count"]), float(found["foreknow_desk_commit_seconds_sum"])


async def _read(service: BenchService, seconds: float) -> tuple[float, int]:
    public = reads.prepare(service, 0.0, connections=32, seconds=seconds)
    path = next(iter(public.paths.values()))
    length = len(service.admin.get(path).raise_for_status().content)
    await public.load(path)
    return (await public.load(path)).cpu_us, length


def _message(service: BenchService) -> tuple[float, float]:
    """Return the CPU time of one message to one socket (µs), and a socket's memory (KiB)."""
    load, before_bytes = feed.Load(service), service.resident_bytes()
    with listening(service.url, SOCKETS) as listeners:
        socket_kib = (service.resident_bytes() - before_bytes) / SOCKETS / 1024
        rounds = []
        for number in range(5):
            order = {"market_id": load.market_id, "times": 20, "together": 1, "first": 20 * number}
            rounds.append(service.admin.post("/bench/broadcast", json=order).raise_for_status().json()["hub_us"])
            listeners.heard(40 * (number + 1))
    return statistics.median(rounds), socket_kib


def _costs(costs: Costs) -> list[str]:
    return [
        "| Measured on this machine | |",
        "|---|---|",
        f"| a bet on one pool, batches full: CPU of the process | {costs.bet_us:.0f} µs |",
        f"| CPU of PostgreSQL for it | {costs.bet_database_us:.0f} µs |",
        f"| a bet on one of {SPREAD_POOLS} pools: CPU of the process | {costs.spread_bet_us:.0f} µs |",
        f"| CPU of PostgreSQL for it | {costs.spread_bet_database_us:.0f} µs |",
        f"| a request of its shape that places none | {costs.noop_us:.0f} µs |",
        f"| a bet alone holds its pool's lock for | {costs.least_batch_us / 1000:.1f} ms |",
        f"| {model.BATCH_ORDERS} bets on one pool, calculated from these | {costs.full_batch_us / 1000:.0f} ms |",
        f"| a read of 20 pools ({costs.read_bytes / 1000:.0f} kB): CPU of the process | {costs.read_us:.0f} µs |",
        f"| a trade's message to one socket | {costs.message_us:.1f} µs |",
        f"| a socket's memory | {costs.socket_kib:.0f} KiB |",
    ]


def _tables(costs: Costs, options: argparse.Namespace) -> list[str]:
    heads = [f"{processes} process{'es' if processes > 1 else ''}" for processes in PROCESSES]
    network = options.network_gigabits * 1e9 / 8
    rows: list[tuple[str, list[str]]] = []
    kinds = [Machines(processes=processes, primary_cores=options.primary_cores) for processes in PROCESSES]
    rows.append(("bets a second, one hot pool", [_cell(model.bets_on_one_pool(costs, one)) for one in kinds]))
    rows.append(("bets a second, ten thousand pools", [_cell(model.bets_on_many_pools(costs, one)) for one in kinds]))
    rows.append(("public reads a second", [_cell(model.reads(costs, one, network_bytes=network)) for one in kinds]))
    for trades in TRADES_PER_SECOND:
        cells = [_cell(model.sockets(costs, one, trades_per_second=trades)) for one in kinds]
        rows.append((f"sockets that hear {trades} trade{'s' if trades > 1 else ''} a second", cells))
    rows.append(("connections to PostgreSQL", [f"{model.connections(one, each=CONNECTIONS):,}" for one in kinds]))
    primary = f"PostgreSQL on {options.primary_cores} cores, {options.network_gigabits:g} Gbit/s"
    return [
        f"| {primary} | {' | '.join(heads)} |",
        f"|{'---|' * (1 + len(heads))}",
        *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows),
    ]


def _cell(ceiling: Ceiling) -> str:
    return f"{_rounded(ceiling.per_second):,} ({ceiling.by})"


def _rounded(number: float) -> int:
    """Round to two digits: the model knows no more."""
    return int(float(f"{number:.1e}"))


def _check(costs: Costs, options: argparse.Namespace) -> list[str]:
    """Compare the model with one and two workers, on many pools and on one."""
    lines = ["| Check: 2 workers ÷ 1 | Model | Measured | Off by |", "|---|---|---|---|"]
    for pools, formula in ((SPREAD_POOLS, model.bets_on_many_pools), (1, model.bets_on_one_pool)):
        found = asyncio.run(_two_workers(pools, options))
        # A worker with a share of a core takes as much longer for its part.
        slower = Costs(
            **{
                name: getattr(costs, name) / (options.share if name in _OF_PROCESS else 1.0)
                for name in Costs.__dataclass_fields__
            }
        )
        one, two = (formula(slower, Machines(processes=n, primary_cores=1)).per_second for n in (1, 2))
        expected = two / one
        name = f"{pools} pools" if pools > 1 else "one pool"
        lines.append(f"| {name} | {expected:.2f} | {found:.2f} | {found / expected - 1:+.0%} |")
    return lines


async def _two_workers(pools: int, options: argparse.Namespace) -> float:
    """Return the bets a second of two workers as a multiple of those of one."""
    chosen = argparse.Namespace(markets=pools, connections=256, seconds=options.seconds, share=options.share)
    with contextlib.ExitStack() as stack:
        served = [workers.serve(stack, count, chosen) for count in (1, 2)]
        rates: list[float] = []
        for _ in range(3):
            one, two = [await workers.turn(each, chosen) for each in served]
            rates.append(two[0] / one[0])
    return statistics.median(rates)
