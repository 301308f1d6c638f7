"""Latency of a bet at half of the server's peak rate.

python -m bench latency --database sqlite
python -m bench latency --database postgres

The peak is measured first, with every client busy. Then bets come at random moments, half as many a second, whether or
not the server keeps up; a bet's latency counts from the moment it was due. The no-op of the same app, offered as often,
tells how much of that is the machine's (and this load's own lateness, for both share its cores).
"""

from __future__ import annotations

import argparse
import statistics

import uvloop

from bench.bets import bets_and_noops, line
from bench.load import Figures, NextRequest, offer
from bench.service import BenchService, running

#: Idle connections: more than are ever busy at a time.
OPEN_CONNECTIONS = 512


def main(arguments: list[str]) -> None:
    """Measure the peak, then the latency at half of it, round by round, and print the medians."""
    parser = argparse.ArgumentParser(prog="bench latency", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=256, help="clients of the peak")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markets", type=int, default=1, help="number of pools to bet in")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    bets, noops = bets_and_noops(service, options.markets)
    # Warm up: the first bets create accounts and positions and load pages.
    await service.drive(bets, connections=options.connections, seconds=1.0)
    found: list[tuple[Figures, Figures]] = []
    for _ in range(options.rounds):
        peak = await service.drive(bets, connections=options.connections, seconds=options.seconds)
        half = peak.per_second / 2
        bet = await offered(service, bets, half, options.seconds)
        noop = await offered(service, noops, half, options.seconds)
        found.append((bet, noop))
        print(line("peak", peak), _latencies("at half: bets", bet), _latencies("no-op", noop), sep="   ", flush=True)
    p99_ms, noop_ms = (statistics.median(one.percentile_ms(0.99) for one in each) for each in zip(*found, strict=True))
    print(f"{options.database}, {options.markets} market(s): median p99 {p99_ms:.1f} ms (no-op {noop_ms:.1f} ms)")


async def offered(service: BenchService, requests: NextRequest, per_second: float, seconds: float) -> Figures:
    """Send requests at random moments, whether or not the server keeps up."""
    return await offer(
        service.url,
        requests,
        per_second=per_second,
        connections=OPEN_CONNECTIONS,
        seconds=seconds,
        cpu_s=service.cpu_s,
    )


def _latencies(name: str, metrics: Figures) -> str:
    p50, p99, p999 = (metrics.percentile_ms(share) for share in (0.5, 0.99, 0.999))
    note = f" ({metrics.refused} refused)" if metrics.refused else ""
    return f"{name} {metrics.accepted / metrics.seconds:,.0f}/s p50 {p50:.1f} p99 {p99:.1f} p99.9 {p999:.1f} ms{note}"
