"""`foreknow init`: a site set up by answers, options or defaults, as the other commands then read it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import httpx
import pytest

from foreknow.commands.init.caddyfile import caddyfile, domain_of
from foreknow.commands.init.env_file import alone_in, read_env_file
from tests.commands.cli.conftest import Command, Serve, run_process
from tests.commands.cli.terminal import at_terminal
from tests.support.http import NO_TLS
from tests.support.proofs import proves
from tests.support.service import expect, pool

ROOT = Path(__file__).parents[3]
PASSWORD = "correct horse battery"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of commands, with no database and no settings yet."""
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def shown(say: Command) -> dict[str, str]:
    """What holds, by name without the prefix."""
    rows = json.loads(say("settings", "--json").out)["settings"]
    return {row["name"].removeprefix("FOREKNOW_"): row["value"] for row in rows if row["source"] == "site"}


def values(folder: Path) -> dict[str, str]:
    return {
        name.removeprefix("FOREKNOW_"): entry.value.replace(PASSWORD, "…")
        for name, entry in read_env_file(folder).entries.items()
    }


def test_defaults_make_a_closed_site_of_play_money_with_an_admin(say: Command, folder: Path) -> None:
    made = say("init", "--yes")
    assert made.code == 0, made
    assert stat.S_IMODE((folder / "foreknow.env").stat().st_mode) == 0o600
    found = values(folder)
    password = found.pop("ADMIN_PASSWORD")
    assert found == {"ADMIN_EMAIL": "admin@localhost", "ADMIN_NAME": "Admin"}
    own = shown(say)
    points = {"code": None, "sign": "¤", "name": "points", "name_ru": "очки", "decimals": 0}
    assert json.loads(own.pop("CURRENCY")) == points
    assert own == {"SITE_NAME": "Foreknow", "SIGN_UP": "invite", "SIGN_UP_KOPECKS": "100000"}
    # It is made here, so it is shown here, once.
    assert len(password) >= 16
    assert made.out.count(password) == 1
    again = say("init", "--yes")
    assert (again.code, values(folder)["ADMIN_PASSWORD"]) == (0, password)
    assert password not in again.out
    assert not (folder / "Caddyfile").exists()


def test_options_answer_and_a_domain_gets_a_caddyfile(say: Command, folder: Path) -> None:
    options = ["--site-name", "Club O'Neil", "--currency", "eur", "--sign-up", "on", "--sign-up-kopecks", "500"]
    made = say(
        *("init", "--yes", "--admin-password-stdin", "--public-url", "forecasts.example.org/", *options),
        stdin=f"{PASSWORD}\n".encode(),
    )
    assert made.code == 0, made
    found = values(folder)
    own = shown(say)
    assert json.loads(own.pop("CURRENCY"))["code"] == "EUR"
    assert own == {"SITE_NAME": "Club O'Neil", "SIGN_UP": "on", "SIGN_UP_KOPECKS": "500"}
    assert found == {
        "PUBLIC_URL": "https://forecasts.example.org",
        "ADMIN_EMAIL": "admin@forecasts.example.org",
        "ADMIN_NAME": "Admin",
        "ADMIN_PASSWORD": "…",
        "TRUSTED_PROXIES": "127.0.0.1,::1",
    }
    assert PASSWORD not in made.out
    text = (folder / "Caddyfile").read_text()
    assert text == caddyfile("forecasts.example.org")
    assert "\nforecasts.example.org {\n" in text
    # It follows the address, unless a person has changed it.
    assert say("init", "--yes", "--public-url", "new.example.org").code == 0
    assert (folder / "Caddyfile").read_text() == caddyfile("new.example.org")
    (folder / "Caddyfile").write_text("# mine\n")
    assert "changed by hand" in say("init", "--yes", "--public-url", "third.example.org").out
    assert (folder / "Caddyfile").read_text() == "# mine\n"


