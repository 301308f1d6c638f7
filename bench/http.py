"""The no-op POST of this service against a bare ASGI application that verifies a JWT and codes the same bodies.

python -m bench http
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import jwt
import uvloop

from bench.bets import NOOP, TRADERS, order_requests
from bench.cpu import cpu_s
from bench.load import Figures, NextRequest, drive
from bench.service import BenchService, free_port, running
from bench.trees import ROOT


def main(arguments: list[str]) -> None:
    """Measure the two in turn and print the median ratio."""
    parser = argparse.ArgumentParser(prog="bench http", description=__doc__)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with running("sqlite") as service, running_bare() as bare:
        uvloop.run(_measure(service, bare, options))


async def _measure(service: BenchService, bare_app: BareApp, options: argparse.Namespace) -> None:
    ours = order_requests(NOOP, [service.trader(number) for number in range(TRADERS)], [1])
    load = {"connections": options.connections, "seconds": options.seconds}
    ratios = []
    for _ in range(options.rounds):
        bare = await bare_app.drive(**load)
        noop = await service.drive(ours, **load)
        ratios.append(noop.per_second / bare.per_second)
        print(f"bare {bare.per_second:,.0f}/s   no-op {noop.per_second:,.0f}/s   ratio {ratios[-1]:.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}")


@dataclass(frozen=True, slots=True)
class BareApp:
    """A running bare app, and orders that it accepts."""

    url: str
    process: subprocess.Popen[bytes]
    orders: NextRequest

    async def drive(self, *, connections: int, seconds: float) -> Figures:
        """Send orders as fast as they are answered."""
        process_id = self.process.pid
        return await drive(
            self.url, self.orders, connections=connections, seconds=seconds, cpu_s=lambda: cpu_s(process_id)
        )


@contextlib.contextmanager
def running_bare() -> Iterator[BareApp]:
    """Run the bare app, which takes orders of the usual number of traders for 20 hours."""
    port, secret, now = free_port(), secrets.token_hex(32), int(time.time())
    claims = [{"sub": str(number), "sid": number, "iat": now, "exp": now + 72_000} for number in range(TRADERS)]
    orders = order_requests(NOOP, [jwt.encode(one, secret, algorithm="HS256") for one in claims], [1])
    process = subprocess.Popen([sys.executable, "-m", "bench.bare", str(port), secret], cwd=ROOT)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield BareApp(f"http://127.0.0.1:{port}", process, orders)
    finally:
        process.terminate()
        process.wait(10)
