"""Honest clients at a fixed modest rate: each with an account and an address of its own.

Their requests come at random moments (a Poisson process), whether or not the service keeps up, and a latency counts
from the moment a request was due. What fails is sent once more on a new connection, as any client's library does where
a connection was closed while it was idle; what fails then too, or is not answered with a 2xx, counts as failed.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import httpx
import msgspec

from bench.attacks.wire import BROKEN, Address, Line
from bench.load import Figures, request

#: How long a client waits for an answer.
TIMEOUT_S = 30
PASSWORD = "correct horse"
SIGN_IN = "sign-in"
#: Stands for a status where nothing was answered.
NO_ANSWER = 599


@dataclass(slots=True)
class Client:
    """A client with an account, an address, and connections that stay open."""

    email: str
    address: Address
    token: str = ""
    idle: deque[Line] = field(default_factory=deque)

    @property
    def headers(self) -> dict[str, str]:
        """What says who it is."""
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class Rates:
    """How much all clients do together, a second."""

    bet: float = 60
    read: float = 120
    #: Reads of clients that were not here before, each on a connection of its own.
    newcomer: float = 20
    sign_in: float = 4


class Crowd:
    """All honest clients."""

    def __init__(self, clients: Sequence[Client], *, market_ids: Sequence[int], paths: Sequence[str]) -> None:
        """Bet on these markets and read these paths."""
        self._clients = list(clients)
        self._turns = itertools.cycle(self._clients)
        self._markets = itertools.cycle(market_ids)
        self._paths = itertools.cycle(paths)
        self._sides = itertools.cycle(["YES", "NO"])
        self._stakes = itertools.cycle(range(701, 1300, 7))
        self._moments = random.Random(9)

    async def sign_in(self, url: str) -> None:
        """Renew every access token: they are valid for 20 minutes."""
        for client in self._clients:
            transport = httpx.AsyncHTTPTransport(local_address=client.address.source)
            async with httpx.AsyncClient(base_url=url + "/api/v1", timeout=60, transport=transport) as session:
                answer = await session.post("/auth/sign-in", json={"login": client.email, "password": PASSWORD})
                client.token = str(answer.raise_for_status().json()["access_token"])

    async def act(self, rates: Rates, *, seconds: float) -> dict[str, Figures]:
        """Send their requests for the given time; return the results by kind."""
        found: dict[str, Figures] = defaultdict(lambda: Figures(seconds))
        kinds: Iterable[tuple[str, float, Callable[[Client], bytes], bool]] = (
            ("bet", rates.bet, self._bet, True),
            ("read", rates.read, self._read, True),
            ("newcomer", rates.newcomer, self._read_unknown, False),
            (SIGN_IN, rates.sign_in, self._sign_in, False),
        )
        await asyncio.gather(
            *(
                self._offer(make, per_second, found[name], kept=kept)
                for name, per_second, make, kept in kinds
                if per_second
            )
        )
        return found

    async def _offer(self, make: Callable[[Client], bytes], per_second: float, metrics: Figures, *, kept: bool) -> None:
        began_s = time.perf_counter()
        due_s = began_s + self._moments.expovariate(per_second)
        under_way = set()
        while due_s < began_s + metrics.seconds:
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            client = next(self._turns)
            under_way.add(asyncio.create_task(self._one(client, make(client), due_s, metrics, kept=kept)))
            due_s += self._moments.expovariate(per_second)
        await asyncio.gather(*under_way)

    async def _one(self, client: Client, wanted: bytes, due_s: float, metrics: Figures, *, kept: bool) -> None:
        status = 0
        try:
            async with asyncio.timeout(TIMEOUT_S):
                status = await self._asked(client, wanted, kept=kept)
        except BROKEN:
            # No response: it stays 0.
            pass
        metrics.statuses[status or NO_ANSWER] += 1
        metrics.latencies_ms.append((time.perf_counter() - due_s) * 1000)

    async def _asked(self, client: Client, wanted: bytes, *, kept: bool) -> int:
        line = client.idle.pop() if kept and client.idle else Line(client.address)
        was_open = line.is_open
        try:
            status = await line.ask(wanted)
        except BROKEN:
            line.close()
            if not was_open:
                raise
            line = Line(client.address)
            status = await line.ask(wanted)
        if kept and line.is_open:
            client.idle.append(line)
        else:
            line.close()
        return status

    def _bet(self, client: Client) -> bytes:
        order = {
            "market_id": next(self._markets),
            "token_type": next(self._sides),
            "amount_kopecks": next(self._stakes),
        }
        return request("POST", "/api/v1/market/bets", headers=client.headers, body=msgspec.json.encode(order))

    def _read(self, client: Client) -> bytes:
        return request("GET", "/api/v1" + next(self._paths), headers=client.headers)

    def _read_unknown(self, client: Client) -> bytes:
        return request("GET", f"/api/v1/markets/{next(self._markets)}")

    def _sign_in(self, client: Client) -> bytes:
        return request(
            "POST",
            "/api/v1/auth/sign-in",
            body=msgspec.json.encode({"login": client.email, "password": PASSWORD}),
        )
