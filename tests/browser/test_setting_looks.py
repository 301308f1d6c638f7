"""An admin gives the site a logo, an icon, colours and a page; the next page that is opened has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload
from playwright.sync_api import expect as see

from tests.browser.conftest import NewContext
from tests.support.browser import Language, seen_as
from tests.support.pictures import image
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, page_of
from tests.support.service import Service

MESSAGES = Path(__file__).parents[2] / "web" / "src" / "messages"
#: Larger than a logo may be, and of a kind that none is.
PHOTO = FilePayload(name="photo.jpg", mimeType="image/jpeg", buffer=image("JPEG", 1600, 800))
DRAWING = FilePayload(
    name="icon.svg",
    mimeType="image/svg+xml",
    buffer=b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><rect width="24" height="9"/></svg>',
)


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database())
    yield service
    service.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_what_an_admin_sets_is_on_the_next_page(new_visitor: NewContext, site: Service, language: Language) -> None:
    say: dict[str, str] = json.loads((MESSAGES / f"looks.{language}.json").read_text())
    site.event(name="Will it rain?")
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin/site/looks")
    see(page.get_by_role("article").get_by_text("Will it rain?").first).to_be_visible()
    check_page(page)

    for kind, file in (("logo", PHOTO), ("icon", DRAWING)):
        part = page.get_by_role("region", name=say[f"picture_{kind}"], exact=True)
        with page.expect_response(re.compile(f"/admin/looks/{kind}$")) as answer:
            part.get_by_label(say[f"choose_{kind}"]).set_input_files(file)
        assert answer.value.status == 200
        see(part.get_by_role("img").first).to_have_attribute("src", re.compile(f"/site/{kind}.png"))
        see(part.get_by_role("button", name=say["remove"])).to_be_enabled()
    # The bar of this page has it, too.
    see(page.get_by_role("banner").locator("img").first).to_have_attribute("src", re.compile("/site/logo.png"))
    wrong = FilePayload(name="x.png", mimeType="image/png", buffer=b"none")
    icon = page.get_by_role("region", name=say["picture_icon"], exact=True)
    icon.get_by_label(say["choose_icon"]).set_input_files(wrong)
    see(icon.get_by_text(say["no_picture"])).to_be_visible()

    colours = page.get_by_role("region", name=say["colours"], exact=True)
    colours.get_by_label(say["accent_light"], exact=True).fill("#ffff00")
    see(colours.get_by_role("button", name=say["save_colours"])).to_be_disabled()
    colours.get_by_label(say["accent_light"], exact=True).fill("#7a1f5c")
    colours.get_by_role("button", name=say["save_colours"]).click()
    see(colours.get_by_role("button", name=say["usual_colours"])).to_be_enabled()
    see(page.locator("html")).to_have_attribute("style", re.compile("7a1f5c"))

    pages = page.get_by_role("region", name=say["pages"], exact=True)
    pages.get_by_label(say["markdown"]).fill("# Our club\n\n- **Ann** runs it")
    see(pages.locator("strong")).to_have_text("Ann")
    check_page(page)
    pages.get_by_role("button", name=say["save_page"]).click()
    see(pages.get_by_role("button", name=say["remove_page"])).to_be_enabled()
    page.get_by_role("button", name=say["reload"]).click()
    # Drawn within the service's bounds, at its shape.
    see(page.get_by_role("banner").locator("img").first).to_have_js_property("naturalWidth", 1024)

    stranger = new_visitor().new_page()
    stranger.goto("/about")
    see(stranger.get_by_role("heading", name="Our club")).to_be_visible()
    see(stranger.locator("html")).to_have_css("--accent", re.compile("7a1f5c"))
    see(stranger.locator("link[rel=apple-touch-icon]")).to_have_attribute("href", re.compile("/site/icon.png"))
    pages.get_by_role("button", name=say["remove_page"]).click()
    see(pages.get_by_text(say["page_none"])).to_be_visible()
