"""Settings that are changed while orders, sign-ups and sockets run: each answer has the old or the new."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from foreknow.people.admin_log.tables import admin_log
from tests.service.servers.setting_effects import BASE, FRESH_S, Effect, Scene, effects, verify_all
from tests.site.feed.listening import Listener, listening_at
from tests.support.books import audit_database
from tests.support.cluster import Cluster, Node
from tests.support.lengths import LONG, length
from tests.support.load import Load
from tests.support.proofs import proves
from tests.support.service import expect
from tests.support.waiting import WAIT_S, wait_until

pytestmark = [
    LONG,
    pytest.mark.real_time("a second is what the contract says"),
    # On SQLite one process does all of it, which other tests show.
    pytest.mark.parametrize("database_kind", length(short=["postgres"], long=["sqlite", "postgres"]), indirect=True),
]
#: What a process needs to answer, beside the second within which it knows of a change; the short form runs beside all
#: other tests, on any machine.
SLACK_S = length(short=10.0, long=0.25)
#: Between two looks at a process: the servers need the processor, too.
PAUSE_S = length(short=0.4, long=0.03)
#: Between two bets of a trader meanwhile: in short a few beside each change, which takes a second.
BETTING_S = length(short=0.25, long=0.05)
MAIL = {
    "FOREKNOW_SMTP_URL": "smtp://127.0.0.1:9",
    "FOREKNOW_EMAIL_FROM": "site@foreknow.test",
    "FOREKNOW_PUBLIC_URL": "https://foreknow.test",
}


@pytest.fixture(scope="module")
def cluster(module_database_url: str, database_kind: str) -> Iterator[Cluster]:
    """Two servers with two workers each; on SQLite one process, which is all that it takes."""
    count = 1 if database_kind == "sqlite" else 2
    running = Cluster(module_database_url, servers=count, workers=count, settings=MAIL)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def scene(cluster: Cluster) -> Iterator[Scene]:
    """The site, set as each test finds and leaves it."""
    made = Scene(cluster)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, verify_all(cluster.database_url)).result()
    change(made.at(cluster.nodes[0]), dict(BASE))
    time.sleep(FRESH_S)
    yield made
    made.close()


@dataclass(frozen=True, slots=True)
class Seen:
    """What an answer showed, and when its request began and ended."""

    began_s: float
    ended_s: float
    what: Any


def seen(look: Callable[[], Any]) -> Seen:
    """Look, and note when."""
    began_s = time.monotonic()
    what = look()
    return Seen(began_s, time.monotonic(), what)


def settings(client: httpx.Client) -> dict[str, Any]:
    """Return what GET /admin/settings answers."""
    found: dict[str, Any] = expect(client.get("/admin/settings"), 200)
    return found


def change(client: httpx.Client, changes: dict[str, Any]) -> Seen:
    """Change settings, and note when."""
    body = {"version": settings(client)["version"], "changes": changes}
    return seen(lambda: expect(client.patch("/admin/settings", json=body), 200))


class Watch:
    """Looks at what a setting does, at every process again and again."""

    def __init__(self, scene: Scene, clients: list[httpx.Client], effect: Effect) -> None:
        """Look at nothing yet; `clients` are one for each process."""
        self._scene, self._clients, self._effect = scene, clients, effect
        self._ending = threading.Event()
        #: A list for each process.
        self.found: list[list[Seen]] = [[] for _ in clients]

    def during(self, change: Callable[[], Seen], new: Any) -> Seen:
        """Look before and during a change, and after it until all processes show the new value, or must."""
        with ThreadPoolExecutor(len(self._clients)) as threads:
            looks = [threads.submit(self._look, *each) for each in zip(self._clients, self.found, strict=True)]
            try:
                began_s = time.monotonic()
                self._wait_for_answers(lambda last: last.began_s > began_s, looks)
                changed = change()
                until_s = holds_s(changed, self._effect)
                self._wait_for_answers(lambda last: last.what == new or last.began_s > until_s, looks)
            finally:
                self._ending.set()
            for look in looks:
                look.result()
        return changed

    def _wait_for_answers(self, is_enough: Callable[[Seen], bool], looks: list[Future[None]]) -> None:
        """Return once the last answer of every process is enough, or a look has failed."""

        def are_enough() -> bool:
            return all(found and is_enough(found[-1]) for found in self.found)

        wait_until(lambda: are_enough() or any(look.done() for look in looks))

    def _look(self, client: httpx.Client, found: list[Seen]) -> None:
        while not self._ending.wait(PAUSE_S):
            found.append(seen(lambda: self._effect.see(self._scene, client)))


def holds_s(changed: Seen, effect: Effect) -> float:
    """Return from when on a change must hold everywhere."""
    return changed.ended_s + (effect.within_s + SLACK_S if effect.within_s else 0)


def check(found: list[list[Seen]], changed: Seen, effect: Effect, *, old: Any, new: Any) -> None:
    """Each answer is the old or the new one, as its moment has it, and none is old after a new one."""
    for answers in found:
        shown = [one.what for one in answers]
        assert all(what in (old, new) for what in shown), shown
        assert {one.what == old for one in answers if one.ended_s < changed.began_s} == {True}
        assert all(one.what == new for one in answers if one.began_s > holds_s(changed, effect))
        assert shown[-1] == new
        assert shown == sorted(shown, key=lambda what: what == new)
    if not effect.within_s:
        # By the order of the commits, whichever process answers.
        first_s = min(one.ended_s for answers in found for one in answers if one.what == new)
        assert all(one.what == new for answers in found for one in answers if one.began_s > first_s)


class Feed:
    """Reads a stranger's feed until it ends."""

    def __init__(self, listener: Listener) -> None:
        """Begin."""
        self._start = listener.message()
        self._messages: list[dict[str, Any]] = []
        self._ended_with: int | None = None
        self._listener = listener
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """It is ended, and until then each trade came, in order."""
        self._thread.join(WAIT_S)
        assert self._ended_with == 1008
        last = self._start["seq"]
        for message in self._messages:
            assert message["prev"] == last
            last = message["seq"]
        assert self._messages

    def _read(self) -> None:
        try:
            while True:
                self._messages.append(self._listener.message())
        except ConnectionClosed as closed:
            self._ended_with = None if closed.rcvd is None else closed.rcvd.code


