"""Accounts, partners and their money, from the command line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import httpx
import pytest
import sqlalchemy as sa

from foreknow.commands.audit import CHECKS
from foreknow.platform.db.engine import name_of, open_database
from tests.commands.cli.conftest import Command
from tests.support.proofs import proves
from tests.support.service import Service, expect

PASSWORD = "correct horse battery"
ADD = ("user", "add", "ann@example.org", "--name", "Ann", "--password-stdin")


def sign_in(service: Service, password: str) -> httpx.Response:
    return service.client().post("/auth/sign-in", json={"login": "ann@example.org", "password": password})


@proves("decisions: (one line break at the end of the password is not part of it)")
def test_one_line_break_at_the_end_is_no_part_of_the_password(
    command: Command, start_service: Callable[..., Service]
) -> None:
    ends = {"ann@example.org": b"", "bob@example.org": b"\n", "eve@example.org": b"\r\n"}
    for email, end in ends.items():
        add = ("user", "add", email, "--name", "A", "--password-stdin")
        assert command(*add, stdin=PASSWORD.encode() + end).code == 0
    service = start_service()
    for email in ends:
        assert service.sign_in(email, PASSWORD)


def test_a_second_line_break_is(command: Command, start_service: Callable[..., Service]) -> None:
    assert command(*ADD, stdin=PASSWORD.encode() + b"\n\n").code == 0
    service = start_service()
    assert sign_in(service, PASSWORD).status_code == 401
    expect(sign_in(service, PASSWORD + "\n"), 200)


@proves(
    "decisions: or one command, makes the first admin",
    "decisions: `foreknow user add EMAIL --name NAME --password-stdin [--creator --admin --stats-viewer --operator]`",
)
def test_roles_are_given_as_asked_and_no_others(command: Command, start_service: Callable[..., Service]) -> None:
    ended = command(*ADD, "--admin", "--stats-viewer", stdin=PASSWORD.encode())
    assert ended.lines == ["User 1 is ann@example.org."]
    other = ("user", "add", "bob@example.org", "--name", "Bob", "--password-stdin", "--creator", "--operator")
    assert command(*other, stdin=PASSWORD.encode()).code == 0
    service = start_service()
    for login, has in (("ann", {"is_admin", "is_stats_viewer"}), ("bob", {"is_creator", "is_operator"})):
        body = {"login": f"{login}@example.org", "password": PASSWORD}
        user = expect(service.client().post("/auth/sign-in", json=body), 200)["user"]
        roles = ("is_creator", "is_admin", "is_stats_viewer", "is_operator")
        assert {role for role in roles if user[role]} == has


# What the databases have to say to these is tested where each is made.
@proves("decisions: A failure is exit 1 with one line on stderr")
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (["user", "add", "unknown", "--name", "A", "--password-stdin"], PASSWORD, "email"),
        (["user", "add", "b@example.org", "--name", " ", "--password-stdin"], PASSWORD, "name"),
        (["user", "add", "b@example.org", "--name", "B", "--password-stdin"], "short", "password"),
        (["user", "add", "b@example.org", "--name", "B", "--password-stdin"], "Qwerty123", "commonest"),
        (["user", "add", "ANN@example.org", "--name", "Ann", "--password-stdin"], PASSWORD, "exists"),
        (["user", "credit", "b@example.org", "5"], "", "b@example.org"),
        (["user", "credit", "ann@example.org", "0"], "", "amount_kopecks"),
        (["user", "reset", "b@example.org"], "", "b@example.org"),
        (["user", "credit", "ann@example.org", "9000000000000001"], "", "amount_kopecks"),
        (["user", "credit", "ann@example.org", "-1"], "", "balance"),
        (["partner", "add", "a b"], "", "name"),
        (["partner", "deposit", "acme", "5"], "", "partner"),
    ],
)
def test_an_error_is_exit_1_and_one_line_that_says_why(
    command: Command, arguments: list[str], stdin: str, says: str
) -> None:
    assert command(*ADD, stdin=PASSWORD.encode()).code == 0
    ended = command(*arguments, stdin=stdin.encode())
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("foreknow: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err.lower()


@pytest.mark.parametrize(
    ("public_url", "origin"), [("", "http://127.0.0.1:8000"), ("https://foreknow.example/", "https://foreknow.example")]
)
def test_a_reset_link_is_the_last_line_alone_and_works(
    command: Command,
    start_service: Callable[..., Service],
    monkeypatch: pytest.MonkeyPatch,
    public_url: str,
    origin: str,
) -> None:
    monkeypatch.setenv("FOREKNOW_PUBLIC_URL", public_url)
    assert command(*ADD, stdin=PASSWORD.encode()).code == 0
    service = start_service()
    older, link = (command("user", "reset", "Ann@Example.org").lines[-1] for _ in range(2))

    before, _, token = link.rpartition("/")
    assert before == f"{origin}/reset"
    new = {"password": "staple battery horse"}
    voided = older.rpartition("/")[2]
    assert service.client().post("/auth/reset", json=new | {"token": voided}).status_code == 400
    expect(service.client().post("/auth/reset", json=new | {"token": token}), 200)
    expect(sign_in(service, "staple battery horse"), 200)
    entry = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]
    assert (entry["who"], entry["action"], entry["target"]) == ("command line", "user.reset_link", "user:1")
    assert token not in str(entry)


@proves("decisions: `foreknow user credit EMAIL KOPECKS`")
def test_credit_is_given_and_taken_back(command: Command) -> None:
    command(*ADD, stdin=PASSWORD.encode())
    assert command("user", "credit", "Ann@Example.org", "500").lines == ["Ann@Example.org now has ₽5.00."]
    assert command("user", "credit", "ann@example.org", "-200").lines == ["ann@example.org now has ₽3.00."]


@proves(
    "decisions: `foreknow partner add NAME` (its last line is the key, alone), `foreknow partner deposit NAME KOPECKS`"
)
def test_the_last_line_of_a_new_partner_is_its_key(command: Command, start_service: Callable[..., Service]) -> None:
    key = command("partner", "add", "acme").lines[-1]
    assert re.fullmatch(r"\S{32,}", key)
    assert command("partner", "deposit", "acme", "1500").lines == ["The float of acme is now ₽15.00."]
    balance = expect(start_service().client(partner_key=key).get("/partner/balance"), 200)
    assert balance["float_balance_kopecks"] == 1500


@proves(
    "decisions: Each also works beside a running server",
    "decisions: Settings: environment variables `FOREKNOW_*` (`FOREKNOW_DATABASE_URL` as "
    "`postgresql://user[:password]@host:port/name` or `sqlite:///path`",
)
def test_commands_work_beside_a_running_server(command: Command, start_service: Callable[..., Service]) -> None:
    service = start_service()
    assert command(*ADD, "--creator", stdin=PASSWORD.encode()).code == 0
    token = expect(sign_in(service, PASSWORD), 200)["access_token"]
    assert command("user", "credit", "ann@example.org", "1000").code == 0
    assert expect(service.client(token).get("/users/me"), 200)["balance_kopecks"] == 1000
    key = command("partner", "add", "acme").lines[-1]
    expect(service.client(partner_key=key).get("/partner/balance"), 200)
    assert command("partner", "deposit", "acme", "70").code == 0
    assert expect(service.client(partner_key=key).get("/partner/balance"), 200)["float_balance_kopecks"] == 70
    assert command("migrate").lines == ["The database was up to date."]
    assert command("audit").code == 0


@proves("decisions: `foreknow audit`.", "decisions: Exit 0 and one line a check, or 1 and what is wrong.")
def test_an_audit_says_a_line_a_check_and_what_is_wrong(command: Command, database_url: str) -> None:
    assert command(*ADD, stdin=PASSWORD.encode()).code == 0
    assert command("user", "credit", "ann@example.org", "500").code == 0
    good = command("audit")
    assert (good.code, good.err) == (0, f"Audited {name_of(database_url)}.\n")
    assert len(good.lines) == len(CHECKS)
    assert all(line.startswith("ok ") for line in good.lines)

    async def spoil() -> None:
        database = open_database(database_url)
        more = sa.text("UPDATE accounts SET balance_kopecks = balance_kopecks + 7 WHERE kind = 'user'")
        await database.write(lambda tx: tx.execute(more))
        await database.close()

    asyncio.run(spoil())
    bad = command("audit")
    assert bad.code == 1
    assert bad.err.startswith(f"foreknow: the books of {name_of(database_url)} are wrong")
    assert bad.err.count("\n") == 1
    wrong = [line for line in bad.lines if line.startswith("WRONG ")]
    assert 0 < len(wrong) < len(CHECKS)
    assert len([line for line in bad.lines if line.startswith(("ok ", "WRONG "))]) == len(CHECKS)


@proves("decisions: `who` is `command line` for commands.")
def test_all_of_it_is_logged_as_the_command_lines(command: Command, start_service: Callable[..., Service]) -> None:
    command(*ADD, "--creator", stdin=PASSWORD.encode())
    command("user", "credit", "ann@example.org", "1000")
    command("partner", "add", "acme")
    command("partner", "deposit", "acme", "70")
    entries = expect(start_service().admin.get("/admin/log"), 200)["entries"]
    assert {entry["who"] for entry in entries} == {"command line"}
    assert [(entry["action"], entry["target"]) for entry in reversed(entries)] == [
        ("user.add", "user:1"),
        ("user.credit", "user:1"),
        ("partner.add", "partner:acme"),
        ("partner.deposit", "partner:acme"),
    ]
    assert PASSWORD not in str(entries)
