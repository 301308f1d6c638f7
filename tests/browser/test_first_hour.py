"""The first hour of a new site: an admin's three steps, gone once they are done or put away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import expect as see
from pydantic import SecretStr

from foreknow.people.users import first_admin
from tests.browser.conftest import NewContext
from tests.support.browser import Language, Look, Theme, new_context, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, page_of, words
from tests.support.service import PASSWORD, Person, Service, expect

MESSAGES = Path(__file__).parents[2] / "web" / "src" / "messages"


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database())
    yield service
    service.stop()


@pytest.fixture
def admin(site: Service) -> Person:
    return site.user(admin=True)


def texts(language: Language, area: str = "firsthour") -> dict[str, str]:
    """The screen's own texts."""
    found: dict[str, str] = json.loads((MESSAGES / f"{area}.{language}.json").read_text())
    return found


def set_up(page: Page, say: dict[str, str]) -> None:
    """Answer the steps after the account; a reload between them goes on."""
    see(page.get_by_role("heading", name=say["step_name"])).to_be_visible()
    page.get_by_label(say["name_site_name"], exact=True).fill("Club")
    check_page(page)
    page.get_by_role("button", name=say["step_next"], exact=True).click()
    closed = page.get_by_role("radio", name=say["entry_invited"])
    see(closed).to_be_checked()
    page.reload()
    see(closed).to_be_visible()
    check_page(page)
    page.get_by_role("button", name=say["step_next"], exact=True).click()
    see(page.get_by_label(say["name_sign_up_kopecks"], exact=True)).to_have_value(re.compile("^1.?000$"))
    check_page(page)
    page.get_by_role("button", name=say["step_last"], exact=True).click()
    page.wait_for_url(re.compile("/$"))


def opened(page: Page, title: str) -> Locator:
    """A step, open."""
    step = page.locator("details", has=page.get_by_text(title, exact=True))
    if step.get_attribute("open") is None:
        step.locator("summary").click()
    return step


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_the_printed_link_makes_the_first_admin(sqlite_files: SqliteFiles, browser: Browser, look: Look) -> None:
    say = words(look.language)
    service = Service(sqlite_files.fresh_database(), admin_email="", admin_password=SecretStr(""))
    token = service.server.run(service.app.db.write(lambda tx: first_admin.issue(tx, at_ms=service.clock())))
    context = new_context(browser, service.url, look)
    page = context.new_page()
    page.goto(f"/setup#{token}")
    page.get_by_label(say("E-mail", "Почта")).fill("ann@example.org")
    page.get_by_label(say("Password", "Пароль"), exact=True).fill(PASSWORD)
    page.get_by_label(say("Name", "Имя"), exact=True).fill("Ann")
    card = page.locator("main .card").first.bounding_box()
    assert card is not None
    assert card["x"] * 2 + card["width"] == pytest.approx(look.width, abs=20)
    check_page(page)
    page.get_by_role("button", name=say("Make the account", "Создать аккаунт")).click()
    set_up(page, texts(look.language, "ownsite"))
    see(page.get_by_text(texts(look.language)["title"])).to_be_visible()
    site = expect(service.client().get("/site"), 200)
    assert (site["name"], site["invitation_only"]) == ("Club", True)
    assert (site["currency"]["sign"], site["currency"]["code"]) == ("¤", None)
    # It was good once.
    context.clear_cookies()
    page.goto("/sign-in")
    page.goto(f"/setup#{token}")
    page.get_by_label(say("E-mail", "Почта")).fill("bob@example.org")
    page.get_by_label(say("Password", "Пароль"), exact=True).fill(PASSWORD)
    page.get_by_label(say("Name", "Имя"), exact=True).fill("Bob")
    page.get_by_role("button", name=say("Make the account", "Создать аккаунт")).click()
    see(page.get_by_text(say("This link is used or too old", "Ссылка уже использована"))).to_be_visible()
    check_page(page)
    context.close()
    service.stop()


@seen_as((390, "en", "light"), (390, "ru", "dark"), (1440, "ru", "light"), (1440, "en", "dark"))
def test_the_first_admin_is_led_through_three_steps(
    new_visitor: NewContext, site: Service, admin: Person, language: Language, theme: Theme
) -> None:
    say = texts(language)
    page = page_of(new_visitor(), admin)
    page.goto("/")
    card = page.get_by_role("region", name=say["title"])
    see(card).to_be_visible()
    for title in ("invite", "looks"):
        opened(page, say[title])
    check_page(page)

    looks = opened(page, say["looks"])
    see(looks.get_by_role("link", name=say["looks_do"])).to_have_attribute("href", "/admin/site/looks")

    invite = opened(page, say["invite"])
    # This site sends no mail: there is no list to invite.
    see(invite.get_by_role("link", name=say["invite_more"])).to_have_attribute("href", "/admin/members")
    invite.get_by_label(say["uses"]).fill("0")
    see(invite.get_by_role("button", name=say["invite_do"])).to_be_disabled()
    invite.get_by_label(say["uses"]).fill("25")
    invite.get_by_role("button", name=say["invite_do"]).click()
    see(invite.get_by_label(say["link"])).to_be_visible()
    see(invite.get_by_label(say["link"])).to_have_value(re.compile(rf"^{site.url}/invite/.{{43}}$"))
    (made,) = expect(site.admin.get("/admin/invitations"), 200)["invitations"]
    assert (made["uses"], made["credit_kopecks"]) == (25, 0)
    assert made["expires_at"] is not None
    check_page(page)

    opened(page, say["market"]).get_by_role("button", name=say["market_do"]).click()
    page.wait_for_url(re.compile("/create$"))
    assert expect(admin.client.get("/users/me"), 200)["is_creator"]
    page.goto("/")
    see(card).to_be_visible()
    opened(page, say["market"])
    see(card.get_by_role("link", name=say["market_do"])).to_have_attribute("href", "/create")
    card.get_by_role("button", name=say["put_away"]).click()
    see(card).to_have_count(0)
    page = page_of(new_visitor(), site.user(admin=True))
    with page.expect_response(re.compile("/admin/first-hour$")):
        page.goto("/")
    see(page.get_by_role("region", name=say["title"])).to_have_count(0)


@seen_as((390, "en", "light"), (1440, "en", "light"))
def test_who_is_no_admin_is_not_shown_them(new_visitor: NewContext, site: Service) -> None:
    page = page_of(new_visitor(), site.user(creator=True))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    see(page.get_by_role("link", name="Create").first).to_be_visible()
    assert not [url for url in asked if "first-hour" in url]
