"""Fills a database with a history of trades, and prints the duration.

python -m bench fill --url sqlite:///big.sqlite3
python -m bench fill --url postgresql://user:password@host/name --trades 100000 --markets 1000 --users 2000

The database must be empty; it is brought up to date first. Without --url one is made of --database and thrown away
after it was audited.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections.abc import Iterator

from bench.history.making import make_history
from bench.history.plan import Plan
from foreknow.commands.audit import audit
from foreknow.commands.cli.database import read_snapshot
from foreknow.kernel.clock import system_clock
from tests.support.postgres import DURABLE_SETTINGS, running_postgres


def main(arguments: list[str]) -> None:
    """Fill and audit."""
    options = history_parser("bench fill", __doc__).parse_args(arguments)
    with contextlib.nullcontext(options.url) if options.url else temporary(options.database) as url:
        fill(url, plan_of(options))
        began = time.perf_counter()
        findings = read_snapshot(url, audit)
        print(f"audited in {time.perf_counter() - began:,.0f} s: {len(findings)} findings", *findings, sep="\n  ")


def history_parser(prog: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser of what a history is: where, or in which temporary database, and how large."""
    parser = argparse.ArgumentParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--url")
    size_arguments(parser)
    return parser


def size_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the sizes of a history."""
    parser.add_argument("--trades", type=int, default=10_000_000)
    parser.add_argument("--markets", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--days", type=int, default=0, help="at least about as many, up to 500, however few the trades")


def plan_of(options: argparse.Namespace) -> Plan:
    """Return the plan that the arguments ask for."""
    return Plan(
        trades=options.trades, markets=options.markets, users=options.users, end_ms=system_clock(), days=options.days
    )


def fill(url: str, plan: Plan) -> None:
    """Create the history, printing the progress."""
    began = time.perf_counter()

    def tell(cohort: int) -> None:
        done = cohort + 1
        if done % max(1, plan.cohorts // 10) == 0:
            print(f"{done} of {plan.cohorts} cohorts, {time.perf_counter() - began:,.0f} s", flush=True)

    make_history(url, plan, after_each=tell)
    seconds = time.perf_counter() - began
    print(f"{plan.trades:,} trades in {seconds:,.0f} s, {plan.trades / seconds:,.0f}/s", flush=True)


@contextlib.contextmanager
def temporary(database: str) -> Iterator[str]:
    """Yield the URL of an empty database that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="foreknow-bench-") as folder, contextlib.ExitStack() as stack:
        if database == "postgres":
            yield stack.enter_context(running_postgres(DURABLE_SETTINGS)).fresh_database()
        else:
            yield f"sqlite:///{folder}/filled.sqlite3"
