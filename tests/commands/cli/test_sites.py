"""A site that is backed up, tried as a copy and restored, with two real receivers: a partner's, and one of alerts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from foreknow.people.alerts.sender import GAP_MS
from foreknow.platform.db.clock import now_ms
from foreknow.platform.sending import HELD_TEXT
from foreknow.site.webhooks.store import DELIVERIES
from tests.commands.cli.conftest import Command, Serve
from tests.support.kinds import ON_SQLITE
from tests.support.metrics import scrape, value
from tests.support.partner_orders import bet
from tests.support.restoring import Backup
from tests.support.service import PartnerAccount, Service, expect
from tests.support.webhook import Webhook, webhook


@dataclass(frozen=True, slots=True)
class Receivers:
    """Where partners and alerts really are."""

    partner: Webhook
    alerts: Webhook

    def serve(self, database_url: str, data_dir: Path) -> Service:
        """Serve a database with the settings of the site."""
        return Service(database_url, data_dir=data_dir, support_alert_urls=SecretStr(self.alerts.url))


@pytest.fixture
def receivers() -> Iterator[Receivers]:
    with webhook() as partner, webhook() as alerts:
        yield Receivers(partner, alerts)


@pytest.fixture
def backup(database_kind: str, database_url: str, request: pytest.FixtureRequest, tmp_path: Path) -> Backup:
    target_url = f"sqlite:///{tmp_path}/elsewhere/foreknow.sqlite3"
    if database_kind != "sqlite":
        target_url = str(request.getfixturevalue("postgres_url"))
    return Backup(database_url, target_url, tmp_path / "backup")


def deposit(service: Service, partner: PartnerAccount, kopecks: int) -> None:
    expect(service.admin.post(f"/admin/partners/{partner.name}/deposit", json={"amount_kopecks": kopecks}), 201)


def resolve(service: Service, pool: dict[str, Any], won_side: int) -> None:
    expect(service.admin.post(f"/pools/{pool['id']}/resolve", json={"won_side": won_side}), 200)


def call_operator(service: Service) -> None:
    visitor = service.client()
    expect(visitor.post("/chat/session"), 201)
    expect(visitor.post("/chat/session/call-operator"), 200)


def is_any_due(service: Service) -> bool:
    return bool(service.look(lambda tx: DELIVERIES.is_any_due(tx, now_ms=now_ms(tx))))


def lines(service: Service, partner: PartnerAccount) -> dict[int, Any]:
    """The lines of a statement by their ids."""
    shown = expect(service.client(partner_key=partner.key).get("/partner/transactions"), 200)["transactions"]
    return {line["id"]: line for line in shown}


def try_copy(copy: Service, partner: PartnerAccount, webhook_path: str) -> None:
    """Use a copy: it says that it sends nothing, to a person who asks for a test message too."""
    deposit(copy, partner, 99)
    call_operator(copy)
    assert not is_any_due(copy)
    assert expect(copy.client().get("/ready"), 200) == {"status": "ready", "sending": "held"}
    assert value(scrape(copy), "foreknow_sending_held") == 1
    assert expect(copy.admin.post(f"{webhook_path}/test"), 200) == {"delivered": False, "reason": HELD_TEXT}
    assert expect(copy.admin.get(webhook_path), 200)["reason"] == HELD_TEXT
    copy.stop()


def test_a_restored_site_gives_no_id_out_twice_and_a_copy_sends_nothing(
    command: Command, backup: Backup, receivers: Receivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = receivers.serve(backup.url, tmp_path / "data")
    partner, pool = site.partner(10_000), site.event()["pools"][0]
    webhook_path = f"/admin/partners/{partner.name}/webhook"
    expect(site.admin.put(webhook_path, json={"url": receivers.partner.address}), 200)
    expect(bet(partner, "ann", pool["markets"][0]["id"], 2_000), 201)
    receivers.partner.wait_for(1)
    backup.make()
    # What the restore loses: lines that the partner has, a pool's result, an alert.
    for kopecks in range(1, 6):
        deposit(site, partner, kopecks)
    resolve(site, pool, 0)
    receivers.partner.wait_for(8)
    call_operator(site)
    receivers.alerts.wait_for(1)
    known = lines(site, partner)
    assert value(scrape(site), "foreknow_sending_held") == 0

    # A trial, while the site goes on.
    backup.restore_elsewhere()
    try_copy(receivers.serve(backup.target_url, tmp_path / "trial"), partner, webhook_path)
    assert expect(site.client().get("/ready"), 200) == {"status": "ready"}
    site.stop()

    # The restore, into the same place. A second start changes nothing.
    backup.restore_in_place()
    monkeypatch.setenv("FOREKNOW_DATA_DIR", str(tmp_path / "data"))
    assert command("site").out.startswith("It sends nothing: ")
    for kopecks in (77, 78):
        site.start_again()
        deposit(site, partner, kopecks)
        assert not is_any_due(site)
        if kopecks == 77:
            site.stop()
    assert (len(receivers.partner.requests), len(receivers.alerts.requests)) == (8, 1)
    resolve(site, pool, 1)
    new = {id_ for id_, line in lines(site, partner).items() if known.get(id_) != line}
    assert min(new) > max(known)

    # After an operator's word all of it comes.
    assert "sends nothing since" in command("site").out
    assert command("site", "confirm").code == 0
    assert command("site").out == "It is the site: it sends.\n"
    # Past the leases that the backup may hold, and the pause between two messages of alerts.
    site.clock.advance(GAP_MS)
    receivers.partner.wait_for(8 + 4)
    call_operator(site)
    receivers.alerts.wait_for(2)
    contents: dict[str, set[bytes]] = {}
    for call in receivers.partner.requests:
        contents.setdefault(call.headers["webhook-id"], set()).add(call.raw)
    assert max(map(len, contents.values())) == 1, contents
    # On a slow machine one is posted while the clock leaps past its lease, and posted again: under the same id.
    sent = {call.headers["webhook-id"]: call.body for call in receivers.partner.requests}
    assert [body["data"]["won_side"] for body in sent.values() if body["type"] == "pool.resolved"] == [0, 1]
    site.restart()
    assert expect(site.client().get("/ready"), 200) == {"status": "ready"}
    site.stop()


@ON_SQLITE
def test_an_operator_holds_what_cannot_tell_and_ends_it(command: Command, tmp_path: Path) -> None:
    assert command("partner", "add", "acme").code == 0
    assert command("site", "--json").out == '{"held": null}\n'
    assert command("site", "confirm").out.endswith("is the site, as it was.\n")
    held = command("site", "hold")
    assert (held.code, "an operator said so" in held.out) == (0, True)
    # Ids leap at once, for what commands write too.
    added = command("partner", "add", "second")
    assert int(added.lines[0].split("key ")[1].split(".")[0]) > 10**13
    (since,) = json.loads(command("site", "--json").out)["held"].items() - {
        ("reason", "an operator said so (foreknow site hold)")
    }
    assert since[0] == "since"
    assert command("site", "hold").out == held.out
    assert "sends from now on" in command("site", "confirm").out


@ON_SQLITE
def test_serve_says_that_it_sends_nothing_and_how_that_ends(
    command: Command, serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FOREKNOW_TRIAL", "on")
    trial = command("site", "confirm")
    assert (trial.code, "FOREKNOW_TRIAL" in trial.err) == (2, True)
    monkeypatch.delenv("FOREKNOW_TRIAL")
    assert serve(FOREKNOW_TRIAL="on", FOREKNOW_DATA_DIR=str(tmp_path / "data")).stop() == 0
    entries = [json.loads(line) for line in (tmp_path / "serve-0.log").read_text().splitlines() if line[:1] == "{"]
    (said,) = [entry for entry in entries if entry["event"] == "sending held"]
    assert (said["level"], said["reason"]) == ("warning", "FOREKNOW_TRIAL is on")
    assert "foreknow site confirm" in said["remedy"]


READING = [
    ["audit"],
    ["user", "list"],
    ["user", "roles", "a@example.org"],
    ["user", "roles", "a@example.org", "--admin"],
    ["user", "credit", "a@example.org", "5"],
    ["partner", "list"],
    ["partner", "keys", "acme"],
    ["partner", "deposit", "acme", "5"],
    ["site"],
    ["status"],
    ["upgrade", "--backups", "backups"],
    ["site", "confirm"],
    ["copy", "--to", "sqlite:///elsewhere.sqlite3"],
    ["backup", "backups"],
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_what_needs_a_database_makes_none_and_says_where_it_looked(
    say: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = say(*arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), ended
    assert f"{tmp_path}/foreknow-data/foreknow.sqlite3" in ended.err
    assert list(tmp_path.iterdir()) == []
    # An empty file and another program's are none, and stay as they are.
    for content in (b"", b"Dear all, " * 100):
        (tmp_path / "letter").write_bytes(content)
        monkeypatch.setenv("FOREKNOW_DATABASE_URL", f"sqlite:///{tmp_path}/letter")
        ended = say(*arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), ended
        assert f"{tmp_path}/letter" in ended.err
        assert (tmp_path / "letter").read_bytes() == content
        assert [file.name for file in tmp_path.iterdir()] == ["letter"]


@pytest.mark.postgres
def test_an_empty_database_of_postgres_is_not_clean(
    say: Command, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", postgres_url)
    ended = say("audit")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), ended
    assert postgres_url.rpartition("@")[2] in ended.err
    missing = postgres_url.rpartition("/")[0] + "/nowhere"
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", missing)
    for arguments in (["audit"], ["migrate"], ["user", "list"]):
        ended = say(*arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), ended
        assert missing.rpartition("@")[2] in ended.err
        assert missing.rpartition("@")[0].rpartition(":")[2] not in ended.err


@ON_SQLITE
def test_what_reads_names_its_database(command: Command, database_url: str) -> None:
    path = database_url.removeprefix("sqlite:///")
    assert command("user", "list").err == f"Database: {path}\n"
