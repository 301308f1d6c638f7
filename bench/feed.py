"""The feed under load: from the commit of a trade to its message on every one of thousands of sockets.

python -m bench feed --database sqlite
python -m bench feed --database postgres --only sockets

A trade's latency counts from its `created_at`, taken just before its commit, so the commit itself is in it. Every
socket's messages are checked: each trade once, in one order.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.listeners import Heard, Listeners, listening, stalled
from bench.paced import Receipts, bet_at
from bench.service import BenchService, running


@dataclass(slots=True)
class Latencies:
    """Latencies from the trade to the socket, counted in tenths of a millisecond."""

    counts: Counter[int] = field(default_factory=Counter)

    def percentile_ms(self, share: float) -> float:
        """The time within which `share` of the messages came."""
        wanted = self.counts.total() * share
        for tenths in sorted(self.counts):
            wanted -= self.counts[tenths]
            if wanted <= 0:
                return tenths / 10
        return 0.0


@dataclass(slots=True)
class Run:
    """The result of one load on the feed."""

    all: Latencies
    #: The same by the second in which the trade was made.
    by_second: dict[int, Latencies]
    messages: int
    #: Messages received together.
    together: float
    bet_ms_p99: float
    cpu_s: float
    seconds: float


def main(arguments: list[str]) -> None:
    """Run the scenarios in turn."""
    parser = argparse.ArgumentParser(prog="bench feed", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--only", choices=list(SCENARIOS), help="one scenario instead of all")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    for name, scenario in SCENARIOS.items():
        if options.only in {None, name}:
            print(f"{name} ({options.database})", flush=True)
            with running(options.database) as service:
                scenario(service, options)


def _sockets(service: BenchService, options: argparse.Namespace) -> None:
    """5,000 sockets at 10 trades a second."""
    _steady(service, options, sockets=5_000, per_second=10)


def _trades(service: BenchService, options: argparse.Namespace) -> None:
    """1,000 sockets at 100 trades a second."""
    _steady(service, options, sockets=1_000, per_second=100)


def _faster(service: BenchService, options: argparse.Namespace) -> None:
    """Trades faster than they could be written one by one: the latency must not grow."""
    _steady(service, options, sockets=5_000, per_second=200)


def _steady(service: BenchService, options: argparse.Namespace, *, sockets: int, per_second: float) -> None:
    load, before_bytes = Load(service), service.resident_bytes()
    with listening(service.url, sockets) as listeners:
        opened_bytes = service.resident_bytes() - before_bytes
        print(f"  {sockets:,} sockets: {opened_bytes / sockets / 1024:.0f} KiB of memory each")
        for _ in range(options.rounds):
            _print(load.run(listeners, per_second=per_second, seconds=options.seconds), sockets)


def _stalled(service: BenchService, options: argparse.Namespace) -> None:
    """200 sockets that never read, beside 200 that do; the messages exceed the kernel's buffers."""
    load, ratios, grown_bytes = Load(service, long_names=True), [], []
    with listening(service.url, 200) as listeners:
        for _ in range(options.rounds):
            without = load.run(listeners, per_second=150, seconds=options.seconds)
            _print(without, 200)
            with _peak_of(service) as peak, stalled(service.url, 200):
                beside = load.run(listeners, per_second=150, seconds=options.seconds)
                cut = 400 - _open_sockets(service)
            _print(beside, 200)
            ratios.append(beside.all.percentile_ms(0.99) / without.all.percentile_ms(0.99))
            grown_bytes.append(peak[0])
            print(
                f"  p99 with stalled ÷ without {ratios[-1]:.2f}; memory grew by {peak[0] / 2**20:.1f} MiB; "
                f"{cut} were cut by the end",
                flush=True,
            )
    print(f"  median ratio {statistics.median(ratios):.2f}, most memory {max(grown_bytes) / 2**20:.1f} MiB")


def _broadcast(service: BenchService, options: argparse.Namespace) -> None:
    """The hub, from wake to kernel, against a bare loop over the same sockets; by CPU time of the server."""
    load, made = Load(service), 0
    for sockets in (500, 5_000):
        with listening(service.url, sockets) as listeners:
            heard = 0
            for together in (1, 64):
                rounds = []
                for _ in range(options.rounds):
                    order = {"market_id": load.market_id, "times": 20, "together": together, "first": made}
                    measured = service.admin.post("/bench/broadcast", json=order).raise_for_status().json()
                    rounds.append((measured["bare_us"] / measured["hub_us"], measured["hub_us"], measured["bare_us"]))
                    made += 20 * together
                    heard += 2 * 20 * together
                    _refuse_faults(listeners.heard(heard))
                ratio, hub_us, bare_us = statistics.median_low(rounds)
                print(
                    f"  {sockets:,} sockets, {together} message(s) a write: hub {hub_us:.1f} µs, bare loop "
                    f"{bare_us:.1f} µs a write; {ratio:.2f} of the bare loop",
                    flush=True,
                )


