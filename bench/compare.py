"""What another commit costs against this checkout: the same load on a server of each, in turn.

python -m bench compare HEAD~1
python -m bench compare v1.2.0 bets --database postgres --markets 1000
python -m bench compare v1.2.0 reads --only chart

Each server is its own commit's, with an environment made by that commit's `bin/setup`; the load and its checks are this
checkout's. Both are prepared alike on fresh databases and driven in turn, the first one second in the next round, so
that a machine that becomes slower slows both. "." in place of a commit compares this checkout with itself: the spread
of this machine. `bets` also stands beside a bare ASGI app that verifies a JWT and codes the same bodies.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import uvloop

from bench import latency, reads, signed
from bench.bets import bets_and_noops
from bench.http import BareApp, running_bare
from bench.load import Figures, Load
from bench.service import BenchService, running, until_quiet
from bench.spread import Spread, row
from bench.trees import NotBuilt, Tree, tree_of

#: The baseline's name among those compared.
BARE = "bare"


@dataclass(frozen=True, slots=True)
class Turn:
    """One load of one server."""

    figures: Figures
    #: CPU seconds of PostgreSQL for all its answers; 0 on SQLite.
    database_cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Side:
    """One of those compared: its loads, each with the turns it had."""

    name: str
    loads: dict[str, Load]
    service: BenchService | None = None
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    async def drive(self, name: str) -> Turn:
        """Drive a load once; raises `RuntimeError` if a request is rejected."""
        while True:
            before_s = self._database_cpu_s()
            figures = await self.loads[name]()
            after_s = self._database_cpu_s()
            if figures.refused:
                raise RuntimeError(f"{name}: {self.name} answered {dict(figures.statuses)}")
            # No answer at all in this time, on a machine that was busy with something else, measures nothing.
            if figures.accepted and figures.cpu_s:
                return Turn(figures, after_s - before_s)

    def _database_cpu_s(self) -> float:
        return self.service.database_cpu_s() if self.service else 0.0


#: What a turn came to, by name with unit; the CPU time first, since it depends least on what else the machine does.
METRICS: dict[str, Callable[[Turn], float]] = {
    "server CPU, µs each": lambda turn: turn.figures.cpu_us,
    "database CPU, µs each": lambda turn: 1e6 * turn.database_cpu_s / turn.figures.answers,
    "rate, a second": lambda turn: turn.figures.accepted / turn.figures.seconds,
    "p50, ms": lambda turn: turn.figures.percentile_ms(0.5),
    "p99, ms": lambda turn: turn.figures.percentile_ms(0.99),
}


def main(arguments: list[str]) -> None:
    """Build both, drive them in turn, and print each figure with its ratio and spread."""
    parser = argparse.ArgumentParser(
        prog="bench compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help='as git spells it; "." is this checkout itself')
    parser.add_argument("what", nargs="?", choices=sorted(KINDS), default="bets")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each load")
    parser.add_argument("--markets", type=int, default=1, help="number of pools to bet in")
    parser.add_argument("--connections", type=int, help="by default those of the benchmark; bets with 64 and 256")
    parser.add_argument("--bets-per-second", type=float, default=0.0, help="with reads: trade in their pools meanwhile")
    parser.add_argument("--only", default="", help="only loads with this in their name")
    options = parser.parse_args(arguments)
    try:
        that = tree_of(options.commit)
    except NotBuilt as error:
        sys.exit(f"bench compare: {error}")
    with contextlib.ExitStack() as stack:
        trees = [Tree("this checkout"), that]
        services = [
            stack.enter_context(running(options.database, program=tree.server, folder=tree.folder)) for tree in trees
        ]
        bare = stack.enter_context(running_bare()) if options.what == "bets" else None
        uvloop.run(_compare([tree.name for tree in trees], services, bare, options))


async def _compare(
    names: list[str], services: list[BenchService], bare: BareApp | None, options: argparse.Namespace
) -> None:
    prepared = await KINDS[options.what](services, options)
    sides = [
        Side(name, _chosen(loads, options.only), service)
        for name, loads, service in zip(names, prepared, services, strict=True)
    ]
    if bare:
        baseline: dict[str, Load] = {
            _bets_with(count): functools.partial(bare.drive, connections=count, seconds=options.seconds)
            for count in _connections(options, 64, 256)
        }
        sides.append(Side(BARE, _chosen(baseline, options.only)))
    if not sides[0].loads:
        sys.exit(f"bench compare: no load of {options.what} has {options.only!r} in its name")
    for number in range(1 + options.rounds):
        print(f"round {number} of {options.rounds}" if number else "warming up", file=sys.stderr, flush=True)
        await _round(sides, services, counts=number > 0, reverse=number % 2 == 0)
    _print(sides, options)


async def _round(sides: list[Side], services: list[BenchService], *, counts: bool, reverse: bool) -> None:
    for name in sides[0].loads:
        for side in reversed(sides) if reverse else sides:
            if name not in side.loads:
                continue
            await until_quiet(services)
            turn = await side.drive(name)
            if counts:
                side.turns.setdefault(name, []).append(turn)


def _print(sides: list[Side], options: argparse.Namespace) -> None:
    this, that, *baselines = sides
    markets = f", {options.markets} market(s)" if options.what in ("bets", "latency") else ""
    print(f"{options.what} on {options.database}{markets}: medians of {options.rounds} rounds (least–most)")
    print(row("", this.name, that.name, "this ÷ that"))
    for name in this.loads:
        print(name)
        for metric, of in METRICS.items():
            here, there = ([of(turn) for turn in side.turns[name]] for side in (this, that))
            if any(here):
                print(row(f"  {metric}", Spread(here), Spread(there), Spread.of_ratios(here, there)))
        for baseline in baselines:
            if name in baseline.turns:
                rates = [[turn.figures.per_second for turn in side.turns[name]] for side in (this, that, baseline)]
                here, there = ([a / b for a, b in zip(rate, rates[2], strict=True)] for rate in rates[:2])
                print(row(f"  rate ÷ {baseline.name}", Spread(here), Spread(there), Spread.of_ratios(here, there)))


def _chosen(loads: dict[str, Load], only: str) -> dict[str, Load]:
    return {name: load for name, load in loads.items() if only in name}


def _connections(options: argparse.Namespace, *usual: int) -> tuple[int, ...]:
    return (options.connections,) if options.connections else usual


def _bets_with(connections: int) -> str:
    return f"bets, {connections} connections"


async def _bets(services: list[BenchService], options: argparse.Namespace) -> list[dict[str, Load]]:
    prepared: list[dict[str, Load]] = []
    for service in services:
        bets, noops = bets_and_noops(service, options.markets)
        loads: dict[str, Load] = {}
        for count in _connections(options, 64, 256):
            load = {"connections": count, "seconds": options.seconds}
            loads[_bets_with(count)] = functools.partial(service.drive, bets, **load)
            loads[f"no-op, {count} connections"] = functools.partial(service.drive, noops, **load)
        prepared.append(loads)
    return prepared


async def _latency(services: list[BenchService], options: argparse.Namespace) -> list[dict[str, Load]]:
    """Offer both what is half of the lower peak: waiting depends on the load, so it must be the same."""
    (connections,) = _connections(options, 256)
    orders = [bets_and_noops(service, options.markets) for service in services]
    peaks: list[Load] = [
        functools.partial(service.drive, bets, connections=connections, seconds=options.seconds)
        for service, (bets, _) in zip(services, orders, strict=True)
    ]
    rates: list[float] = []
    for peak in peaks:
        # The first bets create accounts and positions and load pages.
        await peak()
        rates.append((await peak()).per_second)
    half = min(rates) / 2
    return [
        {
            "peak": peak,
            f"bets, {half:,.0f} offered a second": functools.partial(
                latency.offered, service, bets, half, options.seconds
            ),
            f"no-op, {half:,.0f} offered a second": functools.partial(
                latency.offered, service, noops, half, options.seconds
            ),
        }
        for service, (bets, noops), peak in zip(services, orders, peaks, strict=True)
    ]


async def _reads(services: list[BenchService], options: argparse.Namespace) -> list[dict[str, Load]]:
    (connections,) = _connections(options, 32)
    prepared: list[dict[str, Load]] = []
    for service in services:
        public = reads.prepare(service, options.bets_per_second, connections=connections, seconds=options.seconds)
        paths = {"constant bytes": reads.constant(1_000), **public.paths}
        prepared.append({name: functools.partial(public.load, path) for name, path in paths.items()})
    return prepared


async def _signed(services: list[BenchService], options: argparse.Namespace) -> list[dict[str, Load]]:
    (connections,) = _connections(options, 16)
    load = {"connections": connections, "seconds": options.seconds}
    prepared: list[dict[str, Load]] = []
    for service in services:
        wanted, noops = await signed.prepare(service)
        requests = {"no-op": noops} | {name: signed.always(path, holder) for name, path, holder in wanted}
        prepared.append({name: functools.partial(service.drive, one, **load) for name, one in requests.items()})
    return prepared


KINDS: dict[str, Callable[[list[BenchService], argparse.Namespace], Awaitable[list[dict[str, Load]]]]] = {
    "bets": _bets,
    "latency": _latency,
    "reads": _reads,
    "signed": _signed,
}
