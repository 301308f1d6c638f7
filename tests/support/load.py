"""Traders who bet again and again, each bet under a key of its own, sent again until a server answers it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import httpx

from tests.support.http import NO_TLS
from tests.support.service import Person, expect
from tests.support.waiting import WAIT_S, wait_until

STAKE_KOPECKS = 100
#: The servers that start meanwhile need the processor, too.
PAUSE_S = 0.05


class Load:
    """Bets of one person on markets, at whatever address `api_url()` names when a trader begins."""

    def __init__(
        self,
        person: Person,
        market_ids: Sequence[int],
        api_url: Callable[[], str],
        *,
        traders: int = 4,
        pause_s: float = PAUSE_S,
    ) -> None:
        """Prepare; nothing is sent before `running`. `pause_s`: between an answer and a trader's next bet."""
        self._token = person.token
        self._market_ids = market_ids
        self._api_url = api_url
        self._traders = traders
        self._pause_s = pause_s
        self._keys = itertools.count()
        self._ending = threading.Event()
        #: How often each status was answered, a text for what was neither a bet nor nothing.
        self.statuses: Counter[int | str] = Counter()
        #: Requests that no server answered.
        self.unanswered = 0
        #: Key → id of the bet.
        self.bets: dict[str, int] = {}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Bet while the block runs; at its end every bet that was begun is answered.

        While the site takes no orders they are sent again.
        """
        thread = threading.Thread(target=asyncio.run, args=(self._run(),))
        thread.start()
        try:
            yield
        finally:
            self._ending.set()
            thread.join(WAIT_S)
        assert not thread.is_alive(), "a bet is never answered"

    def go_on(self, count: int = 30) -> None:
        """Return once `count` more bets were answered."""
        enough = len(self.bets) + count
        wait_until(lambda: len(self.bets) >= enough)

    def check(self, person: Person, *, before_kopecks: int) -> None:
        """Every bet was accepted, each key bet once, and nothing else cost money."""
        assert set(self.statuses) == {201}, self.statuses
        assert len(set(self.bets.values())) == len(self.bets)
        now_kopecks = expect(person.client.get("/users/me"), 200)["balance_kopecks"]
        assert before_kopecks - now_kopecks == STAKE_KOPECKS * len(self.bets)

    async def _run(self) -> None:
        await asyncio.gather(*(self._trade(number) for number in range(self._traders)))

    async def _trade(self, number: int) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        order = {
            "market_id": self._market_ids[number % len(self._market_ids)],
            "token_type": "YES",
            "amount_kopecks": STAKE_KOPECKS,
        }
        async with httpx.AsyncClient(headers=headers, timeout=WAIT_S, trust_env=False, verify=NO_TLS) as client:
            while not self._ending.is_set():
                key = f"load-{id(self)}-{next(self._keys)}"
                while key not in self.bets:
                    await self._send(client, order, key)
                    await asyncio.sleep(self._pause_s)

    async def _send(self, client: httpx.AsyncClient, order: dict[str, object], key: str) -> None:
        url = f"{self._api_url()}/market/bets"
        try:
            answer = await client.post(url, json=order, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            self.unanswered += 1
            return
        if answer.status_code == 403 and answer.json()["error"] == "trading_off":
            return
        self.statuses[answer.status_code] += 1
        if answer.status_code == 201:
            self.bets[key] = answer.json()["id"]
