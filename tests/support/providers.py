"""A provider of prices and rates on a local port, which answers what a test sets."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One answer. `pause_s` before it, `trickle_s` between its bytes; `announced` overrides its Content-Length.

    It waits for `released`, where there is one.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    trickle_s: float = 0.0
    announced: int | None = None
    released: threading.Event | None = None


class Provider:
    """Answers each path with its reply, 404 where it has none, and remembers what it was asked."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.closing = threading.Event()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked.append(self.path)
                provider.answer(self)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Send the reply of a request's path."""
        reply = self.replies.get(handler.path, Reply(b"there is nothing here", 404))
        self.closing.wait(reply.pause_s)
        while reply.released is not None and not reply.released.is_set() and not self.closing.is_set():
            reply.released.wait(0.1)
        try:
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            announced = len(reply.body) if reply.announced is None else reply.announced
            handler.send_header("Content-Length", str(announced))
            handler.end_headers()
            step = 1 if reply.trickle_s else len(reply.body) or 1
            for at in range(0, len(reply.body), step):
                handler.wfile.write(reply.body[at : at + step])
                if reply.trickle_s:
                    time.sleep(reply.trickle_s)
        except (BrokenPipeError, ConnectionResetError):
            # The client's timeout has passed.
            handler.close_connection = True

    def close(self) -> None:
        """Let go of the port."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def provider() -> Iterator[Provider]:
    """Serve a provider while the block runs."""
    made = Provider()
    try:
        yield made
    finally:
        made.close()


BINANCE = b"""[{"symbol":"ETHBTC","price":"0.05170000"},{"symbol":"BTCUSDT","price":"64250.01000000"},
{"symbol":"ETHUSDT","price":"3321.45000000"},{"symbol":"DEADUSDT","price":"0.00000000"},
{"symbol":"ODDUSDT","price":"NaN"}]"""
COINBASE = (
    b'{"ask":"64249.55","bid":"64249.54","volume":"8654.36","trade_id":660987654,"price":"64249.545","size":"0.0012",'
    b'"time":"2026-01-30T09:00:00.123456Z","rfq_volume":"12.1"}'
)
#: As the Bank of Russia writes: windows-1251, decimal commas, rates of 1, 10, 100 or 10000 units.
CBR = """<?xml version="1.0" encoding="windows-1251"?>
<ValCurs Date="30.01.2026" name="Foreign Currency Market"><Valute ID="R01235"><NumCode>840</NumCode>
<CharCode>USD</CharCode><Nominal>1</Nominal><Name>Доллар США</Name><Value>90,1250</Value><VunitRate>90,125</VunitRate>
</Valute><Valute ID="R01239"><NumCode>978</NumCode><CharCode>EUR</CharCode><Nominal>1</Nominal><Name>Евро</Name>
<Value>98,5066</Value><VunitRate>98,5066</VunitRate></Valute><Valute ID="R01820"><NumCode>392</NumCode>
<CharCode>JPY</CharCode><Nominal>100</Nominal><Name>Иен</Name><Value>61,0301</Value><VunitRate>0,610301</VunitRate>
</Valute><Valute ID="R01717"><NumCode>860</NumCode><CharCode>UZS</CharCode><Nominal>10000</Nominal>
<Name>Узбекских сумов</Name><Value>71,2345</Value><VunitRate>0,00712345</VunitRate></Valute></ValCurs>
""".encode("windows-1251")
ECB = b"""<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
 xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject>
<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender><Cube><Cube time='2026-01-30'>
<Cube currency='USD' rate='1.0930'/><Cube currency='JPY' rate='161.41'/><Cube currency='GBP' rate='0.8413'/>
</Cube></Cube></gesmes:Envelope>"""
