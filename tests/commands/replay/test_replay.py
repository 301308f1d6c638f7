"""The real markets, replayed through the public interface of a running service."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foreknow.commands.cli import main
from foreknow.commands.replay.accounts import Run
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.history import FINDINGS, packaged_trades, read_histories
from foreknow.commands.replay.replayer import find_events, is_complete, replay
from foreknow.commands.replay.results import BOUND_KOPECKS, PRICE_ERROR_MAX
from tests.commands.cli.conftest import run_process
from tests.commands.replay.trades import few_trades
from tests.support.kinds import ON_SQLITE, ONCE
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.service import Service, expect

COMMAND_S = 300


class Steps:
    """A watcher that counts."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.steps = 0

    def stage(self, what: str, steps: int) -> None:
        """Note a stage."""
        self.stages.append((what, steps))

    def step(self) -> None:
        """Count a step."""
        self.steps += 1


@pytest.fixture
def environment(database_url: str) -> dict[str, str]:
    """The environment of a command on a database of this test's own."""
    return {**os.environ, "FOREKNOW_DATABASE_URL": database_url, "FOREKNOW_PASSWORD_COST": "low"}


def test_the_package_holds_58_real_markets() -> None:
    histories = read_histories(packaged_trades())
    assert len(histories) == 58
    assert sum(len(history.trades) for history in histories) == 4368
    assert all(history.finding.doi.startswith("https://doi.org/") for history in histories)
    assert "Michael Gordon" in packaged_trades().with_name("README.md").read_text()


@proves("decisions: `foreknow replay TRADES.csv [--url URL]`")
@LONG
@ON_SQLITE
def test_all_real_markets_come_out_within_bounds(environment: dict[str, str], tmp_path: Path) -> None:
    """The whole of it, as an operator runs it: 58 markets, 4,368 trades, a clean audit. In short: two of each."""
    few = few_trades(tmp_path, markets=58, trades=2)
    chosen = length(short=few, long=packaged_trades())
    ended = run_process("replay", str(chosen), environment=environment, timeout_s=COMMAND_S)
    assert ended.code == 0, ended
    assert ended.err == ""
    summary = " ".join(ended.out.split())
    assert "Markets within bounds 58 of 58" in summary
    assert f"Trades {length(short='116', long='4,368')} in" in summary
    # Two share cents at 0.35, one at 0.91 and four at 0.24 are worth less than a kopeck.
    assert ("3 of them sales of less than a kopeck, refused" in summary) == length(short=False, long=True)
    assert "Audit clean" in summary
    assert summary.count(" ok ") == 58


async def test_again_on_the_same_service_and_against_history(
    start_service: Callable[..., Service], tmp_path: Path
) -> None:
    """Two runs on one service share nothing; prices, results and winners are those of the files."""
    service, histories = start_service(), read_histories(few_trades(tmp_path))
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    for _ in range(2):
        steps = Steps()
        outcome = await replay(
            url=service.url,
            admin=contextlib.nullcontext(token),
            histories=histories,
            run=Run.fresh(),
            watcher=steps,
        )
        assert outcome.within_bounds
        assert outcome.problems == []
        assert steps.steps == sum(planned for _, planned in steps.stages)
        for market in outcome.markets:
            assert len(market.price_errors) == len(market.history.trades)
            assert max(market.price_errors) <= PRICE_ERROR_MAX
            assert market.won == ("YES" if market.history.finding.replicated else "NO")
            assert market.house_kopecks >= -BOUND_KOPECKS
            shown = expect(service.client().get(f"/events/{market.event_id}"), 200)
            assert shown["status"] == "resolved"
            assert market.history.finding.summary in shown["name"]
            assert market.history.finding.cite in shown["pools"][0]["rules"]
            assert market.history.finding.doi in shown["pools"][0]["rules"]
            assert shown["pools"][0]["markets"][0]["yes_probability"] == market.price


@ONCE
async def test_the_house_result_is_what_the_books_say(start_service: Callable[..., Service], tmp_path: Path) -> None:
    service, histories = start_service(), read_histories(few_trades(tmp_path))
    reader = service.user(stats_viewer=True)
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    outcome = await replay(
        url=service.url, admin=contextlib.nullcontext(token), histories=histories, run=Run.fresh(), watcher=Steps()
    )
    total = expect(reader.client.get("/admin/stats"), 200)["total"]
    assert total["house_result_kopecks"] == sum(market.house_kopecks for market in outcome.markets)


@ON_SQLITE
async def test_a_wrong_recorded_price_is_outside_the_bounds(
    start_service: Callable[..., Service], tmp_path: Path
) -> None:
    path = few_trades(tmp_path, markets=1)
    lines = path.read_text().splitlines()
    lines[-1] = lines[-1].rpartition(",")[0] + ",0.999"
    path.write_text("\n".join(lines))
    service = start_service()
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    outcome = await replay(
        url=service.url,
        admin=contextlib.nullcontext(token),
        histories=read_histories(path),
        run=Run.fresh(),
        watcher=Steps(),
    )
    assert not outcome.within_bounds


@ONCE
async def test_a_run_that_was_broken_off_goes_on_and_does_nothing_twice(
    start_service: Callable[..., Service], tmp_path: Path
) -> None:
    service, histories = start_service(), read_histories(few_trades(tmp_path))
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    run = Run("demo", lambda email: f"password of {email}", goes_on=True)
    left_open = {histories[0].key}

    class BrokenOff(Exception):
        pass

    class Breaker(Steps):
        trades = 0

        def step(self) -> None:
            super().step()
            if self.stages[-1][0] == "Trades":
                self.trades += 1
            if self.trades > 10:
                raise BrokenOff

    async def play(watcher: Steps) -> Any:
        return await replay(
            url=service.url,
            admin=contextlib.nullcontext(token),
            histories=histories,
            run=run,
            watcher=watcher,
            left_open=left_open,
        )

    with pytest.raises(BrokenOff):
        await play(Breaker())
    async with ApiClient(service.url) as site:
        assert not await is_complete(site, run, histories, left_open=left_open)
        outcome = await play(Steps())
        assert outcome.within_bounds
        assert outcome.problems == []  # every balance is what one replay makes of it
        assert len(await find_events(site, run)) == len(histories)
        assert await is_complete(site, run, histories, left_open=left_open)
        assert not await is_complete(site, run, histories, left_open=set())


