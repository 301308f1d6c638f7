"""Fixtures of all tests: databases of both kinds, and running services on them."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import hypothesis
import pytest

from foreknow.kernel.logging import configure_logging
from foreknow.platform.db.engine import Database, open_database
from foreknow.service.server import GC_THRESHOLDS
from tests.support import cpu, forks, lengths, order, temporary, waiting
from tests.support.books import Auditor, audit_database
from tests.support.clock import ShiftableClock
from tests.support.cluster import Cluster, takes_cluster
from tests.support.kinds import repeats
from tests.support.lengths import length
from tests.support.limit_orders import stop_worker
from tests.support.logs import log_aside
from tests.support.schema import SqliteFiles, prepare
from tests.support.service import Service
from tests.support.units import BROWSER

if TYPE_CHECKING:
    # Imported for real by pytest alone, which wants to rewrite its assertions.
    from tests.support.postgres import Postgres


pytest_plugins = ["tests.support.oidc", "tests.support.postgres", "tests.support.standby"]

# What the person who runs the tests has set is no setting of theirs.
for _name in [name for name in os.environ if name.startswith("FOREKNOW_")]:
    del os.environ[_name]

# Tests start hundreds of processes. Each would compile all modules again where bytecode is not kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What a shell starts in the background ignores Ctrl-C, and so would all processes of tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported and collected stays, so to look through it for garbage meanwhile is in vain (`pytest_collection`).
gc.disable()

# Each run tries the same examples, however slow the machine; `--hypothesis-profile=roam` looks for others.
_PATIENT: Any = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("steady", derandomize=True, **_PATIENT)
hypothesis.settings.register_profile("roam", **_PATIENT)
hypothesis.settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run ask for the long forms of tests, for the CPU time of each, and for an order of chance."""
    lengths.add_option(parser)
    cpu.add_option(parser)
    order.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Know which form of tests is wanted, before their modules are imported; keep servers' lines out of outputs."""
    lengths.choose(config)
    cpu.register(config)
    log_aside()
    config.stash[FOLDER] = temporary.move(config)
    config.stash[FORKS] = forks.take_over()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say the seed of the order."""
    return order.header(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the fork server; throw away what is in memory."""
    config.stash[FORKS].stop()
    if (folder := config.stash[FOLDER]) is not None:
        folder.close()


