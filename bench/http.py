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

import jwt
import uvloop

from bench.bets import TRADERS, order_requests
from bench.load import drive
from bench.service import BenchService, free_port, running


def main(arguments: list[str]) -> None:
    """Measure the two in turn and print the median ratio."""
    parser = argparse.ArgumentParser(prog="bench http", description=__doc__)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    secret = secrets.token_hex(32)
    with running("sqlite") as service, _bare(secret) as bare_url:
        uvloop.run(_measure(service, bare_url, secret, options))


async def _measure(service: BenchService, bare_url: str, secret: str, options: argparse.Namespace) -> None:
    path = "/api/v1/bench/noop"
    ours = order_requests(path, [service.trader(number) for number in range(TRADERS)], [1])
    now = int(time.time())
    claims = [{"sub": str(number), "sid": number, "iat": now, "exp": now + 1200} for number in range(TRADERS)]
    theirs = order_requests(
        path, [jwt.encode(idempotency_key, secret, algorithm="HS256") for idempotency_key in claims], [1]
    )
    load = {"connections": options.connections, "seconds": options.seconds}
    ratios = []
    for _ in range(options.rounds):
        bare = await drive(bare_url, theirs, **load)
        noop = await drive(service.url, ours, **load)
        ratios.append(noop.per_second / bare.per_second)
        print(f"bare {bare.per_second:,.0f}/s   no-op {noop.per_second:,.0f}/s   ratio {ratios[-1]:.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}")


@contextlib.contextmanager
def _bare(secret: str) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "bench.bare", str(port), secret])
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