def test_browsers_stay_signed_in_over_plain_http_where_the_address_says_so(say: Command, folder: Path) -> None:
    made = say("init", "--yes", "--public-url", "http://10.0.0.5:8000")
    assert (made.code, values(folder)["COOKIE_SECURE"]) == (0, "false"), made
    assert "can read passwords" in made.out
    assert not (folder / "Caddyfile").exists()
    assert say("init", "--yes", "--public-url", "a.example").code == 0
    assert "COOKIE_SECURE" not in values(folder)


@pytest.mark.parametrize(
    ("url", "command"),
    [
        ("none", "serve"),
        ("http://10.0.0.5:8000", "serve --host 0.0.0.0"),
        ("http://club.example", "serve --host 0.0.0.0 --port 80"),
        ("http://[fd00::5]:9000", "serve --host :: --port 9000"),
        ("http://localhost:9000", "serve --port 9000"),
        ("club.example", "serve"),
    ],
)
def test_the_command_that_it_names_serves_the_address(say: Command, folder: Path, url: str, command: str) -> None:
    made = say("init", "--yes", "--public-url", url)
    (start,) = (line for line in made.lines if line.startswith("Start it: "))
    assert start.endswith(f" {command}")


@pytest.mark.parametrize("url", ["club.example", "http://club.example:8000"])
def test_a_site_that_exists_gets_a_mail_server_and_its_sender(say: Command, folder: Path, url: str) -> None:
    assert say("init", "--yes", "--public-url", url).code == 0
    assert "EMAIL_FROM" not in values(folder)
    made = say("init", "--yes", "--smtp-url", "smtp://mail.example")
    assert (made.code, values(folder).get("EMAIL_FROM")) == (0, '"Foreknow" <noreply@club.example>'), made


def test_the_caddyfile_equals_the_documented_one() -> None:
    assert caddyfile("example.org") == (ROOT / "deploy" / "Caddyfile").read_text()


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://a.example", "a.example"),
        ("https://a.example:8443", "a.example:8443"),
        ("http://a.example", ""),
        ("https://localhost", ""),
        ("https://intranet", ""),
        ("https://192.0.2.7", ""),
        ("https://[2001:db8::1]", ""),
        ("", ""),
    ],
)
def test_only_a_domain_can_have_a_certificate(url: str, domain: str) -> None:
    assert domain_of(url) == domain


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("site-name", "", "at least one character"),
        ("site-name", "two\nlines", "a line break"),
        ("currency", "yen", "it is one of points, RUB"),
        ("currency", '{"code": "JPY", "sign": "¥", "name": "yen"}', "two decimals in ISO 4217"),
        ("currency", "{", "no valid JSON"),
        ("sign-up", "maybe", "it is on, invite or off"),
        ("sign-up-kopecks", "-1", "it is at least 0"),
        ("public-url", "https://a.example/path", "http(s)://host[:port]"),
        ("public-url", "ftp://a.example", "http(s)://host[:port]"),
        ("admin-email", "ann", "must be an e-mail address"),
        ("smtp-url", "http://hunter2@mail.example", "it has the form smtp"),
        ("email-from", "ann", "it has the form name@host"),
        ("sign-up-domains", "a b", "is no domain"),
    ],
)
def test_a_wrong_option_is_exit_2_with_the_reason_and_writes_nothing(
    say: Command, folder: Path, option: str, value: str, reason: str
) -> None:
    public = [] if option == "public-url" else ["--public-url", "a.example", "--smtp-url", "smtp://mail.example"]
    ended = say("init", "--yes", *([] if option == "smtp-url" else public), f"--{option}={value}")
    assert (ended.code, ended.err.count("\n")) == (2, 1), ended
    assert reason in ended.err
    assert "hunter2" not in ended.err
    assert not (folder / "foreknow.env").exists()


