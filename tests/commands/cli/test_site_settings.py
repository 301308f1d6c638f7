"""Settings of a site of one's own that are wrong, or lack what they need."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.cli.conftest import Command
from tests.support.proofs import proves

WRONG = "site: a wrong one, or one without what it needs, is exit 2."
POINTS = {"sign": "¤", "name": "points"}
WEEKLY = {"kopecks": 100, "every": "week", "up_to": 500}
MAIL = {"SMTP_URL": "smtp://mail.example", "EMAIL_FROM": "a@b.example", "PUBLIC_URL": "https://b.example"}


def _without(name: str) -> dict[str, str]:
    return {other: text for other, text in MAIL.items() if other != name}


@proves(WRONG)
@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"CURRENCY": "{"}, "CURRENCY is wrong"),
        ({"CURRENCY": json.dumps({"sign": "¤"})}, "CURRENCY.name is missing"),
        ({"CURRENCY": json.dumps(POINTS | {"code": "JPY"})}, "CURRENCY.code is wrong"),
        ({"CURRENCY": json.dumps(POINTS | {"decimals": 1})}, "CURRENCY.decimals is 0 or 2"),
        ({"SIGN_UP_KOPECKS": "-1"}, "SIGN_UP_KOPECKS is at least 0"),
        ({"SIGN_UP_KOPECKS": str(10**17)}, "SIGN_UP_KOPECKS is at most"),
        ({"GRANTS_PER_ADDRESS": "-1"}, "GRANTS_PER_ADDRESS is at least 0"),
        ({"ALLOWANCE": json.dumps(WEEKLY | {"every": "year"})}, "ALLOWANCE.every is"),
        ({"ALLOWANCE": json.dumps(WEEKLY | {"kopecks": 1.5})}, "ALLOWANCE.kopecks is a whole number"),
        ({"ALLOWANCE": json.dumps(WEEKLY | {"up_to": 0})}, "ALLOWANCE.up_to is at least 1"),
        ({"SIGN_UP": "maybe"}, "SIGN_UP is 'on', 'off' or 'invite'"),
        ({"SIGN_UP_DOMAINS": "ours.example"}, "SIGN_UP_DOMAINS needs"),
        ({"SIGN_UP_DOMAINS": "@ours.example", **MAIL}, "SIGN_UP_DOMAINS is wrong"),
        ({"PASSWORDS": "none"}, "PASSWORDS is 'on' or 'admins'"),
        ({"PASSWORDS": "admins"}, "PASSWORDS=admins needs"),
        ({"CREATORS": "all"}, "CREATORS is"),
        ({"CREATORS": "members"}, "CREATORS=members needs"),
        ({"CREATORS": "members", "HOUSE_LIMIT_KOPECKS": "500"}, "CREATORS=members needs"),
        ({"CREATOR_LIMIT_KOPECKS": "-1"}, "CREATOR_LIMIT_KOPECKS is at least 0"),
        ({"READ": "friends"}, "READ is"),
        ({**MAIL, "SMTP_URL": "http://mail.example"}, "SMTP_URL is wrong"),
        (_without("EMAIL_FROM"), "SMTP_URL needs"),
        (_without("PUBLIC_URL"), "SMTP_URL needs"),
        ({**MAIL, "EMAIL_FROM": "club"}, "EMAIL_FROM is wrong"),
        ({"EMAIL_VERIFICATION": "on"}, "EMAIL_VERIFICATION=on needs"),
        ({"SITE_DIR": "/there/is/none"}, "SITE_DIR is wrong"),
    ],
)
def test_it_is_exit_2_with_the_reason_in_one_line(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str], says: str
) -> None:
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path / "data"))
    for name, text in variables.items():
        monkeypatch.setenv(f"FOREKNOW_{name}", text)
    ended = say("serve", "--port", "0")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1), ended
    assert ended.err.startswith(f"foreknow: FOREKNOW_{says}")
