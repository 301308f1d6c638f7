"""Commands, run in this process or as an operator would."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from foreknow.commands.cli import main
from foreknow.platform.db import migrate
from tests.support.forks import FOREKNOW
from tests.support.http import NO_TLS
from tests.support.schema import upgrade_at_once

SERVING_S = 120
WAIT_S = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it said."""
        return self.out.splitlines()


Command = Callable[..., Ended]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs commands that come to no database, or make one."""
    monkeypatch.setattr(migrate, "upgrade", upgrade_at_once)

    def run(*arguments: str, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = 0
        try:
            main(list(arguments))
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return run


@pytest.fixture
def command(
    say: Command, database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Command:
    """Runs commands on one database: `command("user", "credit", "a@example.org", "500")`."""
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", database_url)
    # What this machine remembers of other tests' databases stands elsewhere.
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("FOREKNOW_PASSWORD_COST", "low")
    return say


@pytest.fixture
def environment(database_url: str) -> dict[str, str]:
    """The environment of a command run as a process of its own."""
    return {
        **os.environ,
        "FOREKNOW_DATABASE_URL": database_url,
        "FOREKNOW_PASSWORD_COST": "low",
        "FOREKNOW_RATE_LIMITS": "off",
    }


def serving_url(process: subprocess.Popen[str] | subprocess.Popen[bytes], log: Path) -> str:
    """Return where a server says, in its log, that it serves, once it answers there."""
    deadline = time.monotonic() + SERVING_S
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            entry = json.loads(line) if line.startswith("{") else {}
            if entry.get("event") == "serving":
                with contextlib.suppress(httpx.TransportError):
                    httpx.get(f"{entry['url']}/api/v1/health", trust_env=False, verify=NO_TLS).raise_for_status()
                    return str(entry["url"])
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def run_process(*arguments: str, environment: dict[str, str], cwd: Path | None = None, timeout_s: float = 180) -> Ended:
    """Run an installed command to its end."""
    ended = subprocess.run(
        [FOREKNOW, *arguments], env=environment, cwd=cwd, capture_output=True, text=True, timeout=timeout_s, check=False
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@dataclass(slots=True)
class Serving:
    """A `foreknow serve` that answers."""

    process: subprocess.Popen[str]
    url: str
    #: What it has written to its standard error.
    errors: Path

    @property
    def api(self) -> str:
        """Where the interface's paths begin."""
        return f"{self.url}/api/v1"

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)


Serve = Callable[..., Serving]


@pytest.fixture
def serve(environment: dict[str, str], tmp_path: Path) -> Iterator[Serve]:
    """Starts servers on one database and a free port; `files` is the hard limit of open files."""
    started: list[Serving] = []

    def start(*options: str, files: int | None = None, **variables: str) -> Serving:
        log = tmp_path / f"serve-{len(started)}.log"
        bounded = [] if files is None else ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
        command = [*bounded, str(FOREKNOW), "serve", "--port", "0", *options]
        errors = log.with_suffix(".err")
        with log.open("w") as out, errors.open("w") as err:
            process = subprocess.Popen(command, env=environment | variables, stdout=out, stderr=err, text=True)
        started.append(Serving(process, "", errors))
        started[-1].url = serving_url(process, log)
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
