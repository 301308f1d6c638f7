"""Commands that show and change what admins see: users with their roles, partners with their keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands.cli.conftest import Command
from tests.support.service import Service, expect

PASSWORD = b"correct horse battery"


def add(command: Command, name: str, *options: str) -> None:
    arguments = ("user", "add", f"{name[:3]}@example.org", "--name", name, "--password-stdin", *options)
    assert command(*arguments, stdin=PASSWORD).code == 0


def listed(command: Command, *options: str) -> list[dict[str, Any]]:
    ended = command("user", "list", "--json", *options)
    assert ended.code == 0, ended
    return list(json.loads(ended.out)["users"])


def test_users_are_listed_by_role_and_text(command: Command) -> None:
    assert command("user", "list").lines == ["No users."]
    add(command, "ann", "--admin")
    add(command, "bob", "--creator", "--operator")
    add(command, "eve\x1b[2J")
    assert command("user", "credit", "bob@example.org", "500").code == 0

    assert [user["name"] for user in listed(command)] == ["eve\x1b[2J", "bob", "ann"]
    assert [user["name"] for user in listed(command, "--limit", "2")] == ["eve\x1b[2J", "bob"]
    assert [user["name"] for user in listed(command, "--role", "admin")] == ["ann"]
    (bob,) = listed(command, "--search", "BOB@")
    assert bob == {
        "id": 2,
        "email": "bob@example.org",
        "name": "bob",
        "nickname": bob["nickname"],
        "roles": ["creator", "operator"],
        "is_active": True,
        "balance_kopecks": 500,
    }
    table = command("user", "list")
    assert table.lines[0].split()[:3] == ["id", "email", "name"]
    assert len(table.lines) == 4
    assert "\x1b" not in table.out
    assert command("user", "list", "--limit", "0").code == 2


def test_roles_are_given_taken_and_shown(command: Command, start_service: Callable[..., Service]) -> None:
    add(command, "ann", "--creator")
    changed = command("user", "roles", "ann@example.org", "--admin", "--no-creator", "--json")
    assert json.loads(changed.out)["users"][0]["roles"] == ["admin"]
    shown = command("user", "roles", "ann@example.org", "--json")
    assert json.loads(shown.out)["users"][0]["roles"] == ["admin"]
    assert command("user", "roles", "no@example.org", "--admin").code == 1

    service = start_service()
    (entry,) = expect(service.admin.get("/admin/log?action=user.roles"), 200)["entries"]
    assert (entry["who"], entry["target"]) == ("command line", "user:1")
    assert entry["details"] == {"is_admin": True, "is_creator": False}


def test_a_token_acts_as_its_user(command: Command, start_service: Callable[..., Service]) -> None:
    add(command, "ann")
    text = command("user", "token", "ann@example.org").lines[-1]
    given = json.loads(command("user", "token", "ann@example.org", "--json").out)
    assert given["expires_in"] == 20 * 60
    service = start_service()
    for token in (text, given["access_token"]):
        assert expect(service.client(token).get("/users/me"), 200)["email"] == "ann@example.org"
    (user,) = expect(service.admin.get("/admin/users?q=ann@example.org"), 200)["users"]
    expect(service.admin.patch(f"/admin/users/{user['id']}", json={"is_active": False}), 200)
    ended = command("user", "token", "ann@example.org")
    assert (ended.code, ended.out) == (1, "")


def test_a_reset_link_as_json(command: Command) -> None:
    add(command, "ann")
    given = json.loads(command("user", "reset", "ann@example.org", "--json").out)
    assert given.keys() == {"url", "expires_at"}


def test_a_partners_keys_are_rotated(command: Command, start_service: Callable[..., Service]) -> None:
    assert command("partner", "list").lines == ["No partners."]
    first = command("partner", "add", "acme").lines[-1]
    assert command("partner", "deposit", "acme", "700").code == 0
    (partner,) = json.loads(command("partner", "list", "--json").out)["partners"]
    assert (partner["partner"], partner["float_balance_kopecks"]) == ("acme", 700)

    second = json.loads(command("partner", "rotate", "acme", "--json").out)
    keys = json.loads(command("partner", "keys", "acme", "--json").out)["keys"]
    assert [key["id"] for key in keys] == [1, second["id"]]
    assert (command("partner", "rotate", "acme").code, command("partner", "keys", "none").code) == (1, 1)

    revoked = command("partner", "revoke", "acme", "1", "--json")
    assert json.loads(revoked.out) == {"id": 1, "revoked": True}
    assert command("partner", "revoke", "acme", "1").code == 1
    third = command("partner", "rotate", "acme").lines[-1]
    service = start_service()
    for key, status in ((first, 401), (second["key"], 200), (third, 200)):
        assert service.client(partner_key=key).get("/partner/balance").status_code == status


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_many_users_are_listed_page_by_page(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foreknow.commands.cli.accounts.PAGE", 2)
    for number in range(5):
        add(command, f"p_{number}")
        assert command("partner", "add", f"partner{number}").code == 0
    assert [user["id"] for user in listed(command)] == [5, 4, 3, 2, 1]
    assert [user["id"] for user in listed(command, "--limit", "3")] == [5, 4, 3]
    partners = json.loads(command("partner", "list", "--json").out)["partners"]
    assert [partner["partner"] for partner in partners] == [f"partner{number}" for number in range(4, -1, -1)]
