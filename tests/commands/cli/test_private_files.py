"""No other user of the machine reads the database, whatever the umask and the owner of older files."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.cli.conftest import Command
from tests.support.pictures import image
from tests.support.service import Service, expect

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Files are readable to all unless their maker says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: mode(path) for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("arguments", [["migrate"], ["partner", "add", "acme"]])
def test_a_command_makes_the_data_folder_and_the_database_for_its_user_alone(
    say: Command, database_kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(data))
    assert say(*arguments).code == 0
    assert mode(data) == 0o700
    assert set(modes(data).values()) == {0o600}


def test_what_was_open_to_others_is_closed(
    say: Command, database_kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(data))
    assert say("migrate").code == 0
    # A connection is open, so that log and index are there.
    other = sqlite3.connect(data / "foreknow.sqlite3")
    other.execute("CREATE TABLE noise (id INTEGER)")
    other.commit()
    data.chmod(0o755)
    assert set(modes(data)) == {"foreknow.sqlite3", "foreknow.sqlite3-wal", "foreknow.sqlite3-shm"}
    for name in modes(data):
        (data / name).chmod(0o664)
    assert say("migrate").code == 0
    assert mode(data) == 0o700
    assert set(modes(data).values()) == {0o600}
    other.close()


def test_a_running_service_keeps_all_its_files_closed(start_service: type, database_kind: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o777)
    service: Service = start_service(data_dir=data)
    event_id = service.event()["id"]
    expect(service.creator.client.put(f"/events/{event_id}/image", content=image("png")), 200)
    database = Path(service.database_url.removeprefix("sqlite:///"))
    beside = [path for path in database.parent.iterdir() if path.name.startswith(database.name)]
    assert len(beside) == 3
    assert {mode(path) for path in beside} == {0o600}
    assert mode(data) == 0o700


def test_a_folder_that_is_everybodys_is_left_alone(
    say: Command, database_kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(shared))
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", f"sqlite:///{elsewhere}/foreknow.sqlite3")
    assert say("migrate").code == 0
    # Nothing says that this folder is the service's; the file in it is.
    assert (mode(shared), mode(elsewhere)) == (0o1777, 0o755)
    assert set(modes(elsewhere).values()) == {0o600}


def test_a_copy_is_closed_too(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "target" / "copied.sqlite3"
    assert command("partner", "add", "acme").code == 0
    assert command("copy", "--to", f"sqlite:///{target}").code == 0
    assert mode(target.parent) == 0o700
    assert set(modes(target.parent).values()) == {0o600}