def walk(scene: Scene, clients: list[httpx.Client], admin: httpx.Client, name: str) -> None:
    """Change a setting and change it back, while all processes are looked at."""
    effect = effects()[name]
    watch = Watch(scene, clients, effect)
    changed = watch.during(lambda: change(admin, {name: effect.other}), effect.after)
    check(watch.found, changed, effect, old=effect.before, new=effect.after)
    watch = Watch(scene, clients, effect)
    if length(short=True, long=False):
        change(admin, {name: BASE.get(name)})
        return
    changed = watch.during(lambda: change(admin, {name: BASE.get(name)}), effect.before)
    check(watch.found, changed, effect, old=effect.after, new=effect.before)


@proves(
    "administration: are read in the transaction that they decide;",
    "administration: all else, `read` too, holds within 1 s everywhere;",
)
def test_in_every_process_each_answer_has_the_old_or_the_new_setting(cluster: Cluster, scene: Scene) -> None:
    clients, admins = cluster.workers_clients(), itertools.cycle(map(scene.at, cluster.nodes))
    load, before_kopecks = (
        Load(scene.trader, scene.markets, lambda: cluster.api_url, traders=1, pause_s=BETTING_S),
        scene.balance_kopecks(),
    )
    version, laps = settings(cluster.admin)["version"], length(short=1, long=3)
    with load.running():
        for _ in range(laps):
            with ExitStack() as stack:
                feeds = [Feed(stack.enter_context(listening_at(node.api_url, "?seq=1"))) for node in cluster.nodes]
                for name in effects():
                    walk(scene, clients, next(admins), name)
                for feed in feeds:
                    feed.check()
            time.sleep(FRESH_S)
    assert settings(cluster.admin)["version"] == version + 2 * len(effects()) * laps
    load.check(scene.trader, before_kopecks=before_kopecks)
    audit_database(cluster.database_url)


def kill_during(node: Node, request: Callable[[], httpx.Response], *, after_s: float) -> httpx.Response | None:
    """Kill a server some time after a request to it was begun; return the answer where there is one."""
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(request)
        time.sleep(after_s)
        node.lose()
        try:
            return asked.result()
        except httpx.TransportError:
            return None


@proves("administration: One transaction with its line (`settings_changed`, old and new);")
def test_a_kill_at_any_point_leaves_all_of_a_change_or_nothing(cluster: Cluster, scene: Scene) -> None:
    *others, victim = cluster.nodes
    load, before_kopecks = (
        Load(scene.trader, scene.markets, lambda: cluster.api_url, traders=2, pause_s=BETTING_S),
        scene.balance_kopecks(),
    )
    # Trading stays: without it the load would end.
    changed = {name: one for name, one in effects().items() if name != "trading"}
    both = ({name: one.other for name, one in changed.items()}, {name: BASE.get(name) for name in changed})
    usual = [change(scene.at(victim), changes) for changes in both]
    span_s = 1.5 * max(one.ended_s - one.began_s for one in usual)
    sites, kills = [one.what["settings"] for one in usual], length(short=2, long=40)
    with load.running():
        for kill in range(kills):
            load.go_on(length(short=10, long=30))
            before = settings(scene.at(victim))
            is_base = before["settings"] == sites[1]
            body = {"version": before["version"], "changes": both[not is_base]}
            request = partial(scene.at(victim).patch, "/admin/settings", json=body)
            answer = kill_during(victim, request, after_s=span_s * kill / kills)
            left = [settings(scene.at(node)) for node in others]
            victim.start()
            victim.wait_until_serving()
            left.append(settings(scene.at(victim)))
            after = {**before, "version": before["version"] + 1, "settings": sites[not is_base]}
            assert left[0] == after if answer is not None else left[0] in (before, after)
            assert all(one == left[0] for one in left)
    change(scene.at(victim), both[1])
    lines = sa.select(sa.func.count()).where(admin_log.c.action == "settings_changed")
    assert cluster.look(lambda tx: tx.execute(lines).scalar_one()) == settings(scene.at(victim))["version"]
    load.check(scene.trader, before_kopecks=before_kopecks)
    audit_database(cluster.database_url)