@ON_SQLITE
async def test_an_error_is_reported_with_its_code(start_service: Callable[..., Service]) -> None:
    async with ApiClient(start_service().url) as site:
        with pytest.raises(RequestFailed, match="POST /market/bets answered 401 unauthorized") as refused:
            await site.post("/market/bets", "no token", {})
    assert refused.value.code == "unauthorized"


@proves(
    "decisions: `foreknow replay TRADES.csv [--url URL]` (with `--url`, an admin's access token in `FOREKNOW_TOKEN`)"
)
@ON_SQLITE
def test_the_replay_of_another_service_needs_its_admin(
    environment: dict[str, str], start_service: Callable[..., Service], tmp_path: Path
) -> None:
    """With --url: the token of an admin works, that of another user does not; the books are found if they are here."""
    service, trades = start_service(), few_trades(tmp_path)
    user = service.user()
    arguments = ("replay", str(trades), "--url", service.url)
    refused = run_process(*arguments, environment=environment | {"FOREKNOW_TOKEN": user.token})
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "403 forbidden" in refused.err

    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    ended = run_process(*arguments, environment=environment | {"FOREKNOW_TOKEN": token})
    assert ended.code == 0, ended
    assert "Markets within bounds 2 of 2" in " ".join(ended.out.split())
    assert "Audit clean" in " ".join(ended.out.split())

    elsewhere = environment | {"FOREKNOW_TOKEN": token, "FOREKNOW_DATABASE_URL": f"sqlite:///{tmp_path}/none.sqlite3"}
    ended = run_process(*arguments, environment=elsewhere)
    assert ended.code == 0, ended
    assert "Audit not from here" in " ".join(ended.out.split())
    assert not (tmp_path / "none.sqlite3").exists()


def test_the_borrowed_admin_is_given_back(
    environment: dict[str, str], start_service: Callable[..., Service], tmp_path: Path
) -> None:
    ended = run_process("replay", str(few_trades(tmp_path)), environment=environment)
    assert ended.code == 0, ended
    assert "Audit clean" in " ".join(ended.out.split())
    service = start_service()
    users = expect(service.admin.get("/admin/users?limit=100"), 200)["users"]
    assert [user["email"] for user in users if user["is_admin"]] == ["admin@example.org"]
    log = expect(service.admin.get("/admin/log?limit=100"), 200)["entries"]
    roles = [entry["details"] for entry in log if entry["action"] == "user.roles" and entry["who"] == "command line"]
    assert roles == [{"is_admin": False}, {"is_admin": True}]
    someone = {"login": "replay@foreknow.example", "password": ""}
    assert service.client().post("/auth/sign-in", json=someone).status_code == 401


@ONCE
def test_who_signed_up_with_the_address_of_the_borrowed_admin_becomes_none(
    environment: dict[str, str], start_service: Callable[..., Service], tmp_path: Path
) -> None:
    service = start_service()
    someone = service.user(email="replay@foreknow.example")
    ended = run_process("replay", str(few_trades(tmp_path)), environment=environment)
    assert ended.code == 0, ended
    log = expect(service.admin.get("/admin/log?limit=100"), 200)["entries"]
    targets = {entry["target"] for entry in log if entry["action"] == "user.roles" and entry["who"] == "command line"}
    assert len(targets) == 1
    assert f"user:{someone.id}" not in targets


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda line: line.replace("buy", "hold", 1), "line 2: action is 'hold', not one of buy, sell"),
        (lambda line: line.replace(",1000,", ",much,", 1), "line 2: stake_kopecks cannot be 'much'"),
        (lambda line: line.rpartition(",")[0] + ",", "line 2: recorded_price is missing"),
        (lambda line: line.replace("RPP,1,", "RPP,999,", 1), "line 2: nothing says how RPP-999 ended"),
    ],
)
def test_a_broken_file_is_named_by_its_line(
    tmp_path: Path, change: Callable[[str], str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = few_trades(tmp_path, markets=1)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], change(lines[1]), *lines[2:]]))
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(path)])
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"foreknow: {path}, {says}\n"


@ON_SQLITE
def test_a_missing_file_is_exit_1_and_one_line(tmp_path: Path, environment: dict[str, str]) -> None:
    ended = run_process("replay", str(tmp_path / "none.csv"), environment=environment)
    assert (ended.code, ended.err) == (1, f"foreknow: {tmp_path}/none.csv cannot be read: No such file or directory\n")


@proves("decisions: what reads CSV takes one or none.")
def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    trades = few_trades(tmp_path, markets=1)
    plain = read_histories(trades)
    trades.write_text(trades.read_text("utf-8"), "utf-8-sig")
    assert read_histories(trades) == plain


def test_findings_beside_the_trades_come_first(tmp_path: Path) -> None:
    trades = few_trades(tmp_path, markets=1)
    own = packaged_trades().with_name(FINDINGS).read_text().replace("Richeson & Trawalter (2008)", "Author (2030)")
    (tmp_path / "findings.csv").write_text(own)
    (history,) = read_histories(trades)
    assert history.finding.cite == "Author (2030)"
