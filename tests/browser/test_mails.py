"""Mails of notifications, as a mail program shows them, and the page that ends them, without scripts."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import expect as see
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS
from tests.support.browser import Language, Look, Theme, accessibility_findings, new_context, scrolls_sideways, seen_as
from tests.support.mailbox import Mailbox, link_of, text_of
from tests.support.schema import SqliteFiles
from tests.support.service import Person, Service, expect

NAME = "Club & Co"
LONG_NAME = "Дерби " + "ё" * 150
SETTINGS = "/api/v1/users/me/notification-settings"


@pytest.fixture
def site(sqlite_files: SqliteFiles, mailbox: Mailbox) -> Iterator[Service]:
    service = Service(
        sqlite_files.fresh_database(),
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url="https://foreknow.test",
        site_name=NAME,
    )
    yield service
    service.stop()


def mailed(site: Service, mailbox: Mailbox, language: Language) -> tuple[Person, str]:
    """Return a person who was mailed a day's news, and that mail's HTML."""
    ann, bob = site.user(), site.user()
    token = link_of(mailbox.wait(ann.email), "/verify/")
    expect(site.client().post("/auth/verify", json={"token": token}), 200)
    expect(ann.client.patch("/users/me", json={"language": language}), 200)
    expect(ann.client.put("/users/me/notification-settings", json={"comment_reply": {"email": "daily"}}), 200)
    for name in ("Who wins?", LONG_NAME):
        comment = {"event_id": site.event(name=name)["id"], "content": "Well."}
        parent = expect(ann.client.post("/comments", json=comment), 201)
        expect(bob.client.post("/comments", json=comment | {"parent_id": parent["id"]}), 201)
    site.clock.advance(DAY_MS)
    return ann, text_of(mailbox.wait(ann.email, 2), "html")


@seen_as((390, "ru", "dark"), (390, "en", "light"), (390, "ru", "light"), (390, "en", "dark"), (1440, "en", "dark"))
def test_a_days_news_can_be_read_in_any_colours(
    site: Service, mailbox: Mailbox, page: Page, language: Language, theme: Theme
) -> None:
    _, content = mailed(site, mailbox, language)
    page.set_content(content)

    assert not scrolls_sideways(page)
    # A mail is no page: it has no landmarks and no heading of its own.
    found = [one for one in accessibility_findings(page) if not one.startswith(("landmark", "region", "page-has"))]
    assert found == []
    see(page.locator(".item")).to_have_count(2)
    see(page.locator("body")).to_have_css(
        "background-color", {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 24, 21)"}[theme]
    )
    assert page.evaluate("() => performance.getEntriesByType('resource').length") == 0


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_one_button_ends_such_mails_without_a_script(
    site: Service, mailbox: Mailbox, browser: Browser, look: Look, language: Language
) -> None:
    ann, _ = mailed(site, mailbox, language)
    path = "/unsubscribe/" + link_of(mailbox.to(ann.email)[-1], "/unsubscribe/")
    with_script = new_context(browser, site.url, look)
    page = with_script.new_page()
    page.goto(path)
    assert not scrolls_sideways(page)
    assert accessibility_findings(page) == []
    with_script.close()

    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(path)
    see(page.get_by_role("button")).to_have_count(1)
    assert NAME in page.get_by_role("main").inner_text()
    page.get_by_role("button").click()
    see(page.get_by_role("link")).to_have_attribute("href", "/settings")
    see(page.get_by_role("button")).to_have_count(0)
    context.close()
    token = site.sign_in(ann.email, ann.password)
    chosen = expect(httpx.get(site.url + SETTINGS, headers={"Authorization": f"Bearer {token}"}), 200)
    assert chosen["comment_reply"] == {"app": True, "email": "off"}
