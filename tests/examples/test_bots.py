"""The bots to copy, run as their readers would run them, against a running service."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from foreknow_client import Client
from tests.support.baskets import CHECK_PRIORS, RANGES, open_pool
from tests.support.example_scripts import ROOT, run
from tests.support.lists import list_pool, split
from tests.support.orders import bet
from tests.support.service import Person, Service, expect, pool


@pytest.fixture
def trader(sqlite_service: Service) -> Person:
    return sqlite_service.user(balance_kopecks=100_000)


@pytest.fixture
def client(sqlite_service: Service, trader: Person) -> Iterator[Client]:
    with Client(sqlite_service.url, key=trader.token) as client:
        yield client


def test_the_anchor_bot_brings_a_market_near_the_estimate_and_back_within_its_budget(
    sqlite_service: Service, trader: Person, client: Client, tmp_path: Path
) -> None:
    event = sqlite_service.event(pools=[pool(["A", "B", "C"], b=20_000, margin=0.02)])
    outcome, market = "1", event["pools"][0]["markets"][1]["id"]
    estimate = tmp_path / "estimate.txt"
    key = run("-m", "foreknow_client", sqlite_service.url, trader.email, typed=f"{trader.password}\n").stdout.strip()
    bot = ["examples/anchor_bot.py", sqlite_service.url, str(event["id"]), "--outcome", outcome, "--once"]

    for wanted in (0.6, 0.2):
        estimate.write_text(f"{wanted}\n")
        ended = run(*bot, "--estimate", estimate, token=key)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert client.get_market(market).yes_probability == pytest.approx(wanted, abs=0.02)
    run(*bot, "--estimate", "0.99", "--budget", "3000", token=key)

    trades = [trade for trade in client.iter_my_trades() if trade.market_id == market]
    assert [trade.action for trade in reversed(trades)] == ["buy", "sell", "buy", "sell", "buy"]
    # A sale gives back to the budget what it paid.
    assert trades[0].amount_kopecks == 3_000 + trades[1].amount_kopecks
    assert key.startswith("fku_")


def test_the_event_bot_takes_part_in_each_new_event_once(
    sqlite_service: Service, trader: Person, client: Client
) -> None:
    event = sqlite_service.event(tags=["for-bots"], pools=[pool(["Likely", "Unlikely"], probabilities=[0.8, 0.2])])
    likely = event["pools"][0]["markets"][0]["id"]
    bot = ["examples/event_bot.py", sqlite_service.url, "--login", trader.email, "--tag", "for-bots", "--once"]

    # The second time with the same balance, so that it is the same request under the same key; the third with another.
    for paid_kopecks, said in ((0, "new bets: 1"), (1_000, "bet nothing new"), (50_000, "bet nothing new")):
        if paid_kopecks:
            sqlite_service.credit(trader.id, paid_kopecks)
        ended = run(*bot, typed=f"{trader.password}\n")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.endswith(f"{said}\n")
        assert ("took part before" in ended.stdout) == bool(paid_kopecks)

    mine = [trade for trade in client.iter_my_trades() if trade.event_id == event["id"]]
    assert [(trade.market_id, trade.token_type, trade.action) for trade in mine] == [(likely, "YES", "buy")]


def test_the_quote_bot_bids_on_both_sides_and_earns_the_spread(
    sqlite_service: Service, trader: Person, client: Client
) -> None:
    event = sqlite_service.event(pools=[pool(probabilities=[0.6], b=20_000)])
    market = event["pools"][0]["markets"][0]["id"]
    bot = ["examples/quote_bot.py", sqlite_service.url, str(event["id"]), "--once"]
    taker = sqlite_service.user(balance_kopecks=100_000)

    ended = run(*bot, token=trader.token)
    assert (ended.returncode, ended.stderr) == (0, "")
    orders = [(one.token_type, one.price_bps, one.shares) for one in client.iter_orders(status="open")]
    assert orders == [("NO", 3_700, 1_000), ("YES", 5_700, 1_000)]
    # The price comes down to one bid, and goes up to the other.
    expect(bet(taker, market, "NO", 2_000), 201)
    expect(bet(taker, market, "YES", 4_500), 201)

    held = {one.token_type: (one.amount, one.cost_kopecks) for one in client.iter_my_positions(event_id=event["id"])}
    assert held == {"YES": (1_000, 570), "NO": (1_000, 370)}
    # Ran again, it takes its orders back first.
    client.place_order(market_id=market, token_type="YES", action="buy", shares=1_000, price_bps=100)
    run(*bot, token=trader.token)
    price = round(100 * client.get_market(market).yes_probability)
    bids = {one.price_bps for one in client.iter_orders(status="open")}
    assert bids == {100 * (price - 3), 100 * (100 - price - 3)}


def test_the_curve_bot_moves_a_number_to_what_is_expected_within_its_budget(
    sqlite_service: Service, trader: Person, client: Client
) -> None:
    made = open_pool(sqlite_service, CHECK_PRIORS, b=20_000, margin=0.02, shape=RANGES)
    bot = ["examples/curve_bot.py", sqlite_service.url, str(made["id"])]

    first = run(*bot, "1", "2", "3", "3", "1", "--budget", "300", token=trader.token)
    assert (first.returncode, first.stderr) == (0, "")
    spent = 100_000 - client.get_me().balance_kopecks
    assert 0 < spent <= 300
    whole = run(*bot, "1", "2", "3", "3", "1", "--budget", "50000", token=trader.token)
    assert (whole.returncode, whole.stderr) == (0, "")
    prices = [market.yes_probability for market in client.get_pool(made["id"]).markets]
    assert prices == pytest.approx([0.1, 0.2, 0.3, 0.3, 0.1], abs=1e-3)
    again = run(*bot, *map(str, prices), token=trader.token)
    assert (again.returncode, again.stderr) == (1, "the market expects the same\n")
    short = run(*bot, "1", "2", token=trader.token)
    assert (short.returncode, short.stderr.count("\n")) == (1, 1)


def test_the_bots_take_part_in_a_list_that_grows(sqlite_service: Service, trader: Person, client: Client) -> None:
    event = sqlite_service.event(pools=[list_pool(b=20_000)])
    (grown,) = event["pools"]
    of_other = (sqlite_service.url, str(event["id"]), "--outcome", "2", "--once")
    for _ in range(2):
        ended = run("examples/quote_bot.py", *of_other, token=trader.token)
        assert (ended.returncode, ended.stderr) == (0, "")
        # NO of Other is not traded.
        assert [one.token_type for one in client.iter_orders(status="open")] == ["YES"]
        ended = run("examples/anchor_bot.py", *of_other, "--estimate", "0.1", token=trader.token)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.endswith("stays: NO of Other is not traded\n")
        split(sqlite_service, grown["id"], f"Name {len(client.get_pool(grown['id']).markets)}")
    ended = run("examples/anchor_bot.py", *of_other, "--estimate", "0.5", token=trader.token)
    assert ended.returncode == 0
    assert client.get_pool(grown["id"]).markets[2].yes_probability == pytest.approx(0.5, abs=0.02)


def test_the_bots_say_what_made_the_rules_clearer_and_stop_when_more_comes(
    sqlite_service: Service, trader: Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = sqlite_service.event(tags=["clarified"], pools=[pool(b=20_000)])
    (made,) = event["pools"]

    def clarify(text: str) -> None:
        path = f"/pools/{made['id']}/clarifications"
        expect(sqlite_service.creator.client.post(path, json={"text": text}), 201)

    clarify("Overtime counts.")
    of_event = (sqlite_service.url, str(event["id"]), "--once")
    for bot in (
        ["examples/anchor_bot.py", *of_event, "--estimate", "0.55"],
        ["examples/quote_bot.py", *of_event],
        ["examples/event_bot.py", sqlite_service.url, "--tag", "clarified", "--once"],
    ):
        ended = run(*bot, token=trader.token)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "Overtime counts." in ended.stdout

    monkeypatch.syspath_prepend(ROOT / "examples")
    rules = runpy.run_path(str(ROOT / "examples" / "bots.py"))["ReadRules"](client, client.get_pool(made["id"]))
    rules.check(client.get_pool(made["id"]))
    clarify("Penalties count, too.")
    with pytest.raises(ValueError, match="were made clearer"):
        rules.check(client.get_pool(made["id"]))


def test_an_estimate_or_an_outcome_that_cannot_be_is_refused_before_any_bet(
    sqlite_service: Service, trader: Person, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = sqlite_service.event(pools=[pool(["Anna", "Boris", "Clara"])])
    bot = ["examples/anchor_bot.py", sqlite_service.url, str(event["id"])]
    for options, said in (
        (["--estimate", "62"], "62 is no probability: it is a number of 0 … 1"),
        (["--estimate", "0.5", "--outcome", "3"], "has no outcome 3; it has 0 Anna, 1 Boris, 2 Clara"),
    ):
        ended = run(*bot, *options, token=trader.token)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
        assert said in ended.stderr

    monkeypatch.syspath_prepend(ROOT / "examples")
    anchor = runpy.run_path(str(ROOT / "examples" / "anchor_bot.py"))
    half_written = tmp_path / "estimate.txt"
    half_written.write_text("")
    for given in ("nan", "inf", "-0.1", "1.01", str(half_written)):
        with pytest.raises(ValueError, match=r"no probability|holds no estimate"):
            anchor["estimated"](given)
    with pytest.raises(ValueError, match="has no outcome -1"):
        anchor["chosen"](client.get_event(event["id"]), -1)
    assert list(client.iter_my_trades()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["examples/event_bot.py"], 2, "usage: event_bot.py"),
        (["examples/anchor_bot.py", "http://127.0.0.1:1", "7", "--estimate", "0.5"], 2, "give --login, or an API key"),
        (["examples/event_bot.py", "localhost:1", "--login", "ann"], 1, "begins with http"),
        (["-m", "foreknow_client", "localhost:1", "ann"], 1, "begins with http"),
    ],
)
def test_what_is_missing_is_said_in_a_line(arguments: list[str], code: int, said: str) -> None:
    ended = run(*arguments, typed="secret\n")

    assert ended.returncode == code
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
