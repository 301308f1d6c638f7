"""Latency and errors of honest clients while each attack runs, with the default rate limits.

python -m bench attacks
python -m bench attacks --database postgres --only guessing --rounds 3

Honest clients bet, read and sign in at a fixed modest rate, each from an address and an account of its own. Their p99
is measured alone and then under attack, attack by attack; the result is the ratio of the two. "nothing" is no attack:
its ratio shows the noise of the machine. The attacker is a separate process with another address. Sign-ins are few and
cost as much as in production, so they are counted apart from bets and reads.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx
import msgspec
import uvloop

from bench.attacks import receiving
from bench.attacks.attacker import Plan
from bench.attacks.catalogue import CATALOGUE
from bench.attacks.honest import SIGN_IN, Client, Crowd, Rates
from bench.attacks.wire import Address
from bench.bets import open_markets
from bench.fill import fill
from bench.history import plan
from bench.load import Figures
from bench.service import BenchService, free_port, running
from foreknow.kernel.clock import system_clock
from tests.support.webhook import Webhook, webhook

NOTHING = "nothing"
ATTACKERS_ADDRESS = "127.0.0.2"
CLIENTS = 32
#: How long the service may take to be well again after an attack.
_WELL_S = 60.0
_RECEIVERS = 5
#: What is resident goes back under this after all attacks, in this time: freed memory goes back every 5 minutes.
_RESIDENT_MIB_MAX, _SETTLE_S = 300, 330
#: The largest events: as many pools and markets as one may have, first as many as it once might.
_EVENTS, _POOLS, _MARKETS_TRIED = 10, 100, (100, 10)


@dataclass(frozen=True, slots=True)
class Felt:
    """What honest clients felt for a while: p99 of bets and reads, and of sign-ins, and how much failed."""

    orders_ms: float
    sign_in_ms: float
    requests: int
    failed: int

    @classmethod
    def of(cls, found: dict[str, Figures]) -> Felt:
        """Sum up what was measured by kind."""
        orders = Figures(latencies_ms=[ms for name, one in found.items() if name != SIGN_IN for ms in one.latencies_ms])
        return cls(
            orders.percentile_ms(0.99),
            found[SIGN_IN].percentile_ms(0.99),
            sum(one.accepted + one.refused for one in found.values()),
            sum(one.refused for one in found.values()),
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One attack, once: before it and under it."""

    alone: Felt
    attacked: Felt
    #: What came of the attack, in its own words; how many bytes were logged and alerts sent meanwhile.
    tally: dict[str, int]
    logged_bytes: int
    alerts: int
    #: What is resident of the service afterwards.
    resident_mib: int


