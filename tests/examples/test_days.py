"""The example scripts, run as their readers would run them, against a running service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import forks
from tests.support.service import Service

EXAMPLES = Path(__file__).parents[2] / "examples"


def start(script: str, *arguments: str, token: str) -> subprocess.CompletedProcess[str]:
    """Run an example to its end."""
    return forks.run(
        [sys.executable, str(EXAMPLES / script), *arguments],
        env={**os.environ, "FOREKNOW_TOKEN": token, "NO_PROXY": "*"},
        imports=forks.CLIENT,
    )


def run(script: str, service: Service, *arguments: str) -> list[str]:
    """Run an example with an admin's token who is a creator too; return what it printed."""
    person = service.user(admin=True, creator=True)
    ended = start(script, service.url, *arguments, token=person.token)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_a_partners_day_adds_up_to_the_kopeck(sqlite_service: Service) -> None:
    said = run("partner_day.py", sqlite_service)

    assert said[-1].startswith("9 transactions (3 bet, 1 deposit, 1 sale, 3 settlement, 1 withdrawal) add up")


def test_a_traders_day_ends_with_a_position_and_a_profit_or_loss(sqlite_service: Service) -> None:
    market_id = sqlite_service.event()["pools"][0]["markets"][0]["id"]

    said = run("trader_day.py", sqlite_service, str(market_id))

    assert said[-2].startswith("1 open position(s) worth ")
    assert said[-1].startswith("realized today: ")


@pytest.mark.parametrize("script", ["partner_day.py", "trader_day.py"])
@pytest.mark.parametrize("token", ["", "sesame"])
def test_without_arguments_an_example_says_how_it_is_used(script: str, token: str) -> None:
    ended = start(script, token=token)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"usage: {script}")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("arguments", [["partner_day.py"], ["trader_day.py", "7"]])
def test_without_a_token_an_example_says_whose_it_needs(arguments: list[str]) -> None:
    script, *rest = arguments
    ended = start(script, "http://127.0.0.1:1", *rest, token="")

    assert ended.returncode == 2
    assert "FOREKNOW_TOKEN is not set" in ended.stderr


def test_without_the_roles_for_it_an_example_makes_nothing(sqlite_service: Service) -> None:
    admin, creator = sqlite_service.user(admin=True), sqlite_service.creator
    before = admin.client.get("/admin/partners").json(), admin.client.get("/admin/users").json()
    for script, person, said in (
        ("partner_day.py", admin, f"{admin.email} may not create events"),
        ("partner_day.py", creator, "FOREKNOW_TOKEN may not manage partners"),
        ("trader_day.py", creator, "FOREKNOW_TOKEN may not credit users"),
    ):
        ended = start(script, sqlite_service.url, *(["7"] if script == "trader_day.py" else []), token=person.token)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
        assert ended.stderr.startswith(said)

    assert before == (admin.client.get("/admin/partners").json(), admin.client.get("/admin/users").json())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["partner_day.py", "http://127.0.0.1:1"], "no service at http://127.0.0.1:1: "),
        (["trader_day.py", "localhost:8000", "7"], "the url is no address"),
    ],
)
def test_where_no_service_answers_an_example_says_so_in_a_line(arguments: list[str], said: str) -> None:
    ended = start(*arguments, token="sesame")

    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith(said)
