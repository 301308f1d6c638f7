"""A site of one's own as its people live it: from `foreknow init` to a deleted account and clean books."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import DAY_MS
from tests.commands.cli.conftest import Serve, Serving, run_process
from tests.support.http import NO_TLS
from tests.support.mailbox import Mailbox, link_of, mail_server, text_of
from tests.support.service import expect, pool, refused
from tests.support.waiting import wait_until

ADMIN, BOB = "ann@class.example", "bob@mail.example"
PASSWORD, NEW_PASSWORD = "correct horse battery", "a newer horse battery"
#: A Wednesday, 12:00 UTC.
BEGIN_MS = int(datetime(2030, 1, 2, 12, tzinfo=UTC).timestamp()) * 1000


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as box:
        yield box


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """The file that is the site's time."""
    file = tmp_path / "clock"
    file.write_text(str(BEGIN_MS))
    return file


@pytest.fixture
def site(environment: dict[str, str], serve: Serve, tmp_path: Path, mailbox: Mailbox, clock: Path) -> Serving:
    """A site that `init` has set up: its own database, its file of settings, its mail server."""
    environment["FOREKNOW_DATA_DIR"] = str(tmp_path / "data")
    made = run_process(
        *("init", "--yes", "--site-name=Class 9b", "--currency=points", "--sign-up=invite", f"--admin-email={ADMIN}"),
        *("--sign-up-kopecks=100000", "--public-url=class.example", f"--smtp-url=smtp://127.0.0.1:{mailbox.port}"),
        environment=environment | {"FOREKNOW_ADMIN_PASSWORD": PASSWORD},
    )
    assert made.code == 0, made
    with (tmp_path / "data" / "foreknow.env").open("a") as file:
        file.write("FOREKNOW_EMAIL_VERIFICATION=on\nFOREKNOW_READ=members\n")
        file.write('FOREKNOW_ALLOWANCE=\'{"kopecks": 5000, "every": "week", "up_to": 200000}\'\n')
    return serve(FOREKNOW_TEST_CLOCK=str(clock))


@dataclass(slots=True)
class Caller:
    """A person's program: signs in as they do, and asks for what they see."""

    client: httpx.Client

    def enter(self, way: str, status: int, **body: str) -> None:
        """Sign up or in."""
        self.client.headers.pop("Authorization", None)
        answer = expect(self.client.post(f"/auth/{way}", json=body), status)
        self.client.cookies.clear()
        self.client.headers["Authorization"] = f"Bearer {answer['access_token']}"

    def get(self, path: str) -> Any:
        """Return what an address answers."""
        return expect(self.client.get(path), 200)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        """Send something, and return what came back."""
        return expect(self.client.post(path, json=body), status)

    @property
    def balance_kopecks(self) -> int:
        return int(self.get("/users/me")["balance_kopecks"])


@pytest.fixture
def caller(site: Serving) -> Iterator[Callable[[], Caller]]:
    """Makes callers who have signed in nowhere."""
    with ExitStack() as opened:
        yield lambda: Caller(
            opened.enter_context(httpx.Client(base_url=site.api, trust_env=False, verify=NO_TLS, timeout=60))
        )


def leap(clock: Path, someone: Caller, to_ms: int) -> None:
    """Set the site's time, and wait until it lives in it: until a token of 20 minutes has ended."""
    clock.write_text(str(to_ms))
    wait_until(lambda: someone.client.get("/users/me").status_code == 401)


def a_market(admin: Caller) -> dict[str, Any]:
    """Make and publish an event, as the first of the first hour's three steps."""
    expect(admin.client.patch(f"/admin/users/{admin.get('/users/me')['id']}", json={"is_creator": True}), 200)
    event: dict[str, Any] = admin.post("/events/create-full", 201, name="Will it rain?", pools=[pool()])
    admin.post(f"/events/{event['id']}/publish")
    return event