@pytest.mark.parametrize("password", [b"short", b"password123"])
def test_a_password_that_is_easy_to_guess_is_refused(say: Command, folder: Path, password: bytes) -> None:
    ended = say("init", "--yes", "--admin-password-stdin", stdin=password)
    assert (ended.code, ended.err.count("\n")) == (2, 1), ended
    assert ended.err.startswith("foreknow: --admin-password-stdin is wrong: it must ")
    assert not (folder / "foreknow.env").exists()


def test_answers_that_do_not_fit_together_are_refused(say: Command, folder: Path) -> None:
    ended = say("init", "--yes", "--sign-up-domains", "ours.example")
    assert (ended.code, "FOREKNOW_SIGN_UP_DOMAINS needs" in ended.err) == (2, True), ended
    ended = say("init", "--yes", "--smtp-url", "smtp://mail.example")
    assert (ended.code, "FOREKNOW_SMTP_URL needs" in ended.err) == (2, True), ended
    assert not (folder / "foreknow.env").exists()


def test_without_a_terminal_it_asks_nothing_and_says_so(say: Command, folder: Path) -> None:
    ended = say("init")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "there is no terminal to ask at: say --yes" in ended.err
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_named(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", Path("/proc/foreknow")):
        monkeypatch.setenv("FOREKNOW_DATA_DIR", str(place))
        ended = say("init", "--yes")
        assert (ended.code, ended.err.count("\n")) == (1, 1), ended
        assert ended.err.startswith(f"foreknow: cannot write in the folder {place}: ")


def test_two_at_once_do_not_mix_their_answers(say: Command, folder: Path) -> None:
    assert say("init", "--yes").code == 0
    with alone_in(folder):
        ended = say("init", "--yes", "--site-name", "Second")
    assert (ended.code, "another `foreknow init` is at work" in ended.err) == (1, True)
    assert shown(say)["SITE_NAME"] == "Foreknow"


@proves(
    "administration: `init` run again moves the site's own out of `foreknow.env` into the database (the file's goes "
    "before what is stored); it writes there what must stand before a start alone."
)
def test_run_again_it_moves_what_the_site_sets_into_the_database(command: Command, folder: Path) -> None:
    assert command("settings", "set", "site_name", '"Stored"').code == 0
    assert command("settings", "set", "dispute_minutes", "30").code == 0
    folder.mkdir(mode=0o700)
    (folder / "foreknow.env").write_text(
        "# Ours.\nFOREKNOW_SITE_NAME=Of the file\nFOREKNOW_SIGN_UP=off\nFOREKNOW_CORS_ORIGINS=https://a.example\n"
        "FOREKNOW_LOG_LEVEL=error\n"
    )
    assert command("init", "--yes").code == 0
    text = (folder / "foreknow.env").read_text()
    assert text.startswith("# Ours.\n")
    assert "FOREKNOW_LOG_LEVEL=error" in text
    assert not {"SITE_NAME", "SIGN_UP", "CORS_ORIGINS"} & values(folder).keys()
    own = shown(command)
    assert (own["SITE_NAME"], own["SIGN_UP"], own["CORS_ORIGINS"]) == ("Of the file", "off", "https://a.example")
    assert own["DISPUTE_MINUTES"] == "30"
    # Once more, nothing changes.
    assert command("init", "--yes").code == 0
    assert shown(command) == own


def test_a_site_that_has_lived_keeps_what_holds(command: Command, folder: Path) -> None:
    """Its balances are roubles, and who may sign up is not decided by a default of new sites."""
    made = command("init", "--yes", "--site-name", "Old and good")
    assert made.code == 0, made
    shown = {row["name"]: row["value"] for row in json.loads(command("settings", "--json").out)["settings"]}
    assert shown["FOREKNOW_SITE_NAME"] == "Old and good"
    assert '"code": "RUB"' in shown["FOREKNOW_CURRENCY"]
    assert (shown["FOREKNOW_SIGN_UP"], shown["FOREKNOW_SIGN_UP_KOPECKS"]) == ("on", "0")
    assert (shown["FOREKNOW_ADMIN_EMAIL"], shown["FOREKNOW_ADMIN_PASSWORD"]) == ("", "")
    # Nor is its database's address, which the environment sets, taken along.
    assert "DATABASE_URL" not in values(folder)


def test_what_the_environment_says_is_not_asked_and_counts_more(
    say: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREKNOW_SITE_NAME", "Of the environment")
    monkeypatch.setenv("FOREKNOW_LOG_LEVEL", "")
    assert say("init", "--yes").code == 0
    with (folder / "foreknow.env").open("a") as file:
        file.write("FOREKNOW_SITE_NAME=Of the file\nFOREKNOW_LOG_LEVEL=error\nFOREKNOW_BACKUP_DAYS=3\n")
    shown = {row["name"]: row for row in json.loads(say("settings", "--json").out)["settings"]}
    path = str(folder / "foreknow.env")
    assert (shown["FOREKNOW_SITE_NAME"]["value"], shown["FOREKNOW_SITE_NAME"]["source"]) == (
        "Of the environment",
        "environment",
    )
    # An empty variable is unset.
    assert (shown["FOREKNOW_LOG_LEVEL"]["value"], shown["FOREKNOW_LOG_LEVEL"]["source"]) == ("error", path)
    assert (shown["FOREKNOW_ADMIN_PASSWORD"]["value"], shown["FOREKNOW_ADMIN_PASSWORD"]["source"]) == ("*" * 10, path)
    assert shown["FOREKNOW_WEB"]["source"] == "default"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("FOREKNOW_SITE_NAM=hunter2", "FOREKNOW_SITE_NAM is no setting; the nearest is FOREKNOW_SITE_NAME"),
        ("FOREKNOW_SIGN_UP=hunter2", "FOREKNOW_SIGN_UP is 'on', 'off' or 'invite'"),
        ("FOREKNOW_PUBLIC_URL=hunter2.example", "FOREKNOW_PUBLIC_URL is wrong: it has the form http"),
        ("FOREKNOW_DATA_DIR=/hunter2", "FOREKNOW_DATA_DIR cannot be set in that folder itself"),
        ("hunter2", ""),
    ],
)
@pytest.mark.parametrize("arguments", [["serve", "--port", "0"], ["migrate"], ["settings"]])
def test_a_wrong_line_of_the_file_stops_every_command_with_its_place(
    say: Command, folder: Path, arguments: list[str], line: str, says: str
) -> None:
    folder.mkdir(mode=0o700)
    path = folder / "foreknow.env"
    path.write_text(f"# mine\n\n{line}\n")
    path.chmod(0o600)
    ended = say(*arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1), ended
    assert ended.err.startswith(f"foreknow: {says}")
    assert f"{path}, line 3" in ended.err
    assert "hunter2" not in ended.err
    path.write_text("# mine\nOTHERS_NAME=1\n")
    assert say("settings").code == 0


