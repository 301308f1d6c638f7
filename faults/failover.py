"""Failovers: the primary is killed under load and its standby promoted, again and again.

python -m faults failover --kills 100
python -m faults failover --kills 20 --through haproxy

Traders bet through `foreknow serve`, whose URL names both servers, or HAProxy before them; a commit waits for the
standby. One trader gives up after a moment. Every few kills the standby is gone before, or commits that wait for it are
cancelled, which PostgreSQL then has on the primary alone; and a primary that is not there any more comes back as if
nothing had happened. No order answered with 201 may be missing or be there twice, and none be taken by the old primary;
one feed goes on through all of it without a gap or a repeat.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import math
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from faults.haproxy import balanced
from faults.kills import BETS_BETWEEN, Killed, Load, check
from faults.pair import Member, Pair, running_pair, wait_for
from faults.trading import RICH_KOPECKS, AnsweredAndLost
from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import open_database
from tests.site.feed.listening import NumberedListener
from tests.support.schema import prepare
from tests.support.service import Service, expect, pool

#: So much liquidity that no price comes near its end.
B_KOPECKS = 10**9
#: Pause of a trader between two orders: every one is audited many times.
REST_S = 0.4
#: When the first trader gives an answer up.
FIRST_TRADER_S = 0.03
#: Commits of a server that wait for a standby.
WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
#: What happens before each kill, in turn.
PLAIN, GONE, CANCELLED = "plain", "standby gone", "cancelled"
#: After one kill of this many, the old primary comes back.
RETURNS_EVERY = 10
TURNS = (PLAIN, GONE, PLAIN, CANCELLED, PLAIN)


class Feed:
    """Follows the numbered feed, over as many connections as it takes."""

    def __init__(self, api_url: str) -> None:
        """Begin to follow."""
        self._url = f"{api_url.replace('http', 'ws', 1)}/ws/trades?seq=1"
        self._ending = threading.Event()
        self.last = 0
        self.connections = 0
        self.wrong: list[str] = []
        self._thread = threading.Thread(target=self._follow, name="faults-feed")

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Follow while the block runs."""
        self._thread.start()
        try:
            yield
        finally:
            self._ending.set()
            self._thread.join()

    def _follow(self) -> None:
        while not self._ending.is_set():
            with contextlib.suppress(ConnectionClosed, OSError), connect(self._url, proxy=None) as connection:
                self.connections += 1
                self._read(NumberedListener(connection))

    def _read(self, listener: NumberedListener) -> None:
        seen = listener.message()["seq"]
        if seen < self.last:
            self.wrong.append(f"a new connection begins at {seen}, after {self.last}")
        self.last = seen
        while not self._ending.is_set():
            with contextlib.suppress(TimeoutError):
                message = listener.message(timeout_s=1.0)
                if message["prev"] != self.last or message["seq"] <= self.last:
                    self.wrong.append(f"{message['prev']} → {message['seq']} after {self.last}")
                self.last = message["seq"]


class Failovers:
    """Kills of one run, and what they brought."""

    def __init__(self, pair: Pair, database: str, load: Load) -> None:
        """Begin; `database` is its name."""
        self.pair = pair
        self._database = database
        self._load = load
        #: From each kill, with a standby that runs, to the next 201; nothing has to notice it first.
        self.back_s: list[float] = []
        #: How much of that PostgreSQL took to promote.
        self.promotion_s: list[float] = []
        self.kinds: Counter[str] = Counter()
        self.cancelled = 0
        self.refused_by_old = 0

    def fail_over(self, kind: str, *, returns: bool) -> None:
        """Kill the primary, promote the standby and check.

        `returns`: it first comes back as the primary that it was.
        """
        self._wait_for_orders()
        if kind == GONE:
            self._lose_standby()
            self.pair.standby.start()
            self.pair.synchronize()
        elif kind == CANCELLED:
            self._lose_standby()
            self._cancel()
        old = self.pair.primary
        began_s = time.monotonic()
        old.kill()
        if kind == CANCELLED:
            self.pair.standby.start()
        answered = len(self._load.answered)
        promoting_s = time.monotonic()
        self.pair.promote()
        promoted_s = time.monotonic() - promoting_s
        wait_for(lambda: len(self._load.answered) > answered, "nothing is answered after a failover")
        if kind != CANCELLED:
            # There the standby has to start first.
            self.back_s.append(time.monotonic() - began_s)
            self.promotion_s.append(promoted_s)
        self.kinds[kind] += 1
        check(self.pair.primary.url(self._database), dict(self._load.answered), before_end=True)
        if returns:
            self._come_back(old)

    def rejoin(self) -> None:
        """Make the old primary follow the new one, and commits wait for it."""
        self.pair.standby.follow(self.pair.primary)
        self.pair.synchronize()

    def times(self) -> str:
        """Say how long orders were refused."""
        median_s, promoting_s = statistics.median(self.back_s), statistics.median(self.promotion_s)
        return (
            f"{median_s:.2f} s (median), {max(self.back_s):.2f} s (worst) from the kill to the next 201, of which"
            f" {promoting_s:.2f} s and {max(self.promotion_s):.2f} s to promote"
        )

    def _wait_for_orders(self) -> None:
        enough = len(self._load.answered) + BETS_BETWEEN
        wait_for(lambda: len(self._load.answered) >= enough, "nothing is answered")

    def _lose_standby(self) -> None:
        """Stop the standby, and return once commits wait for it."""
        self.pair.standby.crash()
        wait_for(lambda: bool(self.pair.waiting(self._database)), "no commit waits for the standby")

    def _cancel(self) -> None:
        """Cancel the commits of orders that wait for the standby: they are on the primary alone, and lost with it.

        So none may be answered as done. The commit of the feed's numbers goes on waiting.
        """
        refused = self._load.statuses[503]

        def is_refused() -> bool:
            for process in self.pair.waiting(self._database):
                self.cancelled += self.pair.primary.sql(f"SELECT pg_cancel_backend({process})") == "t"
            return self._load.statuses[503] > refused

        # The first may be of a trader who has given its answer up.
        wait_for(is_refused, "what is on the primary alone is not answered 503")

    def _come_back(self, old: Member) -> None:
        """Start the old primary as it was: a commit of the service there must wait until it is stopped again."""
        old.start()

        async def commit() -> None:
            database = open_database(old.url(self._database))
            write = sa.text("INSERT INTO secrets (name, value) VALUES ('taken by the old primary', '')")
            try:
                await database.write(lambda tx: tx.execute(write))
            finally:
                await database.close()

        with ThreadPoolExecutor(1) as thread:
            committing = thread.submit(asyncio.run, commit())
            wait_for(lambda: committing.done() or old.sql(WAITING) != "", "the old primary does not answer")
            old.kill()
            if not isinstance(committing.exception(), Unavailable):
                raise AnsweredAndLost("the old primary took a commit")
        self.refused_by_old += 1