def join(newcomers: dict[str, Caller], stranger: Caller, mailbox: Mailbox, invitation: str) -> None:
    """Sign up by the link, with nothing until the address is verified."""
    for address, newcomer in newcomers.items():
        newcomer.enter("sign-up", 201, email=address, name="Member", password=PASSWORD, invitation=invitation)
        refused(newcomer.client.get("/cards"), 403, "email_not_verified")
        assert newcomer.balance_kopecks == 0
        mail = mailbox.wait(address)
        assert "Class 9b" in text_of(mail)
        stranger.post("/auth/verify", token=link_of(mail, "/verify/"))
        assert newcomer.balance_kopecks == 150_000
    late = {"email": "late@mail.example", "name": "Late", "password": PASSWORD, "invitation": invitation}
    refused(stranger.client.post("/auth/sign-up", json=late), 409, "invitation_used")


def moderate(admin: Caller, author: Caller, reader: Caller, event_id: int) -> None:
    """A comment is reported, hidden, and the report closed."""
    said = author.post("/comments", 201, event_id=event_id, content="Idiots.")
    case = reader.post("/reports", 201, kind="comment", id=said["id"], reason="abuse")
    (shown,) = admin.get("/admin/reports?open=true")["reports"]
    assert (shown["id"], shown["count"], shown["target_id"]) == (case["id"], 1, said["id"])
    expect(admin.client.put(f"/admin/comments/{said['id']}/hidden", json={"hidden": True}), 200)
    admin.post(f"/admin/reports/{case['id']}/close", note="Hidden.")
    assert admin.get("/admin/reports?open=true")["reports"] == []
    (comment,) = reader.get(f"/events/{event_id}/comments")["comments"]
    assert (comment["hidden"], comment["content"]) == (True, "")


def replace_password(forgetful: Caller, stranger: Caller, mailbox: Mailbox) -> None:
    """Set a new one by a mailed link; the old one ends."""
    stranger.post("/auth/forgot", email=BOB.upper())
    stranger.post("/auth/reset", token=link_of(mailbox.wait(BOB, 2), "/reset/"), password=NEW_PASSWORD)
    old = {"login": BOB, "password": PASSWORD}
    refused(stranger.client.post("/auth/sign-in", json=old), 401, "invalid_credentials")
    forgetful.enter("sign-in", 200, login=BOB, password=NEW_PASSWORD)


def test_a_member_comes_bets_is_granted_more_and_leaves(
    caller: Callable[[], Caller], mailbox: Mailbox, clock: Path, site: Serving, environment: dict[str, str]
) -> None:
    ann, bob, cid, stranger = (caller() for _ in range(4))
    refused(stranger.client.get("/cards"), 401, "unauthorized")
    ann.enter("sign-in", 200, login=ADMIN, password=PASSWORD)
    event = a_market(ann)
    url = ann.post("/admin/invitations", 201, uses=2, credit_kopecks=50_000)["url"]
    join({BOB: bob, "cid@mail.example": cid}, stranger, mailbox, url.removeprefix("https://class.example/invite/"))
    market_id = event["pools"][0]["markets"][0]["id"]
    bob.post("/market/bets", 201, market_id=market_id, token_type="YES", amount_kopecks=148_000)
    moderate(ann, bob, cid, event["id"])

    # The day after, a password is lost.
    leap(clock, bob, BEGIN_MS + DAY_MS)
    replace_password(bob, stranger, mailbox)
    # Who was active in the week before gets the allowance on Monday.
    before_kopecks = bob.balance_kopecks
    assert bob.get("/users/me/allowance")["allowance"]["expected_kopecks"] == 5_000
    leap(clock, bob, BEGIN_MS + 7 * DAY_MS)
    bob.enter("sign-in", 200, login=BOB, password=NEW_PASSWORD)
    wait_until(lambda: bob.balance_kopecks == before_kopecks + 5_000)
    movements = bob.get("/users/me/transactions")["transactions"]
    assert [one["note"] for one in movements if one["type"] == "credit"] == ["Allowance", "Invitation", "Welcome"]

    mine = bob.get("/users/me/export")["tables"]
    assert (mine["users"][0]["email"], mine["comments"][0]["content"]) == (BOB, "Idiots.")
    bob.post("/users/me/delete", password=NEW_PASSWORD)
    refused(bob.client.get("/users/me"), 401, "unauthorized")
    left = {"login": BOB, "password": NEW_PASSWORD}
    refused(stranger.client.post("/auth/sign-in", json=left), 401, "invalid_credentials")
    assert site.stop() == 0
    audited = run_process("audit", environment=environment)
    assert audited.code == 0, audited
