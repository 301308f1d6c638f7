"""The time of a write is the database's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from foreknow.kernel import clock as kernel_clock
from foreknow.kernel.clock import FileClock, system_clock
from foreknow.platform.db import clock as db_clock
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import open_database
from tests.support.proofs import proves


@proves("lifecycle: One clock, the database's")
@pytest.mark.postgres
async def test_on_postgres_the_server_tells_the_time_not_this_machine(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db_clock, "system_clock", lambda: 0)
    database = open_database(postgres_url)
    times = await database.write_private(lambda tx: [now_ms(tx), now_ms(tx)])
    # The server of the tests runs on this machine; within a transaction its clock goes on.
    assert abs(times[0] - system_clock()) < 60_000
    assert times[0] <= times[1]
    await database.close()


async def test_a_given_clock_decides_on_both(database_url: str) -> None:
    database = open_database(database_url, clock=lambda: 12_345)
    assert await database.write_private(now_ms) == await database.read(now_ms) == 12_345
    await database.close()


@pytest.mark.real_time("a file is read again after a moment")
def test_a_file_clock_reads_its_file_again(tmp_path: Path) -> None:
    path = tmp_path / "clock"
    path.write_text("1000\n")
    clock = FileClock(path)
    assert clock() == 1000
    for text, shown in (("2000", 2000), ("", 2000), ("x", 2000), ("3000", 3000)):
        path.write_text(text)
        time.sleep(FileClock.EVERY_S)
        assert clock() == shown


def test_a_file_clock_needs_a_time_to_begin_with(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("soon")
    with pytest.raises(ValueError, match="soon"):
        FileClock(tmp_path / "clock")
    with pytest.raises(OSError, match="nowhere"):
        FileClock(tmp_path / "nowhere")


async def test_a_test_clock_is_the_databases_time_too(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clock").write_text("777")
    monkeypatch.setattr(kernel_clock._Machine, "test_clock", None)
    kernel_clock.use_test_clock(tmp_path / "clock")
    database = open_database(database_url)
    assert await database.write_private(now_ms) == 777
    assert system_clock() == 777
    await database.close()
