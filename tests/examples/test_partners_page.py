"""docs/partners.md, lived through as its reader would: every block of it runs, in order, against a service."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from foreknow.commands.cli.demo import show_accounts
from foreknow.commands.demo import shop
from foreknow.commands.replay.accounts import Run
from foreknow.kernel.clock import DAY_MS, iso
from foreknow.site.webhooks.messages import headers, of_test
from tests.support import forks
from tests.support.lists import list_pool, split
from tests.support.schema import SqliteFiles
from tests.support.service import Service, expect, pool

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "partners.md").read_text()
END = "-- end --"
BALANCE_AT_FIRST = {
    "partner": "demo-shop",
    "float_balance_kopecks": 10_000_000,
    "users_balance_kopecks": 0,
    "held_kopecks": 0,
    "total_kopecks": 10_000_000,
}


class Block(NamedTuple):
    """A block of code, and the heading that it stands below."""

    heading: str
    language: str
    code: str


def blocks() -> Iterator[Block]:
    heading = ""
    for found in re.finditer(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        if found[1]:
            heading = found[1]
        else:
            yield Block(heading, found[2], found[3])


class Shell:
    """A shell that lives from block to block, so that each knows the variables of those before it."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self._bash = subprocess.Popen(
            ["bash", "-euo", "pipefail"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env={**os.environ, **variables, "NO_PROXY": "*"},
        )
        # A refused request ends it.
        self.run('curl() { command curl --fail-with-body "$@"; }')

    def run(self, code: str) -> str:
        """Run a block; return what it printed."""
        stdin, stdout = _pipes(self._bash)
        stdin.write(f"{code}\necho\necho '{END}'\n")
        stdin.flush()
        printed: list[str] = []
        while (line := stdout.readline()) != f"{END}\n":
            assert line, f"ended by\n{code}\n{''.join(printed)}"
            printed.append(line)
        return "".join(printed).strip()

    def stop(self) -> None:
        self._bash.kill()
        self._bash.communicate()


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def shop_service(sqlite_files: SqliteFiles) -> Iterator[Service]:
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


