"""A surge: far more orders than can be decided, on one market, and what becomes of them and of everybody else.

python -m bench surge --database sqlite
python -m bench surge --database postgres --workers 2
python -m bench surge --database postgres --seconds 3 --sockets 200

The peak is measured first, with every client busy. Then orders come by the clock at multiples of it, whatever the
answers do: bets, with some sales, limit orders and baskets. Beside them people read the event's page and its charts,
sockets of both feeds are open, and some sign in. At last keys are sent again: each order was made once or not at all.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import time
from array import array
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import uvloop

from bench.baskets import BASKETS
from bench.bets import BETS, order_requests, traders
from bench.listeners import listening
from bench.live import watching
from bench.load import Connection, Figures, open_connections, request
from bench.service import MEASURED, BenchService, resident_bytes, running
from bench.workers import SERVE, workers_of

SALES = "/api/v1/market/positions/sell"
LIMIT_ORDERS = "/api/v1/market/orders"
#: Multiples of the peak, one after the other.
STEPS = (0.5, 1.0, 2.0, 5.0, 2.0, 0.5)
OUTCOMES = 5
READERS, READS_PER_SECOND = 500, 200.0
SIGN_INS_PER_SECOND = 2.0
#: Of this many orders one is sent again at the end.
SAMPLE = 20
#: In which p99 is looked at, to say when a surge is over, in seconds.
WINDOW_S = 0.25


@dataclass(slots=True)
class Sent:
    """Orders by their number: when each was due, its answer's status (0: none came), and how long that took."""

    due_s: array[float] = field(default_factory=lambda: array("d"))
    took_ms: array[float] = field(default_factory=lambda: array("d"))
    #: How long of that an order waited for a free connection.
    unsent_ms: array[float] = field(default_factory=lambda: array("d"))
    status: array[int] = field(default_factory=lambda: array("H"))
    #: What was answered to one of `SAMPLE`.
    bodies: dict[int, bytes] = field(default_factory=dict)

    def took(self, numbers: Iterable[int], status: int) -> list[float]:
        """Return how long these took, ms, that were answered so."""
        return [self.took_ms[number] for number in numbers if self.status[number] == status]

    def answered_in(self, numbers: Iterable[int], status: int) -> list[float]:
        """Return the same, counted from sending."""
        return [self.took_ms[number] - self.unsent_ms[number] for number in numbers if self.status[number] == status]


@dataclass(frozen=True, slots=True)
class Step:
    """A load's numbers of orders, and for how long it went on."""

    multiple: float
    numbers: range
    seconds: float


