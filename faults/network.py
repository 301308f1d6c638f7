"""Networks that misbehave between clients and the service, and between the service and PostgreSQL.

python -m faults network
python -m faults network --side database --pause 60

Traders bet through a proxy while it delays, splits, cuts, resets, forgets or holds what passes. Each order without an
answer is sent again under its key: all are there once, and the books are right. While the database's side is faulty,
no one waits for longer than `ANSWER_S`; others, on connections and pools of their own, notice nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import sqlalchemy as sa

from faults.proxy import Proxy
from faults.trading import AnsweredAndLost, Trader, open_trader, trades_in
from foreknow.platform.db.postgres.pulse import PulseTimes
from tests.support.http import NO_TLS
from tests.support.postgres import DURABLE_SETTINGS, Postgres, running_postgres
from tests.support.schema import prepare
from tests.support.service import Service

TRADERS = 4
#: The service's own limit, and what this machine may be late.
ANSWER_S = 5.0 + 0.5
#: After which a client gives up.
CLIENT_S = 5.0
#: Between two bets of a trader, and after one that was refused, which is sent again at the end.
PAUSE_S = 0.01
REFUSED_PAUSE_S = 0.1
UNAVAILABLE = 503
RESET_EVERY_S = 0.2
BACK_S = 60.0


class Harmed(AssertionError):
    """Someone waited for too long, was answered wrongly, or noticed a fault of others."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What the network does meanwhile: at first, and again and again."""

    begin: Callable[[Proxy], None] = lambda _: None
    repeat: Callable[[Proxy], None] = lambda _: None
    #: Nothing comes back while it lasts.
    is_deaf: bool = False
    #: All comes back, later.
    is_slow: bool = False


PAUSE = "a pause"
FAULTS = {
    "a delay of 50 ms each way": Fault(lambda proxy: proxy.slow(delay_s=0.05), is_slow=True),
    "a jitter of up to 100 ms": Fault(lambda proxy: proxy.slow(jitter_s=0.1), is_slow=True),
    "one byte at a time": Fault(lambda proxy: proxy.split(), is_slow=True),
    "cut towards the server": Fault(lambda proxy: proxy.hold(proxy.to_server), is_deaf=True),
    "cut from the server": Fault(lambda proxy: proxy.hold(proxy.to_client), is_deaf=True),
    "resets": Fault(repeat=lambda proxy: proxy.reset()),
    "half-open connections": Fault(lambda proxy: proxy.half_open()),
    PAUSE: Fault(lambda proxy: proxy.hold(proxy.to_server, proxy.to_client), is_deaf=True),
}


class Scene:
    """A service and a proxy on one side of it; traders whose orders pass the proxy, and one whose orders do not."""

    def __init__(self, service: Service, proxy: Proxy, *, port: int, client_s: float) -> None:
        """Traders reach a service at `port` and give up after `client_s`; the other one reaches `service`."""
        self._url = service.database_url
        self.proxy = proxy
        self.traders = [_through(open_trader(service), port, client_s) for _ in range(TRADERS)]
        self.other = open_trader(service)
        self.back_s = 0.0

    def meet(self, fault: Fault, *, seconds: float) -> None:
        """Bet while a fault begins, lasts and ends, and then send again what was not answered.

        One that is deaf lasts until every trader was left without an answer or with 503.
        """
        for trader in self.traders:
            trader.longest_s = 0.0
        with self._betting():
            fault.begin(self.proxy)
            until_s = time.monotonic() + seconds
            refused = [len(trader.refused) for trader in self.traders]
            while time.monotonic() < until_s or (fault.is_deaf and not self._has_refused_more_than(refused)):
                fault.repeat(self.proxy)
                time.sleep(min(RESET_EVERY_S, seconds))
            self.proxy.heal()
            began_s = time.monotonic()
            for trader in self.traders:
                _wait_for_one_more(trader)
            self.back_s = time.monotonic() - began_s
        for trader in self.traders:
            while trader.refused:
                trader.bet(key=trader.refused.pop())

    def check(self) -> None:
        """Raise unless each order is there once, and no one was answered wrongly."""
        everyone = [*self.traders, self.other]
        placed = sum(len(trader.answered) for trader in everyone)
        if len(trades_in(self._url)) != placed:
            raise AnsweredAndLost(f"{placed} keys made {len(trades_in(self._url))} trades")
        self.traders[0].check(self._url)
        if wrong := [line for trader in everyone for line in trader.wrong]:
            raise Harmed(wrong[0])
        if self.other.statuses.keys() != {201} or self.other.unanswered:
            raise Harmed(f"one whose orders took another way was answered {self.other.statuses}")

    def close(self) -> None:
        """Close the connections of those who pass the proxy."""
        for trader in self.traders:
            trader.person.client.close()

    def _has_refused_more_than(self, counts: list[int]) -> bool:
        return all(len(trader.refused) > count for trader, count in zip(self.traders, counts, strict=True))

    @contextlib.contextmanager
    def _betting(self) -> Iterator[None]:
        """Let everyone bet while the block runs, once each has begun."""
        ending = threading.Event()
        first = [len(trader.answered) for trader in (*self.traders, self.other)]

        def bet(trader: Trader) -> None:
            while not ending.is_set():
                _key, status = trader.bet()
                ending.wait(REFUSED_PAUSE_S if status == UNAVAILABLE else PAUSE_S)

        everyone = [*self.traders, self.other]
        threads = [threading.Thread(target=bet, args=(trader,)) for trader in everyone]
        for thread in threads:
            thread.start()
        try:
            for trader, count in zip(everyone, first, strict=True):
                while len(trader.answered) == count:
                    time.sleep(PAUSE_S)
            yield
        finally:
            ending.set()
            for thread in threads:
                thread.join()


