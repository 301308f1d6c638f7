"""Kills: `kill -9` under load, restart, check every answered order; repeatedly.

A maker's limit orders rest in the market, so that bets fill them; at the end the maker has what they brought, once.

python -m faults kills --kills 20
python -m faults kills --database postgres
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx
import sqlalchemy as sa

from bench.fill import temporary
from bench.service import free_port
from faults.killing import run_apart
from faults.orders import pay_what_is_left
from faults.trading import RICH_KOPECKS, STAKE_KOPECKS, AnsweredAndLost, orders_in
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.migrate import migrate
from tests.support.books import audit_database
from tests.support.forks import FOREKNOW
from tests.support.http import NO_TLS
from tests.support.limit_orders import rest
from tests.support.orders import bet
from tests.support.service import Service, expect, pool

TRADERS = 8
#: Shares that a basket swaps.
SWAPPED_SHARES = 10
#: Fewest answered orders between two kills.
BETS_BETWEEN = 20
SEED = 9
#: What the maker buys first, and the orders of ten lots in which it is offered again, above the price then.
MAKER_STAKE_KOPECKS = 17_000
OFFERS = 26
OFFER_PERCENT = 58
START_S = 120.0
PATIENT_S = 60.0
#: Pause between attempts to reach a server that is not running, or its database.
PAUSE_S = 0.1


class Killed:
    """`foreknow serve` on one port, killed and started again."""

    def __init__(
        self, database_url: str, folder: Path, *, before: Sequence[str] = (), settings: Mapping[str, str] | None = None
    ) -> None:
        """Start it; `before` is the command that runs it, such as strace, `settings` further environment variables."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api/v1"
        self._before = before
        self._log = folder / "log"
        self._environment = {
            **os.environ,
            "FOREKNOW_DATABASE_URL": database_url,
            "FOREKNOW_DATA_DIR": str(folder / "data"),
            "FOREKNOW_PASSWORD_COST": "low",
            "FOREKNOW_RATE_LIMITS": "off",
            **(settings or {}),
        }
        self.start()

    def start(self) -> None:
        """Start it, and return once it answers."""
        with self._log.open("w") as log:
            command = [*self._before, str(FOREKNOW), "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s and self.process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/health", verify=NO_TLS, trust_env=False).is_success:
                    return
            time.sleep(0.05)
        raise RuntimeError(self._log.read_text())

    def kill(self) -> None:
        """Kill it (SIGKILL) and wait for its end."""
        self.process.kill()
        self.process.wait()

    def run(self, *arguments: str) -> str:
        """Run a command of `foreknow` with the same settings, and return what it says."""
        command = [str(FOREKNOW), *arguments]
        ended = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise AssertionError(f"{arguments}: {ended.stderr}")
        return ended.stdout