#: The temporary files of this run, where they are in memory.
FOLDER = pytest.StashKey[temporary.Folder | None]()
#: What starts processes.
FORKS = pytest.StashKey[forks.Forks]()
#: The cluster, once a test has started it.
CLUSTER = pytest.StashKey[Cluster]()
#: The services that tests share, by the names of their fixtures, and the names of those that rest.
SHARED = pytest.StashKey[dict[str, Service]]()
RESTING = pytest.StashKey[set[str]]()
#: The auditors of the services that tests share, once these run.
AUDITORS = pytest.StashKey[list[Auditor]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only repeats; shuffle where that is wanted; run the browser's tests and the slow ones first, so
    that no process is still at one when the others have nothing left to do.
    """
    if left := length(short=repeats(items), long=[]):
        config.hook.pytest_deselected(items=left)
        repeated = set(left)
        items[:] = [item for item in items if item not in repeated]
    order.shuffle(config, items)
    items.sort(key=lambda item: (not item.nodeid.startswith(BROWSER), item.get_closest_marker("slow") is None))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the garbage collector work again once the tests are collected, here or by other processes."""
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Spare the garbage collector ten thousand tests and all modules, which stay anyway; collect as a server does.

    What is garbage among them, 15 MB, stays as well: to find it takes each process a second.
    """
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Keep the tests of a file together, as far as processes are left with work."""
    from tests.support.units import UnitScheduling

    return UnitScheduling(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """`sqlite` and `postgres` in turn: everything below runs on both."""
    return cast("str", request.param)


@pytest.fixture(scope="session")
def sqlite_files(tmp_path_factory: pytest.TempPathFactory) -> SqliteFiles:
    """Makes SQLite databases."""
    return SqliteFiles(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture
def database_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database with the schema, of the kind whose turn it is, for one test."""
    with _empty_database(database_kind, request) as url:
        yield url


@pytest.fixture(scope="module")
def module_database_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of such a database for all tests of a file."""
    with _empty_database(database_kind, request) as url:
        yield url


@pytest.fixture
def new_database_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of such a database that no test had before."""
    with _empty_database(database_kind, request, is_new=True) as url:
        yield url


@contextlib.contextmanager
def _empty_database(kind: str, request: pytest.FixtureRequest, *, is_new: bool = False) -> Iterator[str]:
    if kind == "sqlite":
        files: SqliteFiles = request.getfixturevalue("sqlite_files")
        url = files.fresh_database()
        yield url
        files.drop(url)
        return
    server: Postgres = request.getfixturevalue("postgres")
    if is_new:
        url = server.fresh_database(prepare)
        yield url
        server.drop(url)
        return
    with server.lent_database(prepare) as url:
        yield url


@pytest.fixture
def clock() -> ShiftableClock:
    """The clock of `db`."""
    return ShiftableClock()


@pytest.fixture
async def db(database_url: str, clock: ShiftableClock) -> AsyncIterator[Database]:
    """An empty database with the schema, for one test of a package: `await db.write(lambda tx: …)`."""
    database = open_database(database_url, clock=clock)
    yield database
    await database.close()


@pytest.fixture
async def new_db(new_database_url: str, clock: ShiftableClock) -> AsyncIterator[Database]:
    """A database as `db` that no test had before: others leave pages and statistics, by which PostgreSQL plans."""
    database = open_database(new_database_url, clock=clock)
    yield database
    await database.close()


@pytest.fixture(scope="session")
def sqlite_service(sqlite_files: SqliteFiles, request: pytest.FixtureRequest) -> Iterator[Service]:
    """The service on SQLite that tests share."""
    yield from _shared(sqlite_files.fresh_database(), request)


@pytest.fixture(scope="session")
def postgres_service(postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[Service]:
    """The service on PostgreSQL that tests share."""
    yield from _shared(postgres.fresh_database(prepare), request)


@pytest.fixture(scope="session")
def cluster_service(postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Two servers with two workers each, for tests marked with `cluster` (`tests.support.cluster`)."""
    running = request.session.stash[CLUSTER] = Cluster(postgres.fresh_database(prepare))
    with _audited(running, request):
        yield running
    running.stop()


def _shared(url: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Run a service that tests share; it rests while none of them uses it."""
    running = Service(url)
    assert request.fixturename is not None
    request.session.stash.setdefault(SHARED, {})[request.fixturename] = running
    with _audited(running, request):
        yield running
    running.stop()


@contextlib.contextmanager
def _audited(service: Service, request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the books of a service that tests share be audited."""
    auditor = Auditor(service)
    auditors = request.session.stash.setdefault(AUDITORS, [])
    auditors.append(auditor)
    yield
    auditors.remove(auditor)
    auditor.audit(is_last=True)


def pytest_runtest_logstart() -> None:
    """Note that a test begins, for those that wait for services which they use."""
    waiting.begin_test()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the cluster again for one more of its tests; let services that tests share rest for all but theirs."""
    stash = item.session.stash
    if CLUSTER in stash and takes_cluster(item):
        stash[CLUSTER].go_on()
    resting = stash.setdefault(RESTING, set())
    for name, running in stash.get(SHARED, {}).items():
        is_used = _uses_shared(item, name)
        if is_used and name in resting:
            running.server.go_on()
            resting.remove(name)
        elif not is_used and name not in resting:
            running.server.rest()
            resting.add(name)


def _uses_shared(item: pytest.Item, name: str) -> bool:
    """Tell whether a test may use the service that tests share by this fixture, such as `sqlite_moving_service`."""
    names = set(getattr(item, "fixturenames", ()))
    case = getattr(item, "callspec", None)
    params = {} if case is None else case.params
    kind, _, of_any_kind = name.partition("_")
    # The tests of a browser take one of the two by a parameter of their own.
    if name in names or (of_any_kind == "service" and params.get("database") == kind):
        return True
    return of_any_kind in names and params.get("database_kind", kind) == kind


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let the cluster rest after the last of its tests."""
    if CLUSTER in item.session.stash and takes_cluster(item) and not takes_cluster(nextitem):
        item.session.stash[CLUSTER].rest()


@pytest.fixture(scope="session")
def service(database_kind: str, request: pytest.FixtureRequest) -> Service:
    """A running service that all tests share: make your own people and events, assume nothing of what else is there."""
    return cast("Service", request.getfixturevalue(f"{database_kind}_service"))


@pytest.fixture(scope="module", autouse=True)
def _books_stay_right(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the last test of each file, the books of the services that tests share must be right.

    Not after each test: to audit all that earlier files did takes longer than most tests, and what is wrong stays so.
    """
    yield
    for auditor in request.session.stash.get(AUDITORS, []):
        auditor.audit()


@pytest.fixture
def start_service(database_url: str) -> Iterator[Callable[..., Service]]:
    """Starts services on one database of this test's own: `start_service(rate_limits="on")`."""
    running: list[Service] = []

    def start(**settings: Any) -> Service:
        running.append(Service(database_url, **settings))
        return running[-1]

    yield start
    for one in running:
        one.stop()
    if running:
        audit_database(database_url)


@pytest.fixture
def fresh_service(start_service: Callable[..., Service]) -> Service:
    """A running service of this test's own, whose clock it may move and which it may stop."""
    return start_service()


@pytest.fixture(scope="session")
def sqlite_moving_service(sqlite_files: SqliteFiles, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Take `moving_service`."""
    yield from _shared(sqlite_files.fresh_database(), request)


@pytest.fixture(scope="session")
def postgres_moving_service(postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Take `moving_service`."""
    yield from _shared(postgres.fresh_database(prepare), request)


@pytest.fixture(scope="session")
def sqlite_still_service(sqlite_files: SqliteFiles, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Take `still_service`."""
    yield from _still(_shared(sqlite_files.fresh_database(), request))


@pytest.fixture(scope="session")
def postgres_still_service(postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Take `still_service`."""
    yield from _still(_shared(postgres.fresh_database(prepare), request))


def _still(running: Iterator[Service]) -> Iterator[Service]:
    for service in running:
        stop_worker(service)
        yield service


@pytest.fixture
def moving_service(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    """A running service like `service`, whose clock tests move on."""
    yield from _moving(request.getfixturevalue(f"{database_kind}_moving_service"))


@pytest.fixture
def still_service(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    """The same, but that nothing is paid or ended of limit orders unless the test does it (`limit_orders.work`)."""
    yield from _moving(request.getfixturevalue(f"{database_kind}_still_service"))


def _moving(running: Service) -> Iterator[Service]:
    """Let whom tests share sign in again: with the time of earlier tests their tokens have ended."""
    running.sign_out_shared()
    yield running
    running.clock.go_on()


@pytest.fixture(autouse=True)
def _logging_stays_aside() -> Iterator[None]:
    """Undo what a command of this process set up for its logs: their stream ends with the test."""
    yield
    root = logging.getLogger()
    left = [handler for handler in root.handlers if type(handler).__module__ == configure_logging.__module__]
    if left:
        root.handlers = [handler for handler in root.handlers if handler not in left]
        log_aside()
