"""A stranger becomes a member of a site by invitation: sign-up, a verified address, a forgotten password."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see
from pydantic import SecretStr

from foreknow.kernel.currency import Currency
from foreknow.kernel.grant_settings import AllowanceTerms
from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.mailbox import Mailbox, link_of
from tests.support.schema import SqliteFiles
from tests.support.screens import go
from tests.support.service import PASSWORD, Service, expect
from tests.support.waiting import wait_until

EMAIL = "newcomer@example.org"
TEXTS = {
    "en": {
        "members": "This site is for its members",
        "by_invitation": "Accounts here are made by invitation",
        "invited": "You are invited to Class 9b",
        "invites": "invites you.*You start with",
        "email": "E-mail",
        "password": "Password",
        "name": "Name",
        "agree": "I agree to the terms",
        "sign_up": "Sign up",
        "used": "This invitation is used up",
        "verify_it": f"Verify {EMAIL}",
        "again": "Send it again",
        "mine": "This address is mine",
        "verified": "Your e-mail address is verified",
        "portfolio": "Portfolio",
        "welcome": "Welcome",
        "monday": "Every Monday",
        "forgot": "Forgot your password?",
        "send": "Send the link",
        "on_its_way": "a link is on its way",
        "daily": "A position of mine is settled: Daily mail",
        "now": "A position of mine is settled: Mail now",
        "change": "Change the address",
        "new_address": "New address",
        "own_password": "Your password",
        "leave": "Delete my account",
        "word": "delete",
        "for_ever": "Delete my account for ever",
        "deleted": "Your account is deleted",
        "sign_in": "Sign in",
    },
    "ru": {
        "members": "Этот сайт для своих участников",
        "by_invitation": "Аккаунты здесь заводят по приглашению",
        "invited": "Вас приглашают на Class 9b",
        "invites": "приглашает вас.*У вас сразу будет",
        "email": "Почта",
        "password": "Пароль",
        "name": "Имя",
        "agree": "Я принимаю условия",
        "sign_up": "Зарегистрироваться",
        "used": "Это приглашение использовано",
        "verify_it": f"Подтвердите {EMAIL}",
        "again": "Прислать ещё раз",
        "mine": "Это моя почта",
        "verified": "Почта подтверждена",
        "portfolio": "Портфель",
        "welcome": "Приветствие",
        "monday": "Каждый понедельник",
        "forgot": "Забыли пароль?",
        "send": "Прислать ссылку",
        "on_its_way": "ссылка уже в пути",
        "daily": "Моя позиция рассчитана: Раз в день",
        "now": "Моя позиция рассчитана: Письмо сразу",
        "change": "Сменить адрес",
        "new_address": "Новый адрес",
        "own_password": "Ваш пароль",
        "leave": "Удалить мой аккаунт",
        "word": "удалить",
        "for_ever": "Удалить мой аккаунт навсегда",
        "deleted": "Ваш аккаунт удалён",
        "sign_in": "Войти",
    },
}


@pytest.fixture
def site(sqlite_files: SqliteFiles, tmp_path: Path, mailbox: Mailbox) -> Iterator[Service]:
    (tmp_path / "terms.en.md").write_text("# Terms\n\nPlay fair.")
    service = Service(
        sqlite_files.fresh_database(),
        site_name="Class 9b",
        site_dir=tmp_path,
        currency=Currency(sign="pts", name="points", name_ru="баллы", decimals=0),
        sign_up="invite",
        sign_up_kopecks=100_000,
        allowance=AllowanceTerms(kopecks=20_000, every="week", up_to=200_000),
        email_verification="on",
        read="members",
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="class@example.org",
        public_url="http://foreknow.test",
    )
    yield service
    service.stop()


@pytest.fixture(autouse=True)
def _allowed(findings: Findings) -> None:
    # The page is not reached at the site's public address here.
    findings.allow("WebSocket|status of (401|403|409) ")


def invitation(site: Service) -> str:
    made = expect(site.admin.post("/admin/invitations", json={"uses": 1}), 201)
    return "/invite/" + str(made["url"]).rpartition("/")[2]


def narrow_enough(page: Page) -> bool:
    """Return whether a page fits the narrowest phone."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 320, "height": 640})
    fits = not scrolls_sideways(page)
    page.set_viewport_size(size)
    return fits


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_stranger_comes_in_by_invitation_and_verifies_their_address(
    page: Page, new_visitor: NewContext, site: Service, mailbox: Mailbox, language: Language
) -> None:
    texts, box, link = TEXTS[language], page.get_by_role("main"), invitation(site)
    stays_outside(page, texts)

    page.goto(link)
    see(page.get_by_role("heading", level=1, name=texts["invited"])).to_be_visible()
    see(box.get_by_text(re.compile(texts["invites"]))).to_contain_text(re.compile(r"1[,\s]000"))
    box.get_by_label(texts["email"], exact=True).fill(EMAIL)
    box.get_by_label(texts["password"]).fill(PASSWORD)
    box.get_by_label(texts["name"], exact=True).fill("Ю" * 200)
    assert accessibility_findings(page) == []
    assert narrow_enough(page)
    # The terms are not agreed to yet.
    box.get_by_role("button", name=texts["sign_up"]).click()
    see(box.locator("input[name=terms]:invalid")).to_be_focused()
    box.get_by_label(texts["agree"]).check()
    box.get_by_role("button", name=texts["sign_up"]).click()
    see(page).to_have_url(re.compile("/portfolio$"))
    wait_until(lambda: page.request.get("/api/v1/users/me").json()["time_zone"] == "Europe/Moscow")

    notice = page.get_by_role("complementary").filter(has_text=texts["verify_it"])
    see(notice.get_by_role("button", name=texts["again"])).to_be_visible()
    assert accessibility_findings(page) == []
    assert narrow_enough(page)
    page.goto("/verify/" + link_of(mailbox.wait(EMAIL), "/verify/"))
    box.get_by_role("button", name=texts["mine"]).click()
    see(box.get_by_text(texts["verified"])).to_be_visible()
    assert accessibility_findings(page) == []
    see(notice).to_have_count(0)
    box.get_by_role("link", name=texts["portfolio"]).click()
    see(box.get_by_text(texts["welcome"]).first).to_be_visible()
    see(box.get_by_text(texts["monday"])).to_be_visible()
    see(page.get_by_role("banner").locator("a[href='/portfolio']").last).to_contain_text("000\u00a0pts")
    assert accessibility_findings(page) == []
    assert narrow_enough(page)
    go(page, "/portfolio?tab=history")
    # What a rule gave has a name, and its note does not say it again.
    see(box.locator("td .clamp").filter(has_text=texts["welcome"])).to_have_text(texts["welcome"])

    other = new_visitor().new_page()
    box = other.get_by_role("main")
    other.goto(link)
    # It says so before anything is filled in.
    see(box.get_by_role("alert")).to_contain_text(texts["used"])
    assert accessibility_findings(other) == []
    see(box.get_by_role("textbox")).to_have_count(0)

    site.clock.advance(120_000)
    other.goto("/sign-in")
    box.get_by_role("link", name=texts["forgot"]).click()
    box.get_by_label(texts["email"], exact=True).fill(EMAIL)
    assert accessibility_findings(other) == []
    assert narrow_enough(other)
    box.get_by_role("button", name=texts["send"]).click()
    see(box.get_by_role("status")).to_contain_text(texts["on_its_way"])
    assert link_of(mailbox.wait(EMAIL, 2), "/reset/")
    leaves(page, mailbox, texts)


