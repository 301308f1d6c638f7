"""`foreknow demo`: a site full of real markets."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from foreknow.commands.demo import covers, polls, questions, welcome
from foreknow.commands.demo import follows as follows_of_the_demo
from foreknow.commands.demo.loader import DISPUTED_TAG, TAG
from foreknow.commands.demo.people import FORECASTERS
from foreknow.commands.replay.history import packaged_trades, read_histories
from tests.commands.cli.conftest import run_process
from tests.commands.replay.trades import few_trades
from tests.support import forks
from tests.support.http import NO_TLS
from tests.support.lengths import LONG, length
from tests.support.ports import kept_port
from tests.support.proofs import proves
from tests.support.service import expect

WAIT_S = 240.0
#: In short, fewer of the 58: a sixth of them are left open. Of the others, those are recorded whose few trades are of
#: enough traders.
MARKETS, OPEN, RECORDED_MIN = length(short=(12, 2, 2), long=(58, 10, 15))
#: `foreknow demo`, with the file named first in place of the package's trades, and an eighth of the traders' bets.
DEMO = """
import sys
from pathlib import Path
from foreknow.commands.cli import demo, main
from foreknow.commands.demo import past, shaped
trades = Path(sys.argv[1])
demo.packaged_trades = lambda: trades
past.OPEN_EVERY_MS *= 8
past.POLL_EVERY_MS *= 8
shaped.EVERY_MS *= 8
if __name__ == "__main__":
    main(["demo", *sys.argv[2:]])
