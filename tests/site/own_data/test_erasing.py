"""Nothing of a deleted person is left in any table, in the images, in SQLite's files or in the log."""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from foreknow.kernel.logging import configure_logging
from foreknow.people.admin_log.tables import admin_log
from foreknow.people.invitations.tables import invitations
from foreknow.people.oauth.tables import identities
from foreknow.people.users.tables import users
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing.tables import mails
from foreknow.service.tables import metadata
from foreknow.site.comments.store import insert_comment
from foreknow.site.own_data.personal_tables import EXPORTED, NOT_EXPORTED, STAYING
from foreknow.site.own_data.store import DeletionPhase
from foreknow.site.own_data.tables import deletions
from tests.support.orders import bet
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect
from tests.support.shapes import FINISH_AT
from tests.support.sign_in import make_key, new_link, try_sign_in
from tests.support.stored_images import fetch

ENDED = "site: Deletion ends sessions, keys, provider links,"
ERASED = "site: erases e-mail, names, avatar, text of chat (both sides), comments,"
AT_ONCE = "site: reports from tables and images at once, every server's answers within 1 s,"
FILES = "site: SQLite's files within an hour; logs have none."
#: Longer than until the last phase of a deletion.
HOUR_MS = 3_600_000
MAIL = {
    "smtp_url": SecretStr("smtp://127.0.0.1:9"),
    "email_from": "site@foreknow.test",
    "public_url": "http://foreknow.test",
}


