"""`foreknow copy`, `foreknow backup`, and what docs/operations/backup.md says of backing up and restoring."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel import clock as kernel_clock
from foreknow.kernel.clock import DAY_MS
from foreknow.site.feed.tables import feed_leader
from tests.commands.cli.conftest import Command, run_process
from tests.support.baskets import CHECK_PRIORS, markets_of, open_pool
from tests.support.http import NO_TLS
from tests.support.lists import twice_split
from tests.support.pictures import image
from tests.support.postgres import PACKAGES, PROGRAMS
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect
from tests.support.transactions import look
from tests.support.waiting import wait_until

THREADS = 4
STAKE_KOPECKS = 100


@pytest.fixture
def target_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of the same kind as the one whose turn it is."""
    if database_kind == "sqlite":
        return f"sqlite:///{tmp_path}/target/foreknow.sqlite3"
    return str(request.getfixturevalue("postgres_url"))


@proves("decisions: `foreknow copy --to URL`")
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_copy_says_what_it_did_and_refuses_to_do_it_twice(command: Command, target_url: str) -> None:
    assert command("user", "add", "a@example.org", "--name", "A", "--password-stdin", stdin=b"correct horse").code == 0
    copied = command("copy", "--to", target_url)
    assert copied.code == 0, copied
    assert copied.lines[0].startswith("Copied 4 rows of ")
    assert "clean books" in copied.lines[1]
    assert "users, 1 rows" in copied.err.splitlines()
    again = command("copy", "--to", target_url)
    assert (again.code, again.out, again.err.count("\n")) == (1, "", 1)
    assert again.err.startswith("foreknow: the target is not empty")


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_copy_says_that_a_service_runs_on_the_source(command: Command, database_url: str, target_url: str) -> None:
    lease = {"id": 1, "holder": "a server", "lease_until_ms": 2**62, "complete_through_id": 0}
    look(database_url, lambda tx: tx.execute(feed_leader.insert().values(lease)))
    copied = command("copy", "--to", target_url)
    assert copied.code == 0
    assert "The source was in use while it was copied" in copied.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["copy"], "--to"),
        (["copy", "--to", "someone:hunter2"], "--to is not a URL"),
        (["copy", "--to", "mysql://someone:hunter2@db/foreknow"], "--to begins with"),
        (["backup"], "FOLDER"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_line(say: Command, arguments: list[str], says: str) -> None:
    ended = say(*arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert says in ended.err
    assert "hunter2" not in ended.err


class Load:
    """A trader who bets from several connections at once until `stop` is called."""

    def __init__(self, service: Service, trader: Person, market_id: int) -> None:
        """Begin, and return when the first bets were answered."""
        self.answered: list[int] = []
        self._stopping = threading.Event()
        self._service, self._trader, self._market_id = service, trader, market_id
        self._threads = [threading.Thread(target=self._bet) for _ in range(THREADS)]
        for thread in self._threads:
            thread.start()
        self.wait_for(20)

    def wait_for(self, more: int) -> None:
        """Return when `more` further bets were answered."""
        enough = len(self.answered) + more
        wait_until(lambda: len(self.answered) >= enough)

    def stop(self) -> None:
        """Answer what is under way, then rest."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _bet(self) -> None:
        body = {"market_id": self._market_id, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
        headers = {"Authorization": f"Bearer {self._trader.token}"}
        with httpx.Client(
            base_url=self._service.api_url, headers=headers, timeout=120, trust_env=False, verify=NO_TLS
        ) as client:
            while not self._stopping.is_set():
                self.answered.append(expect(client.post("/market/bets", json=body), 201)["id"])


def test_a_backup_of_a_service_at_work_is_restored(
    command: Command, fresh_service: Service, target_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every bet that was answered before the backup began is in it; its books are right, and a service runs on it."""
    service, data = fresh_service, tmp_path / "target"
    trader = service.user(balance_kopecks=100_000_000)
    event = service.event()
    picture = expect(service.creator.client.put(f"/events/{event['id']}/image", content=image()), 200)["image_url"]
    market_id = event["pools"][0]["markets"][0]["id"]
    ranges = markets_of(open_pool(service, CHECK_PRIORS))
    saver = service.user(balance_kopecks=1_000)
    basket = {"market_ids": ranges[1:3], "amount_kopecks": 500}
    placed = expect(saver.client.post("/market/baskets", json=basket, headers={"Idempotency-Key": "kept"}), 201)
    grown = twice_split(service)
    load = Load(service, trader, market_id)
    try:
        before = set(load.answered)
        if target_url.startswith("sqlite:"):
            restore_sqlite(back_up(service, tmp_path / "backups"), data)
        else:
            restore_postgres(back_up(service, tmp_path / "backups"), target_url, data)
        load.wait_for(20)
    finally:
        load.stop()

    monkeypatch.setenv("FOREKNOW_DATABASE_URL", target_url)
    assert command("audit").code == 0
    of_trader = sa.text("SELECT id FROM trades WHERE user_id = :id").bindparams(id=trader.id)
    ids = look(target_url, lambda tx: set(tx.execute(of_trader).scalars()))
    assert before <= ids < set(load.answered)
    restored = Service(target_url, data_dir=data)
    try:
        client = restored.client(token=trader.token)
        balance_kopecks = expect(client.get("/users/me"), 200)["balance_kopecks"]
        assert balance_kopecks == 100_000_000 - STAKE_KOPECKS * len(ids)
        body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
        assert expect(client.post("/market/bets", json=body), 201)["id"] > max(ids)
        assert client.get(f"{restored.url}{picture}").status_code == 200
        saved = restored.client(token=saver.token)
        again = saved.post("/market/baskets", json=basket, headers={"Idempotency-Key": "kept"})
        assert (expect(again, 201), again.headers["Idempotency-Replayed"]) == (placed, "true")
        sale = {"changes": [{"market_id": leg["market_id"], "shares": -leg["shares"]} for leg in placed["legs"]]}
        assert expect(saved.post("/market/baskets", json=sale), 201)["payout_kopecks"] == 499
        assert grown.read(restored) == grown.pages
        grown.go_on(restored)
    finally:
        restored.stop()
    assert command("audit").code == 0


def back_up(service: Service, into: Path) -> Path:
    """Back up a service as its unit does, and return the backup's folder."""
    environment = os.environ | {
        "FOREKNOW_DATABASE_URL": service.database_url,
        "FOREKNOW_DATA_DIR": str(service.settings.data_dir),
        "PATH": f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}",
    }
    ended = run_process("backup", str(into), environment=environment)
    assert ended.code == 0, ended
    (folder,) = into.glob("foreknow-*")
    return folder


def restore_sqlite(backup: Path, data: Path) -> None:
    """Do as docs/operations/backup.md says."""
    data.mkdir()
    shutil.copy(backup / "foreknow.sqlite3", data)
    shutil.copytree(backup.parent / "images", data / "images")


def restore_postgres(backup: Path, target_url: str, data: Path) -> None:
    """Do as docs/operations/backup.md says."""
    options = ["--exit-on-error", "--single-transaction", "--no-owner"]
    program = PACKAGES / PROGRAMS / "bin" / "pg_restore"
    subprocess.run([program, *options, f"--dbname={target_url}", backup / "foreknow.dump"], check=True)
    shutil.copytree(backup.parent / "images", data / "images")


def files_of(folder: Path) -> dict[str, int]:
    """The modes of all in a folder."""
    return {str(each.relative_to(folder)): stat.S_IMODE(each.stat().st_mode) for each in folder.rglob("*")}


def test_a_backup_has_all_that_a_site_is_made_of_for_its_owner_alone(
    command: Command, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, looks, into = tmp_path / "data", tmp_path / "looks", tmp_path / "backups"
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(data))
    monkeypatch.setenv("FOREKNOW_SITE_DIR", str(looks))
    monkeypatch.setenv("PATH", f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}")
    (data / "images" / "of").mkdir(parents=True)
    (data / "images" / "of" / "7.webp").write_bytes(b"a picture")
    (data / "foreknow.env").write_text("# of Ann\nFOREKNOW_SITE_NAME=Ours\n")
    looks.mkdir()
    (looks / "rules.en.md").write_text("Be kind.")
    (looks / "diary.txt").write_text("no look")
    (into / "partial").mkdir(parents=True)
    (into / "partial" / "half").write_text("what an attempt that was broken off has left")
    assert command("migrate").code == 0
    assert "No backup yet" in command("status").out

    ended = command("backup", str(into))

    assert (ended.code, len(ended.lines)) == (0, 1), ended
    (folder,) = into.glob("foreknow-*")
    file = "foreknow.sqlite3" if database_url.startswith("sqlite:") else "foreknow.dump"
    assert files_of(into) == {
        "images": 0o700,
        "images/of": 0o700,
        "images/of/7.webp": 0o600,
        folder.name: 0o700,
        f"{folder.name}/{file}": 0o600,
        f"{folder.name}/foreknow.env": 0o600,
        f"{folder.name}/looks": 0o700,
        f"{folder.name}/looks/rules.en.md": 0o600,
    }
    settings = (folder / "foreknow.env").read_text()
    assert settings.startswith("# of Ann\nFOREKNOW_SITE_NAME=Ours\n")
    assert f"FOREKNOW_DATABASE_URL={database_url}\n" in settings
    assert "FOREKNOW_DATA_DIR" not in settings
    assert "Newest backup: 0 s ago" in command("status").out


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_backups_are_deleted_after_their_days(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The commands run in this process: its own clock comes back.
    monkeypatch.setattr(kernel_clock._Machine, "test_clock", None)
    clock = tmp_path / "clock"
    monkeypatch.setenv("FOREKNOW_TEST_CLOCK", str(clock))
    monkeypatch.setenv("FOREKNOW_BACKUP_DAYS", "2")
    into = tmp_path / "backups"
    into.mkdir()
    (into / "foreknow-notes").write_text("of the operator")
    for day in range(1, 6):
        clock.write_text(str(day * DAY_MS))
        assert command("migrate").code == 0
        assert command("backup", str(into)).code == 0
    kept = sorted(folder.name for folder in into.iterdir())
    assert kept == [*(f"foreknow-1970010{day}T000000Z" for day in (4, 5, 6)), "foreknow-notes"]
    # Another in the same second takes the next one.
    again = command("backup", str(into))
    assert again.code == 0, again
    assert (into / "foreknow-19700106T000000Z").exists()
    assert (into / "foreknow-19700106T000001Z").exists()


def test_a_backup_of_nothing_is_refused(say: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path / "data"))
    ended = say("backup", str(tmp_path / "backup"))
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_damaged_database_is_not_backed_up(command: Command, database_url: str, tmp_path: Path) -> None:
    path, file = Path(database_url.removeprefix("sqlite:///")), tmp_path / "backups"
    whole = path.read_bytes()
    # The root of one of the tables, in the middle of the file.
    middle = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    ended = command("backup", str(file))
    assert (ended.code, ended.err.splitlines()[-1].startswith("foreknow: ")) == (1, True), ended
    assert list(file.glob("*")) == []


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("", "pg_dump is not installed"),
        ("#!/bin/sh\necho 'pg_dump: error: server version mismatch' >&2\nexit 1\n", "mismatch"),
    ],
)
def test_a_dump_that_cannot_be_made_is_one_line_and_leaves_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, says: str
) -> None:
    programs, into = tmp_path / "bin", tmp_path / "backups"
    programs.mkdir()
    if program:
        (programs / "pg_dump").write_text(program)
        (programs / "pg_dump").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert command("migrate").code == 0
    ended = command("backup", str(into))
    assert (ended.code, ended.out, ended.err.splitlines()[-1].startswith("foreknow: ")) == (1, "", True), ended
    assert says in ended.err
    assert list(into.iterdir()) == []


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_backup_is_of_the_server_that_takes_writes(
    command: Command, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "backups"
    several = database_url.replace("@127.0.0.1:", "@127.0.0.1:1,127.0.0.1:")
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", several)
    monkeypatch.setenv("PATH", f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}")
    assert command("migrate").code == 0
    ended = command("backup", str(into))
    assert ended.code == 0, ended
    assert [file.stat().st_size > 0 for file in into.glob("*/foreknow.dump")] == [True]
    nameless = command("copy", "--to", several.replace("127.0.0.1:1,", ",").partition("?")[0])
    assert "--to is not a URL" in nameless.err
