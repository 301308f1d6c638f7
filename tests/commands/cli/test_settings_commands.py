"""`foreknow settings set` and `unset`, and a start with what is stored."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.commands.cli.conftest import Command
from tests.contract.site_setting import shown
from tests.support.proofs import proves
from tests.support.service import Service

COMMANDS = (
    "administration: `foreknow settings set NAME JSON`, `… unset NAME` do as PATCH does, without a running service "
    "too, and mend one of several at a time."
)


@proves(COMMANDS)
def test_commands_set_what_the_site_keeps(command: Command, start_service: Callable[..., Service]) -> None:
    assert command("settings", "set", "site_name", '"Club"').code == 0
    assert command("settings", "set", "cors_origins", '["https://bots.example"]').code == 0
    found = {one["name"]: one for one in json.loads(command("settings", "--json").out)["settings"]}
    assert found["FOREKNOW_SITE_NAME"] == {"name": "FOREKNOW_SITE_NAME", "value": "Club", "source": "site"}
    assert found["FOREKNOW_READ"]["source"] == "default"
    for arguments, says in (
        (("set", "site_name", "Club"), "'Club' is no JSON"),
        (("set", "site_name", "7"), "FOREKNOW_SITE_NAME is a text"),
        (("set", "site_name", "null"), "foreknow settings unset site_name"),
        (("set", "smtp_url", '"smtp://x"'), "FOREKNOW_SMTP_URL is no setting of a site"),
        (("set", "creators", '"members"'), "FOREKNOW_CREATORS=members needs"),
        (("unset", "nothing"), "FOREKNOW_NOTHING is no setting of a site"),
    ):
        ended = command("settings", *arguments)
        assert ended.code == 2
        assert says in ended.err
    service = start_service()
    admin = service.admin
    assert shown(admin)["site_name"]["value"] == "Club"
    assert command("settings", "unset", "site_name").code == 0
    assert shown(admin)["site_name"]["value"] == "Foreknow"
    entries = admin.get("/admin/log", params={"action": "settings_changed"}).json()["entries"]
    assert [(one["who"], one["details"]["new"]) for one in entries[:1]] == [("command line", {"site_name": None})]
    notices = admin.get("/notifications").json()["notifications"]
    assert [one["type"] for one in notices] == ["settings_changed"]


@proves(COMMANDS, "administration: `set_by_environment`;")
def test_a_command_does_not_set_what_the_environment_does(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_SITE_NAME", "Named")
    ended = command("settings", "set", "site_name", '"Club"')
    assert (ended.code, ended.err) == (
        1,
        "foreknow: The server's environment, or its foreknow.env, sets FOREKNOW_SITE_NAME.\n",
    )
    assert command("settings", "unset", "site_name").code == 0


@proves(
    "administration: - At the start of `serve` stored values that are wrong beside the environment's are exit 2, "
    "naming each: nothing falls open.",
    COMMANDS,
)
def test_a_start_with_wrong_values_is_exit_2_and_each_can_be_corrected(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (
        ("SMTP_URL", "smtp://127.0.0.1"),
        ("EMAIL_FROM", "a@b.example"),
        ("PUBLIC_URL", "https://b.example"),
    ):
        monkeypatch.setenv(f"FOREKNOW_{name}", text)
    assert command("settings", "set", "creator_limit_kopecks", "500").code == 0
    assert command("settings", "set", "creators", '"members"').code == 0
    assert command("settings", "set", "sign_up_domains", '["ours.example"]').code == 0
    monkeypatch.delenv("FOREKNOW_SMTP_URL")
    monkeypatch.setenv("FOREKNOW_CREATOR_LIMIT_KOPECKS", "0")
    ended = command("serve", "--port", "0")
    assert ended.code == 2
    assert ended.err.startswith("foreknow: What the site has set is wrong: ")
    for says in ("FOREKNOW_CREATORS=members needs", "FOREKNOW_SIGN_UP_DOMAINS needs"):
        assert says in ended.err
    assert command("settings", "unset", "sign_up_domains").code == 0
    ended = command("serve", "--port", "0")
    assert ended.code == 2
    assert "FOREKNOW_CREATORS=members needs" in ended.err
    assert "FOREKNOW_SIGN_UP_DOMAINS" not in ended.err
    assert command("settings", "set", "creators", '"suggest"').code == 0
    assert json.loads(command("settings", "--json").out)


@proves("administration: (by the environment: exit 2);")
def test_a_start_in_another_currency_than_the_ledgers_is_exit_2(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("settings", "set", "currency", '{"code": "EUR", "sign": "€", "name": "euros"}').code == 0
    assert (
        command("user", "add", "a@example.org", "--name", "A", "--password-stdin", stdin=b"correct horse battery").code
        == 0
    )
    ended = command("user", "credit", "a@example.org", "500")
    assert ended.out == "a@example.org now has €5.00.\n"
    monkeypatch.setenv("FOREKNOW_CURRENCY", '{"sign": "¤", "name": "points"}')
    ended = command("serve", "--port", "0")
    assert (ended.code, ended.err) == (2, "foreknow: FOREKNOW_CURRENCY is wrong: the ledger is in EUR already\n")
