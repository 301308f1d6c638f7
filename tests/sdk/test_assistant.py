"""`foreknow-mcp`, spoken to by the SDK's own client over standard input and output, as an assistant's host does."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError

from foreknow_client import AsyncClient
from foreknow_client.assistant.budget import BudgetSpent, DailyBudget
from foreknow_client.assistant.tools import Tools
from tests.sdk.unreliable import LOSE, PASS, Proxy
from tests.support.kinds import ON_SQLITE
from tests.support.lists import list_pool, split
from tests.support.service import Person, Service, expect, pool

RICH = 1_000_000
READING = {"search_events", "read_event", "quote_bet", "quote_sale", "read_forecasts"}
TRADING = {"place_bet", "sell_shares"}
#: With a key, whatever its scope.
OWN = {"my_account", "forecast"}
#: An address at which no one listens.
NOWHERE = "http://127.0.0.1:9"


@asynccontextmanager
async def assistant(url: str, *arguments: str, key: str = "", **variables: str) -> AsyncIterator[Client]:
    """Start the program and connect to it."""
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "foreknow_client.assistant", url, *arguments],
        env=env | {"FOREKNOW_TOKEN": key} | variables,
    )
    async with Client(program) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def failed(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must fail, and return what it says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return " ".join(getattr(part, "text", "") for part in result.content)


def key_of(person: Person, scope: str = "trade") -> str:
    return str(expect(person.client.post("/users/me/keys", json={"name": "assistant", "scope": scope}), 201)["key"])


def balance(person: Person) -> int:
    return int(expect(person.client.get("/users/me"), 200)["balance_kopecks"])


@ON_SQLITE
async def test_an_assistant_finds_a_market_and_bets_ten_on_it(service: Service, tmp_path: Path) -> None:
    owner = service.user(balance_kopecks=RICH)
    event = service.event(
        name="Will the ferry sail on Sunday?", tags=["ferries"], pools=[pool(rules="As the log says.")]
    )
    market_id = event["pools"][0]["markets"][0]["id"]
    arguments = ("--daily-budget-kopecks", "1500", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING | TRADING | OWN
        found = await call(client, "search_events", text="FERRY", tag="ferries")
        assert [one["event_id"] for one in found["events"]] == [event["id"]]
        assert found["events"][0]["outcomes"] == [{"market_id": market_id, "name": "Will it?", "probability": 0.5}]
        shown = await call(client, "read_event", event_id=event["id"])
        assert shown["pools"][0]["rules"] == "As the log says."
        quote = await call(client, "quote_bet", market_id=market_id, side="YES", amount_kopecks=1_000)
        bet = await call(client, "place_bet", market_id=market_id, side="YES", amount_kopecks=1_000)
        assert bet["shares"] == quote["shares"]
        assert bet["budget_left_today_kopecks"] == 500
        assert balance(owner) == RICH - 1_000
        account = await call(client, "my_account")
        assert account["balance_kopecks"] == RICH - 1_000
        assert [one["shares"] for one in account["positions"]] == [quote["shares"]]
        quote = await call(client, "quote_sale", market_id=market_id, side="YES", shares=100)
        sale = await call(client, "sell_shares", market_id=market_id, side="YES", shares=100)
        assert sale["payout_kopecks"] == quote["amount_kopecks"]


@ON_SQLITE
async def test_no_bet_is_made_under_rules_whose_clarification_was_not_read(service: Service, tmp_path: Path) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    (made,) = event["pools"]
    order = {"market_id": made["markets"][0]["id"], "side": "YES", "amount_kopecks": 100}

    def clarify(text: str) -> None:
        expect(service.creator.client.post(f"/pools/{made['id']}/clarifications", json={"text": text}), 201)

    async def read(client: Client) -> list[str]:
        shown = await call(client, "read_event", event_id=event["id"])
        return [one["text"] for one in shown["pools"][0]["clarifications"]]

    clarify("Overtime counts.")
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        assert "read_event, then bet. Nothing was done." in await failed(client, "place_bet", **order)
        assert await read(client) == ["Overtime counts."]
        await call(client, "place_bet", **order)
        clarify("Penalties count, too.")
        assert "made clearer" in await failed(client, "place_bet", **order)
        assert await read(client) == ["Overtime counts.", "Penalties count, too."]
        left = (await call(client, "place_bet", **order))["budget_left_today_kopecks"]
    assert left == 800
    assert balance(owner) == RICH - 200


@ON_SQLITE
async def test_an_assistant_forecasts_without_a_budget(service: Service) -> None:
    owner, event = service.user(), service.event(pools=[pool(["Red", "Blue", "Green"])])
    (made,) = event["pools"]
    async with assistant(service.url, key=key_of(owner)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING | OWN
        shown = (await call(client, "read_event", event_id=event["id"]))["pools"][0]
        assert shown["pool_id"] == made["id"]
        said = await call(client, "forecast", pool_id=made["id"], probabilities=[0.2, 0.3, 0.5], note="A guess.")
        assert said["market"] == pytest.approx([1 / 3] * 3)
        found = await call(client, "read_forecasts", pool_id=made["id"])
        assert (found["outcomes"], found["forecasters"], found["crowd"]) == (["Red", "Blue", "Green"], 1, None)
        assert found["mine"] == said
        wrong = await failed(client, "forecast", pool_id=made["id"], probabilities=[0.5, 0.5])
        assert "slippage: The pool has another number of outcomes" in wrong
        body = {"text": "Green counts as blue."}
        expect(service.creator.client.post(f"/pools/{made['id']}/clarifications", json=body), 201)
        again = {"pool_id": made["id"], "probabilities": [0.2, 0.8, 0.0]}
        assert "read_event, then forecast. Nothing was done." in await failed(client, "forecast", **again)
        await call(client, "read_event", event_id=event["id"])
        await call(client, "forecast", **again)
    async with assistant(service.url, key=key_of(owner, "read")) as client:
        await call(client, "read_event", event_id=event["id"])
        assert "This API key only reads" in await failed(client, "forecast", **again)
    assert balance(owner) == 0


@ON_SQLITE
async def test_a_spent_budget_stays_spent_through_a_restart(service: Service, tmp_path: Path) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "side": "YES", "amount_kopecks": 600}
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    key = key_of(owner)
    async with assistant(service.url, *arguments, key=key) as client:
        await call(client, "place_bet", **order)
        assert "400 are left today" in await failed(client, "place_bet", **order)
    async with (
        assistant(service.url, *arguments, key=key) as client,
        assistant(service.url, *arguments, key=key) as other,
    ):
        assert "400 are left today" in await failed(client, "place_bet", **order)
        # Two programs share it.
        await call(other, "place_bet", **{**order, "amount_kopecks": 400})
        assert "0 are left today" in await failed(client, "place_bet", **{**order, "amount_kopecks": 1})
        # A sale needs none.
        await call(client, "sell_shares", market_id=order["market_id"], side="YES")
    assert RICH - balance(owner) < 1_000


@ON_SQLITE
async def test_a_budget_does_not_begin_again_by_another_spelling_of_the_address(
    service: Service, tmp_path: Path
) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "side": "YES", "amount_kopecks": 600}
    state, key = {"XDG_STATE_HOME": str(tmp_path)}, key_of(owner)
    async with assistant(service.url, "--daily-budget-kopecks", "1000", key=key, **state) as client:
        await call(client, "place_bet", **order)
    for spelled in (f"{service.url}/", service.url.replace("http://127.0.0.1", "HTTP://LocalHost")):
        async with assistant(spelled, "--daily-budget-kopecks", "1000", key=key, **state) as client:
            assert "400 are left today" in await failed(client, "place_bet", **order)


@ON_SQLITE
async def test_a_refused_bet_takes_nothing_from_the_budget(service: Service, tmp_path: Path) -> None:
    owner, event = service.user(balance_kopecks=100), service.event()
    market_id = event["pools"][0]["markets"][0]["id"]
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        said = await failed(client, "place_bet", market_id=market_id, side="YES", amount_kopecks=900)
        assert "insufficient_funds:" in said
        said = await failed(client, "place_bet", market_id=market_id, side="YES", amount_kopecks=90, max_price_bps=100)
        assert "slippage:" in said
        assert (await call(client, "my_account"))["budget_left_today_kopecks"] == 1_000


@ON_SQLITE
async def test_other_is_not_bet_on_before_the_assistant_knows_that_it_means_less(
    service: Service, tmp_path: Path
) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event(pools=[list_pool()])
    (grown,) = event["pools"]
    other = grown["markets"][2]["id"]
    arguments = ("--daily-budget-kopecks", "100", "--state", str(tmp_path / "budget.sqlite"))
    order = {"market_id": other, "side": "YES", "amount_kopecks": 100}
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        shown = await call(client, "read_event", event_id=event["id"])
        assert shown["pools"][0]["other_market_id"] == other
        split(service, grown["id"], "Dana")
        for tool in ("quote_bet", "place_bet"):
            assert "slippage:" in await failed(client, tool, **order)
        await call(client, "read_event", event_id=event["id"])
        bought = (await call(client, "place_bet", **order))["shares"]
        split(service, grown["id"], "Eve")
        for tool in ("quote_sale", "sell_shares"):
            assert "slippage:" in await failed(client, tool, market_id=other, side="YES", shares=bought)
        await call(client, "sell_shares", market_id=other, side="YES", outcomes=5)


@ON_SQLITE
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_events", {"status": "old"}),
        ("search_events", {"limit": 21}),
        ("read_event", {}),
        ("read_event", {"event_id": "x"}),
        ("quote_bet", {"market_id": 1, "side": "MAYBE", "amount_kopecks": 100}),
        ("quote_bet", {"market_id": 1, "side": "YES", "amount_kopecks": 0}),
        ("quote_bet", {"market_id": 1, "side": "YES", "amount_kopecks": 1.5}),
        ("quote_sale", {"market_id": 0, "side": "YES", "shares": 1}),
    ],
)
async def test_wrong_input_is_refused_in_words(service: Service, tool: str, arguments: dict[str, Any]) -> None:
    async with assistant(service.url) as client:
        said = await failed(client, tool, **arguments)
        assert re.search(r"\b(status|limit|event_id|side|amount_kopecks|market_id)\b", said), said
        assert "market_not_found" in await failed(client, "quote_bet", market_id=2**62, side="YES", amount_kopecks=100)
        assert "event_not_found" in await failed(client, "read_event", event_id=2**62)


@ON_SQLITE
async def test_an_argument_that_a_tool_does_not_have_is_refused_and_stakes_nothing(
    service: Service, tmp_path: Path
) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "side": "YES", "amount_kopecks": 100}
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        said = await failed(client, "place_bet", **order, max_price=1)
        assert "no argument max_price: it has market_id, side, amount_kopecks, max_price_bps" in said
        assert "no argument all" in await failed(client, "my_account", all=True)
        assert (await call(client, "my_account"))["budget_left_today_kopecks"] == 1_000
    assert balance(owner) == RICH


@ON_SQLITE
async def test_without_a_key_or_a_budget_nothing_can_be_traded(service: Service) -> None:
    owner = service.user(balance_kopecks=RICH)
    async with assistant(service.url) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING
    async with assistant(service.url, key=key_of(owner, "read")) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING | OWN
        assert (await call(client, "my_account"))["budget_left_today_kopecks"] == 0


@ON_SQLITE
async def test_a_key_that_only_reads_trades_nothing(service: Service, tmp_path: Path) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "side": "YES", "amount_kopecks": 600}
    async with assistant(service.url, *arguments, key=key_of(owner, "read")) as client:
        assert "forbidden:" in await failed(client, "place_bet", **order)
    assert balance(owner) == RICH


@ON_SQLITE
async def test_a_server_that_is_gone_is_said_in_words(service: Service) -> None:
    async with assistant(NOWHERE) as client:
        said = await failed(client, "search_events")
        assert NOWHERE in said
        assert "try again later" in said


@ON_SQLITE
async def test_every_tool_says_its_units(service: Service, tmp_path: Path) -> None:
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(service.user())) as client:
        for tool in (await client.list_tools()).tools:
            assert re.search(r"kopecks|0 to 1", tool.description or ""), tool.name
            for name, schema in tool.input_schema["properties"].items():
                assert schema.get("description"), f"{tool.name}: {name}"
                if name.endswith(("_kopecks", "_bps")) or name == "shares":
                    assert re.search(r"kopeck|basis points|[Ss]hares", schema["description"]), f"{tool.name}: {name}"
        assert "kopecks" in (client.instructions or "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--daily-budget-kopecks", "1000"), "needs a key of scope trade"),
        (("--daily-budget-kopecks", "-1"), "must not be below 0"),
        (("--daily-budget-kopecks", "ten"), "invalid int value"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "foreknow_client.assistant", NOWHERE, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env={"FOREKNOW_TOKEN": ""}, check=False, timeout=60)
    assert ended.returncode == 2
    assert said in ended.stderr


def test_each_day_has_a_budget_of_its_own(tmp_path: Path) -> None:
    day = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    budget = DailyBudget(tmp_path / "a" / "budget.sqlite", kopecks=100, now=lambda: day)
    taken = budget.take(60)
    with pytest.raises(BudgetSpent):
        budget.take(41)
    tomorrow = DailyBudget(tmp_path / "a" / "budget.sqlite", kopecks=100, now=lambda: day + timedelta(minutes=2))
    assert tomorrow.left_kopecks() == 100
    # What was refused after midnight goes back to the day on which it was taken.
    tomorrow.give_back(60, taken)
    assert (tomorrow.left_kopecks(), budget.left_kopecks()) == (100, 100)


@ON_SQLITE
async def test_many_bets_at_once_stay_within_the_budget(service: Service, tmp_path: Path) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "side": "NO", "amount_kopecks": 300}
    arguments = ("--daily-budget-kopecks", "1000", "--state", str(tmp_path / "budget.sqlite"))
    async with assistant(service.url, *arguments, key=key_of(owner)) as client:
        results = await asyncio.gather(*(client.call_tool("place_bet", order) for _ in range(8)))
    assert sum(not result.is_error for result in results) == 3
    assert balance(owner) == RICH - 900


@ON_SQLITE
async def test_a_bet_without_an_answer_stays_counted_and_is_not_to_be_repeated_blindly(
    service: Service, tmp_path: Path
) -> None:
    owner, event = service.user(balance_kopecks=RICH), service.event()
    market_id = event["pools"][0]["markets"][0]["id"]
    budget = DailyBudget(tmp_path / "budget.sqlite", kopecks=1_000)
    with Proxy(service.server.port).running() as proxy:
        async with AsyncClient(proxy.url, key=key_of(owner), retry_s=0.1, order_retry_s=0.3) as client:
            tools = Tools(client, budget)
            await tools.my_account()
            # The bet alone: its market and rules are read first.
            proxy.plan.extend([PASS] * 2 + [LOSE] * 20)
            with pytest.raises(ToolError, match="may have been executed: look at my_account before"):
                await tools.place_bet(market_id, "YES", 600)
    assert balance(owner) == RICH - 600
    assert budget.left_kopecks() == 400


async def test_a_bet_that_was_never_sent_goes_back(tmp_path: Path) -> None:
    budget = DailyBudget(tmp_path / "budget.sqlite", kopecks=1_000)
    async with AsyncClient(NOWHERE, key="fku_none", retry_s=0.1, order_retry_s=0.1) as client:
        with pytest.raises(ToolError, match="try again later"):
            await Tools(client, budget).place_bet(7, "YES", 600)
    assert budget.left_kopecks() == 1_000