SCENARIOS = {
    "sockets": _sockets,
    "trades": _trades,
    "faster": _faster,
    "stalled": _stalled,
    "broadcast": _broadcast,
}


class Load:
    """Bets on one market with distinct amounts, which identify the bet of each message."""

    def __init__(self, service: BenchService, *, long_names: bool = False) -> None:
        """Make a market and a trader; with `long_names` each message takes some 2 kB."""
        self._service = service
        creator = service.trader(0, creator=True)
        self.market_id: int = service.event(creator)["pools"][0]["markets"][0]["id"]
        self._token = service.trader(1)
        if long_names:
            picture = {"avatar_url": "https://example.org/" + "a" * 1_900}
            headers = {"Authorization": f"Bearer {self._token}"}
            service.admin.patch("/users/me", json=picture, headers=headers).raise_for_status()
        self._made = 0
        self._created_at_s: dict[int, float] = {}

    def run(self, listeners: Listeners, *, per_second: float, seconds: float) -> Run:
        """Bet at `per_second` for the given time, then wait until every socket has received each bet."""
        count, first, began_cpu_s = int(per_second * seconds), self._made, self._service.cpu_s()
        began_s = time.time()
        receipts = bet_at(
            self._service.url,
            token=self._token,
            market_ids=[self.market_id],
            amounts=range(1_000 + first, 1_000 + first + count),
            per_second=per_second,
        )
        self._made += count
        self._created_at_s |= receipts.created_at_s
        heard = listeners.heard(self._made)
        _refuse_faults(heard)
        cpu_s = self._service.cpu_s() - began_cpu_s
        return self._measured(heard, receipts, cpu_s=cpu_s, began_s=began_s)

    def _measured(self, heard: Heard, receipts: Receipts, *, cpu_s: float, began_s: float) -> Run:
        run = Run(Latencies(), {}, 0, 0.0, receipts.percentile_ms(0.99), cpu_s, time.time() - began_s)
        created_at_s = [self._created_at_s[amount] for amount in heard.amounts]
        for first, last, at_s in zip(heard.firsts, heard.lasts, heard.at_s, strict=True):
            for message in range(first, last + 1):
                tenths = max(0, round((at_s - created_at_s[message]) * 10_000))
                run.all.counts[tenths] += 1
                second = int(created_at_s[message] - began_s)
                run.by_second.setdefault(second, Latencies()).counts[tenths] += 1
        run.messages = run.all.counts.total()
        run.together = run.messages / len(heard.firsts)
        return run


def _print(run: Run, sockets: int) -> None:
    seconds = " ".join(f"{run.by_second[second].percentile_ms(0.99):.0f}" for second in sorted(run.by_second))
    print(
        f"  {run.messages / sockets:,.0f} trades to {sockets:,} sockets, each once and in order: "
        f"p50 {run.all.percentile_ms(0.5):.0f} ms, p99 {run.all.percentile_ms(0.99):.0f} ms; "
        f"{run.together:.1f} messages at a time; bets' p99 {run.bet_ms_p99:.0f} ms; "
        f"server {run.cpu_s / run.seconds:.0%} of a core, {1e6 * run.cpu_s / run.messages:.1f} µs a message\n"
        f"    p99 by second, ms: {seconds}",
        flush=True,
    )


def _refuse_faults(heard: Heard) -> None:
    if heard.faults or heard.incomplete:
        raise SystemExit(f"{heard.incomplete} sockets did not get everything; {'; '.join(heard.faults)}")


def _open_sockets(service: BenchService) -> int:
    lines = service.admin.get(f"{service.url}/metrics").raise_for_status().text.splitlines()
    (count,) = (line.split()[1] for line in lines if line.startswith("foreknow_sockets_open "))
    return int(float(count))


@contextlib.contextmanager
def _peak_of(service: BenchService) -> Iterator[list[int]]:
    """Yield a list that receives the largest growth of the server's memory, in bytes, during the block."""
    before, done, peak = service.resident_bytes(), threading.Event(), [0]

    def watch() -> None:
        while not done.wait(0.1):
            peak[0] = max(peak[0], service.resident_bytes() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()
