"""Notifications that are mailed: when, to whom, what they say, and the links that end them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.support.kinds import ONCE
from tests.support.mailbox import Mailbox, link_of, mail_server, text_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

ORIGIN = "https://foreknow.test"
SETTINGS = "/users/me/notification-settings"
SUBJECT = "Your comment on “{}” has a new reply."


def settings_of(box: Mailbox) -> dict[str, Any]:
    return {
        "smtp_url": SecretStr(f"smtp://127.0.0.1:{box.port}"),
        "email_from": "site@foreknow.test",
        "public_url": ORIGIN,
        "site_name": "Прогнозы & Co",
    }


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def site(module_database_url: str, mailbox: Mailbox) -> Iterator[Service]:
    """A service that sends mails, whose clock the tests move on."""
    running = Service(module_database_url, **settings_of(mailbox))
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _later(site: Service) -> None:
    """Let each test begin at noon of another day."""
    site.clock.advance(2 * DAY_MS - (site.clock() - DAY_MS // 2) % DAY_MS)
    site.sign_out_shared()


def verify(site: Service, mailbox: Mailbox, address: str) -> None:
    token = link_of(mailbox.wait(address), "/verify/")
    expect(site.client().post("/auth/verify", json={"token": token}), 200)


def member(site: Service, mailbox: Mailbox, email: str = "now", **sign_up: Any) -> Person:
    """Sign someone up whose address is verified, and who is mailed replies."""
    person = site.user(**sign_up)
    verify(site, mailbox, person.email)
    expect(person.client.put(SETTINGS, json={"comment_reply": {"email": email}}), 200)
    return person


class Thread:
    """Comments of a person, to which another one replies."""

    def __init__(self, site: Service, person: Person, **event: Any) -> None:
        self.event = site.event(**event)
        self._site, self._other = site, site.user()
        self._first = self._comment(person, None)["id"]

    def reply(self) -> None:
        # The clock may have moved on, and the token have ended.
        token = self._site.sign_in(self._other.email, PASSWORD)
        self._other.client.headers["Authorization"] = f"Bearer {token}"
        self._comment(self._other, self._first)

    def _comment(self, author: Person, parent_id: int | None) -> Any:
        body = {"event_id": self.event["id"], "content": "A secret <b>word</b>.", "parent_id": parent_id}
        return expect(author.client.post("/comments", json=body), 201)


def settle(site: Service) -> None:
    """Wait until nothing is left to gather or to send now."""

    def is_done(tx: Any) -> bool:
        due = f"due_at_ms <= {site.clock()}"
        queries = (f"SELECT count(*) FROM notices WHERE {due}", f"SELECT count(*) FROM mails WHERE {due}")
        return not any(tx.exec_driver_sql(query).scalar() for query in queries)

    wait_until(lambda: site.look(is_done))


def notices_to(mailbox: Mailbox, person: Person) -> list[EmailMessage]:
    return [mail for mail in mailbox.to(person.email) if mail["List-Unsubscribe"]]


def unsubscribe_url(site: Service, mail: EmailMessage) -> str:
    """Return where the link of a mail leads, at the running service."""
    found = re.fullmatch(rf"<{ORIGIN}(/unsubscribe/[\w.-]+)>", mail["List-Unsubscribe"])
    assert found, mail["List-Unsubscribe"]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return site.url + found[1]


@proves(
    "site: Notices go to verified addresses alone: one at once, what comes in the next 15 minutes in one mail.",
    "site: Notices' List-Unsubscribe (RFC 8058)",
)
def test_one_is_mailed_at_once_and_what_comes_in_the_next_15_minutes_in_one_mail(
    site: Service, mailbox: Mailbox
) -> None:
    ann, stranger = member(site, mailbox), site.user()
    expect(stranger.client.put(SETTINGS, json={"comment_reply": {"email": "now"}}), 200)
    thread, other = Thread(site, ann, name="Derby?"), Thread(site, stranger)
    thread.reply()
    other.reply()
    first = mailbox.wait(ann.email, 2)

    assert first["Subject"] == SUBJECT.format("Derby?")
    assert f"{ORIGIN}/events/{thread.event['id']}" in text_of(first)
    assert "secret" not in text_of(first) + text_of(first, "html")
    for kind in ("plain", "html"):
        assert ("src=" in text_of(first, kind), "url(" in text_of(first, kind)) == (False, False)
    assert text_of(first).rstrip().splitlines()[-1] == (
        "You get this mail because the settings of your account on Прогнозы & Co have such news mailed to you."
    )
    site.clock.advance(5 * MINUTE_MS)
    for _ in range(3):
        thread.reply()
    settle(site)
    site.clock.advance(9 * MINUTE_MS)
    settle(site)
    assert len(notices_to(mailbox, ann)) == 1
    site.clock.advance(MINUTE_MS)
    second = mailbox.wait(ann.email, 3)
    assert second["Subject"] == "Прогнозы & Co: 3 notifications"
    assert f"{SUBJECT.format('Derby?')} ×3" in text_of(second)
    assert (first["Message-ID"] == second["Message-ID"], notices_to(mailbox, stranger)) == (False, [])
    assert site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM notices").scalar()) == 0


@proves("site: `daily`: at 8 in the user's zone, if there is news.")
def test_daily_news_come_at_eight_in_the_users_zone(site: Service, mailbox: Mailbox) -> None:
    ann = member(site, mailbox, "daily")
    expect(ann.client.patch("/users/me", json={"time_zone": "Asia/Tokyo"}), 200)
    thread = Thread(site, ann)
    thread.reply()
    # It is noon in London and 21:00 in Tokyo.
    site.clock.advance(11 * HOUR_MS - MINUTE_MS)
    thread.reply()
    settle(site)
    assert notices_to(mailbox, ann) == []

    site.clock.advance(MINUTE_MS)
    daily = mailbox.wait(ann.email, 2)
    assert "has a new reply. ×2" in text_of(daily)
    sent_at = datetime.strptime(daily["Date"], "%a, %d %b %Y %H:%M:%S %z").astimezone(UTC)
    assert sent_at.hour == 23
    site.clock.advance(DAY_MS)
    settle(site)
    assert len(notices_to(mailbox, ann)) == 1


def test_news_of_a_day_follow_a_change_of_zone_or_of_mind(site: Service, mailbox: Mailbox) -> None:
    ann, bob = member(site, mailbox, "daily"), member(site, mailbox, "daily")
    for person in (ann, bob):
        Thread(site, person).reply()
    site.clock.advance(MINUTE_MS)

    # There it is past 8 already: of the next day.
    expect(ann.client.patch("/users/me", json={"time_zone": "Pacific/Kiritimati"}), 200)
    expect(bob.client.put(SETTINGS, json={"comment_reply": {"email": "now"}}), 200)
    mailbox.wait(bob.email, 2)
    site.clock.advance(6 * HOUR_MS - 2 * MINUTE_MS)
    settle(site)
    assert notices_to(mailbox, ann) == []
    site.clock.advance(2 * MINUTE_MS)
    mailbox.wait(ann.email, 2)


@ONCE
def test_a_settled_position_is_mailed_in_the_users_language(site: Service, mailbox: Mailbox) -> None:
    ann = site.user(balance_kopecks=1_000)
    verify(site, mailbox, ann.email)
    expect(ann.client.patch("/users/me", json={"language": "ru"}), 200)
    event = site.event(name="Derby\nBcc: x@y", name_ru="Дерби <i>", pools=[pool(["Reds", "Blues"])])
    market_id = event["pools"][0]["markets"][0]["id"]
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}
    shares = expect(ann.client.post("/market/bets", json=order), 201)["shares"]
    expect(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    mail = mailbox.wait(ann.email, 2)

    paid, won = (f"{kopecks // 100},{kopecks % 100:02}\u00a0₽" for kopecks in (shares, shares - 1_000))
    said = f"Расчёт по позиции ДА, «Reds» в «Дерби <i>»: выплачено {paid}, прибыль {won}."
    assert mail["Subject"] == said.replace("\u00a0", " ")
    assert said in text_of(mail)
    assert f"{ORIGIN}/portfolio?tab=closed" in text_of(mail)
    assert "«Дерби &lt;i&gt;»" in text_of(mail, "html")
    assert "потому что так выбрано" in text_of(mail).rstrip().splitlines()[-1]


@proves(
    "site: POST /unsubscribe/{token} (None) | any body: 200 `{}`: that mail's types go off; for ever, whatever secret "
    "is replaced, until the address changes; 400 `invalid_token`; GET: a page with one button.",
)
def test_the_link_of_a_mail_ends_mails_of_its_types(site: Service, mailbox: Mailbox) -> None:
    ann = member(site, mailbox)
    Thread(site, ann).reply()
    url = unsubscribe_url(site, mailbox.wait(ann.email, 2))
    assert url.removeprefix(site.url) in text_of(mailbox.wait(ann.email, 2))
    before = expect(ann.client.get(SETTINGS), 200)

    for method in ("GET", "HEAD"):
        page = httpx.request(method, url, headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in page.headers["content-security-policy"]
    page = httpx.get(url)
    assert page.text.count("<button") == 1
    assert "Прогнозы &amp; Co will no longer mail you" in page.text
    assert ("<script" in page.text, ann.email in page.text) == (False, False)
    assert expect(ann.client.get(SETTINGS), 200) == before

    for wrong in (url + "x", url[:-1], url.replace("comment_reply", "position_settled"), f"{site.url}/unsubscribe/"):
        refused(httpx.post(wrong), 400, "invalid_token")
    assert httpx.get(url + "x", headers={"Accept": "text/html"}).status_code == 400
    assert expect(ann.client.get(SETTINGS), 200) == before
    assert httpx.put(url).status_code == 405

    after = before | {"comment_reply": {"app": True, "email": "off"}}
    for body in (b"List-Unsubscribe=One-Click", b"", b"{", b"\0" * 100_000):
        assert expect(httpx.post(url, content=body), 200) == {}
        assert expect(ann.client.get(SETTINGS), 200) == after
    done = httpx.post(url, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (done.status_code, "You get no more mails of this kind" in done.text) == (200, True)


def test_the_link_outlives_every_secret_of_the_settings_and_ends_with_the_address(
    start_service: Callable[..., Service],
) -> None:
    with mail_server() as mailbox:
        service = start_service(**settings_of(mailbox), token_secret=SecretStr("a" * 64), read="members")
        ann = member(service, mailbox)
        Thread(service, ann).reply()
        path = unsubscribe_url(service, mailbox.wait(ann.email, 2)).removeprefix(service.url)
        service.settings = service.settings.model_copy(update={"token_secret": SecretStr("b" * 64)})
        service.restart()
        assert httpx.get(service.url + path).status_code == 200
        assert expect(httpx.post(service.url + path), 200) == {}

        client = service.client(token=service.sign_in(ann.email, PASSWORD))
        assert expect(client.get(SETTINGS), 200)["comment_reply"]["email"] == "off"
        new = f"new.{ann.email}"
        expect(client.put("/users/me/email", json={"email": new, "password": PASSWORD}), 200)
        verify(service, mailbox, new)
        refused(httpx.post(service.url + path), 400, "invalid_token")


def test_a_mail_that_waits_says_nothing_that_is_not_wanted_any_more(site: Service, mailbox: Mailbox) -> None:
    ann = member(site, mailbox)
    mailbox.answer_mail = lambda address: "451 later" if address == ann.email else "250 taken"
    try:
        Thread(site, ann).reply()
        wait_until(lambda: site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM mails").scalar()) == 1)
        expect(ann.client.put(SETTINGS, json={"comment_reply": {"email": "off"}}), 200)
    finally:
        mailbox.answer_mail = lambda _: "250 taken"
    site.clock.advance(HOUR_MS)
    settle(site)
    wait_until(lambda: site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM mails").scalar()) == 0)
    assert notices_to(mailbox, ann) == []


def test_news_for_an_address_that_is_given_up_go_nowhere(site: Service, mailbox: Mailbox) -> None:
    ann = member(site, mailbox, "daily")
    thread = Thread(site, ann)
    thread.reply()
    new = f"new.{ann.email}"
    expect(ann.client.put("/users/me/email", json={"email": new, "password": PASSWORD}), 200)
    verify(site, mailbox, new)
    expect(site.admin.patch(f"/admin/users/{ann.id}", json={"is_active": False}), 200)
    site.clock.advance(DAY_MS)
    settle(site)
    assert notices_to(mailbox, ann) == []
    assert [mail["Subject"] for mail in mailbox.to(new)] == ["Verify your e-mail address"]


@ONCE
def test_many_news_are_one_mail_that_counts_what_it_does_not_name(site: Service, mailbox: Mailbox) -> None:
    ann = member(site, mailbox, "daily")
    thread = Thread(site, ann)
    for _ in range(60):
        thread.reply()
    site.clock.advance(DAY_MS)
    mail = mailbox.wait(ann.email, 2)

    assert mail["Subject"] == "Прогнозы & Co: 60 notifications"
    assert "has a new reply. ×50" in text_of(mail)
    assert "There are 10 more: see them on Прогнозы & Co." in text_of(mail)
    settle(site)
    assert len(notices_to(mailbox, ann)) == 1


@ONCE
def test_a_site_without_a_mail_server_has_settings_and_keeps_nothing_to_mail(service: Service) -> None:
    ann = service.user()
    expect(ann.client.put(SETTINGS, json={"comment_reply": {"email": "now"}}), 200)
    Thread(service, ann).reply()

    assert service.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM notices").scalar()) == 0
