"""`foreknow serve` as an operator starts and stops it."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from foreknow.money.ledger import AccountKind
from tests.commands.cli.conftest import WAIT_S, Command, Serve, Serving, run_process
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.metrics import scrape, value
from tests.support.monitoring import missing, queries
from tests.support.processes import is_alive, workers_of
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

PASSWORD = "correct horse battery"
PRINTED = (
    "administration: **The first admin.** While there was never an admin, `serve` prints at its start, to stderr, one "
    "link `/setup#TOKEN`"
)


# Where PostgreSQL would make no difference, or is out of the question.


@ON_SQLITE
@proves(
    "decisions: `foreknow serve [--host --port --workers]`",
    "decisions: `serve` and every other command bring the database up to date first",
    "decisions: `--workers` is 1 by default",
    "decisions: `FOREKNOW_DATA_DIR`",
)
def test_it_serves_a_database_that_was_not_there_until_ctrl_c(tmp_path: Path, serve: Serve) -> None:
    place = {"FOREKNOW_DATABASE_URL": "", "FOREKNOW_DATA_DIR": str(tmp_path / "data")}
    served = serve("--host", "127.0.0.2", files=300, FOREKNOW_RATE_LIMITS="on", **place)
    assert served.url.startswith("http://127.0.0.2:")
    assert workers_of(served.process.pid) == []
    assert expect(httpx.get(f"{served.api}/ready", verify=NO_TLS), 200) == {"status": "ready"}
    assert httpx.get(f"{served.url}/docs", verify=NO_TLS).status_code == 200
    assert (tmp_path / "data" / "foreknow.sqlite3").exists()
    check_that_one_address_leaves_others_their_share(served)
    token = setup_token(served)
    body = {"email": "bob@example.org", "password": PASSWORD, "name": "Bob"}
    setup = f"{served.api}/auth/setup"
    refused(httpx.post(setup, json={"token": f"{token}x"} | body, verify=NO_TLS), 400, "invalid_token")
    check_that_the_first_admin_is_made_as_the_log_says(tmp_path / "serve-0.log", place)
    refused(httpx.post(setup, json={"token": token} | body, verify=NO_TLS), 409, "invalid_state")

    assert served.stop(signal.SIGINT) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{served.api}/health", verify=NO_TLS)


def setup_token(served: Serving) -> str:
    """Return the token of the one link that a server prints where there was never an admin."""
    (token,) = re.findall(rf"^{re.escape(served.url)}/setup#(\S+)$", served.errors.read_text(), re.MULTILINE)
    return str(token)


def check_that_the_first_admin_is_made_as_the_log_says(log: Path, place: dict[str, str]) -> None:
    """Type the remedy with an address and a name, at a terminal, which asks for the password without showing it."""
    (remedy,) = re.findall(r'"remedy": *"([^"]+ user add [^"]+)"', log.read_text())
    typed = remedy.replace("EMAIL", "ann@example.org").replace("NAME", "Ann")
    # The hint names the folder itself; what is built has no say in it.
    environment = {**os.environ, "FOREKNOW_WEB": "off", "FOREKNOW_DATABASE_URL": "", "FOREKNOW_PASSWORD_COST": "low"}
    terminal, stdin = pty.openpty()
    process = subprocess.Popen(
        ["sh", "-c", typed], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, bufsize=0
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stderr.read(len("Password: ")) == b"Password: "
    os.write(terminal, f"{PASSWORD}\n".encode())
    said, _ = process.communicate(timeout=WAIT_S)
    # Not `select`, which takes no descriptor over 1023.
    poll = select.poll()
    poll.register(terminal, select.POLLIN)
    shown = poll.poll(0)
    for end in (terminal, stdin):
        os.close(end)
    assert (process.returncode, said) == (0, b"User 1 is ann@example.org.\n")
    assert shown == []
    listed = run_process("user", "list", "--role", "admin", "--json", environment=environment | place)
    assert [user["roles"] for user in json.loads(listed.out)["users"]] == [["creator", "admin"]]


def check_that_one_address_leaves_others_their_share(served: Serving) -> None:
    """Where a process may open 300 files, of which 200 are its own, it takes 100 connections."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    with contextlib.ExitStack() as stack:

        def status(address: str, path: str, headers: dict[str, str]) -> int:
            host = served.url.removeprefix("http://")
            client = http.client.HTTPConnection(host, timeout=WAIT_S, source_address=(address, 0))
            stack.callback(client.close)
            client.request("GET", f"/api/v1{path}", headers=headers)
            return client.getresponse().status

        sockets = [status("127.0.0.3", "/ws/trades", upgrade) for _ in range(60)]
        plain = [status("127.0.0.3", "/health", {}) for _ in range(30)]
        others = [status("127.0.0.4", "/health", {}) for _ in range(20)]
    assert sockets == [101] * 50 + [429] * 10
    # Of those that were refused, some are open still.
    assert set(plain[:10]) == {200}
    assert set(plain[25:]) == {429}
    assert others == [200] * 20