def main(arguments: list[str]) -> None:
    """Measure the peak, then the surge, and print what became of all."""
    parser = argparse.ArgumentParser(prog="bench surge", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each step")
    parser.add_argument("--connections", type=int, default=2_000)
    parser.add_argument("--sockets", type=int, default=2_000, help="of each feed")
    parser.add_argument("--peak", type=float, help="orders a second, in place of measuring it")
    parser.add_argument("--workers", type=int, default=1, help="processes; more than 1 need PostgreSQL")
    options = parser.parse_args(arguments)
    if options.workers > 1 and options.database == "sqlite":
        parser.error("--workers over 1 needs PostgreSQL: SQLite is written by one process")
    program = MEASURED if options.workers == 1 else (*SERVE, "--workers", str(options.workers), "--port")
    with running(options.database, program=program) as service:
        _Surge(service, options).run()
        audit = [str(Path(sys.executable).with_name("foreknow")), "audit"]
        environment = {**os.environ, "FOREKNOW_DATABASE_URL": service.database}
        done = subprocess.run(audit, env=environment, capture_output=True, text=True, check=False)
        print(f"audit: {'clean' if done.returncode == 0 else done.stdout[-2_000:] + done.stderr[-2_000:]}")


class _Surge:
    """Orders on one market, and everybody else."""

    def __init__(self, service: BenchService, options: argparse.Namespace) -> None:
        """Open the market, and sign up who trades."""
        self._service, self._options = service, options
        creator = service.trader(0, creator=True)
        metadata = {"market_names": [f"Outcome {n}" for n in range(OUTCOMES)], "lmsr_b_kopecks": 10**8}
        body = {"name": "The final", "pools": [{"name": "Who wins?", "metadata": metadata}]}
        headers = {"Authorization": f"Bearer {creator}"}
        made = service.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
        service.admin.post(f"/events/{made['id']}/publish", headers=headers).raise_for_status()
        self._event_id: int = made["id"]
        self._pool_id: int = made["pools"][0]["id"]
        self._market_ids: list[int] = [market["id"] for market in made["pools"][0]["markets"]]
        self._tokens = traders(service)
        self._sent = Sent()
        #: What is done with an answer.
        self._answered: Callable[[Connection, int], None]
        process_id = service.process.pid
        self._process_ids = [process_id] if options.workers == 1 else workers_of(process_id)

    def run(self) -> None:
        """Measure, and print."""
        uvloop.run(self._prepare())
        url, sockets = self._service.url, self._options.sockets
        with listening(url, sockets), watching(url, sockets, [self._event_id], each=1, sample=1) as live:
            before_bytes = max(map(resident_bytes, self._process_ids))
            steps, reads, sign_ins_ms = uvloop.run(self._surge())
            grown_bytes = max(map(resident_bytes, self._process_ids)) - before_bytes
            for step in steps:
                print(self._line(step), flush=True)
            self._print_end(steps)
            ok = reads.statuses[200] / max(1, sum(reads.statuses.values()))
            print(
                f"reads: p99 {reads.percentile_ms(0.99):.0f} ms ({ok:.1%} answered 200)   sign-ins: "
                f"p50 {statistics.median(sign_ins_ms):.0f}, most {max(sign_ins_ms):.0f} ms   "
                f"memory: {grown_bytes / 2**20:+.0f} MiB"
            )
            live.send("report")
            self._print_live(live.recv().messages)
        uvloop.run(self._send_again())

    async def _prepare(self) -> None:
        """Let every trader buy, so that all have something to sell; measure the peak."""
        bets = order_requests(BETS, self._tokens, self._market_ids[:1])
        await self._service.drive(bets, connections=256, seconds=2.0)
        if not self._options.peak:
            peak = await self._service.drive(bets, connections=256, seconds=4.0)
            self._options.peak = peak.per_second
        print(f"{self._options.database}: peak {self._options.peak:,.0f} bets/s", flush=True)

    async def _surge(self) -> tuple[list[Step], Figures, list[float]]:
        seconds, opened = self._options.seconds, await self._open()
        paths = [f"/events/{self._event_id}", f"/pools/{self._pool_id}/charts"]
        turns = itertools.cycle([request("GET", "/api/v1" + path) for path in paths])
        reading = asyncio.create_task(
            self._service.drive(
                lambda _: next(turns),
                connections=READERS,
                seconds=seconds * len(STEPS),
                per_second=READS_PER_SECOND,
            )
        )
        sign_ins_ms: list[float] = []
        signing_in = asyncio.create_task(self._sign_in(sign_ins_ms))
        steps = await self._offer(opened, [multiple * self._options.peak for multiple in STEPS], seconds)
        signing_in.cancel()
        await asyncio.gather(signing_in, return_exceptions=True)
        return steps, await reading, sign_ins_ms

    async def _sign_in(self, took_ms: list[float]) -> None:
        async with httpx.AsyncClient(base_url=self._service.url + "/api/v1", timeout=60) as client:
            for number in itertools.cycle(range(1, 1 + len(self._tokens))):
                began_s = time.perf_counter()
                body = {"login": f"trader{number}@example.org", "password": "correct horse"}
                (await client.post("/auth/sign-in", json=body)).raise_for_status()
                took_ms.append(1_000 * (time.perf_counter() - began_s))
                await asyncio.sleep(max(0.0, 1 / SIGN_INS_PER_SECOND - took_ms[-1] / 1_000))

    async def _open(self) -> list[Connection]:
        """Open connections; each sends a first request, as the server hangs up on who sends none for 15 s."""
        opened: list[Connection] = []
        waited_for: set[Connection] = set()
        self._answered = lambda connection, _: waited_for.remove(connection)
        while (left := self._options.connections - len(opened)) > 0:
            more = await open_connections(self._service.url, min(100, left), self._on_answer)
            waited_for.update(more)
            for connection in more:
                connection.send(request("GET", "/api/v1/health"))
            opened += more
        while waited_for:  # noqa: ASYNC110 - answers have no event for it
            await asyncio.sleep(0.01)
        return opened

    def _on_answer(self, connection: Connection, status: int) -> None:
        self._answered(connection, status)

    async def _offer(self, opened: Sequence[Connection], rates: Sequence[float], seconds: float) -> list[Step]:
        """Send orders at random moments, step by step; each step begins where the one before ends."""
        sent, moments = self._sent, random.Random(40)
        waiting: deque[int] = deque()
        under_way: dict[Connection, int] = {}
        last_answered_s = time.perf_counter()

        def answered(connection: Connection, status: int) -> None:
            nonlocal last_answered_s
            last_answered_s = time.perf_counter()
            number = under_way.pop(connection)
            sent.status[number] = status
            sent.took_ms[number] = 1_000 * (last_answered_s - sent.due_s[number])
            sent.unsent_ms[number] = 1_000 * (connection.sent_at_s - sent.due_s[number])
            if number % SAMPLE == 0:
                sent.bodies[number] = connection.answer.partition(b"\r\n\r\n")[2]
            if waiting:
                send(connection, waiting.popleft())
            else:
                free.append(connection)

        def send(connection: Connection, number: int) -> None:
            under_way[connection] = number
            connection.send(self._order(number))

        self._answered = answered
        free, steps = deque(opened), []
        due_s = time.perf_counter()
        for multiple, rate in zip(STEPS, rates, strict=True):
            first, ends_s = len(sent.due_s), due_s + seconds
            while due_s < ends_s:
                await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
                while due_s <= min(time.perf_counter(), ends_s):
                    number = len(sent.due_s)
                    sent.due_s.append(due_s)
                    sent.took_ms.append(0.0)
                    sent.unsent_ms.append(0.0)
                    sent.status.append(0)
                    if free:
                        send(free.popleft(), number)
                    else:
                        waiting.append(number)
                    due_s += moments.expovariate(rate)
            steps.append(Step(multiple, range(first, len(sent.due_s)), seconds))
        while under_way and time.perf_counter() < last_answered_s + 10:  # noqa: ASYNC110 - answers have no event for it
            await asyncio.sleep(0.05)
        for connection in opened:
            connection.close()
        return steps

    def _order(self, number: int) -> bytes:
        """Return an order: of 20, 17 are bets, and one each a sale, a limit order and a basket."""
        kind, token = number % 20, self._tokens[number % len(self._tokens)]
        market_id, body = self._market_ids[0], {}
        if kind == 17:
            path, body = SALES, {"market_id": market_id, "token_type": "YES", "shares": 1 + number % 50}
        elif kind == 18:
            path = LIMIT_ORDERS
            body = {"market_id": market_id, "token_type": "YES", "action": "buy", "shares": 100 * (1 + number % 9)}
            body |= {"price_bps": 9_000, "time_in_force": "ioc"}
        elif kind == 19:
            path = BASKETS
            body = {"market_ids": self._market_ids[1:3], "amount_kopecks": 701 + number % 601}
        else:
            path = BETS
            body = {
                "market_id": market_id,
                "token_type": ("YES", "NO")[number % 2],
                "amount_kopecks": 701 + number % 601,
            }
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"surge-{number}"}
        return request("POST", path, headers=headers, body=msgspec.json.encode(body))

    def _line(self, step: Step) -> str:
        sent, numbers = self._sent, step.numbers
        made, refused = sent.took(numbers, 201), sent.took(numbers, 503)
        others = Counter(sent.status[number] for number in numbers) - Counter({201: len(made), 503: len(refused)})
        said = f"{step.multiple:g} × peak: {len(numbers) / step.seconds:,.0f}/s offered   "
        said += f"{len(made) / step.seconds:,.0f}/s made, p50 {_share(made, 0.5):.0f}, p99 {_share(made, 0.99):.0f} ms"
        said += f" ({_share(sent.answered_in(numbers, 201), 0.99):.0f} from sending)"
        if refused:
            said += f"   {len(refused) / step.seconds:,.0f}/s refused, p50 {_share(refused, 0.5):.0f} ms"
            said += f" ({_share(sent.answered_in(numbers, 503), 0.5):.0f} from sending)"
        return said + (f"   answered otherwise: {dict(others)}" if others else "")

    def _print_end(self, steps: Sequence[Step]) -> None:
        """Print how long after the last load beyond the peak p99 equals the first load's again."""
        usual_ms = _share(self._sent.took(steps[0].numbers, 201), 0.99)
        last = steps[-1].numbers
        began_s = self._sent.due_s[last.start] if len(last) else 0.0
        windows = itertools.groupby(last, lambda number: int((self._sent.due_s[number] - began_s) / WINDOW_S))
        slow = [
            window for window, numbers in windows if _share(self._sent.took(numbers, 201), 0.99) > max(usual_ms, 20.0)
        ]
        over_s = next(window for window in itertools.count() if window not in slow) * WINDOW_S
        print(f"over after {over_s:.2f} s (p99 of {WINDOW_S} s at most {max(usual_ms, 20.0):.0f} ms)")

    def _print_live(self, messages: Sequence[tuple[float, dict[str, Any]]]) -> None:
        lags = [
            1_000 * (at_s - datetime.fromisoformat(message["trade"]["created_at"]).timestamp())
            for at_s, message in messages
            if message["type"] == "trade"
        ]
        print(f"live: {len(lags):,} trades on a socket, p50 {_share(lags, 0.5):.0f}, p99 {_share(lags, 0.99):.0f} ms")

    async def _send_again(self) -> None:
        """Send one of `SAMPLE` orders twice again: what was made is answered as it was, the rest is made once."""
        wrong: list[str] = []
        ids: Counter[Any] = Counter()
        limits = httpx.Limits(max_connections=16)
        async with httpx.AsyncClient(base_url=self._service.url, timeout=60, limits=limits) as client:

            async def again(number: int) -> None:
                head, _, body = self._order(number).partition(b"\r\n\r\n")
                first, *lines = head.decode().split("\r\n")
                headers = dict(line.split(": ", 1) for line in lines if not line.startswith(("Host", "Content-Length")))
                path = first.split()[1]
                answers = [await client.post(path, content=body, headers=headers) for _ in range(2)]
                found = [(answer.status_code, answer.content) for answer in answers]
                if self._sent.status[number] == 201:
                    found.append((201, self._sent.bodies[number]))
                if len({(status, content if status == 201 else b"") for status, content in found}) != 1:
                    wrong.append(f"order {number}: {[status for status, _ in found]}")
                if found[0][0] == 201:
                    made = json.loads(found[0][1])
                    ids[path, made.get("order_id") or made.get("basket_id") or made.get("trade_id") or made["id"]] += 1

            await _all(again, range(0, len(self._sent.due_s), SAMPLE))
        twice = sum(1 for count in ids.values() if count > 1)
        print(f"keys sent again: {len(ids):,} orders, {len(wrong)} answered otherwise, {twice} made twice")
        for line in wrong[:5]:
            print("  " + line)


async def _all(work: Callable[[int], Awaitable[None]], numbers: Iterable[int]) -> None:
    turns = asyncio.Semaphore(16)

    async def one(number: int) -> None:
        async with turns:
            await work(number)

    await asyncio.gather(*map(one, numbers))


def _share(found: Sequence[float], share: float) -> float:
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
