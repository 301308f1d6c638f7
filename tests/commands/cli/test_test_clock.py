"""`FOREKNOW_TEST_CLOCK`: a service that lives in the time of a file."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from foreknow.kernel import clock as kernel_clock
from foreknow.kernel.clock import DAY_MS, iso
from tests.commands.cli.conftest import Command, Serve
from tests.support.http import NO_TLS
from tests.support.proofs import proves
from tests.support.service import PASSWORD, expect, refused

BEGIN_MS = 1_893_456_000_000
LINE = (
    "lifecycle: `FOREKNOW_TEST_CLOCK=/file`, for tests: all time, the database's too, is the Unix milliseconds in it, "
    "reread every 100 ms; exit 2 unless listening on loopback."
)


@pytest.fixture(autouse=True)
def own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command of these tests set the time of the others."""
    monkeypatch.setattr(kernel_clock._Machine, "test_clock", None)


@proves(LINE)
def test_all_time_comes_from_the_file(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "clock"
    file.write_text(str(BEGIN_MS))
    served = serve(FOREKNOW_TEST_CLOCK=str(file))
    body = {"email": "ann@example.org", "password": PASSWORD, "name": "Ann"}
    with httpx.Client(base_url=served.api, verify=NO_TLS) as client:
        signed_up = expect(client.post("/auth/sign-up", json=body), 201)
        assert signed_up["user"]["created_at"] == iso(BEGIN_MS)
        client.headers["Authorization"] = f"Bearer {signed_up['access_token']}"
        expect(client.get("/users/me"), 200)
        file.write_text(str(BEGIN_MS + DAY_MS))
        while client.get("/users/me").is_success:
            # The file is read every 0.1 s.
            pass
        refused(client.get("/users/me"), 401, "unauthorized")
        again = client.post("/auth/sign-up", json={**body, "email": "bob@example.org"}, headers={"Authorization": ""})
        assert expect(again, 201)["user"]["created_at"] == iso(BEGIN_MS + DAY_MS)


@proves(LINE)
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
@pytest.mark.parametrize("name", ["serve", "demo"])
def test_it_is_refused_unless_listening_on_loopback(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, name: str
) -> None:
    (tmp_path / "clock").write_text(str(BEGIN_MS))
    monkeypatch.setenv("FOREKNOW_TEST_CLOCK", str(tmp_path / "clock"))
    ended = command(name, "--host", host)
    assert ended.code == 2
    assert "FOREKNOW_TEST_CLOCK" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("content", ["", "soon", "1e12", None])
def test_a_file_without_a_time_is_exit_2(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "clock").write_text(content)
    monkeypatch.setenv("FOREKNOW_TEST_CLOCK", str(tmp_path / "clock"))
    ended = command("serve", "--port", "0")
    assert ended.code == 2
    assert "FOREKNOW_TEST_CLOCK" in ended.err
