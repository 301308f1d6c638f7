"""An admin invites a class by mail: line by line, through a lost answer and a reload, until all have come."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route
from playwright.sync_api import expect as see
from pydantic import SecretStr

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, seen_as
from tests.support.mailbox import Mailbox, link_of
from tests.support.schema import SqliteFiles
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import PASSWORD, Service, expect
from tests.support.waiting import wait_until

#: More than one request takes.
MANY = 110
MEMBERS = "**/api/v1/admin/members"


@pytest.fixture
def site(sqlite_files: SqliteFiles, mailbox: Mailbox) -> Iterator[Service]:
    service = Service(
        sqlite_files.fresh_database(),
        site_name="Class 9b",
        sign_up_domains="example.org",
        sign_up_kopecks=100_000,
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="class@example.org",
        public_url="http://foreknow.test",
    )
    yield service
    service.stop()


def narrow_enough(page: Page) -> None:
    """Check a page on the narrowest phone, too."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 320, "height": 640})
    check_page(page)
    page.set_viewport_size(size)


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_class_is_invited_from_a_table_and_comes(
    new_visitor: NewContext, site: Service, mailbox: Mailbox, findings: Findings, language: Language
) -> None:
    # Lost and refused requests, and the site's public address, at which it is not reached here.
    findings.allow("WebSocket|net::|Failed to fetch|status of (400|409) .*/admin/members")
    say = words(language)
    teacher = site.user(admin=True, email="teacher@example.org")
    token = link_of(mailbox.wait(teacher.email), "/verify/")
    expect(site.client().post("/auth/verify", json={"token": token}), 200)
    admin = page_of(new_visitor(), teacher)
    admin.goto("/admin/people")
    admin.get_by_role("link", name=say("Invite people", "Пригласить людей")).click()
    box = admin.get_by_role("main")

    # As Excel writes it in Russian, and as anything else does.
    head = say("Name;E-mail;Points\r\n", "Имя;Эл. почта;Баллы\r\n")
    ann = say("Ann", "Анна")
    table = head + (
        f"{ann};ann@example.org;50\r\n"
        "Bob;not an address;\r\n"
        f"{'Ю' * 200 if language == 'ru' else 'Y' * 200};long@example.org;\r\n"
        "\r\n"
        "Ann;ANN@example.org;\r\n"
        "Eve;eve@elsewhere.test;\r\n"
        "Dan;dan@example.org;many\r\n"
        "Hidden trader;hid@example.org;\r\n"
        "Tea;teacher@example.org;\r\n"
    )
    content = table.encode("cp1251" if language == "ru" else "utf-8-sig")
    box.locator("input[type=file]").set_input_files({"name": "class.csv", "mimeType": "text/csv", "buffer": content})
    see(box.get_by_text(say("8 people: address, name", "8 человек: адрес, имя"))).to_be_visible()
    narrow_enough(admin)
    stops(admin, say)
    for line, email, state in (
        (2, "ann@example.org", say("Will be invited", "Будет приглашение")),
        (3, "not an address", say("Not an e-mail address", "Это не адрес почты")),
        (6, "ANN@example.org", say("Same address as in line 2", "Тот же адрес, что в строке 2")),
        (7, "eve@elsewhere.test", say("Addresses of this domain", "С адресом этого домена")),
        (8, "dan@example.org", say("Not an amount: many", "Это не сумма: many")),
        (9, "hid@example.org", say("they choose their own", "выберет своё")),
        (10, "teacher@example.org", say("Is a member", "Уже участник")),
    ):
        row = box.get_by_role("listitem").filter(has_text=re.compile(re.escape(email)))
        see(row).to_contain_text(f"{say('Line', 'Строка')} {line}")
        see(row).to_contain_text(re.compile(state))
    narrow_enough(admin)
    assert mailbox.to("ann@example.org") == []

    # Nothing was sent: there is more on the list.
    box.get_by_role("button", name=say("Change the list", "Изменить список")).click()
    field = box.get_by_label(say("Who is invited", "Кого пригласить"))
    more = "\n".join(f"Pupil {number};pupil{number}@example.org;" for number in range(MANY))
    field.fill(field.input_value() + more)
    box.get_by_role("button", name=say("See what will happen", "Посмотреть, что будет")).click()
    sends(admin, say, mailbox)

    comes(new_visitor().new_page(), say, mailbox, ann)
    goes_on(admin, say, mailbox)