class Marked:
    """A person of whom every text, name and address has one mark in it, and what else the service keeps of them."""

    def __init__(self, service: Service) -> None:
        """Sign up, and leave rows wherever a person leaves any."""
        self.mark = secrets.token_hex(4)
        self.service = service
        self.person = service.user(
            creator=True,
            operator=True,
            admin=True,
            email=f"Mail{self.mark}@example.org",
            name=f"Name {self.mark}",
            nickname=f"nick{self.mark}",
        )
        self._as_others_know_them()
        self._as_a_member()
        self._as_one_who_reports_and_is_reported()
        self._as_a_creator()
        self._as_who_clarified()
        self._as_an_operator()
        self.write(self._as_rows_only)

    @property
    def id(self) -> int:
        """The person's id."""
        return self.person.id

    def write(self, work: Callable[[WriteTx], None]) -> None:
        """Write rows that no request of a test could."""
        self.service.server.run(self.service.app.db.write(work))

    def _as_others_know_them(self) -> None:
        admin, service = self.service.admin, self.service
        note = {"amount_kopecks": 5_000, "note": f"For {self.mark}"}
        expect(admin.post(f"/admin/users/{self.id}/credit", json=note), 201)
        expect(admin.post(f"/admin/users/{self.id}/credit", json=note | {"amount_kopecks": -10}), 201)
        new_link(service, self.id)
        for login in (self.person.email, self.person.nickname.upper()):
            try_sign_in(service, login, f"wrong {self.mark}")
        expect(service.client().post("/auth/forgot", json={"email": self.person.email.upper()}), 200)

    def _as_a_member(self) -> None:
        client, event = self.person.client, self.service.event()
        expect(
            client.post("/auth/sign-in", json={"login": self.person.email, "password": PASSWORD}, headers=self._agent),
            200,
        )
        make_key(client, name=f"Key {self.mark}")
        expect(client.put("/users/me/email", json={"email": f"new{self.mark}@example.org", "password": PASSWORD}), 200)
        expect(client.put("/users/me/avatar", content=image()), 200)
        said = {"event_id": event["id"], "content": f"Said {self.mark}"}
        comment = expect(client.post("/comments", json=said), 201)["id"]
        expect(client.post("/comments", json=said | {"parent_id": comment}), 201)
        expect(client.put(f"/comments/{comment}/reaction", json={"type": "like"}), 200)
        reply = said | {"parent_id": comment, "content": "Yes"}
        expect(self.service.creator.client.post("/comments", json=reply), 201)
        market = event["pools"][0]["markets"][0]["id"]
        client.headers["Idempotency-Key"] = f"key-{self.mark}"
        expect(bet(self.person, market, "YES", 500), 201)
        del client.headers["Idempotency-Key"]
        self.pool = event["pools"][0]["id"]
        thought = {"probabilities": [0.5], "note": f"Because of {self.mark}"}
        expect(client.put(f"/pools/{self.pool}/forecast", json=thought), 200)
        expect(client.post("/chat/session"), 201)
        expect(client.post("/chat/message", json={"text": f"Help {self.mark}"}), 200)
        session = expect(self.service.admin.get("/admin/chat/sessions"), 200)["sessions"][0]["session_id"]
        answer = {"text": f"Dear {self.mark}"}
        expect(self.service.admin.post(f"/admin/chat/sessions/{session}/messages", json=answer), 201)

    @property
    def _agent(self) -> dict[str, str]:
        return {"User-Agent": f"Browser {self.mark}"}

    def _as_one_who_reports_and_is_reported(self) -> None:
        other = self.service.user()
        event = self.service.event()["id"]
        said = {"event_id": event, "content": "Gone already"}
        comment = expect(self.person.client.post("/comments", json=said), 201)["id"]
        theirs = {"reason": "other", "text": f"Says {self.mark}"}
        reported = ({"kind": "user", "id": self.id}, {"kind": "comment", "id": comment})
        for client, thing in (
            *((other.client, each) for each in reported),
            (self.person.client, {"kind": "event", "id": event}),
        ):
            case = expect(client.post("/reports", json=thing | theirs), 201)["id"]
            if thing["kind"] == "comment":
                note = {"note": f"By {self.mark}"}
                expect(self.service.admin.post(f"/admin/reports/{case}/close", json=note), 200)
                hide = {"hidden": True, **note}
                expect(self.service.admin.put(f"/admin/comments/{comment}/hidden", json=hide), 200)
        expect(self.person.client.delete(f"/comments/{comment}"), 200)

    def _as_a_creator(self) -> None:
        names = [f"A {self.mark}", f"B {self.mark}"]
        metadata_ = {"market_names": names, "resolution": {"kind": "manual"}}
        questions = [{"name": f"{self.mark} {one}", "outcomes": [f"Y {self.mark}", "N"]} for one in (1, 2)]
        unit = {"kind": "number", "edges": [1], "unit": self.mark}
        draft: dict[str, Any] = {
            "name": f"Draft {self.mark}",
            "name_ru": f"Набросок {self.mark}",
            "tags": [f"tag-{self.mark}"],
            "versus_names": names,
            "external_event_url": f"https://polymarket.com/event/{self.mark}",
            "pools": [
                {"name": f"Q {self.mark}", "name_ru": self.mark, "rules": f"R {self.mark}", "metadata": metadata_},
                {"metadata": {"shape": {"kind": "joint", "questions": questions}}},
                {"metadata": {"shape": unit}},
            ],
        }
        event = self.service.event(self.person, publish=False, **draft)
        expect(self.person.client.put(f"/events/{event['id']}/image", content=image()), 200)
        cancelled = self.service.event(self.person, publish=False, **draft)
        expect(self.person.client.post(f"/events/{cancelled['id']}/cancel"), 200)

    def _as_who_clarified(self) -> None:
        event = self.service.event(self.person)
        path = f"/pools/{event['pools'][0]['id']}/clarifications"
        said = expect(self.person.client.post(path, json={"text": "Part of the rules"}), 201)["id"]
        hide = {"hidden": True, "note": f"By {self.mark}"}
        expect(self.service.admin.put(f"/admin/clarifications/{said}/hidden", json=hide), 200)
        expect(self.person.client.post(f"/events/{event['id']}/cancel"), 200)

    def _as_an_operator(self) -> None:
        visitor = self.service.user()
        session = expect(visitor.client.post("/chat/session"), 201)["session_id"]
        answer = {"text": f"Signed, {self.mark}"}
        expect(self.person.client.post(f"/admin/chat/sessions/{session}/messages", json=answer), 201)

    def _as_rows_only(self, tx: WriteTx) -> None:
        """What a provider, another's invitation, a release of before and a mail server leave."""
        identity = {"issuer": "https://example.org", "subject": self.mark, "user_id": self.id, "created_at_ms": 1}
        tx.execute(identities.insert().values(identity))
        ids: list[int] = []
        for uses, note in ((1, "for a friend"), (9, f"for Name {self.mark.upper()}, and others")):
            row = {"token_hash": secrets.token_hex(8), "uses": uses, "credit_kopecks": 0, "creator": False}
            new = invitations.insert().values(**row, note=note, created_at_ms=1).returning(invitations.c.id)
            ids.append(tx.execute(new).scalar_one())
        tx.execute(users.update().where(users.c.id == self.id).values(invitation_id=ids[0]))
        entry = {"action": "user.roles", "target": "user:1", "details": {}, "created_at_ms": 1}
        tx.execute(admin_log.insert().values(**entry, user_id=self.id, who=self.person.email))
        about = {"action": "user.mute", "target": f"user:{self.id}", "details": {"note": self.mark, "until": None}}
        tx.execute(admin_log.insert().values(**about, who="command line", created_at_ms=1))
        mail = {"kind": "verify", "address": self.person.email, "user_id": self.id, "message_id": "m"}
        times = {"created_at_ms": 1, "ends_at_ms": 10**15, "due_at_ms": 10**15}
        tx.execute(mails.insert().values(**mail, **times, params={"name": self.mark}))