@contextlib.contextmanager
def between_clients_and_service(database_url: str, *, client_s: float) -> Iterator[Scene]:
    """Stand before a service; its clients give up after `client_s`."""
    service = Service(database_url)
    try:
        with Proxy(service.server.port).running() as proxy:
            scene = Scene(service, proxy, port=proxy.port, client_s=client_s)
            yield scene
            scene.close()
    finally:
        service.stop()


@contextlib.contextmanager
def between_service_and_database(
    postgres: Postgres, database_url: str, *, times_s: PulseTimes | None = None
) -> Iterator[Scene]:
    """Stand before PostgreSQL; another service reaches it directly. `times_s`: others than the service's own."""
    with Proxy(postgres.port).running() as proxy:
        through = sa.make_url(database_url).set(port=proxy.port).render_as_string(hide_password=False)
        direct = Service(database_url)
        try:
            reached = Service(through)
            if times_s is not None:
                database: Any = reached.app.db
                database._db._pulse.times_s = times_s
            try:
                scene = Scene(direct, proxy, port=reached.server.port, client_s=BACK_S)
                yield scene
                scene.close()
            finally:
                reached.stop()
        finally:
            direct.stop()


def _through(trader: Trader, port: int, client_s: float) -> Trader:
    """Let a trader's orders go through another port."""
    known = trader.person.client
    client = httpx.Client(
        base_url=known.base_url.copy_with(port=port),
        headers=known.headers,
        timeout=client_s,
        verify=NO_TLS,
        trust_env=False,
    )
    return replace(trader, person=replace(trader.person, client=client))


def _wait_for_one_more(trader: Trader) -> None:
    count, until_s = len(trader.answered), time.monotonic() + BACK_S
    while len(trader.answered) == count:
        if time.monotonic() > until_s:
            raise Harmed("the service did not come back by itself")
        time.sleep(PAUSE_S)


def report(scene: Scene, *, side: str, name: str, is_bound: bool) -> None:
    """Print what a fault did, and count again from now. Raises `Harmed`."""
    longest_s = max(trader.longest_s for trader in scene.traders)
    if is_bound and longest_s > ANSWER_S:
        raise Harmed(f"{name}: an answer took {longest_s:.1f} s")
    print(
        f"{side}, {name}: {sum(len(trader.answered) for trader in scene.traders)} bets answered and there once,"
        f" {sum(trader.statuses[UNAVAILABLE] for trader in scene.traders)} times 503,"
        f" {sum(trader.unanswered for trader in scene.traders)} times no answer; the longest answer took"
        f" {longest_s:.1f} s, back after {scene.back_s:.1f} s; {len(scene.other.answered)} bets of another,"
        f" the longest {scene.other.longest_s:.1f} s",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    """Bring every fault about on both sides, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog="faults network", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--side", choices=["client", "database"], help="of the service (default: both)")
    parser.add_argument("--fault", choices=list(FAULTS), help="(default: all)")
    parser.add_argument("--seconds", type=float, default=10, help="that a fault lasts (default: 10)")
    parser.add_argument("--pause", type=float, default=60, help="that a pause lasts (default: 60)")
    options = parser.parse_args(arguments)
    with running_postgres(DURABLE_SETTINGS) as postgres:
        for side in [options.side] if options.side else ["client", "database"]:
            for name, fault in FAULTS.items() if not options.fault else [(options.fault, FAULTS[options.fault])]:
                url = postgres.fresh_database(prepare)
                place = (
                    between_clients_and_service(url, client_s=CLIENT_S)
                    if side == "client"
                    else between_service_and_database(postgres, url)
                )
                with place as scene:
                    scene.meet(fault, seconds=options.pause if name == PAUSE else options.seconds)
                scene.check()
                report(scene, side=side, name=name, is_bound=side == "database" and not fault.is_slow)
    print("every order once by its key, every book right, others unharmed")