def test_every_block_of_the_partners_page_does_what_it_says(shop_service: Service, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("the page is followed with curl")
    service, key = shop_service, shop.key_of("5" * 64)
    assert all(service.server.run(service.app.db.write(lambda tx: shop.open_shop(tx, key))) for _ in range(2))
    # The page's event is the newest, and closes first.
    grown = service.event(pools=[list_pool(b=1_000_000)])
    split(service, grown["pools"][0]["id"], "Dana")
    event = service.event(pools=[pool(finish_at=iso(round(time.time() * 1000) + DAY_MS))])
    port = str(free_port())
    variables = {
        "API": service.api_url,
        "PARTNER_KEY": key,
        "ADMIN_TOKEN": service.admin.headers["Authorization"].removeprefix("Bearer "),
    }
    said: dict[str, list[str]] = {}
    with ExitStack() as stack:
        shell = Shell(tmp_path, variables)
        stack.callback(shell.stop)
        received: Callable[[], str] | None = None
        for heading, language, written in blocks():
            code = written.replace("9000", port)
            if language == "sh":
                said.setdefault(heading, []).append(shell.run(code))
            elif "def is_genuine" in code:
                check_plain_receiver(tmp_path, code)
            elif "receiver.py" in code:
                (tmp_path / "receiver.py").write_text(code)
                received = start_receiver(stack, tmp_path, int(port))
            elif "outcomes" in code and language == "python":
                said.setdefault(heading, []).append(run_python(code, variables))
                split(service, grown["pools"][0]["id"], "Eve")
            elif language == "python":
                resolve(service, event)
                said.setdefault(heading, []).append(run_python(code, variables))
        assert received is not None
        types = [received() for _ in range(11)]

    check_said(said, types)


def check_said(said: dict[str, list[str]], types: list[str]) -> None:
    """Check what the page's blocks and its receiver printed."""
    assert json.loads(said["A key"][0]) == BALANCE_AT_FIRST
    quote, bet = said["A quote and a bet"]
    assert json.loads(quote)["shares"] == json.loads(bet)["shares"] > 500
    (replayed,) = said["No answer: the same key again"]
    assert replayed.lower() == "idempotency-replayed: true"
    sale, withdrawal, listed = said["Selling and withdrawing"]
    assert [answer.get("shares") for answer in bodies(sale)] == [None, 500]
    assert json.loads(withdrawal)["amount_kopecks"] == 10
    assert [user["external_user_id"] for user in json.loads(listed)["users"]] == ["customer-17"]
    tested, resent = said["Webhooks"][-2:]
    assert json.loads(tested) == {"delivered": True, "reason": ""}
    assert json.loads(resent) == {"count": 4}
    assert re.fullmatch(r"SLIPPAGE\n\d+ shares of Other, one of 4", said["Lists that grow"][0])
    assert "split customer-19 0\n" in types
    assert json.loads(said["Settlement"][0])["market_id"] == json.loads(bet)["market_id"]
    names = [text.split(" ", 1)[0] for text in types]
    assert names[0].startswith("WebhookTestMessage(")
    # What is posted again comes behind what is new meanwhile.
    assert len(names) == 11
    assert names.count("pool") == 1
    assert names.count("settlement") == 2
    assert names.index("pool") < names.index("settlement")
    summed, filtered = said["Reconciliation"]
    assert summed.startswith(
        "{'settlement': 2, 'bet': 3, 'split': 1, 'withdrawal': 1, 'sale': 1, 'deposit': 1} add up to "
    )
    assert '"type":"settlement"' in filtered
    assert ",settlement,customer-17," in filtered


def check_plain_receiver(folder: Path, code: str) -> None:
    """Let the page's function judge a message of the service, and one that was changed on the way."""
    secret = json.loads((folder / "webhook.json").read_text())["secret"]
    body = of_test(1).body()
    known: dict[str, Any] = {}
    with contextlib.chdir(folder):
        exec(code, known)
    signed = headers("test_1", body, [secret], at_ms=int(time.time() * 1000))
    assert known["is_genuine"](signed, body)
    assert not known["is_genuine"](signed, body + b" ")
    assert not known["is_genuine"](headers("test_1", body, [secret], at_ms=1), body)


def bodies(text: str) -> Iterator[dict[str, object]]:
    """Read JSON objects that follow one another."""
    while text:
        body, end = json.JSONDecoder().raw_decode(text)
        yield body
        text = text[end:].lstrip()


def resolve(service: Service, event: dict[str, list[dict[str, int]]]) -> None:
    """Let the market of the page win."""
    answer = service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0})
    expect(answer, 200)


def run_python(code: str, variables: dict[str, str]) -> str:
    """Run a block of Python; return what it printed."""
    environment = {**os.environ, **variables, "NO_PROXY": "*"}
    ended = forks.run([sys.executable, "-c", code], env=environment, imports=forks.CLIENT)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def start_receiver(stack: ExitStack, folder: Path, port: int) -> Callable[[], str]:
    """Run the page's receiver; return what waits for its next line."""
    receiver = subprocess.Popen(
        [sys.executable, "receiver.py"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    stack.callback(receiver.communicate)
    stack.callback(receiver.kill)
    _, stdout = _pipes(receiver)
    while True:
        assert receiver.poll() is None
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return stdout.readline


def test_the_partners_page_says_what_to_do_about_every_code() -> None:
    paths = json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"]
    codes = {
        (status, code)
        for path, methods in paths.items()
        if path.startswith("/api/v1/partner/")
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status >= "400"
        for code in answer["content"]["application/json"]["examples"]
    }
    # Of a request that reaches no endpoint.
    codes |= {("404", "NOT_FOUND"), ("405", "METHOD_NOT_ALLOWED")}
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == len(codes)
    assert {(status, code) for status, code, _ in rows} == codes


def test_the_demo_prints_the_key_of_its_partner(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run("demo", lambda _: "5" * 64)
    show_accounts(run, "http://127.0.0.1:8000", shop.key_of("5" * 64))
    assert f"  X-Partner-Key: fkp_{'5' * 64}\n" in capsys.readouterr().out
    show_accounts(run, "http://127.0.0.1:8000", None)
    assert "X-Partner-Key" not in capsys.readouterr().out
