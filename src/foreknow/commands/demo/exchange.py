"""An exchange on this machine with one pair, whose price is a function of the time."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, Clock, system_clock
from foreknow.kernel.provider_settings import AssetProvider, ProvidedAsset

SYMBOL = "DEMO"
PAIR = "DEMOUSD"
NAME = "Demo coin"
BASE_USD = 68_000
#: How often the service asks.
EVERY_S = 5
#: Periods (ms) and amplitudes of the waves whose sum is the logarithm of the price.
_WAVES = ((197 * MINUTE_MS, 0.02), (41 * MINUTE_MS, 0.008), (13 * MINUTE_MS, 0.004), (97 * SECOND_MS, 0.001))


def price_usd(at_ms: int) -> float:
    """Return the price at a moment (Unix milliseconds): the same in every process, and as before a restart."""
    exponent = sum(size * math.sin(2 * math.pi * (at_ms % period) / period) for period, size in _WAVES)
    return round(BASE_USD * math.exp(exponent), 2)


@contextmanager
def serving(clock: Clock = system_clock) -> Iterator[AssetProvider]:
    """Serve the price at `clock` on a free port of this machine while the block runs; yields the service's setting."""

    class Ticker(_Ticker):
        now_ms = staticmethod(clock)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ticker)
    thread = threading.Thread(target=server.serve_forever, name="demo-exchange", daemon=True)
    thread.start()
    try:
        yield AssetProvider(
            adapter="binance",
            name="demo",
            url=f"http://127.0.0.1:{server.server_address[1]}/ticker",
            every_s=EVERY_S,
            assets={SYMBOL: ProvidedAsset(pair=PAIR, name=NAME)},
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Ticker(BaseHTTPRequestHandler):
    """Answers every GET with the present price, in the form of Binance's ticker."""

    now_ms: Clock

    def do_GET(self) -> None:
        body = json.dumps([{"symbol": PAIR, "price": f"{price_usd(self.now_ms()):.2f}"}]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the service logs what it fetches."""