def stops(page: Page, say: Words) -> None:
    """Have the list looked at: it is refused at first, and says so until it goes on."""
    box, closed = page.get_by_role("main"), {"error": "sign_up_closed", "message": "Sign-up is closed here."}
    page.route(MEMBERS, lambda route: route.fulfill(status=409, json=closed), times=1)
    box.get_by_role("button", name=say("See what will happen", "Посмотреть, что будет")).click()
    see(box.get_by_role("heading", name=say("Stopped at 0 of 6", "Остановлено: 0 из 6"))).to_be_visible()
    narrow_enough(page)
    box.get_by_role("button", name=say("Go on", "Продолжить")).click()


def sends(page: Page, say: Words, mailbox: Mailbox) -> None:
    """Send the list: its second answer is lost, and the page is loaded again while the same is asked once more."""
    box, held = page.get_by_role("main"), list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    send = box.get_by_role("button", name=re.compile(say(f"Send {MANY + 3} inv", f"Отправить {MANY + 3} пригл")))
    see(send).to_be_visible()
    # The one that was set last comes first.
    for answer in (hold, lose_the_answer, lambda route: route.continue_()):
        page.route(MEMBERS, answer, times=1)
    send.click()
    progress = box.get_by_role("progressbar")
    # Each look at the page lets its routes be served, too.
    wait_until(lambda: progress.is_visible() and held)
    see(box.get_by_text(say("No answer yet", "Ответа пока нет"))).to_be_visible()
    narrow_enough(page)
    page.reload()
    done = say(f"{MANY + 3} people are invited", f"Приглашены {MANY + 3} человек")
    see(box.get_by_role("heading", name=done)).to_be_visible()
    narrow_enough(page)
    for email in ("ann@example.org", "hid@example.org", "pupil0@example.org", f"pupil{MANY - 1}@example.org"):
        mailbox.wait(email)
    wait_until(lambda: sum(to.startswith("pupil") for to, _ in mailbox.taken) == MANY)


def comes(page: Page, say: Words, mailbox: Mailbox, name: str) -> None:
    """Follow the link of a mail: what is known is filled in, and the address cannot be another."""
    box = page.get_by_role("main")
    page.goto("/invite/" + link_of(mailbox.wait("ann@example.org"), "/invite/"))
    see(box.get_by_label(say("E-mail", "Почта"), exact=True)).to_have_value("ann@example.org")
    see(box.get_by_label(say("E-mail", "Почта"), exact=True)).not_to_be_editable()
    see(box.get_by_label(say("Name", "Имя"), exact=True)).to_have_value(name)
    narrow_enough(page)
    box.get_by_label(say("Name", "Имя"), exact=True).fill("Ann Roe")
    box.get_by_label(say("Password", "Пароль")).fill(PASSWORD)
    box.get_by_role("button", name=say("Sign up", "Зарегистрироваться")).click()
    see(page).to_have_url(re.compile("/portfolio$"))
    me = page.request.get("/api/v1/users/me").json()
    assert (me["name"], me["email_verified"], me["balance_kopecks"]) == ("Ann Roe", True, 105_000)


def goes_on(page: Page, say: Words, mailbox: Mailbox) -> None:
    """See who has come; withdraw an invitation, and invite that person again."""
    box = page.get_by_role("main")
    box.get_by_role("button", name=say("See who has come", "Посмотреть, кто пришёл")).click()
    row = box.get_by_role("listitem").filter(has_text="ann@example.org").first
    see(row).to_contain_text(say("Is a member", "Уже участник"))

    page.goto("/admin/members")
    row = box.get_by_role("listitem").filter(has_text=f"pupil{MANY - 1}@example.org")
    see(row).to_contain_text(say("Has not come yet", "Ещё не здесь"))
    see(box.get_by_text("ann@example.org", exact=True)).to_have_count(0)
    row.get_by_role("button", name=say("Withdraw", "Отозвать")).click()
    see(row).to_contain_text(say("withdrawn", "отозвано"))
    narrow_enough(page)
    row.get_by_role("button", name=say("Invite again", "Пригласить снова")).click()
    see(row).to_contain_text(say("Has not come yet", "Ещё не здесь"))
    assert mailbox.wait(f"pupil{MANY - 1}@example.org", 2)
    box.get_by_role("button", name=say("Show more", "Показать ещё")).click()
    see(box.get_by_text(f"pupil{MANY - 60}@example.org", exact=True)).to_be_visible()
    # No one else was mailed twice.
    assert sum(to.startswith("pupil") for to, _ in mailbox.taken) == MANY + 1