"""


class Demo:
    """A running demo, each market with its first trades only; killed, if it still runs, as it is left."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1"
        self._folder = folder
        with (folder / "printed").open("w") as printed:
            self._process = forks.Popen(
                [sys.executable, "-c", DEMO, few_trades(folder, markets=MARKETS, trades=5), "--port", str(port)],
                cwd=folder,
                env={**os.environ, "FOREKNOW_LOG_LEVEL": "warning", "FOREKNOW_PASSWORD_COST": "low"},
                stdout=printed,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop(signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it answers."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                httpx.get(f"{self.url}/health", trust_env=False, verify=NO_TLS).raise_for_status()
                return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError("the demo does not answer")

    def wait_for_trades(self) -> None:
        """Wait until some trades are there, by far not all."""
        deadline = time.monotonic() + WAIT_S
        while not self._trades():
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def wait_for_more_trades(self) -> None:
        """Wait for a trade from now on."""
        before, deadline = self._trades(), time.monotonic() + WAIT_S
        while self._trades() == before:
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def accounts(self) -> dict[str, tuple[str, str]]:
        """Return the printed accounts: role → address and password."""
        lines = (self._folder / "printed").read_text().splitlines()
        return {
            words[0]: (words[1], words[2]) for words in map(str.split, lines) if len(words) == 3 and "@" in words[1]
        }

    def join(self) -> dict[str, Any]:
        """Sign up by the printed invitation, and return the new account."""
        (link,) = [line for line in (self._folder / "printed").read_text().splitlines() if "/invite/" in line]
        body = {
            "email": "new@example.org",
            "password": "correct horse battery",
            "name": "New",
            "invitation": link.rpartition("/")[2],
        }
        answer = httpx.post(f"{self.url}/auth/sign-up", json=body, trust_env=False, verify=NO_TLS)
        joined: dict[str, Any] = expect(answer, 201)["user"]
        return joined

    def sign_in(self, login: str, password: str) -> dict[str, Any]:
        """Return what a sign-in answers."""
        body = {"login": login, "password": password}
        answer = httpx.post(f"{self.url}/auth/sign-in", json=body, trust_env=False, verify=NO_TLS)
        answered: dict[str, Any] = expect(answer, 200)
        return answered

    def get(self, path: str, token: str = "", **query: str) -> Any:
        """Return the body of a GET, of a visitor or with an access token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = httpx.get(f"{self.url}{path}", params=query, headers=headers, trust_env=False, verify=NO_TLS)
        return expect(answer, 200)

    def _trades(self) -> int:
        for path in self._folder.rglob("*.sqlite3"):
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(path)) as database:
                return int(database.execute("SELECT count(*) FROM trades").fetchone()[0])
        return 0

    def events(self, status: str) -> list[dict[str, Any]]:
        """Return the replayed events of a status, newest first."""
        own = {TAG, DISPUTED_TAG, polls.TAG, *questions.TAGS}
        return [event for event in self._events(status=status) if own.isdisjoint(event["tags"])]

    def paid(self, resolved: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """Return resolved events, once all of them are paid."""
        deadline = time.monotonic() + WAIT_S
        while True:
            events = resolved()
            if {event["pools"][0]["resolution"]["state"] for event in events} == {"paid"}:
                return events
            assert time.monotonic() < deadline, (events, (self._folder / "printed").read_text())
            time.sleep(0.1)

    def lived_through(self, tag: str, status: str) -> list[dict[str, Any]]:
        """Return the events of a tag that the demo made itself."""
        return self._events(tag=tag, status=status)

    def _events(self, **query: str) -> list[dict[str, Any]]:
        return list(self.get("/events", limit="100", **query)["events"])

    def image(self, event: dict[str, Any]) -> bytes:
        """Return an event's cover image."""
        address = httpx.URL(self.url).join(event["image_url"])
        answer = httpx.get(address, trust_env=False, verify=NO_TLS)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png"), answer
        return answer.content

    def stop(self, number: signal.Signals) -> int:
        """Send a signal and return the exit code."""
        self._process.send_signal(number)
        return self._process.wait(WAIT_S)


@pytest.fixture
def port() -> Iterator[int]:
    """A port that stays free for the demo, also while it is started again."""
    with kept_port() as kept:
        yield kept


def assert_it_has_a_past(demo: Demo, opened: list[dict[str, Any]], resolved: list[dict[str, Any]]) -> None:
    """Trades lie over the weeks before now, open markets end in the future, and some traders earned."""
    now = datetime.now(UTC)
    assert all(_moment(event["pools"][0]["finish_at"]) > now for event in opened)
    assert all(now - timedelta(days=42) < _moment(event["pools"][0]["finish_at"]) < now for event in resolved)
    for event in opened:
        chart = demo.get(f"/pools/{event['pools'][0]['id']}/charts", range="all")["all"]
        moments = [_moment(point["timestamp"]) for point in chart]
        assert now - timedelta(days=42) < moments[0] < now - timedelta(days=30)
        assert any(now - timedelta(days=4) < moment < now for moment in moments)
        thought = demo.get(f"/pools/{event['pools'][0]['id']}/forecasts")
        assert (thought["forecasters"], len(thought["crowd"])) == (len(FORECASTERS), 1)
    assert any(card["volume_24h_kopecks"] for card in demo.get("/cards", sort="trending")["cards"])
    # Not of a week or a month, which may have begun just now.
    assert demo.get("/leaderboard", period="all")["entries"]
    (poll,) = demo.lived_through(polls.TAG, "active")
    assert [len(pool["markets"]) for pool in poll["pools"]] == [11, 3]
    assert_questions_have_baskets(demo, poll)
    remarks = demo.get(f"/events/{poll['id']}/comments")["comments"]
    assert remarks
    assert all(_moment(remark["created_at"]) < now - timedelta(hours=12) for remark in remarks)


def assert_questions_have_baskets(demo: Demo, poll: dict[str, Any]) -> None:
    """A number, a date and two questions at once were traded by baskets; a list has grown twice."""
    asked = [event for tag in questions.TAGS for event in demo.lived_through(tag, "active")]
    kinds = [event["pools"][0]["shape"]["kind"] for event in (poll, *asked)]
    assert kinds == ["number", "date", "joint", "list"]
    for event in (poll, *asked[:2]):
        trades = demo.get(f"/events/{event['id']}/trades", limit="100")["trades"]
        legs = [len(trade["legs"]) for trade in trades if trade["legs"] is not None]
        assert len(legs) > 2
        assert any(2 <= count < len(event["pools"][0]["markets"]) for count in legs)
    names = [market["name"] for market in asked[2]["pools"][0]["markets"]]
    assert names[4:] == [name for name, _, _ in questions.ADDED]


def assert_each_has_a_role(demo: Demo, accounts: dict[str, tuple[str, str]]) -> None:
    """Every account that is printed has its role, money, and something to see."""
    assert set(accounts) == {"trader", "creator", "operator", "admin"}
    for role, account in accounts.items():
        user = demo.sign_in(*account)["user"]
        roles = {name for name in ("creator", "operator", "admin") if user[f"is_{name}"]}
        assert roles == {role} - {"trader"}
        assert user["balance_kopecks"] > 0
    trader = demo.sign_in(*accounts["trader"])["access_token"]
    for state in ("open", "closed"):
        assert demo.get("/users/me/positions", trader, state=state)["positions"]
    assert len(demo.get("/users/me/pnl/chart", trader)["points"]) > length(short=2, long=3)
    eventually(assert_the_trader_follows, demo, trader)
    operator = demo.sign_in(*accounts["operator"])["access_token"]
    assert [chat["status"] for chat in demo.get("/admin/chat/sessions", operator)["sessions"]] == ["waiting"]


def assert_the_trader_follows(demo: Demo, trader: str) -> None:
    """The trader follows events, a creator and a tag, was notified of what came of it, and waits for prices."""
    follows = demo.get("/users/me/following", trader)
    assert len(follows["events"]) > OPEN // follows_of_the_demo.EVERY
    assert [len(follows[one]) for one in ("users", "tags")] == [1, 1]
    assert demo.get("/users/me/alerts", trader)["alerts"]
    listed = demo.get("/notifications", trader, limit="100")["notifications"]
    assert not any("₽" in one["text"] for one in listed)
    assert {"creator_published", "tag_published", "event_resolved", "outcome_added"} <= {one["type"] for one in listed}


def assert_it_has_a_record(demo: Demo) -> None:
    """Markets that are resolved are in the track record, a moment after they are paid."""
    deadline = time.monotonic() + WAIT_S
    while demo.get("/record")["markets"] < RECORDED_MIN:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    record = demo.get("/record")
    assert sum(one["markets"] for one in record["bins"]) == record["markets"]
    assert 0 < record["brier"] < 1


def eventually(check: Callable[..., None], *args: object) -> None:
    """Check what those who follow the trades write, a moment after the demo answers."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            check(*args)
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_every_real_market_has_a_picture_of_its_own() -> None:
    histories = read_histories(packaged_trades())
    pictures = {covers.draw(history.finding.topic, number) for number, history in enumerate(histories, start=1)}
    assert len(pictures) == len(histories) == 58


@proves("decisions: `foreknow demo` (serve with the real replication markets replayed into it)")
@LONG
@pytest.mark.slow
def test_the_demo_shows_real_markets_some_of_them_open_and_the_same_after_a_restart(tmp_path: Path, port: int) -> None:
    """It is even killed while it fills itself: the next start goes on."""
    with Demo(tmp_path, port) as demo:
        demo.wait_for_trades()
        demo.stop(signal.SIGKILL)
    with Demo(tmp_path, port) as demo:
        demo.wait()
        # It answers once all is resolved, and pays a moment later.
        opened, resolved = demo.events("active"), demo.paid(lambda: demo.events("resolved"))
        assert (len(opened), len(resolved)) == (OPEN, MARKETS - OPEN)
        assert all("подтвердится?" in event["name_ru"] for event in opened + resolved)
        pictures = {demo.image(event) for event in opened + resolved}
        assert len(pictures) == MARKETS
        past = demo.paid(lambda: demo.lived_through(TAG, "resolved"))
        assert {event["series"]["index"] for event in past} >= set(range(6))
        (disputed,) = demo.lived_through(DISPUTED_TAG, "closed")
        assert disputed["pools"][0]["resolution"]["state"] == "decided"
        eventually(assert_it_has_a_past, demo, opened, resolved)
        assert_it_has_a_record(demo)
        accounts = demo.accounts()
        assert_each_has_a_role(demo, accounts)
        assert demo.get("/site")["currency"]["code"] is None
        assert demo.join()["balance_kopecks"] == welcome.SIGN_UP_KOPECKS + welcome.INVITATION_KOPECKS
        demo.wait_for_more_trades()
        assert demo.stop(signal.SIGTERM) == 0

    with Demo(tmp_path, port) as demo:
        demo.wait()
        assert [event["id"] for event in demo.events("active")] == [event["id"] for event in opened]
        assert demo.events("resolved") == resolved
        assert demo.accounts() == accounts
        assert demo.stop(signal.SIGTERM) == 0
    audited = run_process("audit", environment=dict(os.environ), cwd=tmp_path)
    assert audited.code == 0, audited
