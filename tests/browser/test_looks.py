"""A site with looks of its own: logo, name, colours and pages are there at the first paint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.support.browser import Language, Theme, accessibility_findings, scrolls_sideways, seen_as
from tests.support.schema import SqliteFiles
from tests.support.service import Service

NAME = "Club & </script> Co"
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#7a1f5c"/></svg>'
)
ACCENTS = {"light": "rgb(122, 31, 92)", "dark": "rgb(243, 166, 212)"}
ABOUT = """\
# About us

A club of **forecasters** & friends: [markets](/), `<script>`.

| Who | What |
|---|---|
| Ann | runs it |
"""


@pytest.fixture
def site(sqlite_files: SqliteFiles, tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "logo.svg").write_text(LOGO)
    (tmp_path / "theme.json").write_text(json.dumps({"accent_light": "#7a1f5c", "accent_dark": "#f3a6d4"}))
    (tmp_path / "about.en.md").write_text(ABOUT)
    service = Service(sqlite_files.fresh_database(), site_dir=tmp_path, site_name=NAME)
    yield service
    service.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_the_page_brings_name_logo_colours_and_pages_of_the_site(page: Page, language: Language, theme: Theme) -> None:
    # Nothing of it waits for a request.
    page.route("**/api/v1/site", lambda route: route.abort())
    page.goto("/about")
    about = {"en": "About", "ru": "О сайте"}[language]
    see(page).to_have_title(f"{about} · {NAME}")
    see(page.locator("html")).to_have_css("--accent", re.compile("light-dark"))
    article = page.get_by_role("article")
    see(article.get_by_role("heading", name="About us")).to_be_visible()
    see(article.get_by_text("<script>")).to_be_visible()
    see(article.get_by_role("link", name="markets")).to_have_css("color", ACCENTS[theme])
    banner = page.get_by_role("banner")
    assert banner.locator("img").first.evaluate("image => image.naturalWidth > 0")
    foot = page.get_by_role("contentinfo")
    see(foot.get_by_text(NAME)).to_be_visible()
    see(foot.get_by_role("link", name=about)).to_have_attribute("href", "/about")
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    article.get_by_role("link", name="markets").click()
    see(page).to_have_url(re.compile(r"/$"))
    page.goto("/privacy")
    see(page.get_by_text({"en": "Page not found", "ru": "Страница не найдена"}[language]).first).to_be_attached()