def test_it_asks_at_a_terminal_and_wrong_answers_again(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "TERM": "dumb"}
    with at_terminal("init", environment=environment, cwd=tmp_path) as terminal:
        terminal.answer("What the site is called [Foreknow]", "Class 9b")
        terminal.answer("What people bet", "shells")
        terminal.answer("What people bet", "")
        assert "That is wrong: it is one of points, RUB" in terminal.said
        terminal.answer("Who may make an account", "")
        terminal.answer("What a newcomer begins with [1000]", "many")
        terminal.answer("What a newcomer begins with [1000]", "2,500")
        terminal.answer("Its address", "https://school.example/markets")
        terminal.answer("Its address", "school.example")
        terminal.answer("E-mail address of the first admin [admin@school.example]", "ann@school.example")
        terminal.answer("The first admin's name", "Ann")
        terminal.answer("The first admin's password", PASSWORD)
        terminal.answer("The same again", "correct horse")
        terminal.answer("The first admin's password", PASSWORD)
        terminal.answer("The same again", PASSWORD)
        terminal.answer("Mail server", f"smtp://ann:{PASSWORD.replace(' ', '%20')}@mail.school.example")
        terminal.answer('Sender of mails ["Class 9b" <noreply@school.example>]', "")
        terminal.answer("Only these domains", "school.example")
        assert terminal.end() == 0
        assert PASSWORD not in terminal.said
    data = tmp_path / "foreknow-data"
    found = values(data)
    assert (found["PUBLIC_URL"], found["ADMIN_PASSWORD"], found["ADMIN_NAME"]) == ("https://school.example", "…", "Ann")
    own = shown(lambda *said: run_process(*said, environment=environment, cwd=tmp_path))
    assert (own["SIGN_UP_KOPECKS"], own["SIGN_UP_DOMAINS"]) == ("250000", "school.example")

    with at_terminal("init", environment=environment, cwd=tmp_path) as terminal:
        terminal.answer("What the site is called [Class 9b]", "Class 10b")
        assert "FOREKNOW_SIGN_UP_KOPECKS  250000" in terminal.said
        assert "correct" not in terminal.said
        for question in (
            "What people bet",
            "Who may make",
            "What a newcomer begins with [2500]",
            "[https://school.example]",
        ):
            terminal.answer(question, "")
        for question in ("E-mail address", "which others see [Ann]", "The first admin's password"):
            terminal.answer(question, "")
        terminal.answer("Mail server, smtp://user:password@host:587 (none: no mails) [kept]", "none")
        terminal.answer("Only these domains of e-mail addresses, by commas (none: any) [school.example]", "")
        # Without a mail server no address is verified, which the domains need: all is asked once more.
        terminal.answer("What the site is called [Class 10b]", "")
        assert "FOREKNOW_SIGN_UP_DOMAINS needs" in terminal.said
        terminal.type("\x04", ends=False)
        assert terminal.end() == 1
        assert "nothing was written" in terminal.said
    assert values(data) == found