class Load:
    """Traders who bet and send baskets continuously, and retry each under its key until it is answered."""

    def __init__(
        self, url: str, token: str, market_ids: Sequence[int], *, rest_s: float = 0.0, first_trader_s: float = PATIENT_S
    ) -> None:
        """Prepare; nothing is sent yet. The markets are of one pool.

        Each trader rests for `rest_s` between two orders. The first one asks again after `first_trader_s`.
        """
        self._rest_s, self._first_trader_s = rest_s, first_trader_s
        self._url = url
        self._token = token
        self._market_ids = market_ids
        self._ending = threading.Event()
        self._has_failed = False
        #: By key: what was placed, as `orders_in` returns it.
        self.answered: dict[str, str] = {}
        self.statuses: Counter[int] = Counter()
        self.unanswered = 0
        #: What the maker's orders brought.
        self.brought_kopecks = 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Bet while the block runs; a server must be running at its end."""
        threads = [threading.Thread(target=self._trade, args=(number,)) for number in range(TRADERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        except BaseException:
            # Orders may never be answered.
            self._has_failed = True
            raise
        finally:
            self._ending.set()
            for thread in threads:
                thread.join()

    def _trade(self, trader: int) -> None:
        number = 0
        headers = {"Authorization": f"Bearer {self._token}"}
        first, second, third = self._market_ids
        swap = [{"market_id": first, "shares": -SWAPPED_SHARES}, {"market_id": third, "shares": SWAPPED_SHARES}]
        orders: list[tuple[str, dict[str, object]]] = [
            ("bet", {"market_id": first, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}),
            ("basket", {"market_ids": [first, second], "amount_kopecks": STAKE_KOPECKS}),
            # A purchase and a sale: both or neither.
            ("basket", {"changes": swap}),
        ]
        with httpx.Client(headers=headers, verify=NO_TLS, trust_env=False) as client:
            while not self._ending.wait(self._rest_s):
                key, number = f"trader-{trader}-{number}", number + 1
                kind, order = orders[number % len(orders)]
                self._send(client, kind, order, key, PATIENT_S if trader else self._first_trader_s)
                while key not in self.answered and not self._has_failed:
                    self._send(client, kind, order, key, PATIENT_S)

    def _send(self, client: httpx.Client, kind: str, order: dict[str, object], key: str, timeout_s: float) -> None:
        url, headers = f"{self._url}/market/{kind}s", {"Idempotency-Key": key}
        try:
            answer = client.post(url, json=order, headers=headers, timeout=timeout_s)
        except httpx.TransportError:
            self.unanswered += 1
            time.sleep(PAUSE_S)
            return
        self.statuses[answer.status_code] += 1
        if answer.status_code == 201:
            self.answered[key] = f"{kind} {answer.json()['id']}"
        else:
            time.sleep(PAUSE_S)


def kill_often(database_url: str, *, kills: int) -> Load:
    """Kill a server under load `kills` times, check after each, and return the load. Raises `AnsweredAndLost`."""
    migrate(database_url)
    service = Service(database_url)
    (made,) = service.event(pools=[pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2])])["pools"]
    market_ids = [int(market["id"]) for market in made["markets"]]
    person, maker = (service.user(balance_kopecks=RICH_KOPECKS) for _ in range(2))
    first_bet = expect(bet(maker, market_ids[0], "YES", MAKER_STAKE_KOPECKS), 201)["id"]
    for _ in range(OFFERS):
        rest(maker, market_ids[0], "YES", "sell", shares=1_000, price=OFFER_PERCENT)
    service.stop()
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder:
        server = Killed(database_url, Path(folder))
        load = Load(server.url, person.token, market_ids)
        load.answered["maker"] = f"bet {first_bet}"
        try:
            with load.running():
                for _ in range(kills):
                    enough = len(load.answered) + BETS_BETWEEN
                    while len(load.answered) < enough:
                        time.sleep(0.005)
                    time.sleep(chance.random() * 0.05)
                    server.kill()
                    check(database_url, dict(load.answered), before_end=True)
                    server.start()
        finally:
            server.kill()
    check(database_url, load.answered)
    pay_what_is_left(database_url)
    load.brought_kopecks = brought_to(database_url, maker.id)
    audit_database(database_url)
    if not load.statuses.keys() <= {201, 503}:
        raise AssertionError(load.statuses)
    return load


def check(database_url: str, answered: dict[str, str], *, before_end: bool = False) -> None:
    """Raise `AnsweredAndLost` unless each key's order is there once if it was answered, and no other but unanswered."""
    found = orders_in(database_url)
    missing = set(answered.values()) - found
    if missing or len(set(answered.values())) != len(answered):
        raise AnsweredAndLost(f"{len(missing)} answered orders are gone")
    if not before_end and len(found) != len(answered):
        raise AnsweredAndLost(f"{len(answered)} keys placed {len(found)} orders")
    audit_database(database_url)


def brought_to(database_url: str, maker_id: int) -> int:
    """Return what the orders of the maker brought; raise `AnsweredAndLost` unless the balance has just that more."""
    query = sa.text("""
        SELECT a.balance_kopecks, SUM(o.amount_kopecks), SUM(o.held_kopecks)
        FROM users u JOIN accounts a ON a.id = u.account_id JOIN limit_orders o ON o.user_id = u.id
        WHERE u.id = :id GROUP BY a.id, a.balance_kopecks
    """)

    async def read() -> tuple[int, int, int]:
        database = open_database(database_url)
        try:
            row = await database.read(lambda tx: tx.execute(query, {"id": maker_id}).one())
        finally:
            await database.close()
        return int(row[0]), int(row[1]), int(row[2])

    balance, brought, held = run_apart(read())
    if held or balance != RICH_KOPECKS - MAKER_STAKE_KOPECKS + brought:
        raise AnsweredAndLost(f"the maker has {balance} and {held} held; orders brought {brought}")
    return brought


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(prog="faults kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    with temporary(options.database) as url:
        load = kill_often(url, kills=options.kills)
    print(
        f"{options.database}: {options.kills} kills, {len(load.answered)} orders answered and each there once,"
        f" {load.unanswered} requests without an answer and asked again, {load.brought_kopecks} kopecks paid to the"
        " maker that they met, every book right"
    )
