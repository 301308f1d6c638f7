"""Accounts, partners and their money, from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest

from tests.cli.conftest import Command
from tests.support.proofs import proves
from tests.support.service import Service, expect

PASSWORD = "correct horse battery"
ADD = ("user", "add", "ann@example.org", "--name", "Ann", "--password-stdin")


def sign_in(service: Service, password: str) -> httpx.Response:
    return service.client().post("/auth/sign-in", json={"login": "ann@example.org", "password": password})


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_one_line_break_at_the_end_is_no_part_of_the_password(
    command: Command, start_service: Callable[..., Service], end: bytes
) -> None:
    assert command(*ADD, stdin=PASSWORD.encode() + end).code == 0
    expect(sign_in(start_service(), PASSWORD), 200)


def test_a_second_line_break_is(command: Command, start_service: Callable[..., Service]) -> None:
    assert command(*ADD, stdin=PASSWORD.encode() + b"\n\n").code == 0
    service = start_service()
    assert sign_in(service, PASSWORD).status_code == 401
    expect(sign_in(service, PASSWORD + "\n"), 200)


@proves("decisions: or one command, makes the first admin")
def test_roles_are_given_as_asked_and_no_others(command: Command, start_service: Callable[..., Service]) -> None:
    ended = command(*ADD, "--admin", "--stats-viewer", stdin=PASSWORD.encode())
    assert ended.lines == ["User 1 is ann@example.org."]
    user = expect(sign_in(start_service(), PASSWORD), 200)["user"]
    roles = {role: user[role] for role in ("is_creator", "is_admin", "is_stats_viewer", "is_operator")}
    assert roles == {"is_creator": False, "is_admin": True, "is_stats_viewer": True, "is_operator": False}


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (["user", "add", "nobody", "--name", "A", "--password-stdin"], PASSWORD, "email"),
        (["user", "add", "b@example.org", "--name", " ", "--password-stdin"], PASSWORD, "name"),
        (["user", "add", "b@example.org", "--name", "B", "--password-stdin"], "short", "password"),
        (["user", "add", "ANN@example.org", "--name", "Ann", "--password-stdin"], PASSWORD, "exists"),
        (["user", "credit", "b@example.org", "5"], "", "b@example.org"),
        (["user", "credit", "ann@example.org", "0"], "", "amount_kopecks"),
        (["user", "credit", "ann@example.org", "9000000000000001"], "", "amount_kopecks"),
        (["user", "credit", "ann@example.org", "-1"], "", "balance"),
        (["partner", "add", "a b"], "", "name"),
        (["partner", "deposit", "acme", "5"], "", "partner"),
    ],
)
def test_a_refusal_is_exit_1_and_one_line_that_says_why(
    command: Command, arguments: list[str], stdin: str, says: str
) -> None:
    assert command(*ADD, stdin=PASSWORD.encode()).code == 0
    ended = command(*arguments, stdin=stdin.encode())
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("foreknow: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err.lower()


def test_credit_is_given_and_taken_back(command: Command) -> None:
    command(*ADD, stdin=PASSWORD.encode())
    assert command("user", "credit", "Ann@Example.org", "500").lines == ["Ann@Example.org now has 500 kopecks."]
    assert command("user", "credit", "ann@example.org", "-200").lines == ["ann@example.org now has 300 kopecks."]


def test_the_last_line_of_a_new_partner_is_its_key(command: Command, start_service: Callable[..., Service]) -> None:
    key = command("partner", "add", "acme").lines[-1]
    assert re.fullmatch(r"\S{32,}", key)
    assert command("partner", "deposit", "acme", "1500").lines == ["The float of acme is now 1500 kopecks."]
    balance = expect(start_service().client(partner_key=key).get("/partner/balance"), 200)
    assert balance["float_balance_kopecks"] == 1500


def test_commands_work_beside_a_running_server(command: Command, start_service: Callable[..., Service]) -> None:
    service = start_service()
    assert command(*ADD, "--creator", stdin=PASSWORD.encode()).code == 0
    token = expect(sign_in(service, PASSWORD), 200)["access_token"]
    assert command("user", "credit", "ann@example.org", "1000").code == 0
    assert expect(service.client(token).get("/users/me"), 200)["balance_kopecks"] == 1000
    key = command("partner", "add", "acme").lines[-1]
    expect(service.client(partner_key=key).get("/partner/balance"), 200)
    assert command("audit").code == 0


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
