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

from foreknow.site.feed.tables import feed_leader
from tests.commands.cli.conftest import Command
from tests.support.baskets import CHECK_PRIORS, markets_of, open_pool
from tests.support.http import NO_TLS
from tests.support.lists import twice_split
from tests.support.pictures import image
from tests.support.postgres import PACKAGES, PROGRAMS
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect
from tests.support.transactions import look
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[3]
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
        (["backup"], "FILE"),
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
            back_up_and_restore_sqlite(service, tmp_path / "backups", data)
        else:
            back_up_and_restore_postgres(service, tmp_path / "foreknow.dump", target_url, data)
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


def back_up_and_restore_sqlite(service: Service, backups: Path, data: Path) -> None:
    """Do as docs/operations/backup.md says."""
    environment = os.environ | {
        "FOREKNOW_DATABASE_URL": service.database_url,
        "FOREKNOW_DATA_DIR": str(service.settings.data_dir),
    }
    subprocess.run([ROOT / "deploy" / "backup", backups], env=environment, check=True, stdout=subprocess.DEVNULL)
    (file,) = backups.glob("foreknow-*")
    data.mkdir()
    shutil.copy(file, data / "foreknow.sqlite3")
    shutil.copytree(backups / "images", data / "images")


def back_up_and_restore_postgres(service: Service, file: Path, target_url: str, data: Path) -> None:
    """Do as docs/operations/backup.md says."""
    programs = PACKAGES / PROGRAMS / "bin"
    subprocess.run([programs / "pg_dump", "--format=custom", f"--file={file}", service.database_url], check=True)
    options = ["--exit-on-error", "--single-transaction", "--no-owner"]
    subprocess.run([programs / "pg_restore", *options, f"--dbname={target_url}", file], check=True)
    shutil.copytree(service.settings.data_dir / "images", data / "images")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_backup_is_one_file_for_its_owner_alone_and_replaces_none(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    Path(f"{file}.partial").write_text("what an attempt that was broken off has left")
    ended = command("backup", str(file))
    assert (ended.code, len(ended.lines)) == (0, 1), ended
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == [file.name]
    again = command("backup", str(file))
    assert (again.code, again.out, again.err.count("\n")) == (1, "", 1)
    assert "is there already" in again.err


def test_a_backup_of_nothing_is_refused(say: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path / "data"))
    ended = say("backup", str(tmp_path / "backup"))
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_damaged_database_is_not_backed_up(command: Command, database_url: str, tmp_path: Path) -> None:
    path, file = Path(database_url.removeprefix("sqlite:///")), tmp_path / "backup"
    whole = path.read_bytes()
    # The root of one of the tables, in the middle of the file.
    middle = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    ended = command("backup", str(file))
    assert (ended.code, ended.err.splitlines()[-1].startswith("foreknow: ")) == (1, True), ended
    assert list(tmp_path.glob("backup*")) == []


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_postgres_has_a_backup_of_its_own(command: Command, tmp_path: Path) -> None:
    ended = command("backup", str(tmp_path / "backup"))
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "pg_dump" in ended.err
