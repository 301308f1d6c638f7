"""What the client's pages show works as it stands."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from foreknow_client import AsyncClient, Client, webhooks
from tests.support.service import Service

ROOT = Path(__file__).parents[2]
ORDERS = re.compile("place_(partner_)?(bet|basket|order)|sell_(partner_)?shares")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)


def test_the_readme_of_the_client_makes_a_bet(sqlite_service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    trader = sqlite_service.user(balance_kopecks=5_000)
    # The newest event is the one that the page bets on.
    event = sqlite_service.event()
    (shown,) = blocks("clients/python/README.md", "python")

    exec(shown.replace("http://127.0.0.1:8000", sqlite_service.url).replace("fku_…", trader.token), {})

    shares, balance = map(int, capsys.readouterr().out.split())
    assert (shares > 1_000, balance) == (True, 4_000)
    assert trader.client.get("/market/positions").json()["positions"][0]["event_id"] == event["id"]


@pytest.mark.parametrize("page", ["clients/python/README.md", "docs/bots.md"])
def test_what_the_pages_call_is_there(page: str) -> None:
    text = (ROOT / page).read_text()
    called = set(re.findall(r"client\.(\w+)\(", text)) | set(re.findall(r"`(\w+)\(", text))

    known = {*dir(Client), *dir(AsyncClient), *webhooks.__all__}
    assert called
    assert called - known == set()
    for shown in blocks(page, "python"):
        compile(shown, page, "exec")
    for script in re.findall(r"(examples/\w+\.py)", text):
        assert (ROOT / script).exists()


@pytest.mark.parametrize("page", ["examples", "docs/bots.md", "clients/python/README.md"])
def test_each_order_that_is_shown_says_how_many_outcomes_it_knows(page: str) -> None:
    shown = [each.read_text() for each in (ROOT / page).glob("*.py")] or blocks(page, "python")
    calls = [node for code in shown for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    orders = [one for one in calls if isinstance(one.func, ast.Attribute) and ORDERS.fullmatch(one.func.attr)]
    assert orders
    assert [ast.unparse(one) for one in orders if "outcomes" not in {given.arg for given in one.keywords}] == []
