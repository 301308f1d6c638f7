"""Mails of price alerts, and a day's mail of what one follows: what they say, why, and how one click ends them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage

import httpx
import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso
from foreknow.people.users.schemas import UserLanguage
from tests.site.following.readers import bet, follow, wait_for_notices
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.mailbox import Mailbox, link_of, mail_server, text_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool

ORIGIN = "https://foreknow.test"
SETTINGS = "/users/me/notification-settings"
RICH = 10_000_000


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def site(module_database_url: str, mailbox: Mailbox) -> Iterator[Service]:
    """A service that sends mails, whose clock the tests move on."""
    running = Service(
        module_database_url,
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url=ORIGIN,
        site_name="Derby & Co",
    )
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _later(site: Service) -> None:
    """Let each test begin at noon of another day."""
    site.clock.advance(2 * DAY_MS - (site.clock() - DAY_MS // 2) % DAY_MS)
    site.sign_out_shared()


def member(site: Service, mailbox: Mailbox, *, language: UserLanguage = "en", balance_kopecks: int = 0) -> Person:
    """Return someone with a verified address."""
    person = site.user(balance_kopecks=balance_kopecks)
    token = link_of(mailbox.wait(person.email), "/verify/")
    expect(site.client().post("/auth/verify", json={"token": token}), 200)
    expect(person.client.patch("/users/me", json={"language": language}), 200)
    return person


def sign_in_again(site: Service, *people: Person) -> None:
    """Sign people in whose tokens have ended with the time that passed."""
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {site.sign_in(person.email, PASSWORD)}"


def last_line(mail: EmailMessage) -> str:
    return text_of(mail).rstrip().splitlines()[-1]


def stop_by_one_click(site: Service, mail: EmailMessage) -> None:
    """Do what a mail program's button does (RFC 8058)."""
    found = re.fullmatch(rf"<{ORIGIN}(/unsubscribe/[\w.-]+)>", mail["List-Unsubscribe"])
    assert found, mail["List-Unsubscribe"]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    expect(httpx.post(site.url + found[1], content=b"List-Unsubscribe=One-Click"), 200)


@proves("site: Default: app on; mail `now` for `position_settled`, `resolution_needed`, `operator_answer`,")
def test_a_reached_price_alert_is_mailed_at_once_until_one_click_ends_it(site: Service, mailbox: Mailbox) -> None:
    ann, bob = member(site, mailbox), site.user(balance_kopecks=RICH)
    event = site.event(name="Who wins <the> derby?")
    market_id = event["pools"][0]["markets"][0]["id"]
    expect(ann.client.put(f"/markets/{market_id}/alert", json={"above": 6000}), 200)
    bet(bob, event, 50_000)
    mail = mailbox.wait(ann.email, 2)

    (notice,) = wait_for_notices(ann, "price_alert")
    assert "has risen to" in notice["text"]
    assert mail["Subject"] == notice["text"]
    assert text_of(mail).splitlines()[:2] == [notice["text"], f"{ORIGIN}/events/{event['id']}"]
    assert "“Will it?” in “Who wins &lt;the&gt; derby?” has risen to" in text_of(mail, "html")
    assert last_line(mail) == "You get this mail because you set a price alert on Derby & Co."

    stop_by_one_click(site, mail)
    assert expect(ann.client.get(SETTINGS), 200)["price_alert"] == {"app": True, "email": "off"}
    expect(ann.client.put(f"/markets/{market_id}/alert", json={"above": 8000}), 200)
    bet(bob, event, 200_000)
    wait_for_notices(ann, "price_alert", count=2)
    assert site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM notices").scalar()) == 0
    assert len(mailbox.to(ann.email)) == 2


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("language", "titles", "reason"),
    [
        (
            "en",
            ["Your results", "What moved", "Closing soon", "Replies and comments"],
            "have such news mailed to you once a day.",
        ),
        (
            "ru",
            ["Ваши результаты", "Что изменилось", "Скоро закроются", "Ответы и комментарии"],
            "выбрано одно письмо в день.",
        ),
    ],
)
def test_a_days_mail_says_what_one_won_what_moved_and_what_closes(
    site: Service, mailbox: Mailbox, language: UserLanguage, titles: list[str], reason: str
) -> None:
    ann, bob = member(site, mailbox, language=language, balance_kopecks=RICH), site.user(balance_kopecks=RICH)
    kinds = ("event_moved", "event_closing", "event_comment", "position_settled")
    expect(ann.client.put(SETTINGS, json={kind: {"email": "daily"} for kind in kinds}), 200)
    expect(ann.client.patch("/users/me", json={"time_zone": "Europe/Moscow"}), 200)
    derby = site.event(
        name="Who wins <the> derby?", pools=[pool(["Reds", "Blues"], finish_at=iso(site.clock() + 30 * HOUR_MS))]
    )
    won = [site.event(name=name) for name in ("Does it rain?", "Does it snow?")]
    follow(ann, f"events/{derby['id']}")
    bet(bob, derby, 50_000)
    wait_for_notices(ann, "event_moved")
    for event in won:
        bet(ann, event, 1_000)
        expect(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    settled = wait_for_notices(ann, "position_settled", count=2)
    expect(bob.client.post("/comments", json={"event_id": derby["id"], "content": "Well."}), 201)
    wait_for_notices(ann, "event_comment")
    site.clock.advance(7 * HOUR_MS)
    sign_in_again(site, ann, bob)
    wait_for_notices(ann, "event_closing")
    expect(bob.client.post("/comments", json={"event_id": derby["id"], "content": "Well?"}), 201)
    wait_for_notices(ann, "event_comment", count=2)
    # It is 22:00 in Moscow.
    site.clock.advance(10 * HOUR_MS)
    mail = mailbox.wait(ann.email, 2)

    plain, html = text_of(mail), text_of(mail, "html")
    places = [plain.index(title.upper()) for title in titles]
    assert places == sorted(places)
    assert [html.index(f"<h2>{title}") for title in titles] == sorted(html.index(f"<h2>{title}") for title in titles)
    assert last_line(mail).endswith(reason)
    profit = sum(one["params"]["pnl_kopecks"] for one in settled)
    assert f"+₽{profit // 100}.{profit % 100:02}" in html or f"+{profit // 100},{profit % 100:02}\u00a0₽" in html
    # Two notifications, one item.
    assert re.search(r'class="figure">2<', html)
    assert html.count('<tr class="item">') == 6
    assert "Who wins &lt;the&gt; derby?" in html
    assert "21:00" in html
    assert ("src=" in html, "url(" in html, "<the>" in html) == (False, False, False)
    stop_by_one_click(site, mail)
    sign_in_again(site, ann)
    chosen = expect(ann.client.get(SETTINGS), 200)
    assert {kind: chosen[kind]["email"] for kind in kinds} == dict.fromkeys(kinds, "off")