def rows_with(tx: ReadTx, mark: str) -> list[str]:
    """Return which columns of all tables there are hold the mark, whatever their types."""
    found: list[str] = []
    for table in metadata.tables:
        for row in tx.execute(sa.text(f'SELECT * FROM "{table}"')).mappings():
            for name, value in row.items():
                text = bytes(value).decode(errors="replace") if isinstance(value, bytes | memoryview) else str(value)
                if mark in text.lower():
                    found.append(f"{table}.{name}: {text}")
    return found


def files_with(service: Service, mark: str) -> list[str]:
    """Return which files of SQLite hold the mark."""
    if not service.database_url.startswith("sqlite"):
        return []
    path = make_url(service.database_url).database or ""
    files = [Path(path + suffix) for suffix in ("", "-wal", "-shm")]
    return [str(file) for file in files if file.exists() and mark.encode() in file.read_bytes().lower()]


def finish(service: Service) -> None:
    """Let the time of all that is left to do come, and do it."""
    for _ in DeletionPhase:
        service.clock.advance(HOUR_MS)
        while service.server.run(service.app.services.deletion.run_due()):
            pass
    assert service.look(lambda tx: tx.execute(sa.select(deletions)).all()) == []


@pytest.fixture
def logged() -> io.StringIO:
    """Everything that is logged meanwhile."""
    lines = io.StringIO()
    configure_logging(level="debug", form="json", stream=lambda: lines)
    return lines


@proves(ENDED, ERASED, AT_ONCE, FILES)
def test_nothing_is_left_of_a_deleted_person(start_service: Callable[..., Service], logged: io.StringIO) -> None:
    service = start_service(**MAIL)
    marked = Marked(service)
    images = Path(service.settings.data_dir) / "images"
    assert len(service.look(lambda tx: rows_with(tx, marked.mark))) > 30
    assert len(list(images.iterdir())) > 1

    expect(service.admin.post(f"/admin/users/{marked.id}/delete"), 200)

    assert service.look(lambda tx: rows_with(tx, marked.mark)) == []
    # That of the draft goes with its row.
    service.server.run(service.app.services.images.clear())
    assert list(images.iterdir()) == []
    assert service.look(lambda tx: _rows_of(tx, marked.id)) == {}
    finish(service)
    assert files_with(service, marked.mark) == []
    assert "/users/{user_id}/delete" in logged.getvalue()
    assert marked.mark not in logged.getvalue().lower()


