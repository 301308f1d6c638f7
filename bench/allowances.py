"""Paying a site's allowance to many members, and how long bets wait meanwhile.

python -m bench allowances --database sqlite
python -m bench allowances --database postgres --members 10000

Every member was active in the period before, has nothing on their balance and holds one position, so that each is
valued and granted something; their rows are made without the interface. Bets come at random moments; their latency
counts from the moment they were due. The same load without an allowance, in the same run, shows the machine's part.
"""

from __future__ import annotations

import argparse
from functools import partial

import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import Figures
from bench.payments import SLICE_S, hold_positions, latencies, load
from bench.service import BenchService, running
from foreknow.kernel.clock import DAY_MS, system_clock
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.money.ledger.tables import transfers
from foreknow.people.users.tables import active_days
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.allowance import state as states
from foreknow.site.allowance.state import period_of
from foreknow.trading.positions.tables import positions

TERMS = AllowanceTerms(kopecks=1_000, every="day", up_to=5_000)


def main(arguments: list[str]) -> None:
    """Measure the load alone, then beside an allowance, and print both."""
    parser = argparse.ArgumentParser(
        prog="bench allowances", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--members", type=int, default=100_000)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--idle-seconds", type=float, default=30.0)
    options = parser.parse_args(arguments)
    with running(options.database, settings={"FOREKNOW_ALLOWANCE": TERMS.model_dump_json()}) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    pool = service.event(service.trader(99, creator=True))["pools"][0]
    await hold_positions(service.database, pool["id"], options.members)
    database = open_database(service.database)
    try:
        await database.write(partial(_be_active, pool_id=pool["id"]))
        requests = order_requests(BETS, traders(service), open_markets(service, 1))
        # Warm up: the first bets create positions and load pages.
        await load(service, requests, options.bets_per_second, 2.0)
        offer = partial(load, service, requests, options.bets_per_second, SLICE_S)
        idle = Figures()
        while idle.seconds < options.idle_seconds:
            _add(idle, await offer())
        print("bets alone:", latencies(idle), flush=True)
        await database.write(_begin_period)
        beside = Figures()
        while not await database.read(_is_paid):
            _add(beside, await offer())
        granted = await database.read(_grants)
    finally:
        await database.close()
    print("beside it: ", latencies(beside))
    waits = {
        f"p{share:.1%}".replace("%", ""): beside.percentile_ms(share) - idle.percentile_ms(share)
        for share in (0.5, 0.99, 0.999)
    }
    print(
        f"{options.database}: {granted:,} members granted in {beside.seconds:.0f} s"
        f" ({granted / beside.seconds:,.0f}/s); a bet waits longer by"
        f" {', '.join(f'{more_ms:.1f} ms ({name})' for name, more_ms in waits.items())};"
        f" longest {max(beside.latencies_ms):.0f} ms, alone {max(idle.latencies_ms):.0f} ms"
    )


def _be_active(tx: WriteTx, *, pool_id: int) -> None:
    """Let all who hold a position in a pool have been here yesterday."""
    yesterday = system_clock() // DAY_MS - 1
    holders = sa.select(positions.c.user_id, sa.literal(yesterday), sa.literal(1)).where(positions.c.pool_id == pool_id)
    tx.execute(active_days.insert().from_select(["user_id", "last_day", "days"], holders))


def _begin_period(tx: WriteTx) -> None:
    """Let today's allowance be due."""
    period = period_of(TERMS.every, system_clock())
    state = states.AllowanceState(
        terms=TERMS,
        next_terms=TERMS,
        start_ms=period.start_ms,
        end_ms=period.end_ms,
        paid_through_id=0,
        is_paid=False,
    )
    states.store(tx, state)


def _add(total: Figures, some: Figures) -> None:
    total.latencies_ms += some.latencies_ms
    total.statuses += some.statuses
    total.seconds += some.seconds


def _is_paid(tx: ReadTx) -> bool:
    state = states.find(tx)
    return state is not None and state.is_paid


def _grants(tx: ReadTx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).where(transfers.c.kind == "grant")).scalar_one())