def main(arguments: list[str]) -> None:
    """Measure attack by attack, and print a table."""
    parser = argparse.ArgumentParser(
        prog="bench attacks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=1, help="number of rounds; the median counts")
    parser.add_argument("--only", action="append", choices=[NOTHING, *CATALOGUE], help="may be given several times")
    options = parser.parse_args(arguments)
    chosen = options.only or [NOTHING, *CATALOGUE]
    of_history = [name for name in chosen if name in CATALOGUE and CATALOGUE[name].of_history]
    print(
        "| Attack | alone | attacked | ratio | sign-in alone | attacked | ratio | failed | resident after "
        "| what came of it |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|", flush=True)
    for names, prepare in (([name for name in chosen if name not in of_history], _nothing), (of_history, _history)):
        if names:
            _run(names, prepare, options)


def _nothing(_url: str) -> None:
    """Leave the service new."""


def _history(url: str) -> None:
    """Fill in 31,885 events with their people and trades, as of some years."""
    with contextlib.redirect_stdout(sys.stderr):
        fill(url, plan.Plan(trades=300_000, markets=100_000, users=20_000, end_ms=system_clock()))


def _run(names: Sequence[str], prepare: Callable[[str], None], options: argparse.Namespace) -> None:
    with webhook() as team, tempfile.TemporaryFile() as log:
        settings = {
            "FOREKNOW_RATE_LIMITS": "on",
            "FOREKNOW_PASSWORD_COST": "normal",
            "FOREKNOW_LOG_LEVEL": "info",
            "FOREKNOW_SUPPORT_ALERT_URLS": team.url,
            "FOREKNOW_WEBHOOK_INTERNAL_HOSTS": "127.0.0.1",
        }
        program = (str(Path(sys.executable).with_name("foreknow")), "serve", "--port")
        with running(options.database, settings=settings, program=program, log=log, fill=prepare) as service:
            uvloop.run(_measure(service, _Witnesses(log, team), names, options))


@dataclass(frozen=True, slots=True)
class _Witnesses:
    """Where the service's log and its alerts end up."""

    log: IO[bytes]
    team: Webhook

    def logged_bytes(self) -> int:
        return self.log.seek(0, 2)


class _Bench:
    """A service with honest clients, measured attack by attack."""

    def __init__(self, service: BenchService, witnesses: _Witnesses, *, seconds: float, receives: bool) -> None:
        market_ids = open_markets(service, 20)
        self._service = service
        self._witnesses = witnesses
        self._seconds = seconds
        event_id = int(service.admin.get("/events?limit=1").raise_for_status().json()["events"][0]["id"])
        self._crowd = _crowd(service, market_ids, event_id)
        self._plan = Plan(*_where(service), ATTACKERS_ADDRESS, service.trader(1_000), event_id, market_ids)
        if receives:
            self._plan = _with_receivers(service, self._plan)

    async def measure(self, name: str, *, rounds: int) -> list[Round]:
        """Measure an attack in a number of rounds."""
        if name == "lists":
            self._plan = msgspec.structs.replace(self._plan, pool_ids=_largest_events(self._service))
        found = []
        for _ in range(rounds):
            await self._crowd.sign_in(self._service.url)
            found.append(await self._round(name))
        return found

    async def _round(self, name: str) -> Round:
        # Warm up: connections open and caches fill before anything is measured.
        await self._crowd.act(Rates(), seconds=1)
        alone = Felt.of(await self._crowd.act(Rates(), seconds=self._seconds))
        logged_bytes, alerts = self._witnesses.logged_bytes(), self._witnesses.team.arrived
        tally: dict[str, int] = {}
        async with _attack(name, self._plan, tally):
            await asyncio.sleep(CATALOGUE[name].warm_s if name in CATALOGUE else 0)
            attacked = Felt.of(await self._crowd.act(Rates(), seconds=self._seconds))
        await _well_again(self._service)
        if self._service.process.poll() is not None:
            raise RuntimeError(f"the service ended under {name}")
        logged_bytes = self._witnesses.logged_bytes() - logged_bytes
        alerts = self._witnesses.team.arrived - alerts
        return Round(alone, attacked, tally, logged_bytes, alerts, self._service.resident_bytes() // 2**20)


async def _measure(
    service: BenchService, witnesses: _Witnesses, names: Sequence[str], options: argparse.Namespace
) -> None:
    bench = _Bench(
        service, witnesses, seconds=options.seconds, receives=any(name.startswith("receivers") for name in names)
    )
    for name in names:
        print(_row(name, await bench.measure(name, rounds=options.rounds)), flush=True)
    for _ in range(_SETTLE_S):
        if service.resident_bytes() // 2**20 < _RESIDENT_MIB_MAX:
            break
        await asyncio.sleep(1)
    print(
        f"\nResident after these attacks: {service.resident_bytes() // 2**20} MiB (bar: {_RESIDENT_MIB_MAX} MiB)",
        flush=True,
    )


@contextlib.asynccontextmanager
async def _attack(name: str, plan: Plan, tally: dict[str, int]) -> AsyncIterator[None]:
    """Attack while the block runs; `tally` then says what came of it."""
    if name == NOTHING:
        yield
        return
    attacker = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.attacks.running",
        name,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert attacker.stdin is not None
    assert attacker.stdout is not None
    try:
        attacker.stdin.write(msgspec.json.encode(plan) + b"\n")
        await attacker.stdin.drain()
        yield
        attacker.stdin.close()
        said = await attacker.stdout.read()
        if await attacker.wait():
            raise RuntimeError(f"the attacker failed at {name}")
        tally.update(msgspec.json.decode(said, type=dict[str, int]))
    finally:
        if attacker.returncode is None:
            attacker.kill()
            await attacker.wait()


async def _well_again(service: BenchService) -> None:
    """Return once the service answers quickly again, or some time has passed."""
    async with httpx.AsyncClient(base_url=service.url + "/api/v1", timeout=_WELL_S) as client:
        for _ in range(int(_WELL_S)):
            with contextlib.suppress(httpx.TransportError):
                answer = await client.get("/health")
                if answer.is_success and answer.elapsed.total_seconds() < 0.05:
                    return
            await asyncio.sleep(1)


def _with_receivers(service: BenchService, known: Plan) -> Plan:
    """Make partners whose webhooks are the attacker's."""
    port, partners = free_port(), [f"receiver{number}" for number in range(_RECEIVERS)]
    for name in partners:
        service.admin.post("/admin/partners", json={"name": name}).raise_for_status()
        webhook_url = f"http://127.0.0.1:{port}/{receiving.PATH}"
        service.admin.put(f"/admin/partners/{name}/webhook", json={"url": webhook_url}).raise_for_status()
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    return msgspec.structs.replace(known, partners=partners, receiver_port=port, admin_token=token)


def _where(service: BenchService) -> tuple[str, int]:
    parts = urlsplit(service.url)
    return parts.hostname or "", parts.port or 0


def _crowd(service: BenchService, market_ids: Sequence[int], event_id: int) -> Crowd:
    clients = []
    for number in range(1, CLIENTS + 1):
        service.trader(number)
        address = Address(*_where(service), f"127.0.1.{number}")
        clients.append(Client(f"trader{number}@example.org", address))
    market = service.admin.get(f"/markets/{market_ids[0]}").raise_for_status().json()
    paths = [
        f"/markets/{market_ids[1]}",
        f"/pools/{market['pool_id']}",
        f"/pools/batch?ids={','.join(map(str, range(1, 11)))}",
        f"/market/orderbook/{market_ids[2]}",
        "/market/positions",
        "/users/me",
        f"/market/quote?market_id={market_ids[3]}&token_type=YES&amount_kopecks=1000",
        f"/events/{event_id}",
    ]
    return Crowd(clients, market_ids=market_ids, paths=paths)


def _largest_events(service: BenchService) -> list[int]:
    """Publish events as large as the service lets them be, and return the ids of the first one's pools."""
    creator = {"Authorization": f"Bearer {service.trader(1_001, creator=True)}"}
    pool_ids: list[int] = []
    for markets in _MARKETS_TRIED:
        metadata = {"market_names": [str(number) for number in range(markets)], "lmsr_b_kopecks": 100_000}
        body = {"name": "Largest", "pools": [{"name": f"P{n}", "metadata": metadata} for n in range(_POOLS)]}
        for _ in range(_EVENTS):
            created = service.admin.post("/events/create-full", json=body, headers=creator)
            if created.status_code == 400:
                break
            event = created.raise_for_status().json()
            service.admin.post(f"/events/{event['id']}/publish", headers=creator).raise_for_status()
            pool_ids = pool_ids or [int(pool["id"]) for pool in event["pools"]]
        if pool_ids:
            break
    return pool_ids


def _row(name: str, rounds: Sequence[Round]) -> str:
    def median(values: Sequence[float]) -> float:
        return statistics.median(values)

    alone, attacked = [one.alone for one in rounds], [one.attacked for one in rounds]
    orders = median([felt.attacked.orders_ms / felt.alone.orders_ms for felt in rounds])
    sign_in = median([felt.attacked.sign_in_ms / felt.alone.sign_in_ms for felt in rounds])
    failed = sum(felt.failed for felt in attacked)
    tally = ", ".join(f"{count:,} × {what}" for what, count in sorted(rounds[-1].tally.items()))
    last = rounds[-1]
    beside = [f"{last.logged_bytes / 1024:,.0f} KiB logged"] if last.logged_bytes > 1024 else []
    beside += [f"{last.alerts} alerts"] if last.alerts else []
    cells = [
        f"{name}: {CATALOGUE[name].says}" if name in CATALOGUE else "nothing (the machine's noise)",
        f"{median([felt.orders_ms for felt in alone]):.1f} ms",
        f"{median([felt.orders_ms for felt in attacked]):.1f} ms",
        f"**{orders:.1f}**",
        f"{median([felt.sign_in_ms for felt in alone]):.0f} ms",
        f"{median([felt.sign_in_ms for felt in attacked]):.0f} ms",
        f"**{sign_in:.1f}**",
        f"{failed} of {sum(felt.requests for felt in attacked):,}",
        f"{last.resident_mib} MiB",
        "; ".join([tally, *beside]).strip("; "),
    ]
    return "| " + " | ".join(cells) + " |"