@contextlib.contextmanager
def reached(pair: Pair, database: str, through: str) -> Iterator[str]:
    """Yield the URL at which a service reaches the primary."""
    user = f"postgresql://{urlsplit(pair.primary.url()).netloc.rpartition('@')[0]}@"
    if through == "url":
        servers = ",".join(f"127.0.0.1:{member.port}" for member in (pair.primary, pair.standby))
        yield f"{user}{servers}/{database}?target_session_attrs=read-write"
        return
    with balanced(pair) as port:
        yield f"{user}127.0.0.1:{port}/{database}?target_session_attrs=read-write"


def fail_over_often(
    *, kills: int, through: str = "url", first: int = 0, minutes: float = math.inf, says: bool = False
) -> tuple[Failovers, Load, Feed]:
    """Kill primaries under load, each time in the next of `TURNS` from `first` on. Raises `AnsweredAndLost`.

    Fewer where `minutes` are over before. `says`: print after each ten how far it is.
    """
    until_s = time.monotonic() + 60 * minutes
    with running_pair() as pair, tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder:
        database = urlsplit(pair.primary.fresh_database(prepare)).path[1:]
        with reached(pair, database, through) as url:
            key, market_ids = _open(url)
            server = Killed(url, Path(folder))
            load = Load(server.url, key, market_ids, rest_s=REST_S, first_trader_s=FIRST_TRADER_S)
            failovers, feed = Failovers(pair, database, load), Feed(server.url)
            try:
                with feed.followed():
                    with load.running():
                        for number, kind in enumerate(itertools.islice(itertools.cycle(TURNS), first, first + kills)):
                            if time.monotonic() > until_s:
                                break
                            if number:
                                failovers.rejoin()
                            failovers.fail_over(kind, returns=number % RETURNS_EVERY == 0)
                            if says and number % 10 == 9:
                                print(
                                    f"{number + 1} kills, {len(load.answered)} orders, {failovers.times()}", flush=True
                                )
                    check(pair.primary.url(database), load.answered)
                    check_feed(pair, database, feed)
            finally:
                server.kill()
    if not load.statuses.keys() <= {201, 503}:
        raise AssertionError(load.statuses)
    return failovers, load, feed


def check_feed(pair: Pair, database: str, feed: Feed) -> None:
    """Raise `AnsweredAndLost` unless the feed comes to the last trade, in positions without a gap or a repeat."""
    missing = "SELECT (SELECT count(*) FROM trades) - (SELECT count(*) FROM feed_order)"
    wait_for(lambda: pair.primary.sql(missing, database=database) == "0", "trades have no position in the feed")
    count, last = map(int, pair.primary.sql("SELECT count(*), max(seq) FROM feed_order", database=database).split("|"))
    wait_for(lambda: feed.last >= last, "the feed does not come to its end")
    if feed.wrong or feed.last != last or count != last:
        raise AnsweredAndLost(f"the feed of {count} positions ended at {feed.last} of {last}: {feed.wrong[:3]}")


def _open(url: str) -> tuple[str, list[int]]:
    """Make a rich trader's key and the markets of a pool."""
    service = Service(url)
    try:
        (made,) = service.event(pools=[pool(["A", "B", "C"], b=B_KOPECKS)])["pools"]
        person = service.user(balance_kopecks=RICH_KOPECKS)
        key = expect(person.client.post("/users/me/keys", json={"name": "Bot", "scope": "trade"}), 201)["key"]
    finally:
        service.stop()
    return str(key), [int(market["id"]) for market in made["markets"]]


def main(arguments: list[str]) -> None:
    """Kill, promote and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog="faults failover", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no more are killed")
    parser.add_argument("--through", choices=["url", "haproxy"], default="url", help="(default: url)")
    options = parser.parse_args(arguments)
    failovers, load, feed = fail_over_often(
        kills=options.kills, through=options.through, minutes=options.minutes, says=True
    )
    print(
        f"{options.through}: {failovers.kinds.total()} primaries killed ({failovers.kinds[GONE]} after the standby was"
        f" gone, {failovers.kinds[CANCELLED]} with {failovers.cancelled} commits cancelled that waited for it),"
        f" {len(load.answered)} orders answered and each there once, {load.statuses[503]} times 503,"
        f" {load.unanswered} given up or cut off and asked again; {failovers.refused_by_old} old primaries came back"
        f" and took nothing; {failovers.times()} the standby, at once; {feed.last} positions of the feed without a gap"
        f" or a repeat over {feed.connections} connections"
    )
