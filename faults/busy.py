"""A busy site on a server that may be killed, in the time of a file: a series, traders, mails, disputes.

Each instance of the series is traded, a price decides it, some who hold shares object, an admin confirms or replaces
what was decided, and it is paid once its dispute window has passed.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from faults.kills import SEED, Killed
from faults.series import BEGIN, EMAIL, PASSWORD, WAIT_S, Caller, Clock, WentWrong, millis_of
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, iso
from tests.support.http import NO_TLS
from tests.support.mailbox import Mailbox, link_of
from tests.support.postgres import PACKAGES, PROGRAMS

INTERVAL_MS = 5 * MINUTE_MS
DISPUTE_MINUTES = 5
#: What a replaced result waits for: its window is at least an hour.
LONGEST_WINDOW_MS = 61 * MINUTE_MS
STAKE_KOPECKS = 1_000
GRANT_KOPECKS = 10**9
#: Orders under way at once.
AT_ONCE = 8
#: Of this many instances one is disputed.
DISPUTED_OF = 12
PAID = "paid"


@dataclass(slots=True)
class Done:
    """What happened."""

    #: Trades that were answered; by status, the other orders.
    answered: set[int] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    instances: list[int] = field(default_factory=list)
    disputes: int = 0
    kills: int = 0
    upgrades: int = 0


class BusySite:
    """The server, and those who use it."""

    def __init__(self, database_url: str, folder: Path, mailbox: Mailbox, *, traders: int) -> None:
        """Start it with traders whose addresses are verified by mail, and a series that begins now."""
        self.clock = Clock(folder / "clock", millis_of(BEGIN))
        self.settings = {
            "FOREKNOW_TEST_CLOCK": str(self.clock.path),
            "FOREKNOW_ADMIN_EMAIL": EMAIL,
            "FOREKNOW_ADMIN_PASSWORD": PASSWORD,
            "FOREKNOW_SIGN_UP_KOPECKS": str(GRANT_KOPECKS),
            "FOREKNOW_GRANTS_PER_ADDRESS": "1000000",
            "FOREKNOW_SMTP_URL": f"smtp://127.0.0.1:{mailbox.port}",
            "FOREKNOW_EMAIL_FROM": "site@example.org",
            "FOREKNOW_PUBLIC_URL": "http://127.0.0.1:8000",
            # pg_dump.
            "PATH": f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}",
        }
        self.server = Killed(database_url, folder, settings=self.settings)
        self.done = Done()
        self._chance = random.Random(SEED)
        self._mailbox = mailbox
        self._http = httpx.Client(base_url=self.server.url, verify=NO_TLS, trust_env=False, timeout=60)
        self.admin = Caller(self.server.url, EMAIL)
        self._creator = Caller(self.server.url, "creator@example.org")
        self._sign_up("creator")
        self.keys = self._verified(traders)
        self.set_price()
        self.event = self._publish()

    def _verified(self, traders: int) -> Sequence[str]:
        """Sign traders up, verify their addresses, and return a key of each."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            keys = list(pool.map(self._sign_up, [f"trader{number}" for number in range(traders)]))
        wait_until("the mails that verify addresses", lambda: len(self._mailbox.taken) > traders)
        for _, mail in self._mailbox.taken:
            self._http.post("/auth/verify", json={"token": link_of(mail, "/verify/")}).raise_for_status()
        return keys

    def _sign_up(self, name: str) -> str:
        body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name, "nickname": name}
        # A client of its own, whose cookies are thrown away.
        with httpx.Client(base_url=self.server.url, verify=NO_TLS, trust_env=False, timeout=60) as client:
            made = client.post("/auth/sign-up", json=body).raise_for_status().json()
            client.headers["Authorization"] = f"Bearer {made['access_token']}"
            if name == "creator":
                self.admin("PATCH", f"/admin/users/{made['user']['id']}", {"is_creator": True})
            key = client.post("/users/me/keys", json={"name": "bot", "scope": "trade"}).raise_for_status().json()
        return str(key["key"])

    def _publish(self) -> dict[str, Any]:
        rule = {
            "kind": "price",
            "symbol": "BTC",
            "outcomes": [{"below": {"times": 1}}, {"from": {"times": 1}}],
            "dispute_minutes": DISPUTE_MINUTES,
        }
        pool = {
            "name": "{number}",
            "live_at": iso(self.clock.now_ms),
            "finish_at": iso(self.clock.now_ms + INTERVAL_MS),
            "metadata": {
                "market_names": ["Below {high}", "{low} or above"],
                "lmsr_b_kopecks": 100_000,
                "resolution": rule,
            },
        }
        body = {"name": "BTC at {finish_at}", "loop_interval_minutes": INTERVAL_MS // MINUTE_MS, "pools": [pool]}
        event = self._creator("POST", "/events/create-full", body)
        return dict(self._creator("POST", f"/events/{event['id']}/publish"))

    def set_price(self) -> None:
        """Let an admin set the asset's price, around 100."""
        price = round(self._chance.uniform(50, 150), 2)
        self.admin("PUT", "/admin/assets/BTC", {"name": "Bitcoin", "asset_type": "crypto", "price": price})

    def pass_to(self, now_ms: int) -> None:
        """Let it be `now_ms`, and return when the server knows."""
        self.clock.set(now_ms)
        wait_until(iso(now_ms), lambda: millis_of(self.admin("GET", "/health")["timestamp"]) >= now_ms)

    def live(self, *, orders: int, kill: bool, before_start: Callable[[], None]) -> None:
        """Take the newest instance to its result; `kill`: kill the server at a random moment of that."""
        event, (pool,) = self.event, self.event["pools"]
        finish_ms = millis_of(pool["finish_at"])
        self.pass_to(finish_ms - INTERVAL_MS // 2)
        killer = self._kill_soon(before_start) if kill else None
        number = len(self.done.instances)
        holders = self._trade(pool, number=number, orders=orders)
        self._creator("POST", "/comments", {"event_id": event["id"], "content": f"Instance {number}."})
        self.pass_to(finish_ms + SECOND_MS)
        self.set_price()
        wait_until(f"the result of {number}", lambda: self._state(event["id"])["history"])
        if holders and number % DISPUTED_OF == 0:
            self._dispute(pool["id"], holders[0], replace=self.done.disputes % 2 == 1)
        self._go_on()
        self.done.instances.append(event["id"])
        if killer is not None:
            killer.join()
            self.done.kills += 1

    def leap_to(self, now_ms: int) -> None:
        """Let it be `now_ms`, unless that is past: the instances until then never come to be."""
        if now_ms > self.clock.now_ms:
            self.pass_to(now_ms)
            self.set_price()
            self._go_on()

    def _go_on(self) -> None:
        """Take the instance that ends ahead for the newest, once there is one."""

        def is_open() -> bool:
            series = self.admin("GET", f"/series/{self.event['series']['id']}")
            self.event = self.admin("GET", f"/events/{series['current_event_id']}")
            return millis_of(self.event["pools"][0]["finish_at"]) > self.clock.now_ms

        wait_until("a next instance", is_open)

    def _state(self, event_id: int) -> dict[str, Any]:
        return dict(self.admin("GET", f"/events/{event_id}")["pools"][0]["resolution"])

    def _kill_soon(self, before_start: Callable[[], None]) -> threading.Thread:
        def work() -> None:
            time.sleep(self._chance.uniform(0, 0.3))
            self.server.kill()
            before_start()
            self.server.start()

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    def _trade(self, pool: dict[str, Any], *, number: int, orders: int) -> list[int]:
        """Send orders, some at once; return the numbers of traders who hold shares for sure."""
        markets = [market["id"] for market in pool["markets"]]
        chosen = [
            (self._chance.randrange(len(self.keys)), self._chance.choice(markets), self._chance.randint(1, 5))
            for _ in range(orders)
        ]

        def send(order: int) -> int | None:
            trader, market, times = chosen[order]
            outcome = {"market_id": market, "token_type": "YES"}
            key = f"{number}-{order}"
            if order % 6 == 3:
                limit = {"action": "buy", "shares": 1_000 * times, "price_bps": 3_000}
                self.done.statuses[self._send(trader, "/market/orders", outcome | limit, key).status_code] += 1
                return None
            bet = self._send(trader, "/market/bets", outcome | {"amount_kopecks": STAKE_KOPECKS * times}, key)
            if bet.status_code != httpx.codes.CREATED:
                raise WentWrong(f"a bet: {bet.status_code} {bet.text}")
            self.done.answered.add(int(bet.json()["id"]))
            if order % 6 != 5:
                return trader
            sale = self._send(trader, "/market/positions/sell", outcome, f"{key}-sale")
            self.done.statuses[sale.status_code] += 1
            if sale.status_code == httpx.codes.CREATED:
                self.done.answered.add(int(sale.json()["id"]))
            return None

        with ThreadPoolExecutor(AT_ONCE) as pool_of_threads:
            held = [trader for trader in pool_of_threads.map(send, range(orders)) if trader is not None]
        sold = {chosen[order][0] for order in range(5, orders, 6)}
        return [trader for trader in held if trader not in sold]

    def _send(self, trader: int, path: str, body: object, key: str) -> httpx.Response:
        """Send an order until it is answered, under its key."""
        headers = {"Authorization": f"Bearer {self.keys[trader]}", "Idempotency-Key": f"{trader}-{key}"}
        until_s = time.monotonic() + WAIT_S
        while time.monotonic() < until_s:
            with suppress(httpx.TransportError):
                answer = self._http.post(path, json=body, headers=headers)
                if not answer.is_server_error:
                    return answer
            time.sleep(0.05)
        raise WentWrong(f"POST {path}: no answer")

    def _dispute(self, pool_id: int, trader: int, *, replace: bool) -> None:
        """Let a trader object to a result, and an admin replace it by a void, or confirm it."""
        with closing(Caller(self.server.url, f"trader{trader}@example.org")) as holder:
            objection = holder("POST", f"/pools/{pool_id}/objections", {"verdict": 1, "reason": "The price was old."})
        if replace:
            self.admin("POST", f"/pools/{pool_id}/resolve", {"void": True})
        else:
            self.admin(
                "POST", f"/pools/{pool_id}/confirm", {"verdict": 1, "seen": objection["id"], "note": "It was not."}
            )
        self.done.disputes += 1

    def settle(self) -> None:
        """Let the last windows pass, and return once every instance is paid."""
        self.leap_to(self.clock.now_ms + LONGEST_WINDOW_MS)
        left = set(self.done.instances)

        def is_paid() -> bool:
            left.difference_update(event["id"] for event in self._instances() if _state_of(event) == PAID)
            return not left

        wait_until("the payment of every instance", is_paid)

    def _instances(self) -> Iterator[dict[str, Any]]:
        path = cursor = f"/events?series={self.event['series']['id']}&limit=100"
        while True:
            page = self.admin("GET", cursor)
            yield from page["events"]
            if not page["has_more"]:
                return
            cursor = f"{path}&cursor={page['next_cursor']}"

    def close(self) -> None:
        """Kill the server for the last time."""
        self.server.kill()
        self._http.close()
        for caller in (self.admin, self._creator):
            caller.close()


def _state_of(event: dict[str, Any]) -> str:
    return str(event["pools"][0]["resolution"]["state"])


def wait_until(what: str, condition: Callable[[], object]) -> None:
    """Return when `condition` holds; raise `WentWrong` after `WAIT_S`."""
    until_s = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > until_s:
            raise WentWrong(f"{what} does not come")
        time.sleep(0.02)
