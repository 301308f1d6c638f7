"""Where members suggest markets: the form sends them to the site's team, which takes or declines them with a word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.browser.conftest import NewContext
from tests.support.browser import Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.schema import SqliteFiles
from tests.support.screens import go
from tests.support.service import Service, expect

TEXTS = {
    "en": {
        "waits": "It waits for the site's team",
        "send": "Send to the site's team",
        "costs": "The most that it can cost the house",
        "publish": "Publish",
        "decline": "Decline",
        "word": "A word to its maker",
        "decides": "Resolved by someone who runs markets on this site",
    },
    "ru": {
        "waits": "Рынок ждёт команду сайта",
        "send": "Отправить команде сайта",
        "costs": "Самое большее, чего он может стоить площадке",
        "publish": "Опубликовать",
        "decline": "Отклонить",
        "word": "Слово автору",
        "decides": "Итог объявляет тот, кто ведёт рынки на этом сайте",
    },
}


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    service = Service(sqlite_files.fresh_database(), creators="suggest")
    yield service
    service.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_the_team_takes_or_declines_what_members_suggest(
    page: Page, new_visitor: NewContext, site: Service, language: Language
) -> None:
    texts, member, admin = TEXTS[language], site.user(), site.user(admin=True)
    taken = site.event(member, publish=False, name="Snow on Monday?")
    declined = site.event(member, publish=False, name="W" * 200)
    sign_in(page.context, member)
    page.goto("/create")
    see(page.get_by_role("button", name=texts["send"])).to_be_visible()
    go(page, f"/mine?event={taken['id']}")
    see(page.get_by_text(texts["waits"])).to_be_visible()
    assert accessibility_findings(page) == []

    sign_in((team := new_visitor().new_page()).context, admin)
    team.goto("/admin/attention")
    rows = team.get_by_role("main").get_by_role("listitem").filter(has_text=texts["costs"])
    see(rows).to_have_count(2)
    see(rows.first).to_contain_text("693")
    assert accessibility_findings(team) == []
    size = team.viewport_size
    assert size is not None
    team.set_viewport_size({"width": 320, "height": 640})
    assert not scrolls_sideways(team)
    team.set_viewport_size(size)
    rows.filter(has_text="Snow").get_by_role("button", name=texts["publish"]).click()
    see(rows).to_have_count(1)
    rows.get_by_role("button", name=texts["decline"]).click()
    dialog = team.get_by_role("dialog")
    dialog.get_by_label(texts["word"]).fill("Say who decides.")
    assert accessibility_findings(team) == []
    dialog.get_by_role("button", name=texts["decline"]).click()
    see(rows).to_have_count(0)

    assert expect(member.client.get(f"/events/{taken['id']}"), 200)["status"] == "active"
    assert expect(member.client.get(f"/events/{declined['id']}"), 200)["status"] == "cancelled"
    texts_of = [one["text"] for one in expect(member.client.get("/notifications"), 200)["notifications"]]
    assert any("Say who decides." in text for text in texts_of)
    # The member who suggested it does not run it.
    go(page, f"/events/{taken['id']}?tab=rules")
    see(page.get_by_text(texts["decides"])).to_be_visible()
    go(page, f"/mine?event={taken['id']}")
    section = page.get_by_role("main").get_by_role("region", name=taken["pools"][0]["name"])
    see(section).to_be_visible()
    see(section.get_by_role("button")).to_have_count(0)
