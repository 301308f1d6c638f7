"""The bot that forecasts, and the script that says what stands in a CSV, run as their readers would run them."""

from __future__ import annotations

import math
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from foreknow_client import Client
from tests.support.example_scripts import ROOT, run
from tests.support.service import Person, Service, expect, pool

IMPORT = "examples/import_forecasts.py"


@pytest.fixture
def person(sqlite_service: Service) -> Person:
    """Someone without money."""
    return sqlite_service.user()


@pytest.fixture
def client(sqlite_service: Service, person: Person) -> Iterator[Client]:
    with Client(sqlite_service.url, key=person.token) as client:
        yield client


def test_the_bot_forecasts_each_open_question_and_says_that_it_still_holds(
    sqlite_service: Service, person: Person, client: Client
) -> None:
    names = ["Likely", "Unlikely", "Never"]
    events = [
        sqlite_service.event(tags=["to-forecast"], pools=[pool(names, probabilities=[0.7, 0.2, 0.1])]),
        sqlite_service.event(tags=["to-forecast"], pools=[pool(probabilities=[0.3])]),
    ]
    bot = ["examples/forecast_bot.py", sqlite_service.url, "--login", person.email, "--tag", "to-forecast", "--once"]

    for count, said in ((0, "still so"), (2, "still so")):
        ended = run(*bot, typed=f"{person.password}\n")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.count(said) == count

    three, one = (client.list_pool_forecasts(event["pools"][0]["id"]).mine for event in events)
    assert three is not None
    assert one is not None
    assert math.fsum(three.probabilities) == pytest.approx(1)
    assert three.probabilities[0] > 0.7
    assert one.probabilities[0] < 0.3
    assert one.created_at > one.since
    assert client.get_me().balance_kopecks == 0


def test_forecasts_of_a_csv_are_said_and_those_that_a_question_does_not_allow_are_named(
    sqlite_service: Service, person: Person, client: Client, tmp_path: Path
) -> None:
    pools = [made["id"] for made in sqlite_service.event(pools=[pool(["A", "B", "C"]), pool(), pool()])["pools"]]
    file = tmp_path / "forecasts.csv"
    lines = [
        f'{pools[0]},"0.2 0.3 0.5","Said ""so"", twice"',
        f"{pools[1]},70%,",
        f"{pools[2]},0.5 0.5,",
        "999999999,0.5,",
    ]
    file.write_text("\n".join(["pool_id,probabilities,note", *lines]), encoding="utf-8-sig")

    checked = run(IMPORT, sqlite_service.url, file, "--check", token=person.token)
    assert (checked.returncode, list(client.iter_my_forecasts())) == (0, [])
    ended = run(IMPORT, sqlite_service.url, file, token=person.token)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.endswith("2 of 4\n")
    assert f"line 4: pool {pools[2]}: The pool has another number of outcomes" in ended.stdout
    mine = {one.pool_id: (list(one.probabilities), one.note) for one in client.iter_my_forecasts()}
    assert mine == {pools[0]: ([0.2, 0.3, 0.5], 'Said "so", twice'), pools[1]: ([0.7], "")}


def test_what_was_downloaded_is_said_again_as_it_is(
    sqlite_service: Service, person: Person, client: Client, tmp_path: Path
) -> None:
    pools = [made["id"] for made in sqlite_service.event(pools=[pool(["A", "B", "C"]), pool()])["pools"]]
    client.set_forecast(pools[0], probabilities=[0.0, 1 / 3, 2 / 3], note="=SUM(A1)")
    client.set_forecast(pools[1], probabilities=[0.123456789])
    before = list(client.iter_my_forecasts())
    file = tmp_path / "downloaded.csv"
    file.write_bytes(person.client.get("/users/me/forecasts", headers={"Accept": "text/csv"}).content)

    ended = run(IMPORT, sqlite_service.url, file, token=person.token)
    assert (ended.returncode, ended.stderr) == (0, "")
    after = list(client.iter_my_forecasts())
    assert [(one.pool_id, one.probabilities, one.note) for one in after] == [
        (one.pool_id, one.probabilities, one.note) for one in before
    ]
    # It only renewed them.
    found = expect(person.client.get(f"/pools/{pools[0]}/forecasts"), 200)["mine"]
    assert found["since"] < found["created_at"]


def test_nothing_is_sent_while_a_line_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "wrong.csv"
    monkeypatch.syspath_prepend(ROOT / "examples")
    read = runpy.run_path(str(ROOT / IMPORT))["read"]
    for lines, said in (
        (["pool,chance", "5,0.5"], "has no column pool_id and no probabilities in its first line"),
        ([], "has no column pool_id and no probabilities"),
        (["pool_id,probabilities", "5,1.5"], "line 2: 1.5 is no probability"),
        (["pool_id,probabilities", "five,0.5"], "line 2: five is no number of a pool"),
        (["pool_id,probabilities", "5,"], "line 2: probabilities are missing"),
        (["pool_id,probabilities", "5"], "line 2: probabilities are missing"),
        (["pool_id,probabilities", "5,0.5 0.4"], "line 2: the probabilities sum to 0.9, not to 1"),
        (["pool_id,probabilities", "5,0.5", "6,0.5", "5,0.4"], "line 4: pool 5 stands in line 2, too"),
    ):
        file.write_text("\n".join(lines))
        with pytest.raises(ValueError, match=re.escape(said)):
            read(file)

    file.write_text("pool_id,probabilities\n5,0.5\n6,nan\n7,-0.1\n")
    # No one listens there.
    ended = run(IMPORT, "http://127.0.0.1:9", file, token="fku_none")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        "line 3: nan is no probability: it is a number of 0 … 1, or in percent",
        "line 4: -0.1 is no probability: it is a number of 0 … 1, or in percent",
    ]
