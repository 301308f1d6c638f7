"""The example scripts, run as their readers would run them, against a running service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.service import Service

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(script: str, service: Service, *arguments: str) -> list[str]:
    """Run an example with an admin's token who is a creator too; return what it printed."""
    person = service.user(admin=True, creator=True)
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / script), service.url, *arguments],
        env={**os.environ, "FOREKNOW_TOKEN": person.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_a_partners_day_adds_up_to_the_kopeck(service: Service) -> None:
    said = run("partner_day.py", service)

    assert said[-1].startswith("9 transactions (3 bet, 1 deposit, 1 sale, 3 settlement, 1 withdrawal) add up")


def test_a_traders_day_ends_with_a_position_and_a_profit_or_loss(service: Service) -> None:
    market_id = service.event()["pools"][0]["markets"][0]["id"]

    said = run("trader_day.py", service, str(market_id))

    assert said[-2].startswith("1 open position(s) worth ")
    assert said[-1].startswith("realized today: ")
