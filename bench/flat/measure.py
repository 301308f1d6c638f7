"""Whether anything gets slower with age: every reading endpoint, bets, memory and the audit, young against old.

python -m bench flat --trades 100000 --markets 1000 --users 2000
python -m bench flat --database postgres --young URL --old URL      of databases that `bench fill` has filled before
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
import uvloop

from bench.fill import fill, plan_of, size_arguments, temporary
from bench.flat.audits import audit_beside
from bench.flat.bets import compare_bets
from bench.flat.reads import Side, compare, median, p99
from bench.flat.targets import Old, callers, find_old, targets
from bench.history.plan import Plan
from bench.service import BenchService, running, until_quiet
from foreknow.commands.cli.database import write
from foreknow.kernel.clock import system_clock
from foreknow.kernel.settings import Settings

#: The young history; the old one has as many trades a pool, from the same templates.
YOUNG = {"trades": 40_000, "markets": 400, "users": 800}
BAR = 1.5
LONGER = 1.25
#: Longest wait until both are quiet: of a history that was just filled, the track record is still to be computed.
WAIT_S = 300.0


def main(arguments: list[str]) -> None:
    """Fill both where they are not given, and measure."""
    parser = argparse.ArgumentParser(
        prog="bench flat", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--young", help="URL of a filled database")
    parser.add_argument("--old", help="URL of a filled database")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["reads", "bets", "audit"])
    parser.add_argument("--endpoints", default="", help="only those whose names match")
    size_arguments(parser)
    options = parser.parse_args(arguments)
    young_plan = Plan(**YOUNG, end_ms=system_clock())
    with (
        _filled(options.young, options.database, young_plan) as young_url,
        _filled(options.old, options.database, plan_of(options)) as old_url,
    ):
        if options.only in {None, "audit"}:
            print(audit_beside(old_url), flush=True)
        if options.only == "audit":
            return
        counts = sorted(set(young_plan.template_trades()), key=lambda count: abs(count - 200))
        found = find_old(young_url, counts), find_old(old_url, counts)
        with _served(young_url) as young, _served(old_url) as old:
            if not uvloop.run(until_quiet([young, old], wait_s=WAIT_S)):
                print(f"not quiet within {WAIT_S:.0f} s")
            if options.only in {None, "reads"}:
                _compare_reads(_side(young, young_url), _side(old, old_url), found, options)
            if options.only in {None, "bets"}:
                uvloop.run(compare_bets(young, old, found, options))
            print(f"memory of the server process, peak: young {_peak_mib(young)} MiB, old {_peak_mib(old)} MiB")


def _compare_reads(young: Side, old: Side, found: tuple[Old, Old], options: argparse.Namespace) -> None:
    columns = f"{'ratio':>6} {'p99':>6}"
    print(f"{'':36} {'CPU, median ms':>15} {columns}   {'clock, median':>15} {columns}   bytes")
    lists = [targets(side.service, history, side.who) for side, history in zip((young, old), found, strict=True)]
    slower = []
    for first, second in zip(*lists, strict=True):
        if not re.search(options.endpoints, first.name):
            continue
        fresh, aged = compare((young, first), (old, second), samples=options.samples)
        cpu = median(aged.cpu_ms) / median(fresh.cpu_ms)
        # A young list may have nothing to show where an old one has a page.
        is_alike = median(aged.answer_bytes) <= LONGER * median(fresh.answer_bytes)
        mark = "" if cpu <= BAR else " <" if is_alike else " (a longer answer)"
        print(
            f"{first.name:36} {median(fresh.cpu_ms):7.2f} {median(aged.cpu_ms):7.2f} {cpu:6.2f}"
            f" {p99(aged.cpu_ms) / p99(fresh.cpu_ms):6.2f}  "
            f" {median(fresh.clock_ms):7.2f} {median(aged.clock_ms):7.2f}"
            f" {median(aged.clock_ms) / median(fresh.clock_ms):6.2f} {p99(aged.clock_ms) / p99(fresh.clock_ms):6.2f}  "
            f" {median(fresh.answer_bytes):7,.0f} {median(aged.answer_bytes):7,.0f}{mark}",
            flush=True,
        )
        if cpu > BAR and is_alike:
            slower.append(first.name)
    print(f"over {BAR} times the CPU time for as long an answer: {', '.join(slower) or 'none'}")


@contextlib.contextmanager
def _filled(url: str | None, database: str, plan: Plan) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with temporary(database) as made:
        fill(made, plan)
        yield made


def _side(service: BenchService, url: str) -> Side:
    who = callers(service)
    return Side(service=service, who=who, process_ids=[service.process.pid, *_backends(url)])


def _backends(url: str) -> list[int]:
    """Return the ids of the processes that PostgreSQL, on this machine, has working for a service."""
    if url.startswith("sqlite:"):
        return []
    query = sa.text("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
    return list(write(Settings(database_url=url), lambda tx: tx.execute(query).scalars().all()))


def _served(url: str) -> contextlib.AbstractContextManager[BenchService]:
    return running("sqlite", settings={"FOREKNOW_DATABASE_URL": url})


def _peak_mib(service: BenchService) -> int:
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024
