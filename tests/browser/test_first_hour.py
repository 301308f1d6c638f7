"""The first hour of a new site: an admin's three steps, gone once they are done or put away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page
from playwright.sync_api import expect as see

from tests.browser.conftest import NewContext
from tests.support.browser import Language, Theme, scrolls_sideways, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, page_of
from tests.support.service import Person, Service, expect

MESSAGES = Path(__file__).parents[2] / "web" / "src" / "messages"


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database())
    yield service
    service.stop()


@pytest.fixture
def admin(site: Service) -> Person:
    return site.user(admin=True)


def texts(language: Language) -> dict[str, str]:
    """The screen's own texts."""
    found: dict[str, str] = json.loads((MESSAGES / f"firsthour.{language}.json").read_text())
    return found


def opened(page: Page, title: str) -> Locator:
    """A step, open."""
    step = page.locator("details", has=page.get_by_text(title, exact=True))
    if step.get_attribute("open") is None:
        step.locator("summary").click()
    return step


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
    looks.get_by_label(say["name"], exact=True).fill("Class 9b " * 20)
    looks.get_by_label(say["accent_light"]).fill("#ffff00")
    see(looks.get_by_text(re.compile("1[.,]"))).to_be_visible()
    looks.get_by_label(say["accent_light"]).fill("#7a1f5c")
    see(page.locator("html")).to_have_attribute("style", re.compile("7a1f5c"))
    see(looks.get_by_label("theme.json")).to_have_value(re.compile("7a1f5c"))
    assert not scrolls_sideways(page)

    invite = opened(page, say["invite"])
    invite.get_by_label(say["uses"]).fill("0")
    see(invite.get_by_role("button", name=say["invite_do"])).to_be_disabled()
    invite.get_by_label(say["uses"]).fill("25")
    invite.get_by_role("button", name=say["invite_do"]).click()
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


def test_who_is_no_admin_is_not_shown_them(new_visitor: NewContext, site: Service) -> None:
    page = page_of(new_visitor(), site.user(creator=True))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    see(page.get_by_role("link", name="Create").first).to_be_visible()
    assert not [url for url in asked if "first-hour" in url]