def test_orders_under_way_are_answered_before_sigterm_ends_it(
    serve: Serve, command: Command, start_service: Callable[..., Service]
) -> None:
    """What was answered stands in the books, and nothing else does; sockets are closed with 1012."""
    served = serve()
    token, market_id = _trader(served, command)
    body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    headers = {"Authorization": f"Bearer {token}"}

    with (
        httpx.Client(base_url=served.api, headers=headers, timeout=WAIT_S, verify=NO_TLS) as client,
        ThreadPoolExecutor(16) as threads,
        connect(served.api.replace("http", "ws") + "/ws/trades") as feed,
    ):

        def bet_until_it_ends(_: int) -> list[int]:
            codes: list[int] = []
            with contextlib.suppress(httpx.TransportError):
                while True:
                    codes.append(client.post("/market/bets", json=body).status_code)
                    answered.release()
            return codes

        answered = threading.Semaphore(0)
        answers = threads.map(bet_until_it_ends, range(16))
        for _ in range(100):
            assert answered.acquire(timeout=WAIT_S)
        assert served.stop() == 0
        codes = list(itertools.chain(*answers))
        with pytest.raises(ConnectionClosed) as closed:
            list(iter(feed.recv, None))
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert 500 not in codes
    accepted = codes.count(201)
    assert accepted >= 100
    me = expect(start_service().client(token=token).get("/users/me"), 200)
    assert me["balance_kopecks"] == 1_000_000 - 100 * accepted


@ON_SQLITE
def test_a_port_that_is_taken_is_exit_1_and_one_line(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_process("serve", "--port", str(port), environment=environment)
    assert (ended.code, ended.err) == (
        1,
        f"foreknow: cannot listen on 127.0.0.1:{port}: Address already in use; choose another port with --port\n",
    )


@proves(
    "decisions: more than 1 on SQLite is refused with exit 2 and the reason",
    "decisions: `foreknow serve [--host --port --workers]`",
    PRINTED,
)
def test_more_workers_than_one_need_postgresql(
    database_kind: str, database_url: str, serve: Serve, command: Command
) -> None:
    if database_kind == "sqlite":
        ended = command("serve", "--workers", "2")
        assert ended.code == 2
        assert "SQLite" in ended.err
        assert ended.err.count("\n") == 1
        return
    # The replica is the primary itself, which is noticed, and its metrics are shown all the same.
    served = serve("--workers", "2", FOREKNOW_REPLICA_URL=database_url, FOREKNOW_RATE_LIMITS="on")
    workers = workers_of(served.process.pid)
    assert len(workers) == 2
    _check_metrics(served)
    wait_until(lambda: "/setup#" in served.errors.read_text())
    body = {"token": setup_token(served), "email": "ann@example.org", "password": PASSWORD, "name": "Ann"}
    assert expect(httpx.post(f"{served.api}/auth/setup", json=body, verify=NO_TLS), 201)["user"]["is_admin"]
    assert served.stop() == 0
    assert [pid for pid in workers if is_alive(pid)] == []
    again = serve()
    assert again.stop() == 0
    assert "setup" not in again.errors.read_text()


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_workers_do_not_outlive_a_killed_parent(serve: Serve) -> None:
    served = serve("--workers", "2")
    workers = workers_of(served.process.pid)
    served.stop(signal.SIGKILL)
    deadline = time.monotonic() + WAIT_S
    while any(map(is_alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _check_metrics(served: Serving) -> None:
    """Check that one scrape shows both workers, and all that the dashboard and the alerts of deploy/ name."""
    for number in range(20):
        # A connection each: the system spreads them over the workers.
        assert httpx.get(f"{served.api}/events/{number + 1}", verify=NO_TLS).status_code == 404
    one = {"method": "GET", "route": "/api/v1/events/{event_id}", "status": "404"}

    def answered() -> float:
        both = [
            scrape(served).get(("foreknow_http_requests_total", frozenset({**one, "worker": worker}.items())))
            for worker in "01"
        ]
        return sum(filter(None, both))

    wait_until(lambda: answered() == 20)
    samples = scrape(served)
    for worker in "01":
        assert value(samples, "foreknow_worker_up", worker=worker) == 1
        assert value(samples, "process_resident_memory_bytes", worker=worker) > 1_000_000
    assert sum(value(samples, "foreknow_ledger_kopecks", kind=kind) for kind in AccountKind) == 0
    assert [text for source, query in queries() for text in missing(query, samples)] == []


def _trader(served: Serving, command: Command) -> tuple[str, int]:
    """Make a trader with 1,000,000 kopecks and a market; return the trader's token and the market's id."""
    for email, *roles in (("maker@example.org", "--creator"), ("trader@example.org",)):
        add = ("user", "add", email, "--name", "A", "--password-stdin", *roles)
        assert command(*add, stdin=PASSWORD.encode()).code == 0
    assert command("user", "credit", "trader@example.org", "1000000").code == 0
    maker, trader = (
        expect(
            httpx.post(f"{served.api}/auth/sign-in", json={"login": login, "password": PASSWORD}, verify=NO_TLS), 200
        )
        for login in ("maker@example.org", "trader@example.org")
    )
    headers = {"Authorization": f"Bearer {maker['access_token']}"}
    body = {"name": "Will it rain?", "pools": [{}]}
    event = expect(httpx.post(f"{served.api}/events/create-full", json=body, headers=headers, verify=NO_TLS), 201)
    event = expect(httpx.post(f"{served.api}/events/{event['id']}/publish", headers=headers, verify=NO_TLS), 200)
    return str(trader["access_token"]), int(event["pools"][0]["markets"][0]["id"])