def test_a_stranger_bets_on_a_new_site_with_no_one_credited_by_hand(
    serve: Serve, environment: dict[str, str], tmp_path: Path
) -> None:
    environment["FOREKNOW_DATA_DIR"] = str(tmp_path / "data")
    options = ["--currency=points", "--sign-up=invite", "--sign-up-kopecks=100000", "--admin-email=ann@example.org"]
    made = run_process("init", "--yes", "--site-name=Class 9b", *options, environment=environment)
    assert made.code == 0, made
    (password,) = [line.rpartition(" ")[2] for line in made.lines if line.startswith("The password of ann@")]
    serving = serve()

    def client(way: str, **body: str) -> httpx.Client:
        caller = httpx.Client(base_url=serving.api, trust_env=False, verify=NO_TLS)
        answer = caller.post(f"/auth/{way}", json=body)
        assert answer.is_success, answer.text
        caller.cookies.clear()
        caller.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        return caller

    ann = client("sign-in", login="ann@example.org", password=password)
    site, me = expect(ann.get("/site"), 200), expect(ann.get("/users/me"), 200)
    assert (site["name"], site["currency"]["code"], site["invitation_only"]) == ("Class 9b", None, True)
    expect(ann.patch(f"/admin/users/{me['id']}", json={"is_creator": True}), 200)
    event = expect(ann.post("/events/create-full", json={"name": "Will it rain?", "pools": [pool()]}), 201)
    expect(ann.post(f"/events/{event['id']}/publish"), 200)
    url = expect(ann.post("/admin/invitations", json={"uses": 30}), 201)["url"]

    token = url.rpartition("/")[2]
    bob = client("sign-up", email="bob@example.org", password=PASSWORD, name="Bob", invitation=token)
    assert expect(bob.get("/users/me"), 200)["balance_kopecks"] == 100_000
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 5_000}
    expect(bob.post("/market/bets", json=bet, headers={"Idempotency-Key": "first"}), 201)
    for each in (ann, bob):
        each.close()
    assert serving.stop() == 0
    audited = run_process("audit", environment=environment)
    assert audited.code == 0, audited
