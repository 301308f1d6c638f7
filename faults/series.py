"""A series that runs by itself through a year, while its server is killed at random.

python -m faults series --instances 40 --kills 10
python -m faults series --database postgres --instances 35040 --kills 500   # a year of a 15-minute series, for hours

The time comes from a file (FOREKNOW_TEST_CLOCK). For each instance a trader bets, the clock passes its end, and an
admin sets the price that decides it. In a shorter run the clock leaps: the instances in between never come to be, and
the year still ends. Afterwards each instance must have been resolved by its evidence and paid once, no index may occur
twice, and the books must be right at each restart.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from bench.fill import temporary
from faults.kills import SEED, Killed
from foreknow.kernel.clock import DAY_MS, MINUTE_MS, SECOND_MS, iso, millis
from foreknow.platform.db.migrate import migrate
from tests.support.books import audit_database
from tests.support.http import NO_TLS

INTERVAL_MS = 15 * MINUTE_MS
YEAR_MS = 365 * DAY_MS
#: 00:00 UTC of the first day; the year has both changes of summer time and 29 February.
BEGIN = "2027-11-22T00:00:00+00:00"
EMAIL, PASSWORD = "admin@example.org", "correct horse battery"
STAKE_KOPECKS = 1_000
#: Longest wait for a series to go on, server starts included.
WAIT_S = 120.0
#: How often it is looked whether something has happened.
POLL_MS = 20
#: A kill comes within this time after the clock has passed an instance's end.
KILL_WITHIN_S = 0.6


class WentWrong(AssertionError):
    """An instance was not what it must be."""


class Clock:
    """The file that is the server's time."""

    def __init__(self, path: Path, now_ms: int) -> None:
        """Begin at `now_ms`."""
        self.path = path
        self.set(now_ms)

    def set(self, now_ms: int) -> None:
        """Let it be `now_ms`."""
        beside = self.path.with_suffix(".new")
        beside.write_text(str(now_ms))
        beside.replace(self.path)
        self.now_ms = now_ms


