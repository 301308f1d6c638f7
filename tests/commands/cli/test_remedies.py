"""What a command says where it cannot go on: what to do about it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from tests.commands.cli.conftest import Command, run_process

#: What `foreknow serve` needs and a deed on the database does not.
HEAVY = ["foreknow.service.app", "foreknow.service.server", "uvicorn", "httpx2", "obstore", "joserfc", "PIL", "apprise"]
#: Says after each of some commands which of some modules are loaded.
LOADED = """
import json, sys
from foreknow.commands.cli import main
commands, modules = map(json.loads, sys.argv[1:])
for command in commands:
    try:
        main(command)
    except SystemExit as ended:
        assert not ended.code, ended.code
    print(json.dumps([command, [name for name in modules if name in sys.modules]]))
"""
DEEDS = [
    ["--help"],
    ["migrate"],
    ["partner", "add", "acme"],
    ["user", "add", "ann@example.org", "--name", "Ann", "--password-stdin"],
    ["audit"],
]


@pytest.mark.parametrize("arguments", [["serve"], ["demo"]])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_where_the_port_is_taken_another_is_suggested(environment: dict[str, str], arguments: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = run_process(*arguments, "--port", port, environment=environment)
    assert (ended.code, ended.err.count("\n")) == (1, 1), ended
    assert ended.err == (
        f"foreknow: cannot listen on 127.0.0.1:{port}: Address already in use; choose another port with --port\n"
    )


@pytest.mark.parametrize("arguments", [["migrate"], ["audit"], ["partner", "add", "acme"], ["serve", "--port", "0"]])
def test_a_database_that_is_not_there_is_named_with_its_setting(
    say: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", "postgresql://someone:hunter2@127.0.0.1:1/foreknow")
    ended = say(*arguments)
    assert (ended.code, ended.err.count("\n")) == (1, 1), ended
    assert "the database at 127.0.0.1:1" in ended.err
    assert "FOREKNOW_DATABASE_URL" in ended.err
    assert "hunter2" not in ended.err


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_deeds_on_the_database_do_not_load_the_service(environment: dict[str, str]) -> None:
    """One after the other in one process: what none of them has loaded, each does without."""
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(DEEDS), json.dumps(HEAVY)],
        env=environment,
        input="correct horse battery",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    loaded = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('[["')]
    assert loaded == [[deed, []] for deed in DEEDS]
