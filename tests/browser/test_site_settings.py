"""An admin changes the site on a page: what it does now, what another changed meanwhile, and the way back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page
from playwright.sync_api import expect as see

from foreknow.kernel.site_settings import SITE_SETTINGS
from tests.browser.conftest import NewContext
from tests.contract.site_setting import send, shown
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, go, page_of
from tests.support.service import Service, expect

MESSAGES = Path(__file__).parents[2] / "web" / "src" / "messages"


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database(), creators_trade="on")
    yield service
    service.stop()


def setting(page: Page, say: dict[str, str], name: str) -> Locator:
    return page.get_by_role("group", name=say[f"name_{name}"], exact=True)


def back_to_the_default(page: Page, say: dict[str, str], site: Service) -> None:
    """Let the site have the name that all sites have."""
    page.goto("/admin/site")
    setting(page, say, "site_name").get_by_role("button", name=re.compile("Foreknow")).click()
    see(page.get_by_role("region", name=re.compile("^1 "))).to_contain_text("Club → Foreknow")
    page.get_by_role("button", name=say["save"], exact=True).click()
    see(page.get_by_text(say["saved"])).to_be_visible()
    # Unset, not set to the same.
    assert shown(site.admin)["site_name"]["source"] == "default"


@seen_as((390, "ru", "dark"), (1440, "en", "light"), (1440, "ru", "dark"), (390, "en", "light"))
def test_an_admin_changes_the_site_beside_another(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    say: dict[str, str] = json.loads((MESSAGES / f"ownsite.{language}.json").read_text())
    findings.allow(r"status of (400|409) .*/admin/settings")
    admin = site.user(admin=True)
    site.user()
    page = page_of(new_visitor(), admin)
    page.goto("/admin/site")
    for name in SITE_SETTINGS:
        see(setting(page, say, name)).to_be_visible()
    locked = setting(page, say, "creators_trade")
    see(locked).to_contain_text("FOREKNOW_CREATORS_TRADE")
    see(locked.get_by_role("radio")).to_have_count(0)
    check_page(page)

    # What it does now; what is wrong, at its field.
    creators = setting(page, say, "creators")
    creators.get_by_label(say["creators_members"]).check()
    see(creators).to_contain_text(re.compile("^.*[2-9] (members can|участника? смо)", re.DOTALL))
    setting(page, say, "read").get_by_label(say["read_members"]).check()
    save = page.get_by_role("button", name=say["save"], exact=True)
    save.click()
    see(creators).to_contain_text(f"“{say['name_creator_limit_kopecks']}”")
    limit = setting(page, say, "creator_limit_kopecks").get_by_role("textbox")
    limit.fill("5000")

    # Another admin is faster: theirs is shown, and what was typed stays.
    expect(send(site.admin, {"read": "all", "site_name": "Club"}), 200)
    save.click()
    see(page.get_by_text(say["overtaken"])).to_be_visible()
    see(setting(page, say, "site_name").get_by_role("textbox")).to_have_value("Club")
    see(setting(page, say, "site_name")).to_contain_text(say["changed_elsewhere"].replace("{value}", "Club"))
    see(limit).to_have_value("5000")
    see(page.get_by_role("region", name=re.compile("^3 "))).to_contain_text(
        f"{say['read_all']} → {say['read_members']}"
    )
    check_page(page)
    save.click()
    see(page.get_by_text(say["saved"])).to_be_visible()
    found = {name: one["value"] for name, one in shown(site.admin).items()}
    assert (found["read"], found["creators"], found["site_name"]) == ("members", "members", "Club")
    assert found["creator_limit_kopecks"] == 500_000

    go(page, "/admin/log?action=settings_changed")
    page.get_by_role("button", name=say["put_back"], exact=True).first.click()
    dialog = page.get_by_role("dialog", name=say["put_back_title"])
    see(dialog).to_contain_text(say["name_creators"])
    check_page(page)
    dialog.get_by_role("button", name=say["put_back_do"]).click()
    see(dialog).to_have_count(0)
    see(page.get_by_role("button", name=say["put_back"], exact=True)).to_have_count(3)
    found = {name: one["value"] for name, one in shown(site.admin).items()}
    assert (found["read"], found["creators"], found["site_name"]) == ("all", "chosen", "Club")

    back_to_the_default(page, say, site)


@seen_as((390, "en", "light"))
def test_a_strangers_open_page_says_that_only_members_read_now(page: Page, site: Service, findings: Findings) -> None:
    findings.allow(r"status of 401|WebSocket connection")
    site.event(name="Will it rain?")
    with page.expect_websocket() as socket:
        page.goto("/")
    socket.value.wait_for_event("framereceived")
    expect(send(site.admin, {"read": "members"}), 200)
    see(page.get_by_role("heading", name="This site is for its members", level=1)).to_be_attached()