class Caller:
    """A client of a server that may be dead: it signs in again when its session has ended, and asks again."""

    def __init__(self, url: str, email: str) -> None:
        """Speak to the API at `url` as the account of `email`."""
        self._email = email
        self._http = httpx.Client(base_url=url, verify=NO_TLS, trust_env=False, timeout=60)

    def __call__(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Return the response's JSON; repeats a request without an answer, so a POST that moves money needs a key."""
        until_s = time.monotonic() + WAIT_S
        while time.monotonic() < until_s:
            with contextlib.suppress(httpx.TransportError):
                answer = self._http.request(method, path, json=body, headers=headers)
                if answer.status_code == httpx.codes.UNAUTHORIZED:
                    self._sign_in()
                elif answer.is_success:
                    return answer.json()
                elif not answer.is_server_error:
                    raise WentWrong(f"{method} {path}: {answer.status_code} {answer.text}")
            time.sleep(0.02)
        raise WentWrong(f"{method} {path}: no answer")

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def _sign_in(self) -> None:
        answer = self._http.post("/auth/sign-in", json={"login": self._email, "password": PASSWORD})
        if answer.is_success:
            self._http.cookies.clear()
            self._http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"


@dataclass(slots=True)
class Run:
    """What happened."""

    kills: int = 0
    #: Event id and deciding price by index.
    instances: dict[int, tuple[int, float]] = field(default_factory=dict)
    seconds: float = 0.0


class Year:
    """One series and its server."""

    def __init__(self, database_url: str, folder: Path) -> None:
        """Start a server with a trader, an asset, and a series that begins now."""
        self._database_url = database_url
        self.clock = Clock(folder / "clock", millis_of(BEGIN))
        self.server = Killed(
            database_url,
            folder,
            settings={
                "FOREKNOW_TEST_CLOCK": str(self.clock.path),
                "FOREKNOW_ADMIN_EMAIL": EMAIL,
                "FOREKNOW_ADMIN_PASSWORD": PASSWORD,
            },
        )
        self.admin = Caller(self.server.url, EMAIL)
        self.trader = Caller(self.server.url, self._sign_up("trader"))
        self.creator = Caller(self.server.url, self._sign_up("creator"))
        self.set_price(100.0)
        self.first = self._publish()

    def _sign_up(self, name: str) -> str:
        body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name, "nickname": name}
        made = httpx.post(f"{self.server.url}/auth/sign-up", json=body, verify=NO_TLS, trust_env=False).json()
        user_id = made["user"]["id"]
        self.admin("PATCH", f"/admin/users/{user_id}", {"is_creator": name == "creator"})
        credit = {"amount_kopecks": 10**12, "note": "to bet with"}
        self.admin("POST", f"/admin/users/{user_id}/credit", credit, **{"Idempotency-Key": f"credit-{name}"})
        return f"{name}@example.org"

    def _publish(self) -> dict[str, Any]:
        rule = {"kind": "price", "symbol": "BTC", "outcomes": [{"below": {"times": 1}}, {"from": {"times": 1}}]}
        metadata = {"market_names": ["Below {high}", "{low} or above"], "lmsr_b_kopecks": 10_000, "resolution": rule}
        pool = {
            "name": "{number}",
            "live_at": iso(self.clock.now_ms),
            "finish_at": iso(self.clock.now_ms + INTERVAL_MS),
            "metadata": metadata,
        }
        body = {"name": "BTC at {finish_at}", "loop_interval_minutes": INTERVAL_MS // MINUTE_MS, "pools": [pool]}
        event = self.creator("POST", "/events/create-full", body)
        return dict(self.creator("POST", f"/events/{event['id']}/publish"))

    def set_price(self, price: float) -> None:
        """Let an admin set the asset's price."""
        self.admin("PUT", "/admin/assets/BTC", {"name": "Bitcoin", "asset_type": "crypto", "price": price})

    def pass_to(self, now_ms: int) -> None:
        """Let it be `now_ms`, and return when the server knows: it reads the file every 0.1 s."""
        self.clock.set(now_ms)
        self.wait_until(f"the time {iso(now_ms)}", lambda: millis_of(self._health()["timestamp"]) >= now_ms)

    def _health(self) -> dict[str, Any]:
        return dict(self.admin("GET", "/health"))

    def event(self, event_id: int) -> dict[str, Any]:
        """Return an event."""
        return dict(self.admin("GET", f"/events/{event_id}"))

    def series(self) -> dict[str, Any]:
        """Return the series."""
        return dict(self.admin("GET", f"/series/{self.first['series']['id']}"))

    def wait_until(self, what: str, condition: Callable[[], bool]) -> None:
        """Return when `condition` holds; time passes meanwhile, so that what was put off after a failure is due."""
        until_s = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > until_s:
                raise WentWrong(f"{what} does not happen: {self.series()}")
            time.sleep(POLL_MS / SECOND_MS)
            self.clock.set(self.clock.now_ms + POLL_MS)

    def close(self) -> None:
        """Kill the server for the last time."""
        self.server.kill()
        for caller in (self.admin, self.trader, self.creator):
            caller.close()

    def kill_soon(self, delay_s: float) -> threading.Thread:
        """Kill the server after `delay_s`, check the books, and start it again."""

        def work() -> None:
            time.sleep(delay_s)
            self.server.kill()
            audit_database(self._database_url)
            self.server.start()

        thread = threading.Thread(target=work)
        thread.start()
        return thread


def run_year(database_url: str, *, instances: int, kills: int) -> Run:
    """Run a series through a year; raises `WentWrong`, or `BooksAreWrong` of the audit."""
    migrate(database_url)
    chance = random.Random(SEED)
    killed_at = set(chance.sample(range(instances), min(kills, instances)))
    leap = max(1, YEAR_MS // INTERVAL_MS // instances)
    began_s = time.monotonic()
    done = Run()
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder:
        year = Year(database_url, Path(folder))
        try:
            event = year.first
            for number in range(instances):
                event = _live(year, event, done, chance, kill=number in killed_at, leap=leap)
            _check(year, done)
        finally:
            year.close()
    audit_database(database_url)
    done.seconds = time.monotonic() - began_s
    return done


def _live(
    year: Year, event: dict[str, Any], done: Run, chance: random.Random, *, kill: bool, leap: int
) -> dict[str, Any]:
    """Take an instance to its payment; return the next one."""
    index, pool = event["series"]["index"], event["pools"][0]
    finish_ms = millis_of(pool["finish_at"])
    year.pass_to(finish_ms - INTERVAL_MS // 2)
    market = pool["markets"][chance.randrange(2)]["id"]
    bet = {"market_id": market, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
    year.trader("POST", "/market/bets", bet, **{"Idempotency-Key": f"bet-{index}"})
    price = round(chance.uniform(50, 150), 2)
    year.pass_to(finish_ms + SECOND_MS)
    killer = year.kill_soon(chance.uniform(0, KILL_WITHIN_S)) if kill else None
    year.set_price(price)
    done.instances[index] = event["id"], price
    event_id = event["id"]
    year.wait_until(
        f"the payment of {index}",
        lambda: year.event(event_id)["pools"][0]["resolution"]["state"] == "paid",
    )
    if leap > 1:
        # The rest of this leap passes without a server noticing its instances.
        year.pass_to(finish_ms + (leap - 1) * INTERVAL_MS + SECOND_MS)
        year.set_price(price)
    year.wait_until(
        f"an instance after {index}", lambda: millis_of(_newest(year)["pools"][0]["finish_at"]) > year.clock.now_ms
    )
    if killer is not None:
        killer.join()
        done.kills += 1
    return _newest(year)


def _newest(year: Year) -> dict[str, Any]:
    return year.event(year.series()["current_event_id"])


def _check(year: Year, done: Run) -> None:
    """Check each instance against its evidence, and that no index occurs twice."""
    listed: list[int] = []
    for event in _instances(year):
        listed.append(event["series"]["index"])
        known = done.instances.get(listed[-1])
        if known is None:
            continue
        resolution = event["pools"][0]["resolution"]
        won = 0 if known[1] < resolution["strike"]["price"] else 1
        shown = (event["id"], resolution["evidence"]["price"], resolution["won_side"], event["status"])
        if shown != (*known, won, "resolved") or resolution["decided_by"] != "rule":
            raise WentWrong(f"instance {listed[-1]}: {resolution}")
    if len(set(listed)) != len(listed) or not done.instances.keys() <= set(listed):
        raise WentWrong(f"indices {sorted(listed)}")
    settled = sum(entry["won_side"] is not None for entry in _closed(year))
    if settled != len(done.instances):
        raise WentWrong(f"{settled} positions were settled in {len(done.instances)} instances")


def _instances(year: Year) -> Iterator[dict[str, Any]]:
    yield from _pages(year.admin, f"/events?series={year.first['series']['id']}&limit=100", "events")


def _closed(year: Year) -> Iterator[dict[str, Any]]:
    yield from _pages(year.trader, "/market/positions/completed?limit=100", "positions")


def _pages(caller: Caller, path: str, name: str) -> Iterator[dict[str, Any]]:
    cursor = ""
    while True:
        page = caller("GET", path + cursor)
        yield from page[name]
        if not page["has_more"]:
            return
        cursor = f"&cursor={page['next_cursor']}"


def millis_of(moment: str) -> int:
    """Return an ISO 8601 time in Unix milliseconds."""
    return millis(datetime.fromisoformat(moment))


def main(arguments: list[str]) -> None:
    """Run a year and print what happened. Raises on a failure."""
    parser = argparse.ArgumentParser(prog="faults series", description=__doc__)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    with temporary(options.database) as url:
        done = run_year(url, instances=options.instances, kills=options.kills)
    print(
        f"{options.database}: {len(done.instances)} instances of a year in {done.seconds:.0f} s, {done.kills} kills;"
        " each resolved by its evidence and paid once, no index twice, every book right"
    )