@proves(ERASED)
def test_a_draft_that_a_price_would_have_resolved_is_shown_like_others(service: Service) -> None:
    person = service.user(creator=True)
    body = {"template": "price", "symbol": "BTC", "thresholds": [60_000, 70_000], "finish_at": FINISH_AT}
    draft = expect(person.client.post("/events/from-template", json=body), 201)
    expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)

    shown = expect(service.admin.get(f"/events/{draft['id']}"), 200)

    assert (shown["status"], shown["pools"][0]["shape"]) == ("cancelled", None)
    expect(service.admin.get("/events", params={"status": "cancelled"}), 200)
    expect(service.admin.get("/cards", params={"status": "cancelled"}), 200)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@proves(FILES)
def test_the_file_holds_it_until_it_is_written_again(start_service: Callable[..., Service]) -> None:
    """Otherwise the test above would find nothing where there is nothing to be found."""
    service = start_service(**MAIL)
    people = [Marked(service) for _ in range(3)]
    for marked in people:
        expect(service.admin.post(f"/admin/users/{marked.id}/delete"), 200)

    assert any(files_with(service, marked.mark) for marked in people)
    finish(service)
    assert [files_with(service, marked.mark) for marked in people] == [[], [], []]
    # What is there still works.
    service.sign_out_shared()
    expect(service.user(balance_kopecks=10).client.get("/users/me"), 200)


@proves(ERASED)
def test_what_a_request_wrote_that_was_let_in_before_goes_a_minute_later(start_service: Callable[..., Service]) -> None:
    service = start_service()
    person, event = service.user(), service.event()
    expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)
    _write_late(service, person, event["id"])
    assert service.look(lambda tx: rows_with(tx, "much too late")) != []

    finish(service)

    assert service.look(lambda tx: rows_with(tx, "much too late")) == []


def _write_late(service: Service, person: Person, event_id: int) -> None:
    def work(tx: WriteTx) -> None:
        insert_comment(
            tx, event_id=event_id, user_id=person.id, parent=None, content="much too late", at_ms=service.clock()
        )

    service.server.run(service.app.db.write(work))


def _rows_of(tx: ReadTx, user_id: int) -> dict[str, int]:
    """Return of each column of persons that nothing stays of, how many rows are the person's."""
    found: dict[str, int] = {}
    prefixes = {each.column: each.prefix for each in EXPORTED} | {"sign_in_failures.account": "user:"}
    for name in {*prefixes, *NOT_EXPORTED} - set(STAYING):
        table, _, column = name.partition(".")
        prefix = prefixes.get(name, "")
        value = f"{prefix}{user_id}" if prefix else user_id
        count = sa.select(sa.func.count()).select_from(metadata.tables[table])
        found[name] = tx.execute(count.where(metadata.tables[table].c[column] == value)).scalar_one()
    return {name: number for name, number in found.items() if number}


@proves("site: drafts; erases", AT_ONCE)
@pytest.mark.parametrize("by", ["themselves", "an admin"])
def test_the_cover_of_a_draft_goes_at_once(service: Service, by: str) -> None:
    person = service.user(creator=True)
    draft = service.event(person, publish=False)
    cover = expect(person.client.put(f"/events/{draft['id']}/image", content=image()), 200)["image_url"]
    folder = Path(service.settings.data_dir) / "images"
    assert list(folder.glob(f"*{Path(cover).stem}*"))

    if by == "themselves":
        expect(person.client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    else:
        expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)

    assert list(folder.glob(f"*{Path(cover).stem}*")) == []
    assert fetch(service, cover).status_code == 404