def stays_outside(page: Page, texts: Mapping[str, str]) -> None:
    """Without an invitation: see nothing, and be shown what is asked."""
    box = page.get_by_role("main")
    page.goto("/")
    see(box.get_by_role("heading", level=2, name=texts["members"])).to_be_visible()
    assert accessibility_findings(page) == []
    box.locator("a[href='/sign-up']").click()
    see(box.get_by_text(texts["by_invitation"])).to_be_visible()
    assert accessibility_findings(page) == []


def leaves(page: Page, mailbox: Mailbox, texts: Mapping[str, str]) -> None:
    """In the settings: choose what is mailed, change the address, delete the account."""
    box, fresh = page.get_by_role("main"), f"{'n' * 60}@{'x' * 60}.example.org"
    page.goto("/settings")
    daily = box.get_by_role("checkbox", name=texts["daily"])
    daily.check()
    see(box.get_by_role("checkbox", name=texts["now"])).not_to_be_checked()
    page.reload()
    see(daily).to_be_checked()
    for name in ("change", "leave"):
        box.get_by_text(texts[name], exact=True).first.click()
    box.get_by_label(texts["new_address"]).fill(fresh)
    box.get_by_label(texts["own_password"]).first.fill(PASSWORD)
    box.get_by_role("button", name=texts["send"]).click()
    see(box.get_by_text(fresh).first).to_be_visible()
    assert mailbox.wait(fresh)
    assert accessibility_findings(page) == []
    assert narrow_enough(page)
    box.get_by_label(texts["own_password"]).last.fill(PASSWORD)
    box.get_by_label(f"“{texts['word']}”").or_(box.get_by_label(f"«{texts['word']}»")).fill(texts["word"])
    box.get_by_role("button", name=texts["for_ever"]).click()
    see(box.get_by_role("heading", name=texts["deleted"])).to_be_visible()
    see(page.get_by_role("banner").get_by_role("link", name=texts["sign_in"])).to_be_visible()


@seen_as((1440, "en", "light"))
def test_a_mail_sent_to_one_is_not_said_to_be_sent_to_the_next(page: Page, site: Service) -> None:
    terms = expect(site.client().get("/site"), 200)["terms"]
    ann, ben = (site.user(invitation=invitation(site).rpartition("/")[2], terms=terms) for _ in range(2))
    sign_in(page.context, ann)
    # The service has just sent one.
    page.route("**/api/v1/users/me/email/verify", lambda route: route.fulfill(json={}))
    page.goto("/")
    notice, again = page.get_by_role("complementary", name="Your e-mail address"), TEXTS["en"]["again"]
    notice.get_by_role("button", name=again).click()
    see(notice).to_contain_text(f"on its way to {ann.email}")
    sign_in(page.context, ben)
    page.evaluate("dispatchEvent(new Event('online'))")
    see(notice).to_contain_text(f"Verify {ben.email}")
    see(notice.get_by_role("button", name=again)).to_be_visible()
