"""How commands are asked, and what they say when asked wrongly."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from foreknow.kernel.versions import full_version
from tests.commands.cli.conftest import Command, run_process
from tests.support.proofs import proves

COMMANDS = [
    "serve",
    "demo",
    "settings",
    "migrate",
    "user",
    "partner",
    "replay",
    "copy",
    "backup",
    "status",
    "upgrade",
    "audit",
    "verify",
]


def test_the_version_is_printed(say: Command) -> None:
    assert say("--version").lines == [f"foreknow {full_version()}"]


def test_help_names_every_command(say: Command) -> None:
    ended = say("--help")
    assert ended.code == 0
    assert [name for name in COMMANDS if name not in ended.out] == []


@proves("decisions: wrong usage (a number that does not parse too) exit 2.")
@pytest.mark.parametrize(
    "arguments",
    [
        ["serv"],
        ["verify"],
        ["verify", "example.org"],
        ["serve", "--prot", "1"],
        ["serve", "--port", "many"],
        ["serve", "--port", "65536"],
        ["serve", "--workers", "0"],
        ["serve", "--workers", "1.5"],
        ["user", "add", "a@example.org", "--password-stdin"],
        ["user", "add", "a@example.org", "--name", "A"],
        ["user", "credit", "a@example.org"],
        ["user", "credit", "a@example.org", "1e3"],
        ["user", "credit", "a@example.org", "1_000"],
        ["user", "credit", "a@example.org", "٣"],
        ["user", "credit", "a@example.org", "0x10"],
        ["user", "credit", "a@example.org", "5.0"],
        ["user", "credit", "a@example.org", "+5"],
        ["partner", "add"],
        ["partner", "add", "one", "two"],
        ["partner", "deposit", "acme", "lots"],
        ["replay"],
        ["replay", "trades.csv", "--url", "localhost:8000"],
        ["replay", "trades.csv", "--url", "http://localhost:8000"],  # no token
        ["audit", "now"],
    ],
)
def test_wrong_usage_is_exit_2_and_one_line(say: Command, arguments: list[str]) -> None:
    ended = say(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("foreknow: ")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FOREKNOW_DATABASE_URL", "mysql://someone:hunter2@db/foreknow"),
        ("FOREKNOW_DATABASE_URL", "someone:hunter2"),
        ("FOREKNOW_DATABASE_URL", "sqlite://"),
        ("FOREKNOW_DATABASE_URL", "postgresql://someone:hunter2@db"),
        ("FOREKNOW_HOUSE_LIMIT_KOPECKS", "hunter2"),
        ("FOREKNOW_TOKEN_SECRET", "hunter2"),
        ("FOREKNOW_PUBLIC_URL", "hunter2.example"),
        ("FOREKNOW_PUBLIC_URL", "ftp://hunter2.example"),
        ("FOREKNOW_PUBLIC_URL", "https://"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example/app"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example//"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example?x"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example#x"),
        ("FOREKNOW_PUBLIC_URL", "https://me:hunter2@site.example"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example:0"),
        ("FOREKNOW_PUBLIC_URL", "https://hunter2.example:https"),
        ("FOREKNOW_PUBLIC_URL", " https://hunter2.example"),
        ("FOREKNOW_PUBLIC_URL", "https://прогноз.example"),
    ],
)
def test_a_wrong_setting_is_named_without_its_value(
    say: Command, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    ended = say("migrate")
    assert ended.code == 2
    assert ended.err.startswith(f"foreknow: {variable}")
    assert ended.err.count("\n") == 1
    assert "hunter2" not in ended.err


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("FOREKNOW_WEB", "maybe", "FOREKNOW_WEB is 'on' or 'off'"),
        ("FOREKNOW_ODDS_EVERY_S", "soon", "FOREKNOW_ODDS_EVERY_S is a whole number"),
        ("FOREKNOW_ODDS_EVERY_S", "0", "FOREKNOW_ODDS_EVERY_S is at least 1"),
        ("FOREKNOW_COOKIE_SECURE", "perhaps", "FOREKNOW_COOKIE_SECURE is true or false"),
        ("FOREKNOW_ASSET_PROVIDERS", "[{}]", "FOREKNOW_ASSET_PROVIDERS[0].adapter is missing"),
        ("FOREKNOW_ASSET_PROVIDERS", "{}", "FOREKNOW_ASSET_PROVIDERS is a list"),
        ("FOREKNOW_PUBLIC_URL", "example.org", "FOREKNOW_PUBLIC_URL is wrong: it has the form http"),
    ],
)
def test_a_wrong_setting_says_in_our_words_what_it_is_instead(
    say: Command, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.setenv(variable, value)
    ended = say("migrate")
    assert (ended.code, ended.err.startswith(f"foreknow: {says}")) == (2, True), ended
    assert not [word for word in ("Input", "Field required", "Value error", "pydantic") if word in ended.err]


def test_a_database_that_is_not_there_is_exit_1_and_one_line(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for url in ("postgresql://someone:hunter2@127.0.0.1:1/foreknow", f"sqlite:///{tmp_path}/file/below/it.sqlite3"):
        monkeypatch.setenv("FOREKNOW_DATABASE_URL", url)
        ended = say("audit")
        assert (ended.code, ended.err.count("\n")) == (1, 1), ended
        assert "hunter2" not in ended.err


def test_a_file_that_is_no_database_is_exit_1_and_one_line(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "letter.sqlite3").write_text("Dear all, " * 100)
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", f"sqlite:///{tmp_path}/letter.sqlite3")
    ended = say("migrate")
    assert (ended.code, ended.err.count("\n")) == (1, 1), ended
    assert "not a database" in ended.err
    assert f"{tmp_path}/letter.sqlite3" in ended.err


@pytest.mark.parametrize("arguments", [["migrate"], ["serve", "--port", "0"], ["audit"]])
def test_a_database_from_before_the_first_migration_is_exit_1_and_the_command_that_migrates_it(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    path = tmp_path / "foreknow.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as older, older:
        older.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        older.execute("INSERT INTO alembic_version VALUES ('0094')")
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", f"sqlite:///{path}")
    ended = say(*arguments)
    assert (ended.code, ended.err.count("\n")) == (1, 1), ended
    assert "the database is at migration 0094" in ended.err
    assert " && bin/foreknow migrate && " in ended.err


@pytest.mark.parametrize("arguments", [["migrate"], ["serve", "--port", "0"], ["partner", "add", "acme"]])
@pytest.mark.parametrize("place", ["file", "file/below", "/proc/foreknow"])
def test_a_data_folder_that_cannot_be_used_is_named(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], place: str
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / place
    monkeypatch.delenv("FOREKNOW_DATABASE_URL", raising=False)
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(folder))
    ended = say(*arguments)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"foreknow: cannot write in the folder {folder}: ")
    assert ended.err.endswith("(FOREKNOW_DATA_DIR)\n")
    assert ended.err.count("\n") == 1


@proves("decisions: `serve` and every other command bring the database up to date first")
@pytest.mark.parametrize(
    "arguments", [["partner", "add", "acme"], ["user", "add", "ann@example.org", "--name", "Ann", "--password-stdin"]]
)
def test_what_adds_makes_a_database_that_was_not_there(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", f"sqlite:///{tmp_path}/new/foreknow.sqlite3")
    monkeypatch.setenv("FOREKNOW_PASSWORD_COST", "low")
    ended = say(*arguments, stdin=b"correct horse battery")
    assert ended.code == 0, ended
    assert say("migrate").lines == ["The database was up to date."]


@proves("decisions: `foreknow migrate`", "decisions: With none set, everything lives in `./foreknow-data` in SQLite.")
def test_without_settings_everything_lives_in_a_folder_here(tmp_path: Path) -> None:
    ended = run_process("migrate", environment={"PATH": ""}, cwd=tmp_path)
    assert ended.code == 0, ended
    assert (tmp_path / "foreknow-data" / "foreknow.sqlite3").exists()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("FOREKNOW_DATBASE_URL", "FOREKNOW_DATABASE_URL"),
        ("foreknow_admin_mail", "FOREKNOW_ADMIN_EMAIL"),
        ("FOREKNOW_WORKERS", "FOREKNOW_TOKEN"),
        ("FOREKNOW_", "FOREKNOW_WEB"),
    ],
)
@pytest.mark.parametrize("arguments", [["serve"], ["migrate"], ["settings"], ["backup", "backups"]])
def test_a_name_that_is_no_setting_is_refused_with_the_nearest(
    say: Command, monkeypatch: pytest.MonkeyPatch, name: str, nearest: str, arguments: list[str]
) -> None:
    monkeypatch.setenv(name, "hunter2")
    ended = say(*arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"foreknow: {name} is no setting; the nearest is {nearest}")
    assert "hunter2" not in ended.err


def test_settings_refuse_an_address_that_the_service_does(say: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", "postgres://someone:hunter2@db/foreknow")
    ended = say("settings")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "foreknow: FOREKNOW_DATABASE_URL begins with postgresql:// or sqlite:///\n"


def test_settings_show_what_holds_and_its_source_without_secrets(say: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", "postgresql://someone:hunter2@db:5432/foreknow?password=hunter2")
    monkeypatch.setenv("FOREKNOW_TOKEN_SECRET", "hunter2" * 5)
    monkeypatch.setenv("FOREKNOW_IMAGE_STORE_OPTIONS", '{"secret_access_key": "hunter2"}')
    # Empty is unset: so environment files can list every variable.
    monkeypatch.setenv("FOREKNOW_ODDS_EVERY_S", "")
    monkeypatch.setenv("FOREKNOW_LOG_LEVEL", "")
    ended = say("settings", "--json")
    assert "hunter2" not in ended.out
    shown = {row["name"]: row for row in json.loads(ended.out)["settings"]}
    assert shown["FOREKNOW_DATABASE_URL"]["value"] == "postgresql://someone@db:5432/foreknow"
    assert shown["FOREKNOW_DATABASE_URL"]["source"] == "environment"
    assert shown["FOREKNOW_TOKEN_SECRET"]["source"] == "environment"
    assert (shown["FOREKNOW_ODDS_EVERY_S"]["value"], shown["FOREKNOW_ODDS_EVERY_S"]["source"]) == ("30", "default")
    assert shown["FOREKNOW_LOG_LEVEL"]["value"] == "info"
    assert "FOREKNOW_WORKERS" not in shown

    table = say("settings").lines
    assert table[0].split() == ["name", "value", "source"]
    assert len(table) == len(shown) + 1
